//! The dense kernel: out ← out + F·M for a narrow F (K rows) and a block of M, on one thread.
//!
//! F's columns are contiguous and padded to whole registers, so that nothing is packed: a tile of R registers times C
//! columns of the result stays in registers while the block's rows go by, each entry of M is spread over the lanes.

use super::lanes::Lanes;
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

/// Padded leading dimension of F and of the result: whole registers of up to 64 bytes.
pub(crate) fn padded<T>(rank: usize) -> usize {
    rank.next_multiple_of(64 / size_of::<T>())
}

/// out (ld × cols) ← out + F (ld × rows) · M.
pub(crate) fn accumulate<T: Lanes>(out: &mut [T], f: &[T], m: Block<'_, T>, ld: usize) {
    simd::arch().dispatch(Accumulate { out, f, m, ld });
}

struct Accumulate<'a, T> {
    out: &'a mut [T],
    f: &'a [T],
    m: Block<'a, T>,
    ld: usize,
}

impl<T: Lanes> WithSimd for Accumulate<'_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Self { out, f, m, ld } = self;
        let ld = ld / T::count::<S>();
        let (f, out) = (T::registers::<S>(f), T::registers_mut::<S>(out));
        let mut at = 0;
        while at < ld {
            // The sums of a tile fill most of the 32 registers of AVX-512, or of the 16 of older machines.
            at += match (S::REGISTER_COUNT >= 32, ld - at) {
                (true, 4..) => rows_of_tiles::<T, S, 4, 6>(simd, out, f, m, (ld, at)),
                (true, 3) => rows_of_tiles::<T, S, 3, 8>(simd, out, f, m, (ld, at)),
                (true, 2) => rows_of_tiles::<T, S, 2, 8>(simd, out, f, m, (ld, at)),
                (false, 3..) => rows_of_tiles::<T, S, 3, 4>(simd, out, f, m, (ld, at)),
                (false, 2) => rows_of_tiles::<T, S, 2, 6>(simd, out, f, m, (ld, at)),
                _ => rows_of_tiles::<T, S, 1, 12>(simd, out, f, m, (ld, at)),
            };
        }
    }
}

/// R registers of rows from `at`, all columns.
#[inline(always)]
fn rows_of_tiles<T: Lanes, S: Simd, const R: usize, const C: usize>(
    simd: S,
    out: &mut [T::Vector<S>],
    f: &[T::Vector<S>],
    m: Block<'_, T>,
    (ld, at): (usize, usize),
) -> usize {
    let mut j = 0;
    while j + C <= m.cols {
        tile::<T, S, R, C>(simd, &mut out[j * ld..], f, m, (ld, at, j));
        j += C;
    }
    while j + 4 <= m.cols {
        tile::<T, S, R, 4>(simd, &mut out[j * ld..], f, m, (ld, at, j));
        j += 4;
    }
    while j < m.cols {
        tile::<T, S, R, 1>(simd, &mut out[j * ld..], f, m, (ld, at, j));
        j += 1;
    }
    R
}

#[inline(always)]
fn tile<T: Lanes, S: Simd, const R: usize, const C: usize>(
    simd: S,
    out: &mut [T::Vector<S>],
    f: &[T::Vector<S>],
    m: Block<'_, T>,
    (ld, at, j): (usize, usize, usize),
) {
    let mut sum: [[T::Vector<S>; R]; C] =
        std::array::from_fn(|c| std::array::from_fn(|r| out[c * ld + at + r]));
    if m.row == 1 {
        let cols: [&[T]; C] = std::array::from_fn(|c| &m.data[(j + c) * m.col..][..m.rows]);
        for (i, f) in f.chunks_exact(ld).take(m.rows).enumerate() {
            add::<T, S, R, C>(
                simd,
                &mut sum,
                &f[at..],
                std::array::from_fn(|c| cols[c][i]),
            );
        }
    } else {
        for (f, m) in f
            .chunks_exact(ld)
            .zip(m.data[j..].chunks(m.row))
            .take(m.rows)
        {
            add::<T, S, R, C>(simd, &mut sum, &f[at..], std::array::from_fn(|c| m[c]));
        }
    }
    for c in 0..C {
        out[c * ld + at..][..R].copy_from_slice(&sum[c]);
    }
}

/// sum ← sum + f·m for one row of the block. A function and not a closure: one that is not inlined would lose the
/// instructions that were chosen for this machine.
#[inline(always)]
fn add<T: Lanes, S: Simd, const R: usize, const C: usize>(
    simd: S,
    sum: &mut [[T::Vector<S>; R]; C],
    f: &[T::Vector<S>],
    m: [T; C],
) {
    for (sum, m) in sum.iter_mut().zip(m) {
        let m = T::splat(simd, m);
        for (sum, &f) in sum.iter_mut().zip(f) {
            *sum = T::mul_add(simd, f, m, *sum);
        }
    }
}
