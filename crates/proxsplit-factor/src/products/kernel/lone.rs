//! The last row of F where it would have a cache line of the result to itself: a plain product of one row with M.
//!
//! Whichever of rows and columns of M lie side by side fill the registers. Columns are chains of their own, as in the tiles. Rows are
//! dealt out to as many chains as the longest register has lanes, whose sums are added by halves after a stretch of rows: this, too, is an
//! order that has nothing to do with the width of registers.

use super::{Accumulate, Block, line};
use crate::products::lanes::Lanes;
use pulp::{Scalar, Simd};

/// Whether the last row is alone in its line.
pub(super) fn is_there<T>(rank: usize) -> bool {
    rank % line::<T>() == 1
}

/// Columns whose sums over rows are found together.
const TOGETHER: usize = 8;

impl<T: Lanes> Accumulate<'_, T> {
    /// Adds the share of a stretch of rows to the last row of the result.
    #[inline(always)]
    pub(super) fn lone<S: Simd>(&mut self, simd: S, (start, rows): (usize, usize), ld: usize) {
        let rank = self.f.rank;
        let row = &mut self.f.packed[..rows];
        let column = self.f.factor[start * rank..].chunks_exact(rank);
        for (row, column) in row.iter_mut().zip(column) {
            *row = column[rank - 1];
        }
        let (out, m) = (&mut self.out[rank - 1..], self.m.from(start, 0));
        if m.row == 1 {
            let mut j = 0;
            while j + TOGETHER <= m.cols {
                dots::<T, S, TOGETHER>(simd, (&mut out[j * ld..], ld), row, m.from(0, j));
                j += TOGETHER;
            }
            while j < m.cols {
                dots::<T, S, 1>(simd, (&mut out[j * ld..], ld), row, m.from(0, j));
                j += 1;
            }
        } else {
            let mut place = (out, ld, 0);
            multiples::<T, S, 8>(simd, &mut place, row, m);
            multiples::<T, S, 4>(simd, &mut place, row, m);
            multiples::<T, S, 2>(simd, &mut place, row, m);
            multiples::<T, S, 1>(simd, &mut place, row, m);
            multiples::<T, Scalar, 1>(Scalar, &mut place, row, m);
        }
    }
}

/// out (every ld-th number) ← out + row·M for C columns of M, whose rows lie side by side.
#[inline(always)]
fn dots<T: Lanes, S: Simd, const C: usize>(
    simd: S,
    (out, ld): (&mut [T], usize),
    row: &[T],
    m: Block<'_, T>,
) {
    let (line, lanes) = (line::<T>(), T::count::<S>());
    let whole = row.len() / line * line;
    let mut cols = [m.data; C];
    for (c, col) in cols.iter_mut().enumerate() {
        *col = &m.data[c * m.col..][..row.len()];
    }
    let mut sums = [[T::ZERO; 16]; C];
    for at in (0..line).step_by(lanes) {
        let mut sum = [T::splat(simd, T::ZERO); C];
        for i in (at..whole).step_by(line) {
            let f = T::registers::<S>(&row[i..i + lanes])[0];
            for c in 0..C {
                let m = T::registers::<S>(&cols[c][i..i + lanes])[0];
                sum[c] = T::mul_add(simd, f, m, sum[c]);
            }
        }
        for c in 0..C {
            T::registers_mut::<S>(&mut sums[c][at..at + lanes])[0] = sum[c];
        }
    }
    for c in 0..C {
        let mut half = line / 2;
        while half > 0 {
            for k in 0..half {
                sums[c][k] += sums[c][half + k];
            }
            half /= 2;
        }
        let mut sum = sums[c][0];
        for i in whole..row.len() {
            sum += row[i] * cols[c][i];
        }
        out[c * ld] += sum;
    }
}

/// The same from column `j` on for runs of V registers of columns, which lie side by side.
#[inline(always)]
fn multiples<T: Lanes, S: Simd, const V: usize>(
    simd: S,
    (out, ld, j): &mut (&mut [T], usize, usize),
    row: &[T],
    m: Block<'_, T>,
) {
    let (lanes, ld) = (T::count::<S>(), *ld);
    let width = V * lanes;
    while *j + width <= m.cols {
        let mut space = [T::ZERO; 8 * 16];
        let numbers = &mut space[..width];
        for (c, number) in numbers.iter_mut().enumerate() {
            *number = out[(*j + c) * ld];
        }
        let mut sum = [T::splat(simd, T::ZERO); V];
        sum.copy_from_slice(T::registers::<S>(numbers));
        for (&f, m) in row.iter().zip(m.data[*j..].chunks(m.row)) {
            let f = T::splat(simd, f);
            let m = T::registers::<S>(&m[..width]);
            for v in 0..V {
                sum[v] = T::mul_add(simd, f, m[v], sum[v]);
            }
        }
        T::registers_mut::<S>(numbers).copy_from_slice(&sum);
        for (c, &number) in numbers.iter().enumerate() {
            out[(*j + c) * ld] = number;
        }
        *j += width;
    }
}
