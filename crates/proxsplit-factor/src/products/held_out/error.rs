//! The error of factors on held-out entries, whatever the storage and whatever else is missing.

use super::Patterns;
use crate::missing::Missing;
use crate::problem::Factors;
use crate::products::{Data, Lanes, in_order, strides};
use crate::rank::Speckle;
use proxsplit::data::{Dense, Element, Matrix, Sparse, StorageOrder};
use proxsplit::internal::dispatch;
use proxsplit::internal::linalg::vec::dot;
use rayon::prelude::*;

/// Lines of a task.
const PART: usize = 64;

/// Σ (y − x_i·a_t)² and Σ y² over held-out entries that were observed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct HeldOutError {
    pub(crate) misfit: f64,
    pub(crate) square: f64,
}

impl<T: Lanes> Data<'_, T> {
    /// The error of factors on the entries that these data hold out.
    pub(crate) fn held_out_error(&self, factors: &Factors<T>) -> Option<HeldOutError> {
        let speckle = self.speckle()?;
        let (x, a, rank) = (&factors.x, &factors.a, factors.rank);
        let product = |i: usize, t: usize| dot(&x[i * rank..][..rank], &a[t * rank..][..rank]);
        let misfit = match self.matrix() {
            Matrix::Dense(dense) => over_dense(dense, speckle, |i, t, y| {
                (y / self.scale() - product(i, t)).powi(2)
            }),
            Matrix::Sparse(sparse) => {
                let is_known = self.missing != Missing::Unstored;
                let unstored = Patterns {
                    shape: (sparse.rows(), sparse.cols()),
                    speckle,
                };
                let all = if is_known {
                    unstored.square((x, a))
                } else {
                    0.0
                };
                all + over_stored(sparse, speckle, |i, t, y| {
                    let (y, z) = (y / self.scale(), product(i, t));
                    let counted = if is_known { z * z } else { 0.0 };
                    let owed = if y.is_nan() { 0.0 } else { (y - z).powi(2) };
                    owed - counted
                })
            }
        };
        Some(HeldOutError {
            misfit: misfit.max(0.0),
            square: square(self, speckle),
        })
    }
}

/// Σ y² over the held-out entries that were observed.
pub(super) fn square<T: Lanes>(data: &Data<'_, T>, speckle: Speckle) -> f64 {
    let term = |_: usize, _: usize, y: f64| {
        let y = if y.is_nan() { 0.0 } else { y / data.scale() };
        y * y
    };
    match data.matrix() {
        Matrix::Dense(dense) => over_dense(dense, speckle, term),
        Matrix::Sparse(sparse) => over_stored(sparse, speckle, term),
    }
}

/// Σ term(i, t, y) over held-out entries; NaN terms, of missing entries, are left out.
fn over_dense(
    dense: Dense<'_>,
    speckle: Speckle,
    term: impl Fn(usize, usize, f64) -> f64 + Sync,
) -> f64 {
    let (down, right) = strides(dense);
    let (rows, cols) = (dense.rows(), dense.cols());
    dispatch!(Elements: dense.elements() => values, {
        in_order((0..cols.div_ceil(PART)).into_par_iter(), &|part| {
            let mut sum = 0.0;
            for t in part * PART..cols.min((part + 1) * PART) {
                speckle.for_each(speckle.pattern(t), 0..rows, |i| {
                    let value = term(i, t, values[i * down + t * right].f64());
                    sum += if value.is_nan() { 0.0 } else { value };
                });
            }
            sum
        })
    })
}

/// Σ term(i, t, y) over the stored entries that are held out.
fn over_stored(
    sparse: Sparse<'_>,
    speckle: Speckle,
    term: impl Fn(usize, usize, f64) -> f64 + Sync,
) -> f64 {
    let (starts, indices, elements) = (sparse.starts(), sparse.indices(), sparse.elements());
    let lines = starts.len() - 1;
    in_order((0..lines.div_ceil(PART)).into_par_iter(), &|part| {
        let mut sum = 0.0;
        for line in part * PART..lines.min((part + 1) * PART) {
            for at in starts.get(line)..starts.get(line + 1) {
                let (i, t) = match sparse.order() {
                    StorageOrder::ColumnMajor => (indices.get(at), line),
                    StorageOrder::RowMajor => (line, indices.get(at)),
                };
                if speckle.holds_out(i, t) {
                    sum += term(i, t, elements.get(at));
                }
            }
        }
        sum
    })
}
