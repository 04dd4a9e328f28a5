//! Tiles out of columns and back: what is stored column by column is swept coordinate by coordinate.

use crate::products::{FEW, Lanes};
use pulp::Simd;

/// Columns that are turned together.
const TOGETHER: usize = 8;
/// Numbers whose sum is found in registers.
const LAST: usize = 16;

/// How the columns of a tile are turned.
#[derive(Clone, Copy)]
pub(super) struct Turn {
    /// The first coordinate that moves, and how many there are.
    first: usize,
    rank: usize,
    /// Columns of a full tile.
    lanes: usize,
    /// Whether whole registers are turned, which puts the columns into another order: at the rank of graphs turning takes a good part of
    /// the time.
    by_registers: bool,
}

impl Turn {
    pub(super) fn of<T>(columns: &[T], (first, rank): (usize, usize), lanes: usize) -> Self {
        Self {
            first,
            rank,
            lanes,
            by_registers: rank == FEW && first == 0 && columns.len() == rank * lanes,
        }
    }

    /// tile (coordinate by coordinate) ← columns; missing columns are zero.
    #[inline(always)]
    pub(super) fn load<T: Lanes, S: Simd>(self, simd: S, tile: &mut [T], columns: &[T]) {
        let Self { rank, lanes, .. } = self;
        if self.by_registers {
            let row = lanes / T::count::<S>();
            let (columns, _) = T::registers::<S>(columns).as_chunks::<FEW>();
            let tile = T::registers_mut::<S>(tile);
            for (at, &columns) in columns.iter().enumerate() {
                for (k, turned) in T::turn(simd, columns).into_iter().enumerate() {
                    tile[k * row + at] = turned;
                }
            }
            return;
        }
        if columns.len() < tile.len() {
            tile.fill(T::ZERO);
        }
        let mut blocks = columns.chunks_exact(rank * TOGETHER);
        let mut lane = 0;
        for block in &mut blocks {
            let columns: [&[T]; TOGETHER] = std::array::from_fn(|c| &block[c * rank..][..rank]);
            for (k, row) in tile.chunks_exact_mut(lanes).enumerate() {
                let values: [T; TOGETHER] = std::array::from_fn(|c| columns[c][k]);
                row[lane..][..TOGETHER].copy_from_slice(&values);
            }
            lane += TOGETHER;
        }
        for column in blocks.remainder().chunks_exact(rank) {
            for (row, &value) in tile.chunks_exact_mut(lanes).zip(column) {
                row[lane] = value;
            }
            lane += 1;
        }
    }

    /// columns ← tile, for the coordinates from the first that moves: those before it are what they were. Of 0 and −0 processors
    /// disagree which is larger: only 0 is left.
    #[inline(always)]
    pub(super) fn store<T: Lanes, S: Simd>(self, simd: S, columns: &mut [T], tile: &[T]) {
        let Self { rank, lanes, .. } = self;
        if self.by_registers {
            let row = lanes / T::count::<S>();
            let zero = T::splat(simd, T::ZERO);
            let (columns, _) = T::registers_mut::<S>(columns).as_chunks_mut::<FEW>();
            let tile = T::registers::<S>(tile);
            for (at, columns) in columns.iter_mut().enumerate() {
                let rows = std::array::from_fn(|k| T::plus(simd, tile[k * row + at], zero));
                *columns = T::turn_back(simd, rows);
            }
            return;
        }
        for (lane, column) in columns.chunks_exact_mut(rank).enumerate() {
            let rows = column.iter_mut().zip(tile.chunks_exact(lanes));
            for (value, row) in rows.skip(self.first) {
                *value = row[lane] + T::ZERO;
            }
        }
    }

    /// The sum of a number for every column, which are a power of two, by halves of the columns as they are stored: an order that has
    /// nothing to do with registers.
    #[inline(always)]
    pub(super) fn sum<T: Lanes, S: Simd>(self, simd: S, numbers: &mut [T]) -> f64 {
        if self.by_registers {
            return sum_of_turned(simd, numbers).f64();
        }
        let mut half = numbers.len() / 2;
        while half >= LAST {
            let (left, right) = numbers.split_at_mut(half);
            let parts = left.as_chunks_mut::<LAST>().0.iter_mut();
            for (left, right) in parts.zip(right.as_chunks::<LAST>().0) {
                for at in 0..LAST {
                    left[at] += right[at];
                }
            }
            half /= 2;
        }
        let last: [T; LAST] = std::array::from_fn(|at| numbers[at]);
        let eight: [T; 8] = std::array::from_fn(|at| last[at] + last[at + 8]);
        let four: [T; 4] = std::array::from_fn(|at| eight[at] + eight[at + 4]);
        ((four[0] + four[2]) + (four[1] + four[3])).f64()
    }
}

/// The same where the lanes of each register are columns in the order to which `turn` brings them.
#[inline(always)]
fn sum_of_turned<T: Lanes, S: Simd>(simd: S, numbers: &mut [T]) -> T {
    let registers = T::registers_mut::<S>(numbers);
    let mut half = registers.len() / 2;
    while half > 0 {
        for at in 0..half {
            registers[at] = T::plus(simd, registers[at], registers[at + half]);
        }
        half /= 2;
    }
    // Turned back beside three rows of zeros, the number of a column stands at its first place.
    let zero = T::splat(simd, T::ZERO);
    let [a, b, c, d] = T::turn_back(simd, [registers[0], zero, zero, zero]);
    registers[0] = T::plus(simd, T::plus(simd, a, c), T::plus(simd, b, d));
    let mut half = T::count::<S>() / 2;
    while half >= FEW {
        for at in 0..half {
            numbers[at] += numbers[at + half];
        }
        half /= 2;
    }
    numbers[0]
}
