//! Codes under a term that ties their entries together (simplex, ball, groups): accelerated proximal gradients.
//!
//! Borrowed: A. Beck, M. Teboulle, A fast iterative shrinkage-thresholding algorithm, 2009; restarted when the momentum
//! points uphill (B. O'Donoghue, E. Candès, Adaptive restart for accelerated gradient schemes, 2015).

use super::{Effort, Quadratic, gradient, largest_eigenvalue_bound};
use crate::products::Lanes;
use proxsplit::internal::linalg::vec::{distance_squared, dot_of_differences};
use proxsplit::internal::parallel::Each;
use proxsplit::internal::scratch;
use proxsplit::{Class, Prox};
use rayon::prelude::*;

/// Steps per sweep of effort: a proximal gradient is weaker than a sweep.
const STEPS: usize = 4;

pub(super) fn descend<T: Lanes>(
    problem: &Quadratic<'_, T>,
    codes: &mut [T],
    term: &dyn Prox<T>,
    effort: Effort,
) {
    let bound = largest_eigenvalue_bound(problem.gram, problem.rank);
    if bound <= 0.0 {
        return;
    }
    let step = T::of(1.0 / bound);
    codes
        .par_chunks_mut(problem.rank)
        .zip(problem.linear.par_chunks(problem.rank))
        .with_min_len(32)
        .each(&|(a, c)| column(problem.gram, (a, c), (term, (step, T::ONE)), effort));
}

/// Steps 1/L for one column, whose term counts `cost` times.
pub(super) fn column<T: Lanes>(
    gram: &[T],
    (a, c): (&mut [T], &[T]),
    (term, (step, cost)): (&dyn Prox<T>, (T, T)),
    effort: Effort,
) {
    let rank = a.len();
    let momentum = term.class() == Class::Convex;
    scratch::with(3 * rank, |buffer: &mut [T]| {
        let (ahead, rest) = buffer.split_at_mut(rank);
        let (slope, new) = rest.split_at_mut(rank);
        ahead.copy_from_slice(a);
        let (mut weight, mut first) = (1.0_f64, 0.0);
        for round in 0..effort.sweeps * STEPS {
            gradient(gram, ahead, c, slope);
            for ((new, &ahead), &slope) in new.iter_mut().zip(&*ahead).zip(&*slope) {
                *new = ahead - step * slope;
            }
            term.prox(new, step * cost);
            let moved = distance_squared(new, a);
            let uphill = dot_of_differences((ahead, new), (new, a)) > 0.0;
            let next = if uphill || !momentum {
                1.0
            } else {
                0.5 + (0.25 + weight * weight).sqrt()
            };
            let push = if momentum && !uphill {
                T::of((weight - 1.0) / next)
            } else {
                T::ZERO
            };
            for ((ahead, &new), &old) in ahead.iter_mut().zip(&*new).zip(&*a) {
                *ahead = new + push * (new - old);
            }
            weight = next;
            a.copy_from_slice(new);
            if round == 0 {
                first = moved;
            }
            if moved <= effort.tolerance * effort.tolerance * first {
                break;
            }
        }
    });
}
