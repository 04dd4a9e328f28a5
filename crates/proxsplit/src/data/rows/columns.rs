//! Column-major dense matrices: neighbouring rows are read together, column by column. A stretch of rows is as fast as
//! in the other order; rows picked at random cost a cache line an entry.

use super::kernel::{add, dot};
use super::{Picked, Rows};
use crate::Real;
use crate::data::Element;
use crate::linalg::vectorized::vectorized;
use std::ops::Range;

/// `values` holds columns of `rows` numbers.
pub(super) struct DenseColumns<'a, E> {
    values: &'a [E],
    rows: usize,
    cols: usize,
}

impl<'a, E: Element> DenseColumns<'a, E> {
    pub(super) fn new(values: &'a [E], rows: usize, cols: usize) -> Self {
        Self { values, rows, cols }
    }

    fn columns(&self) -> impl Iterator<Item = &'a [E]> {
        self.values.chunks_exact(self.rows)
    }

    fn add_rows<O: Real>(&self, rows: Picked<'_>, weights: &[f64], out: &mut [O]) {
        vectorized(
            #[inline(always)]
            || {
                for (out, column) in out.iter_mut().zip(self.columns()) {
                    *out += O::of(match rows {
                        Picked::Stretch { start, len } => dot(&column[start..start + len], weights),
                        Picked::Listed(list) => list
                            .iter()
                            .zip(weights)
                            .map(|(&i, &weight)| weight * column[i].f64())
                            .sum(),
                    });
                }
            },
        );
    }
}

impl<T: Real, E: Element> Rows<T> for DenseColumns<'_, E> {
    fn stored(&self, rows: Picked<'_>) -> usize {
        rows.len() * self.cols
    }

    fn dots(&self, rows: Picked<'_>, x: &[T], z: &mut [f64]) {
        z.fill(0.0);
        vectorized(
            #[inline(always)]
            || {
                for (column, &x) in self.columns().zip(x).filter(|(_, x)| **x != T::ZERO) {
                    match rows {
                        Picked::Stretch { start, len } => {
                            add(x.f64(), &column[start..start + len], z);
                        }
                        Picked::Listed(list) => {
                            for (z, &i) in z.iter_mut().zip(list) {
                                *z += x.f64() * column[i].f64();
                            }
                        }
                    }
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
        out.fill(0.0);
        for column in self.columns() {
            for (out, i) in out.iter_mut().zip(rows.iter()) {
                *out += column[i].f64() * column[i].f64();
            }
        }
    }

    fn tile(&self, rows: Range<usize>, cols: Range<usize>, out: &mut [f64]) {
        let width = cols.len();
        for (j, column) in self.columns().take(cols.end).skip(cols.start).enumerate() {
            for (k, value) in column[rows.clone()].iter().enumerate() {
                out[k * width + j] = value.f64();
            }
        }
    }
}
