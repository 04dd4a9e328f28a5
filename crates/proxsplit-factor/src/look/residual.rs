//! R = Y − XA, or what it pulls with weights, through the products of Y, without forming it.

use super::half::{multiply, square_of};
use crate::loss::Loss;
use crate::plain;
use crate::problem::{Factors, Problem};
use crate::products::{Lanes, dot};
use proxsplit::internal::linalg::vec::axpy;

/// Rounds of the power method.
const POWER_ROUNDS: usize = 4;

/// R for a problem and its factors.
pub(super) struct Residual<'a, T: Lanes> {
    pub(super) problem: Problem<'a, T>,
    pub(super) factors: &'a Factors<T>,
}

impl<T: Lanes> Residual<'_, T> {
    /// About the leading right singular vector of R, and its singular value.
    pub(super) fn leading_codes(&self) -> (Vec<T>, f64) {
        // Golden sections: codes that are all alike are orthogonal to every misfit that is centred.
        let golden = |t: usize| 0.5 + (t as f64 * 0.618_033_988_749_895).fract();
        let mut codes: Vec<T> = (0..self.problem.data.cols())
            .map(|t| T::of(golden(t)))
            .collect();
        let mut atom = vec![T::ZERO; self.problem.data.rows()];
        let mut value = 0.0;
        for _ in 0..POWER_ROUNDS {
            self.with_rows(&mut atom, &codes);
            self.with_columns(&mut codes, &atom);
            let size = square_of(&codes).sqrt();
            let of_atom = square_of(&atom).sqrt();
            if size > 0.0 && size.is_finite() && of_atom > 0.0 {
                value = size / of_atom;
                multiply(&mut codes, 1.0 / size);
            }
        }
        (codes, value)
    }

    /// out ← Rv
    pub(super) fn with_rows(&self, out: &mut [T], v: &[T]) {
        let rank = self.problem.rank;
        if self.is_formed() {
            return self.formed(out, v, false);
        }
        let data = self.problem.data;
        let held_out = data.held_out();
        data.with_rows(out, v, 0..v.len());
        let weights = data.weights();
        let pulls = match &weights.samples {
            None => combine(&self.factors.a, v, rank),
            Some(of) => of.with_weighted(v, (1, 0), |v| combine(&self.factors.a, v, rank)),
        };
        for (out, row) in out.iter_mut().zip(self.factors.x.chunks_exact(rank)) {
            *out -= T::of(dot(row, &pulls));
        }
        if let Some(of) = &weights.features {
            of.weigh(out, 1);
        }
        if let Some(fold) = held_out {
            fold.take_from_rows(out, v, (&self.factors.x, &self.factors.a));
        }
    }

    /// out ← dᵀR
    pub(super) fn with_columns(&self, out: &mut [T], d: &[T]) {
        let rank = self.problem.rank;
        if self.is_formed() {
            return self.formed(out, d, true);
        }
        let data = self.problem.data;
        let held_out = data.held_out();
        data.with_columns(out, d, 0..out.len());
        let weights = data.weights();
        let pulls = match &weights.features {
            None => combine(&self.factors.x, d, rank),
            Some(of) => of.with_weighted(d, (1, 0), |d| combine(&self.factors.x, d, rank)),
        };
        for (out, column) in out.iter_mut().zip(self.factors.a.chunks_exact(rank)) {
            *out -= T::of(dot(column, &pulls));
        }
        if let Some(of) = &weights.samples {
            of.weigh(out, 1);
        }
        if let Some(fold) = held_out {
            fold.take_from_columns(out, d, (&self.factors.x, &self.factors.a), 0);
        }
    }

    /// Whether entries count each in its own way, so that products of XA tell nothing.
    fn is_formed(&self) -> bool {
        let data = self.problem.data;
        let is_huber = matches!(self.problem.loss, Loss::Huber(_));
        let is_missing = data.missing() > 0 && data.held_out().is_none();
        is_missing || data.weights().entries.is_some() || is_huber
    }

    /// Whether all entries count alike, so that ‖d‖²‖v‖² is the curvature of a rank-one term and no bound on it.
    pub(super) fn is_uniform(&self) -> bool {
        let data = self.problem.data;
        !self.is_formed() && !data.is_weighted() && data.missing() == 0
    }

    /// What the misfit changes by when a pair is put in a place that is empty.
    pub(super) fn change_by(&self, place: usize, pair: (&[T], &[T])) -> f64 {
        let of = (self.problem.data, self.problem.loss);
        let mut with = self.factors.clone();
        with.set(place, Some(pair));
        plain::sums(of, &with, false).misfit - plain::sums(of, self.factors, false).misfit
    }

    /// What the curvature of a rank-one term is multiplied by, from above: the largest weight.
    pub(super) fn curvature(&self) -> f64 {
        self.problem.data.largest_weight()
    }

    /// The same where entries are missing or have weights: the products of XA would have to know it.
    fn formed(&self, out: &mut [T], vector: &[T], of_features: bool) {
        let sums = plain::residual_with(
            (self.problem.data, self.problem.loss),
            self.factors,
            vector,
            of_features,
        );
        for (out, sum) in out.iter_mut().zip(sums) {
            *out = T::of(sum);
        }
    }
}

/// F·v for a factor F of K rows.
fn combine<T: Lanes>(factor: &[T], v: &[T], rank: usize) -> Vec<T> {
    let mut sum = vec![T::ZERO; rank];
    for (column, &weight) in factor.chunks_exact(rank).zip(v) {
        axpy(weight, column, &mut sum);
    }
    sum
}
