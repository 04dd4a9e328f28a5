//! The dense kernel: out ← out + F·M for a narrow F (K rows) and a block of M, on one thread.
//!
//! A tile of R registers times C columns of the result stays in registers while the rows go by, each entry of M spread over
//! the lanes. The registers' share of F is packed first, so that it streams through the first-level cache; M is read in place
//! (K. Goto, R. van de Geijn, "Anatomy of high-performance matrix multiplication", 2008, with F in the part of A).
//! Every entry of the result is one chain of fused multiply-adds over the rows from first to last: the bits depend neither on
//! the shape of tiles and blocks nor on the width of registers. The exception is a last row that is alone in its line of
//! the result, which has its own order (`lone`).

mod lone;

use super::lanes::Lanes;
use proxsplit::internal::scratch;
use proxsplit::simd;
use pulp::{Simd, WithSimd};

/// A block of M: entry (i, j) is `data[i·row + j·col]`, and one of the two strides is 1.
#[derive(Clone, Copy)]
pub(crate) struct Block<'a, T> {
    pub(crate) data: &'a [T],
    pub(crate) rows: usize,
    pub(crate) cols: usize,
    pub(crate) row: usize,
    pub(crate) col: usize,
}

/// Rows that go by before the next registers of F have their turn: as many as leave M in the second-level cache.
const ROWS: usize = 256;
/// The most registers of a tile's column.
const TALLEST: usize = 4;

/// Numbers of a line of 64 bytes: those of the longest register.
const fn line<T>() -> usize {
    64 / size_of::<T>()
}

/// Padded leading dimension of the result: whole lines.
pub(crate) fn padded<T>(rank: usize) -> usize {
    rank.next_multiple_of(line::<T>())
}

/// out (ld × cols) ← out + F (K × rows) · M, where ld = `padded(K)`; what is added to the padding means nothing.
pub(crate) fn accumulate<T: Lanes>(out: &mut [T], f: &[T], m: Block<'_, T>, rank: usize) {
    add_part(out, f, m, (rank, Part::Whole));
}

/// The same for the entries on and above the diagonal; those below it mean nothing.
pub(super) fn accumulate_upper<T: Lanes>(out: &mut [T], f: &[T], m: Block<'_, T>, rank: usize) {
    add_part(out, f, m, (rank, Part::Upper));
}

/// What is wanted of the result.
#[derive(Clone, Copy)]
enum Part {
    Whole,
    Upper,
}

fn add_part<T: Lanes>(out: &mut [T], f: &[T], m: Block<'_, T>, (rank, part): (usize, Part)) {
    scratch::with(ROWS * TALLEST * padded::<T>(1), |packed: &mut [T]| {
        let f = Narrow {
            factor: f,
            rank,
            packed,
        };
        simd::arch().dispatch(Accumulate { out, f, m, part });
    });
}

/// out ← weight · sum, or out + weight · sum, without the padding of the sum.
pub(crate) fn unpad<T: Lanes>(out: &mut [T], sum: &[T], rank: usize, weight: T, add: bool) {
    simd::arch().dispatch(Unpad {
        out,
        sum,
        rank,
        weight,
        add,
    });
}

struct Unpad<'a, T> {
    out: &'a mut [T],
    sum: &'a [T],
    rank: usize,
    weight: T,
    add: bool,
}

impl<T: Lanes> WithSimd for Unpad<'_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let sums = self.sum.chunks_exact(padded::<T>(self.rank));
        for (out, sum) in self.out.chunks_exact_mut(self.rank).zip(sums) {
            for (out, &sum) in out.iter_mut().zip(sum) {
                let term = self.weight * sum;
                *out = if self.add { *out + term } else { term };
            }
        }
    }
}

/// F, and room for its share of a tile.
struct Narrow<'a, T> {
    factor: &'a [T],
    rank: usize,
    packed: &'a mut [T],
}

impl<T: Lanes> Narrow<'_, T> {
    /// The entries `at .. at + W` of the rows from `start`. Those beyond the rank belong to the next row.
    #[inline(always)]
    fn pack<S: Simd, const R: usize>(
        &mut self,
        (start, rows): (usize, usize),
        at: usize,
    ) -> &[[T::Vector<S>; R]] {
        let width = R * T::count::<S>();
        let packed = &mut self.packed[..rows * width];
        for (i, packed) in packed.chunks_exact_mut(width).enumerate() {
            let from = (start + i) * self.rank + at;
            if let Some(f) = self.factor.get(from..from + width) {
                T::registers_mut::<S>(packed).copy_from_slice(T::registers::<S>(f));
            } else {
                let last = self.factor.get(from..).unwrap_or_default();
                packed[..last.len()].copy_from_slice(last);
            }
        }
        T::registers::<S>(packed).as_chunks::<R>().0
    }
}

struct Accumulate<'a, T> {
    out: &'a mut [T],
    f: Narrow<'a, T>,
    m: Block<'a, T>,
    part: Part,
}

impl<T: Lanes> WithSimd for Accumulate<'_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(mut self, simd: S) {
        let ld = padded::<T>(self.f.rank) / T::count::<S>();
        let has_lone = lone::is_there::<T>(self.f.rank);
        let used = (self.f.rank - usize::from(has_lone)).div_ceil(T::count::<S>());
        // One register of F at a time: M is read once, and longer runs of it are read faster.
        let height = if used == 1 { 2 * ROWS } else { ROWS };
        for start in (0..self.m.rows).step_by(height) {
            let rows = (start, height.min(self.m.rows - start));
            let mut at = 0;
            while at < used {
                // The sums of a tile fill most of the 32 registers of AVX-512 and ARM, or of the 16 of older machines.
                at += match (S::REGISTER_COUNT >= 32, used - at) {
                    (true, 4 | 6..) => self.tiles::<S, 4, 6>(simd, rows, (ld, at)),
                    (true, 3 | 5) => self.tiles::<S, 3, 8>(simd, rows, (ld, at)),
                    (_, 2..) => self.tiles::<S, 2, 6>(simd, rows, (ld, at)),
                    // Twelve columns would have more pointers than there are registers for them.
                    _ => self.tiles::<S, 1, 8>(simd, rows, (ld, at)),
                };
            }
            if has_lone {
                // Its sums are added after every stretch, whose height must not depend on the registers.
                for first in (start..start + rows.1).step_by(ROWS) {
                    let rows = (first, ROWS.min(start + rows.1 - first));
                    self.lone(simd, rows, padded::<T>(self.f.rank));
                }
            }
        }
    }
}

impl<T: Lanes> Accumulate<'_, T> {
    /// R registers of every column from `at`, for a stretch of rows.
    #[inline(always)]
    fn tiles<S: Simd, const R: usize, const C: usize>(
        &mut self,
        simd: S,
        rows: (usize, usize),
        (ld, at): (usize, usize),
    ) -> usize {
        let f = self.f.pack::<S, R>(rows, at * T::count::<S>());
        let out = T::registers_mut::<S>(self.out);
        let m = self.m;
        // The first tile that reaches the diagonal.
        let mut j = match self.part {
            Part::Whole => 0,
            Part::Upper => at * T::count::<S>() / C * C,
        };
        while j + C <= m.cols {
            tile::<T, S, R, C>(simd, &mut out[j * ld + at..], ld, f, m.from(rows.0, j));
            j += C;
        }
        // A column alone would wait for its own sums.
        while j + 4 <= m.cols {
            tile::<T, S, R, 4>(simd, &mut out[j * ld + at..], ld, f, m.from(rows.0, j));
            j += 4;
        }
        while j < m.cols {
            tile::<T, S, R, 1>(simd, &mut out[j * ld + at..], ld, f, m.from(rows.0, j));
            j += 1;
        }
        R
    }
}

impl<T> Block<'_, T> {
    /// The block without its first rows and columns.
    #[inline(always)]
    fn from(mut self, row: usize, col: usize) -> Self {
        self.data = &self.data[row * self.row + col * self.col..];
        self
    }
}

#[inline(always)]
fn tile<T: Lanes, S: Simd, const R: usize, const C: usize>(
    simd: S,
    out: &mut [T::Vector<S>],
    ld: usize,
    f: &[[T::Vector<S>; R]],
    m: Block<'_, T>,
) {
    let mut sum = [[out[0]; R]; C];
    for c in 0..C {
        sum[c].copy_from_slice(&out[c * ld..][..R]);
    }
    if m.row == 1 {
        // Slices of one length, so that no entry is checked.
        let rows = f.len();
        let mut cols = [m.data; C];
        for (c, col) in cols.iter_mut().enumerate() {
            *col = &m.data[c * m.col..][..rows];
        }
        let mut row = [T::ZERO; C];
        for i in 0..rows {
            for c in 0..C {
                row[c] = cols[c][i];
            }
            add::<T, S, R, C>(simd, &mut sum, f[i], row);
        }
    } else {
        // Counting is cheaper than chunks, whose last one may be shorter.
        let mut at = 0;
        for f in f {
            if let Some(m) = m.data[at..].first_chunk() {
                add::<T, S, R, C>(simd, &mut sum, *f, *m);
            }
            at += m.row;
        }
    }
    for c in 0..C {
        out[c * ld..][..R].copy_from_slice(&sum[c]);
    }
}

/// sum ← sum + f·m for one row of the block. A function and not a closure: one that is not inlined would lose the
/// instructions that were chosen for this machine.
#[inline(always)]
fn add<T: Lanes, S: Simd, const R: usize, const C: usize>(
    simd: S,
    sum: &mut [[T::Vector<S>; R]; C],
    f: [T::Vector<S>; R],
    m: [T; C],
) {
    for c in 0..C {
        let m = T::splat(simd, m[c]);
        for r in 0..R {
            sum[c][r] = T::mul_add(simd, f[r], m, sum[c][r]);
        }
    }
}
