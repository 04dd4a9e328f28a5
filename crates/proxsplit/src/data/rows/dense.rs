//! Row-major dense matrices: each row is a slice.

use super::kernel::{add, add_four, dot, norm_squared};
use super::{Picked, Rows};
use crate::Real;
use crate::data::{Columns, Element};
use crate::linalg::vectorized::vectorized;
use crate::parallel::prelude::*;
use std::ops::Range;

/// `values` holds rows of `cols` numbers.
pub(super) struct DenseRows<'a, E> {
    values: &'a [E],
    cols: usize,
}

impl<'a, E: Element> DenseRows<'a, E> {
    pub(super) fn new(values: &'a [E], cols: usize) -> Self {
        Self { values, cols }
    }

    #[inline(always)]
    fn row(&self, i: usize) -> &'a [E] {
        &self.values[i * self.cols..(i + 1) * self.cols]
    }

    fn add_rows<O: Real>(&self, rows: Picked<'_>, weights: &[f64], out: &mut [O]) {
        let (fours, rest) = weights.as_chunks::<4>();
        vectorized(
            #[inline(always)]
            || {
                for (k, &weights) in fours.iter().enumerate() {
                    let four = [0, 1, 2, 3].map(|lane| self.row(rows.at(4 * k + lane)));
                    add_four(weights, four, out);
                }
                for (k, &weight) in rest.iter().enumerate() {
                    add(weight, self.row(rows.at(4 * fours.len() + k)), out);
                }
            },
        );
    }
}

impl<T: Real, E: Element> Rows<T> for DenseRows<'_, E> {
    fn stored(&self, rows: Picked<'_>) -> usize {
        rows.len() * self.cols
    }

    fn dots(&self, rows: Picked<'_>, x: &[T], z: &mut [f64]) {
        vectorized(
            #[inline(always)]
            || {
                for (k, z) in z.iter_mut().enumerate() {
                    *z = dot(self.row(rows.at(k)), x);
                }
            },
        );
    }

    fn add(&self, rows: Picked<'_>, weights: &[f64], out: &mut [T]) {
        self.add_rows(rows, weights, out);
    }

    fn add_wide(&self, rows: Picked<'_>, weights: &[f64], out: &mut [f64]) {
        self.add_rows(rows, weights, out);
    }

    fn norms_squared(&self, rows: Picked<'_>, out: &mut [f64]) {
        for (k, out) in out.iter_mut().enumerate() {
            *out = norm_squared(self.row(rows.at(k)));
        }
    }

    fn tile(&self, rows: Range<usize>, cols: Range<usize>, out: &mut [f64]) {
        for (i, out) in rows.zip(out.chunks_exact_mut(cols.len())) {
            for (out, value) in out.iter_mut().zip(&self.row(i)[cols.clone()]) {
                *out = value.f64();
            }
        }
    }

    fn pack(&self, cols: &[usize], into: &mut Columns<T>) {
        let rows = self.values.len() / self.cols;
        let columns = into.extend_dense(cols.len()).par_chunks_exact_mut(rows);
        columns.zip(cols).each(&|(out, &j)| {
            for (out, value) in out
                .iter_mut()
                .zip(self.values[j..].iter().step_by(self.cols))
            {
                *out = T::of(value.f64());
            }
        });
    }
}
