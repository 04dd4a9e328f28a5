//! The prox of a term over a whole factor, and the residual that it defines.

use super::{Side, Term, atoms};
use crate::products::{Lanes, PART, distance_squared, norm};
use proxsplit::internal::linalg::vec;
use proxsplit::internal::parallel::Each;
use proxsplit::internal::scratch;
use rayon::prelude::*;

impl<T: Lanes> Term<'_, T> {
    /// factor ← P_η(factor), vector by vector.
    pub(crate) fn project(&self, factor: &mut [T], rank: usize, step: T) {
        match self.side {
            Side::Codes => factor
                .par_chunks_mut(rank * 1024)
                .each(&|codes| codes.chunks_mut(rank).for_each(|a| self.prox.prox(a, step))),
            // Entries that have nothing to do with each other need not be put in order first.
            Side::Atoms if self.elementary.is_some() && self.first == 0 => factor
                .par_chunks_mut(PART)
                .each(&|part| self.prox.prox(part, step)),
            Side::Atoms => atoms::change_each(factor, (rank, self.first), |atom| {
                self.prox.prox(atom, step);
            }),
        }
    }

    /// Changes every vector of the factor, one after the other.
    pub(crate) fn change_each(
        &self,
        factor: &mut [T],
        rank: usize,
        mut work: impl FnMut(&mut [T]),
    ) {
        match self.side {
            Side::Codes => factor.chunks_mut(rank).for_each(work),
            Side::Atoms => atoms::change_each(factor, (rank, self.first), |atom| work(atom)),
        }
    }

    /// ‖F − P_η(F − η·slope)‖/η, and what a stopped prox may hide from it; `None` if that is unknown.
    pub(crate) fn residual(
        &self,
        factor: &[T],
        slope: &[T],
        (rank, step): (usize, f64),
    ) -> (f64, Option<f64>) {
        let eta = T::of(step);
        let is_by_parts = self.elementary.is_some() && self.first == 0;
        let (sizes, error) = if is_by_parts {
            (self.sizes_by_parts(factor, slope, eta), Some(0.0))
        } else {
            let (moved, error) = self.moved(factor, slope, (rank, eta));
            ([moved, norm(slope), norm(factor)], error)
        };
        let residual = residual_of_sizes::<T>(sizes, step);
        (residual, error.map(|error| error / step))
    }

    /// ‖F − P_η(F − η·slope)‖, and what a stopped prox may hide from it.
    fn moved(&self, factor: &[T], slope: &[T], (rank, eta): (usize, T)) -> (f64, Option<f64>) {
        scratch::with(factor.len(), |moved: &mut [T]| {
            descend(moved, (factor, slope), eta);
            let error = self.prox_with_error(moved, rank, eta);
            if self.first > 0 {
                let pairs = moved.chunks_exact_mut(rank).zip(factor.chunks_exact(rank));
                pairs.for_each(|(m, f)| m[..self.first].copy_from_slice(&f[..self.first]));
            }
            (distance_squared(factor, moved).sqrt(), error)
        })
    }

    /// The same where entries have nothing to do with each other, with ‖slope‖ and ‖F‖, by one walk through memory.
    fn sizes_by_parts(&self, factor: &[T], slope: &[T], eta: T) -> [f64; 3] {
        let parts = factor.len().div_ceil(PART);
        scratch::with(3 * parts, |sizes: &mut [f64]| {
            let (moved, rest) = sizes.split_at_mut(parts);
            let (slopes, factors) = rest.split_at_mut(parts);
            let places = moved.par_iter_mut().zip(slopes.par_iter_mut());
            places
                .zip(factors.par_iter_mut())
                .zip(factor.par_chunks(PART).zip(slope.par_chunks(PART)))
                .each(&|(((moved, slopes), factors), (factor, slope))| {
                    *moved = self.moved_in_part(factor, slope, eta);
                    (*slopes, *factors) = (vec::norm(slope), vec::norm(factor));
                });
            [vec::norm(moved), vec::norm(slopes), vec::norm(factors)]
        })
    }

    /// ‖F − P_η(F − η·slope)‖ of some entries, if these have nothing to do with each other.
    pub(crate) fn moved_in_part(&self, factor: &[T], slope: &[T], eta: T) -> f64 {
        scratch::with(factor.len(), |moved: &mut [T]| {
            descend(moved, (factor, slope), eta);
            self.prox.prox(moved, eta);
            distance_squared(factor, moved).sqrt()
        })
    }

    /// factor ← P_η(factor), vector by vector, and a bound on how far that is from exact.
    fn prox_with_error(&self, factor: &mut [T], rank: usize, step: T) -> Option<f64> {
        if self.elementary.is_some() {
            self.project(factor, rank, step);
            return Some(0.0);
        }
        let mut square = Some(0.0);
        self.change_each(factor, rank, |vector| {
            let error = self.prox.prox_with_error(vector, step);
            square = square.zip(error).map(|(sum, error)| sum + error * error);
        });
        square.map(f64::sqrt)
    }
}

/// The residual by the norms of F − P_η(F − η·slope), of the slope and of F.
pub(crate) fn residual_of_sizes<T: Lanes>([moved, slope, factor]: [f64; 3], step: f64) -> f64 {
    let seen = moved / step;
    // Where F − η·slope rounds to F, any F would look stationary.
    let is_lost = step * slope <= T::EPSILON.f64() * factor;
    if is_lost { seen.max(slope) } else { seen }
}

/// moved ← F − η·slope
fn descend<T: Lanes>(moved: &mut [T], (factor, slope): (&[T], &[T]), eta: T) {
    for (moved, (&value, &slope)) in moved.iter_mut().zip(factor.iter().zip(slope)) {
        *moved = value - eta * slope;
    }
}
