//! Held-out entries of dense data, visited one by one in the order of their mask.

use crate::products::{Lanes, in_order, strides};
use crate::rank::Speckle;
use proxsplit::data::{Dense, Element};
use proxsplit::internal::dispatch;
use proxsplit::internal::parallel::Each;
use proxsplit::simd;
use rayon::prelude::*;
use std::ops::Range;

/// Columns of a block: with the rows of a band, few enough pages and cache lines in either order of storage.
const COLUMNS: usize = 32;
/// Bands of a task that goes through all columns.
const BANDS: usize = 4;

/// Dense data and a fold of its entries.
pub(crate) struct Entries<'a, T> {
    pub(super) dense: Dense<'a>,
    pub(super) weight: T,
    pub(super) speckle: Speckle,
}

impl<T: Lanes> Entries<'_, T> {
    pub(super) fn take_from_columns(
        &self,
        out: &mut [T],
        w: &[T],
        (x, a): (&[T], &[T]),
        first: usize,
    ) {
        let m = self.dense.rows();
        let (rank, width) = (x.len() / m, w.len() / m);
        dispatch!(Elements: self.dense.elements() => values, {
            let blocks = out.par_chunks_mut(width * COLUMNS).zip(a.par_chunks(rank * COLUMNS));
            blocks.enumerate().each(&|(block, (out, a))| {
                let start = first + block * COLUMNS;
                let columns = start..start + a.len() / rank;
                simd::arch().dispatch(|| self.visit(values, 0..m, columns, |i, t, y| {
                    let at = t - start;
                    let r = y - dot(&x[i * rank..][..rank], &a[at * rank..][..rank]);
                    take(&mut out[at * width..][..width], r, &w[i * width..][..width]);
                }));
            });
        });
    }

    pub(super) fn take_from_rows(&self, out: &mut [T], w: &[T], (x, a): (&[T], &[T])) {
        let (m, n) = (self.dense.rows(), self.dense.cols());
        let (rank, width) = (x.len() / m, w.len() / n);
        let height = BANDS * self.speckle.band();
        dispatch!(Elements: self.dense.elements() => values, {
            let parts = out.par_chunks_mut(width * height).enumerate();
            parts.each(&|(part, out)| {
                let start = part * height;
                let rows = start..start + out.len() / width;
                for first in (0..n).step_by(COLUMNS) {
                    let columns = first..n.min(first + COLUMNS);
                    simd::arch().dispatch(|| self.visit(values, rows.clone(), columns, |i, t, y| {
                        let r = y - dot(&x[i * rank..][..rank], &a[t * rank..][..rank]);
                        take(&mut out[(i - start) * width..][..width], r, &w[t * width..][..width]);
                    }));
                }
            });
        });
    }

    pub(super) fn square(&self, (x, a): (&[T], &[T])) -> f64 {
        let m = self.dense.rows();
        let rank = x.len() / m;
        dispatch!(Elements: self.dense.elements() => values, {
            let blocks = a.par_chunks(rank * COLUMNS).enumerate();
            in_order(blocks, &|(block, a)| {
                let start = block * COLUMNS;
                let columns = start..start + a.len() / rank;
                let mut sum = 0.0;
                simd::arch().dispatch(|| self.visit(values, 0..m, columns, |i, t, y| {
                    let r = (y - dot(&x[i * rank..][..rank], &a[(t - start) * rank..][..rank])).f64();
                    sum += r * r;
                }));
                sum
            })
        })
    }

    /// Calls `visit(i, t, y_it)` for the held-out entries of whole bands of rows and at most `COLUMNS` columns, band by band.
    #[inline(always)]
    fn visit<E: Element>(
        &self,
        values: &[E],
        rows: Range<usize>,
        columns: Range<usize>,
        mut visit: impl FnMut(usize, usize, T),
    ) {
        let (down, right) = strides(self.dense);
        let speckle = self.speckle;
        let mut keys = [0; COLUMNS];
        for (key, t) in keys.iter_mut().zip(columns.clone()) {
            *key = speckle.key(speckle.pattern(t));
        }
        for band in rows.start / speckle.band()..rows.end.div_ceil(speckle.band()) {
            for (t, &key) in columns.clone().zip(&keys) {
                let i = speckle.row(key, band);
                if i < rows.end {
                    visit(i, t, self.weight * T::widen(values[i * down + t * right]));
                }
            }
        }
    }
}

/// ⟨a, b⟩ with four partial sums: more would leave most of a small rank to the rest.
#[inline(always)]
fn dot<T: Lanes>(a: &[T], b: &[T]) -> T {
    let mut sums = [T::ZERO; 4];
    let ((a, a_rest), (b, b_rest)) = (a.as_chunks::<4>(), b.as_chunks::<4>());
    for (a, b) in a.iter().zip(b) {
        for lane in 0..4 {
            sums[lane] += a[lane] * b[lane];
        }
    }
    for ((sum, &a), &b) in sums.iter_mut().zip(a_rest).zip(b_rest) {
        *sum += a * b;
    }
    (sums[0] + sums[2]) + (sums[1] + sums[3])
}

/// out ← out − r·w
#[inline(always)]
fn take<T: Lanes>(out: &mut [T], r: T, w: &[T]) {
    for (out, &w) in out.iter_mut().zip(w) {
        *out -= r * w;
    }
}
