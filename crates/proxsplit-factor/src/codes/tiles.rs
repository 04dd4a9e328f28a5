//! Coordinate sweeps for many columns at once, vectorized across columns: the elementary terms.
//!
//! min_a ½aᵀGa − cᵀa + W₁‖a‖₁ + (W₂/2)‖a‖² over l ≤ a ≤ u, one coordinate after the other, each solved exactly. A tile
//! holds a few registers of columns, coordinate by coordinate, and stays in the first-level cache for all its sweeps.

use super::{Effort, Quadratic};
use crate::products::Lanes;
use proxsplit::internal::parallel::Each;
use proxsplit::internal::scratch;
use proxsplit::{Elementary, simd};
use pulp::{Simd, WithSimd};
use rayon::prelude::*;

/// Registers of columns in a tile.
const REGISTERS: usize = 4;

/// The numbers that all tiles share.
struct Shared<'a, T> {
    /// −G by blocks of rows, each column by column: what every coordinate pulls on those of a block, in the order in which it is read.
    pull: &'a [T],
    /// G_kk + W₂
    curvature: &'a [T],
    /// 1/(G_kk + W₂), or 0 where that is 0: such a coordinate goes to the point of [l, u] nearest to 0.
    inverse: &'a [T],
    shrink: T,
    bounds: (T, T),
    /// The first coordinate that moves.
    first: usize,
    effort: Effort,
}

/// Sweeps over all columns until each tile has converged or the effort is spent.
pub(super) fn sweep<T: Lanes>(
    problem: &Quadratic<'_, T>,
    codes: &mut [T],
    term: (Elementary, usize),
    effort: Effort,
) {
    let rank = problem.rank;
    scratch::with(rank * (rank + 2), |space: &mut [T]| {
        let shared = Shared::new(problem, term, effort, space);
        sweep_tiles(problem, codes, &shared);
    });
}

fn sweep_tiles<T: Lanes>(problem: &Quadratic<'_, T>, codes: &mut [T], shared: &Shared<'_, T>) {
    let rank = problem.rank;
    // Whatever the machine's registers, so that tiles and with them the stopping are cut alike.
    let lanes = REGISTERS * 64 / size_of::<T>();
    codes
        .par_chunks_mut(rank * lanes)
        .zip(problem.linear.par_chunks(rank * lanes))
        .each(&|(codes, linear)| {
            scratch::with((2 * rank + 1) * lanes, |tile: &mut [T]| {
                let (change, tile) = tile.split_at_mut(lanes);
                let (a, c) = tile.split_at_mut(rank * lanes);
                load(a, codes, (rank, lanes));
                load(c, linear, (rank, lanes));
                simd::arch().dispatch(Tile {
                    a,
                    c,
                    change,
                    rank,
                    shared,
                });
                store(codes, a, lanes);
            });
        });
}

impl<'a, T: Lanes> Shared<'a, T> {
    fn new(
        problem: &Quadratic<'_, T>,
        (term, first): (Elementary, usize),
        effort: Effort,
        space: &'a mut [T],
    ) -> Self {
        let rank = problem.rank;
        let (pull, rest) = space.split_at_mut(rank * rank);
        let (curvature, inverse) = rest.split_at_mut(rank);
        for (k, size) in blocks(first, rank) {
            let pulls = pull[k * rank..][..size * rank].chunks_exact_mut(size);
            for (pull, row) in pulls.zip(problem.gram.chunks_exact(rank)) {
                for (pull, &g) in pull.iter_mut().zip(&row[k..]) {
                    *pull = -g;
                }
            }
        }
        for k in 0..rank {
            curvature[k] = problem.gram[k * rank + k] + T::of(term.sql2);
            let i = T::ONE / curvature[k];
            let sane = curvature[k] > T::ZERO && i.is_finite();
            inverse[k] = if sane { i } else { T::ZERO };
        }
        Self {
            pull,
            curvature,
            inverse,
            shrink: T::of(term.l1),
            bounds: (T::of(term.lower), T::of(term.upper)),
            first,
            effort,
        }
    }
}

/// Columns that are loaded together.
const TOGETHER: usize = 8;

/// tile (coordinate by coordinate) ← columns; missing columns are zero.
#[inline(always)]
fn load<T: Lanes>(tile: &mut [T], columns: &[T], (rank, lanes): (usize, usize)) {
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

#[inline(always)]
fn store<T: Lanes>(columns: &mut [T], tile: &[T], lanes: usize) {
    let rank = tile.len() / lanes;
    for (lane, column) in columns.chunks_exact_mut(rank).enumerate() {
        for (value, row) in column.iter_mut().zip(tile.chunks_exact(lanes)) {
            *value = row[lane];
        }
    }
}

struct Tile<'a, T> {
    a: &'a mut [T],
    c: &'a [T],
    /// What a sweep changed, for every column.
    change: &'a mut [T],
    rank: usize,
    shared: &'a Shared<'a, T>,
}

impl<T: Lanes> WithSimd for Tile<'_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Effort { sweeps, tolerance } = self.shared.effort;
        let width = self.a.len() / self.rank;
        // Sums of a block fill half of the 32 registers of AVX-512 and ARM, or of the 16 of older machines.
        let registers = if S::REGISTER_COUNT >= 32 { 4 } else { 2 };
        let mut first = 0.0;
        for sweep in 0..sweeps {
            for part in (0..width).step_by(registers * T::count::<S>()) {
                let (tile, at) = ((&mut *self.a, self.c, &mut *self.change), (width, part));
                match registers {
                    4 => once::<T, S, 4>(simd, tile, at, self.shared),
                    _ => once::<T, S, 2>(simd, tile, at, self.shared),
                }
            }
            let change = folded(self.change);
            if sweep == 0 {
                first = change;
            }
            if change <= tolerance * tolerance * first {
                break;
            }
        }
    }
}

/// The sum of the numbers, a power of two of them, by halves: an order that has nothing to do with registers.
#[inline(always)]
fn folded<T: Lanes>(numbers: &mut [T]) -> f64 {
    let mut half = numbers.len() / 2;
    while half > 0 {
        let (left, right) = numbers.split_at_mut(half);
        for (left, &right) in left.iter_mut().zip(&*right) {
            *left += right;
        }
        half /= 2;
    }
    numbers[0].f64()
}

/// Coordinates whose sums over all others are found together: each number of a tile is then read once for several of them.
const BLOCK: usize = 4;

/// The first coordinate and the size of every block; what is left at the end are blocks of one.
fn blocks(first: usize, rank: usize) -> impl Iterator<Item = (usize, usize)> {
    let whole = first + (rank - first) / BLOCK * BLOCK;
    let single = (whole..rank).map(|k| (k, 1));
    (first..whole)
        .step_by(BLOCK)
        .map(|k| (k, BLOCK))
        .chain(single)
}

/// One sweep over V registers from `part` of a tile; `change` ← Σ_k (G_kk + W₂)·δ_k² of every column, twice the decrease or
/// less.
#[inline(always)]
fn once<T: Lanes, S: Simd, const V: usize>(
    simd: S,
    (a, c, total): (&mut [T], &[T], &mut [T]),
    (width, part): (usize, usize),
    shared: &Shared<'_, T>,
) {
    let lanes = T::count::<S>();
    let mut part = Part::<T, S, V> {
        a: T::registers_mut::<S>(a),
        c: T::registers::<S>(c),
        change: [T::splat(simd, T::ZERO); V],
        row: width / lanes,
        first: part / lanes,
    };
    for (k, size) in blocks(shared.first, shared.curvature.len()) {
        match size {
            BLOCK => part.minimize::<BLOCK>(simd, k, shared),
            _ => part.minimize::<1>(simd, k, shared),
        }
    }
    T::registers_mut::<S>(total)[part.first..][..V].copy_from_slice(&part.change);
}

/// V registers of every row of a tile.
struct Part<'a, T: Lanes, S: Simd, const V: usize> {
    a: &'a mut [T::Vector<S>],
    c: &'a [T::Vector<S>],
    change: [T::Vector<S>; V],
    /// Registers of a row.
    row: usize,
    /// The first register of a row that belongs to the part.
    first: usize,
}

impl<T: Lanes, S: Simd, const V: usize> Part<'_, T, S, V> {
    /// Solves B coordinates from `k` one after the other.
    #[inline(always)]
    fn minimize<const B: usize>(&mut self, simd: S, k: usize, shared: &Shared<'_, T>) {
        let (rank, at) = (shared.curvature.len(), k * self.row + self.first);
        let pull = shared.pull[k * rank..][..B * rank].as_chunks().0;
        let mut sum = self.pulled::<B>(simd, k, pull);
        let mut a = sum;
        for b in 0..B {
            a[b].copy_from_slice(&self.a[at + b * self.row..][..V]);
        }
        for b in 0..B {
            for i in 0..B {
                if i != b {
                    add::<T, S, V>(simd, &mut sum[b], pull[k + i][b], &a[i]);
                }
            }
            let new = best::<T, S, V>(simd, sum[b], k + b, shared);
            let curvature = T::splat(simd, shared.curvature[k + b]);
            for v in 0..V {
                let moved = T::minus(simd, new[v], a[b][v]);
                let weighted = T::times(simd, curvature, moved);
                self.change[v] = T::mul_add(simd, weighted, moved, self.change[v]);
            }
            a[b] = new;
            self.a[at + b * self.row..][..V].copy_from_slice(&new);
        }
    }

    /// c and what the coordinates outside of the block from `k` pull. The sums are returned, so that they stay in registers here.
    #[inline(always)]
    fn pulled<const B: usize>(&self, simd: S, k: usize, pull: &[[T; B]]) -> [[T::Vector<S>; V]; B] {
        let mut sum = [[self.change[0]; V]; B];
        for b in 0..B {
            sum[b].copy_from_slice(&self.c[(k + b) * self.row + self.first..][..V]);
        }
        for others in [0..k, k + B..pull.len()] {
            let rows = &self.a[others.start * self.row..others.end * self.row];
            for (row, pull) in rows.chunks_exact(self.row).zip(&pull[others]) {
                let row = &row[self.first..][..V];
                for b in 0..B {
                    add::<T, S, V>(simd, &mut sum[b], pull[b], row);
                }
            }
        }
        sum
    }
}

/// The minimizer over one coordinate of every column, from c_k less what the others pull.
#[inline(always)]
fn best<T: Lanes, S: Simd, const V: usize>(
    simd: S,
    sum: [T::Vector<S>; V],
    k: usize,
    shared: &Shared<'_, T>,
) -> [T::Vector<S>; V] {
    let (lower, upper) = shared.bounds;
    let bounds = (T::splat(simd, lower), T::splat(simd, upper));
    let inverse = T::splat(simd, shared.inverse[k]);
    let (one, zero) = (T::splat(simd, T::ONE), T::splat(simd, T::ZERO));
    let mut new = sum;
    if shared.shrink > T::ZERO {
        let shrink = (
            T::splat(simd, -shared.shrink),
            T::splat(simd, shared.shrink),
        );
        for new in &mut new {
            *new = T::minus(simd, *new, T::clamp(simd, *new, shrink));
        }
    }
    for new in &mut new {
        *new = T::clamp(simd, T::times(simd, *new, inverse), bounds);
        // Of 0 and −0 processors disagree which is larger: only 0 is left.
        *new = T::mul_add(simd, one, *new, zero);
    }
    new
}

/// sum ← sum + pull·row
#[inline(always)]
fn add<T: Lanes, S: Simd, const V: usize>(
    simd: S,
    sum: &mut [T::Vector<S>; V],
    pull: T,
    row: &[T::Vector<S>],
) {
    let pull = T::splat(simd, pull);
    for (sum, &a) in sum.iter_mut().zip(&row[..V]) {
        *sum = T::mul_add(simd, pull, a, *sum);
    }
}
