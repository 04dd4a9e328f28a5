//! How far F(X, A) is above min F(X, ·), without any curvature: a duality gap for every column.
//!
//! With c the negative slope of a column's misfit, which is convex in the code a, the gap is ψ(a) + ψ*(c) − ⟨a, c⟩: for the squared one,
//! r = y − Xa is the dual point, and c = Xᵀr. Where ψ* is an indicator, as of γ‖a‖₁ over a ≥ 0, the dual point must be moved into
//! its domain first, which for X ≥ 0 every misfit does in its own way with σ = Xᵀ1. A graph of samples is a part of the smooth function:
//! its slope is in c; but no dual point is known that can be moved.

use crate::codes::Term;
use crate::misfit::Misfit;
use crate::problem::{Factors, Problem};
use crate::products::{Lanes, in_order};
use proxsplit::Elementary;
use proxsplit::internal::scratch;
use rayon::prelude::*;

/// Columns of which one task finds a part of the sum.
const PART: usize = 256;

/// Σ_t of the gaps, from above; `None` if no finite dual point is known. `slope` is Xᵀ(XA − Y), and that of the graph.
pub(crate) fn of_codes<T: Lanes>(
    problem: Problem<'_, T>,
    misfit: &dyn Misfit<T>,
    factors: &Factors<T>,
    slope: &[T],
) -> Option<f64> {
    let (_, psi) = problem.terms();
    let rank = problem.rank;
    let gap = match psi.elementary {
        Some(term) if is_indicator_dual(term) && psi.graph().is_some() => return None,
        Some(term) if is_indicator_dual(term) => {
            let sums = atom_sums(problem, factors)?;
            sum_over_columns(factors, slope, rank, |t, a, slope| {
                misfit.orthant_gap(t, (term.l1, &sums), a, slope)
            })
        }
        _ => sum_over_columns(factors, slope, rank, |_, a, slope| {
            fenchel_young(&psi, a, slope).unwrap_or(f64::INFINITY)
        }),
    };
    gap.is_finite().then_some(gap)
}

/// Whether ψ = γ‖a‖₁ over a ≥ 0, whose conjugate is 0 or ∞.
fn is_indicator_dual(term: Elementary) -> bool {
    term.sql2 == 0.0 && term.lower == 0.0 && term.upper == f64::INFINITY
}

/// σ = Xᵀ1 for X ≥ 0 without missing entries; `None` where the shift is not possible.
fn atom_sums<T: Lanes>(problem: Problem<'_, T>, factors: &Factors<T>) -> Option<Vec<f64>> {
    if problem.data.missing() > 0 || factors.x.iter().any(|&x| x < T::ZERO) {
        return None;
    }
    let mut sums = vec![0.0; problem.rank];
    for row in factors.x.chunks_exact(problem.rank) {
        for (sum, x) in sums.iter_mut().zip(row) {
            *sum += x.f64();
        }
    }
    Some(sums)
}

fn sum_over_columns<T: Lanes>(
    factors: &Factors<T>,
    slope: &[T],
    rank: usize,
    of_column: impl Fn(usize, &[T], &[T]) -> f64 + Sync,
) -> f64 {
    let parts = factors
        .a
        .par_chunks(rank * PART)
        .zip(slope.par_chunks(rank * PART));
    in_order(parts.enumerate(), &|(part, (codes, slope))| {
        let columns = codes.chunks_exact(rank).zip(slope.chunks_exact(rank));
        let columns = (part * PART..).zip(columns);
        columns.map(|(t, (a, slope))| of_column(t, a, slope)).sum()
    })
}

fn fenchel_young<T: Lanes>(psi: &Term<'_, T>, a: &[T], slope: &[T]) -> Option<f64> {
    scratch::with(a.len(), |dual: &mut [T]| {
        for (dual, &slope) in dual.iter_mut().zip(slope) {
            *dual = -slope;
        }
        let conjugate = psi.prox.conjugate(dual)?;
        let product: f64 = a.iter().zip(&*dual).map(|(a, c)| a.f64() * c.f64()).sum();
        let gap = psi.prox.value(a) + conjugate - product;
        // What overflowed on the way to the conjugate is no gap of 0.
        (!gap.is_nan()).then_some(gap.max(0.0))
    })
}
