//! Complete data of which a fold of entries is held out.
//!
//! The fit is of the other entries. Held-out ones are filled with what the factors say, x_i·a_t: a filled matrix is complete, so that all
//! columns share one Gram matrix, and its misfit touches that of the fit from above (missing data as in the EM algorithm). The two
//! products of the filled matrix are those of Y plus a sum over held-out entries. Dense data are read as they are, and the
//! mask is generated on the way; of sparse data the stored entries that are held out are copied as zeros, and columns
//! share a few patterns, so that the unstored ones need one small matrix a pattern and not a visit each.

mod entries;
mod error;
mod patterns;
#[cfg(test)]
mod tests;

use super::sparse::Lines;
use super::weighted::DataWeights;
use super::{Data, Gaps, Lanes, PART};
use crate::rank::Speckle;
use entries::Entries;
use patterns::Patterns;
use proxsplit::Error;
use proxsplit::data::{Element, Matrix};
use proxsplit::internal::dispatch;
use proxsplit::internal::parallel::Each;
use rayon::prelude::*;
use std::sync::Arc;

/// Different columns of a mask of sparse data.
const PATTERNS: usize = 32;

/// Sums over held-out entries, where r is what is left of Y as products read it: y − x_i·a_t if they read y, and −x_i·a_t if they
/// read 0.
pub(crate) enum HeldOut<'a, T> {
    Entries(Entries<'a, T>),
    Patterns(Patterns),
}

impl<T: Lanes> HeldOut<'_, T> {
    /// out_t ← out_t − Σ_i w_i r_it, for columns from `first` on with the codes `a`.
    pub(crate) fn take_from_columns(
        &self,
        out: &mut [T],
        w: &[T],
        (x, a): (&[T], &[T]),
        first: usize,
    ) {
        match self {
            HeldOut::Entries(entries) => entries.take_from_columns(out, w, (x, a), first),
            HeldOut::Patterns(patterns) => patterns.take_from_columns(out, w, (x, a), first),
        }
    }

    /// out_i ← out_i − Σ_t w_t r_it
    pub(crate) fn take_from_rows(&self, out: &mut [T], w: &[T], (x, a): (&[T], &[T])) {
        match self {
            HeldOut::Entries(entries) => entries.take_from_rows(out, w, (x, a)),
            HeldOut::Patterns(patterns) => patterns.take_from_rows(out, w, (x, a)),
        }
    }

    /// Σ r²
    pub(crate) fn square(&self, (x, a): (&[T], &[T])) -> f64 {
        match self {
            HeldOut::Entries(entries) => entries.square((x, a)),
            HeldOut::Patterns(patterns) => patterns.square((x, a)),
        }
    }
}

impl<'a, T: Lanes> Data<'a, T> {
    /// The same data without a fold of its entries. An error if they have weights.
    pub(crate) fn without(&self, speckle: Speckle) -> Result<Data<'a, T>, Error> {
        if self.is_weighted() {
            return Err(Error::Incompatible(
                "entries of weighted data cannot be held out: leave the weights out".into(),
            ));
        }
        let speckle = match self.matrix {
            Matrix::Sparse(_) => speckle.with_patterns(PATTERNS),
            Matrix::Dense(_) => speckle,
        };
        let mut train = Data {
            matrix: self.matrix,
            narrow: self.narrow.clone(),
            scale: self.scale,
            missing: self.missing,
            weight: self.weight,
            lines: self.lines.clone(),
            gaps: None,
            weights: DataWeights::NONE,
            held_out: Some(speckle),
            set_up: self.set_up,
            square: 0.0,
        };
        if let Matrix::Sparse(sparse) = self.matrix {
            train.lines = Some(Arc::new(Lines::without(sparse, speckle)));
        }
        if self.gaps.is_some() {
            train.gaps = Gaps::find(self.matrix, self.missing, Some(speckle))?;
            train.narrow = self.copy_without(speckle);
        }
        train.square = (self.square - error::square(self, speckle)).max(0.0);
        Ok(train)
    }

    /// Which entries are held out, if some are.
    pub(crate) fn speckle(&self) -> Option<Speckle> {
        self.held_out
    }

    /// The sums over held-out entries that complete data need to be filled.
    pub(crate) fn held_out(&self) -> Option<HeldOut<'_, T>> {
        let speckle = self.held_out.filter(|_| self.gaps.is_none())?;
        Some(match self.matrix {
            Matrix::Dense(dense) => HeldOut::Entries(Entries {
                dense: self.dense(dense),
                weight: self.weight,
                speckle,
            }),
            Matrix::Sparse(sparse) => HeldOut::Patterns(Patterns {
                shape: (sparse.rows(), sparse.cols()),
                speckle,
            }),
        })
    }

    /// ‖Y‖² as products read it.
    pub(crate) fn square_as_read(&self) -> f64 {
        match (self.held_out(), self.held_out) {
            (Some(HeldOut::Entries(_)), Some(speckle)) => {
                self.square + error::square(self, speckle)
            }
            _ => self.square,
        }
    }

    /// A copy of dense data with 0 for what is missing or held out: with gaps of their own, columns have no common Gram matrix, and
    /// nothing can be filled.
    fn copy_without(&self, speckle: Speckle) -> Option<Arc<Vec<T>>> {
        let Matrix::Dense(dense) = self.matrix else {
            return None;
        };
        let (i, t) = super::strides(dense);
        let mut copy = vec![T::ZERO; dense.elements().len()];
        dispatch!(Elements: dense.elements() => values, {
            copy.par_chunks_mut(PART).enumerate().each(&|(k, copy)| {
                for (copy, value) in copy.iter_mut().zip(&values[k * PART..]) {
                    *copy = T::of(super::zero_if_nan(value.f64()));
                }
            });
        });
        for column in 0..dense.cols() {
            speckle.for_each(speckle.pattern(column), 0..dense.rows(), |row| {
                copy[row * i + column * t] = T::ZERO;
            });
        }
        Some(Arc::new(copy))
    }
}
