//! Column-major dense matrices: neighbouring rows are read together, column by column. A stretch of rows is as fast as
//! in the other order; rows picked at random cost a cache line an entry.

use super::kernel::{add_four, dot};
use super::{Picked, Rows};
use crate::Real;
use crate::data::{Columns, Element};
use crate::linalg::vectorized::vectorized;
use crate::parallel::prelude::*;
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
            || match rows {
                Picked::Stretch { start, len } => {
                    let part = start..start + len;
                    let columns = self.columns().map(|column| &column[part.clone()]);
                    add_dots(columns, weights, out);
                }
                Picked::Listed(list) => {
                    for (out, column) in out.iter_mut().zip(self.columns()) {
                        let terms = list.iter().zip(weights);
                        *out += O::of(terms.map(|(&i, &w)| w * column[i].f64()).sum());
                    }
                }
            },
        );
    }
}

/// out_j ← out_j + ⟨column_j, w⟩
#[inline(always)]
fn add_dots<'a, E: Element, O: Real>(
    columns: impl Iterator<Item = &'a [E]>,
    weights: &[f64],
    out: &mut [O],
) {
    for (out, column) in out.iter_mut().zip(columns) {
        *out += O::of(dot(column, weights));
    }
}

/// z ← z + Σ_j x_j·column_j, four columns with a nonzero x_j at once.
#[inline(always)]
fn add_columns<'a, E: Element>(mut columns: impl Iterator<Item = (f64, &'a [E])>, z: &mut [f64]) {
    while let Some((x, column)) = columns.next() {
        let (mut weights, mut four) = ([x, 0.0, 0.0, 0.0], [column; 4]);
        for (k, (x, column)) in (1..4).zip(columns.by_ref()) {
            (weights[k], four[k]) = (x, column);
        }
        // The last ones are joined by columns that count 0 times.
        add_four(weights, four, z);
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
                let nonzero = self.columns().zip(x).filter(|(_, x)| **x != T::ZERO);
                match rows {
                    Picked::Stretch { start, len } => {
                        let part = start..start + len;
                        add_columns(nonzero.map(|(c, x)| (x.f64(), &c[part.clone()])), z);
                    }
                    Picked::Listed(list) => {
                        for (column, x) in nonzero {
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

    fn pack(&self, cols: &[usize], into: &mut Columns<T>) {
        let columns = into
            .extend_dense(cols.len())
            .par_chunks_exact_mut(self.rows);
        columns.zip(cols).each(&|(out, &j)| {
            let column = &self.values[j * self.rows..(j + 1) * self.rows];
            for (out, value) in out.iter_mut().zip(column) {
                *out = T::of(value.f64());
            }
        });
    }
}
