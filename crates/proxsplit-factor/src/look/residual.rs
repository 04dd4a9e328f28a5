//! R = Y − XA through the products of Y, without forming it.

use super::half::{multiply, square_of};
use crate::plain;
use crate::problem::{Factors, Problem};
use crate::products::{Lanes, dot};
use proxsplit::linalg::vec::axpy;

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
        let (data, rank) = (self.problem.data, self.problem.rank);
        let held_out = data.held_out();
        if data.missing() > 0 && held_out.is_none() {
            return self.formed(out, v, false);
        }
        data.with_rows(out, v, 0..v.len());
        let weights = combine(&self.factors.a, v, rank);
        for (out, row) in out.iter_mut().zip(self.factors.x.chunks_exact(rank)) {
            *out -= T::of(dot(row, &weights));
        }
        if let Some(fold) = held_out {
            fold.take_from_rows(out, v, (&self.factors.x, &self.factors.a));
        }
    }

    /// out ← dᵀR
    pub(super) fn with_columns(&self, out: &mut [T], d: &[T]) {
        let (data, rank) = (self.problem.data, self.problem.rank);
        let held_out = data.held_out();
        if data.missing() > 0 && held_out.is_none() {
            return self.formed(out, d, true);
        }
        data.with_columns(out, d, 0..out.len());
        let weights = combine(&self.factors.x, d, rank);
        for (out, column) in out.iter_mut().zip(self.factors.a.chunks_exact(rank)) {
            *out -= T::of(dot(column, &weights));
        }
        if let Some(fold) = held_out {
            fold.take_from_columns(out, d, (&self.factors.x, &self.factors.a), 0);
        }
    }

    /// The same where entries are missing: the products of XA would have to leave them out.
    fn formed(&self, out: &mut [T], vector: &[T], of_features: bool) {
        let sums = plain::residual_with(self.problem.data, self.factors, vector, of_features);
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
