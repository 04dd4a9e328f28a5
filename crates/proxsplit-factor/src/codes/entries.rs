//! Coordinate sweeps for separable terms that are more than four numbers: Huber, SCAD, entropy, weights of their own.

use super::{Effort, Quadratic, Side};
use crate::products::Lanes;
use proxsplit::Separable;
use rayon::prelude::*;

/// The step that finds the minimizer of the term alone, where the quadratic does not depend on an entry.
pub(super) const FAR: f64 = 1e12;

/// Sweeps over every column until it has converged or the effort is spent.
pub(super) fn sweep<T: Lanes>(
    problem: &Quadratic<'_, T>,
    factor: &mut [T],
    (term, side): (&dyn Separable<T>, Side),
    effort: Effort,
) {
    let rank = problem.rank;
    factor
        .par_chunks_mut(rank)
        .zip(problem.linear.par_chunks(rank))
        .enumerate()
        .with_min_len(64)
        .for_each(|(column, (a, c))| {
            let index = |k| match side {
                Side::Codes => k,
                Side::Atoms => column,
            };
            let mut first = 0.0;
            for round in 0..effort.sweeps {
                let change = once(problem.gram, a, c, |k, t, step| {
                    term.prox_between(index(k), t, step, (-T::INFINITY, T::INFINITY))
                });
                if round == 0 {
                    first = change;
                }
                if change <= effort.tolerance * effort.tolerance * first {
                    break;
                }
            }
        });
}

/// One sweep; returns Σ G_kk·δ².
#[inline(always)]
fn once<T: Lanes>(gram: &[T], a: &mut [T], c: &[T], prox: impl Fn(usize, T, T) -> T) -> f64 {
    let rank = a.len();
    let mut change = 0.0;
    for k in 0..rank {
        let row = &gram[k * rank..(k + 1) * rank];
        let curvature = row[k];
        let mut sum = c[k];
        for (j, (&g, &a)) in row.iter().zip(&*a).enumerate() {
            if j != k {
                sum -= g * a;
            }
        }
        let new = if curvature > T::ZERO {
            prox(k, sum / curvature, T::ONE / curvature)
        } else {
            prox(k, a[k], T::of(FAR))
        };
        let moved = new - a[k];
        change += (curvature * moved * moved).f64();
        a[k] = new;
    }
    change
}
