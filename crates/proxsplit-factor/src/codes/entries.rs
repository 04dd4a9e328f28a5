//! Coordinate sweeps over one column after the other: separable terms that are more than four numbers (Huber, SCAD, entropy, weights
//! of their own), and columns with a Gram matrix of their own, because entries of them are missing.
//!
//! A sweep keeps the slope Ga − c up to date, a row of G for every coordinate that moves, which vectorizes.

use super::{Effort, Quadratic, Side, columns, gradient, largest_eigenvalue_bound};
use crate::products::Lanes;
use proxsplit::internal::scratch;
use proxsplit::{Elementary, Prox, Separable, simd};

use proxsplit::internal::parallel::Each;
use rayon::prelude::*;

/// The step that finds the minimizer of the term alone, where the quadratic does not depend on an entry.
const FAR: f64 = 1e12;
/// Sweeps after which the slope is computed anew, so that rounding does not add up.
const FRESH: usize = 16;

/// Calls `solve` for every column with its place, its Gram matrix, its entries and its c. Its weight is left to `solve`.
fn each<T: Lanes>(
    problem: &Quadratic<'_, T>,
    factor: &mut [T],
    solve: impl Fn(usize, &[T], &mut [T], &[T]) + Sync,
) {
    let rank = problem.rank;
    factor
        .par_chunks_mut(rank)
        .zip(problem.linear.par_chunks(rank))
        .enumerate()
        .with_min_len(8)
        .each(&|(column, (a, c))| match problem.own {
            None => solve(column, problem.gram, a, c),
            Some(own) => scratch::with(rank * rank, |gram: &mut [T]| {
                own.gram(gram, problem.gram, column);
                solve(column, gram, a, c);
            }),
        });
}

/// Sweeps for W₁‖a‖₁ + (W₂/2)‖a‖² over l ≤ a ≤ u.
pub(super) fn sweep_elementary<T: Lanes>(
    problem: &Quadratic<'_, T>,
    factor: &mut [T],
    (term, first): (Elementary, usize),
    effort: Effort,
) {
    let (l1, sql2) = (T::of(term.l1), T::of(term.sql2));
    let (lower, upper) = (T::of(term.lower), T::of(term.upper));
    each(problem, factor, |column, gram, a, c| {
        let weight = problem.weight(column);
        sweep(gram, (a, c), (effort, first), |_, pull, curvature, _| {
            let (pull, curvature) = (weight * pull, weight * curvature);
            let inverse = T::ONE / (curvature + sql2);
            let shrunk = pull - pull.max(-l1).min(l1);
            // Where nothing depends on the entry, it goes to the point of [l, u] nearest to 0, as in tiles.
            let sane = inverse > T::ZERO && inverse.is_finite();
            let free = if sane { shrunk * inverse } else { T::ZERO };
            // Of 0 and −0 processors disagree which is larger: only 0 is left.
            free.max(lower).min(upper) + T::ZERO
        });
    });
}

/// Sweeps for any separable term.
pub(super) fn sweep_separable<T: Lanes>(
    problem: &Quadratic<'_, T>,
    factor: &mut [T],
    (term, side, first): (&dyn Separable<T>, Side, usize),
    effort: Effort,
) {
    let everywhere = (-T::INFINITY, T::INFINITY);
    each(problem, factor, |column, gram, a, c| {
        let weight = problem.weight(column);
        sweep(gram, (a, c), (effort, first), |k, pull, curvature, old| {
            let (pull, curvature) = (weight * pull, weight * curvature);
            let index = match side {
                Side::Codes => k,
                Side::Atoms => column,
            };
            if curvature > T::ZERO {
                term.prox_between(index, pull / curvature, T::ONE / curvature, everywhere)
            } else {
                term.prox_between(index, old, T::of(FAR), everywhere)
            }
        });
    });
}

/// Accelerated proximal gradients for terms of whole codes.
pub(super) fn descend<T: Lanes>(
    problem: &Quadratic<'_, T>,
    codes: &mut [T],
    term: &dyn Prox<T>,
    effort: Effort,
) {
    each(problem, codes, |column, gram, a, c| {
        let bound = largest_eigenvalue_bound(gram, a.len());
        let weight = problem.weight(column);
        if bound > 0.0 && weight > T::ZERO {
            let steps = (T::of(1.0 / bound), T::ONE / weight);
            columns::column(gram, (a, c), (term, steps), effort);
        } else {
            term.prox(a, T::of(FAR));
        }
    });
}

/// Sweeps over the coordinates of one column from `start` on. `minimize(k, G_kk·a_k − slope_k, G_kk, a_k)` finds the best a_k when the others stay.
fn sweep<T: Lanes>(
    gram: &[T],
    (a, c): (&mut [T], &[T]),
    (effort, start): (Effort, usize),
    minimize: impl Fn(usize, T, T, T) -> T,
) {
    scratch::with(a.len(), |slope: &mut [T]| {
        simd::arch().dispatch(|| {
            let mut first = 0.0;
            for round in 0..effort.sweeps {
                if round % FRESH == 0 {
                    gradient(gram, a, c, slope);
                }
                let change = once(gram, a, (slope, start), &minimize);
                if round == 0 {
                    first = change;
                }
                if change <= effort.tolerance * effort.tolerance * first {
                    break;
                }
            }
        });
    });
}

/// One sweep; returns Σ G_kk·δ².
#[inline(always)]
fn once<T: Lanes>(
    gram: &[T],
    a: &mut [T],
    (slope, start): (&mut [T], usize),
    minimize: impl Fn(usize, T, T, T) -> T,
) -> f64 {
    let rank = a.len();
    let mut change = 0.0;
    for k in start..rank {
        let row = &gram[k * rank..(k + 1) * rank];
        let (curvature, old) = (row[k], a[k]);
        let new = minimize(k, curvature * old - slope[k], curvature, old);
        let moved = new - old;
        if moved != T::ZERO {
            for (slope, &g) in slope.iter_mut().zip(row) {
                *slope += moved * g;
            }
            a[k] = new;
            change += (curvature * moved * moved).f64();
        }
    }
    change
}
