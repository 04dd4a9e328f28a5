//! Σ_p f_p of the other factor over the observed entries p of a line: what one unit of a coordinate adds to Σ z.

use crate::products::{Lanes, Own, in_order};
use proxsplit::internal::linalg::vec::{axpy, dot, dot_with};
use proxsplit::internal::parallel::Each;
use proxsplit::internal::scratch;
use rayon::prelude::*;

/// Columns of which one task finds a part of a sum.
const PART: usize = 4096;

/// The other factor, and its sums.
pub(super) struct Sums<'a, T> {
    pub(super) factor: &'a [T],
    /// Over all entries of a line.
    whole: &'a [f64],
    /// What lines with missing entries have in its place.
    own: Option<Own<'a, T>>,
}

impl<T: Lanes> Sums<'_, T> {
    /// Calls `work` with the sums of a factor of K rows.
    pub(super) fn with<R>(
        factor: &[T],
        rank: usize,
        own: Option<Own<'_, T>>,
        work: impl FnOnce(&Sums<'_, T>) -> R,
    ) -> R {
        with_whole(factor, rank, |whole| work(&Sums { factor, whole, own }))
    }

    /// Calls `look` with the sums of a line.
    pub(super) fn of<R>(&self, line: usize, look: impl FnOnce(&[f64]) -> R) -> R {
        match &self.own {
            None => look(self.whole),
            Some(own) => scratch::with(self.whole.len(), |sums: &mut [f64]| {
                own.sums(sums, self.whole, line);
                look(sums)
            }),
        }
    }

    /// Σ z over the observed entries of all lines, where `factor` is their own.
    pub(super) fn product(&self, factor: &[T]) -> f64 {
        let rank = self.whole.len();
        if self.own.is_none() {
            return with_whole(factor, rank, |sums| dot(self.whole, sums));
        }
        let lines = factor.par_chunks(rank).enumerate();
        in_order(lines, &|(line, a)| self.of(line, |sums| dot_with(sums, a)))
    }
}

/// Calls `look` with F·1, summed in fixed parts.
fn with_whole<T: Lanes, R>(factor: &[T], rank: usize, look: impl FnOnce(&[f64]) -> R) -> R {
    let count = factor.len().div_ceil(rank * PART).max(1);
    scratch::with(count * rank, |parts: &mut [f64]| {
        parts
            .par_chunks_mut(rank)
            .zip(factor.par_chunks(rank * PART))
            .each(&|(sums, part)| {
                sums.fill(0.0);
                for column in part.chunks_exact(rank) {
                    for (sum, value) in sums.iter_mut().zip(column) {
                        *sum += value.f64();
                    }
                }
            });
        let (total, others) = parts.split_at_mut(rank);
        for part in others.chunks_exact(rank) {
            axpy(1.0, part, total);
        }
        look(total)
    })
}
