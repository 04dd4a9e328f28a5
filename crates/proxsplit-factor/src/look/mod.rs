//! A look at X: codes solved as exactly as can be, and what is then true of the pair (X, A).
//!
//! φ(X) = min_A F(X, A) is not smooth where codes are not unique, so nothing is said of its gradient: both residuals, the gap of the
//! codes and the gain from dead atoms are statements about the pair, which need no uniqueness. Residuals are relative to
//! ‖YAᵀ‖ and ‖XᵀY‖, the parts that cancel at a solution, and hence do not depend on the scale of the data.

mod dead;
mod dead_counts;
mod gap;
mod half;
mod parts;
mod rank_one;
mod residual;
mod split;

pub(crate) use dead::{Escape, Search, count as count_dead, escape, gain, is_time_for, replace};
pub(crate) use gap::of_codes as gap_of_codes;
pub(crate) use parts::Parts;

use crate::codes::TOUCH;
use crate::misfit::{Grams, Misfit, Slopes};
use crate::problem::{Factors, Problem};
use crate::products::Lanes;
use proxsplit::Mat;
use proxsplit::internal::linalg::dense::symmetric_eigenvalues;
use proxsplit::internal::linalg::vec::norm;
use proxsplit::{AtPoint, Prox};

/// What was found at X.
pub(crate) struct Findings<T> {
    pub(crate) at: AtPoint,
    /// The factors that were looked at: X, and codes that are nearly exact for it.
    pub(crate) factors: Factors<T>,
    /// (XA − Y)Aᵀ, transposed: K × m.
    pub(crate) slope: Vec<T>,
    /// What to put in the place of a dead atom, if that gains anything.
    pub(crate) escape: Option<Escape<T>>,
}

/// Solves the codes for Xᵀ and looks at the pair.
pub(crate) fn with_best_codes<T: Lanes>(
    problem: Problem<'_, T>,
    misfit: &mut dyn Misfit<T>,
    mut factors: Factors<T>,
) -> Findings<T> {
    forget_lost_codes(&mut factors.a, factors.rank, problem.codes);
    let (_, psi) = problem.terms();
    misfit.refine_codes(&factors.x, &mut factors.a, &psi);
    at(problem, misfit, factors)
}

/// Codes that a step of X to infinity has left without a value begin anew.
pub(crate) fn forget_lost_codes<T: Lanes>(codes: &mut [T], rank: usize, psi: &dyn Prox<T>) {
    for column in codes.chunks_exact_mut(rank) {
        if column.iter().any(|a| !a.is_finite()) {
            column.fill(T::ZERO);
            psi.prox(column, T::of(TOUCH));
        }
    }
}

/// What is true of the pair as it is.
pub(crate) fn at<T: Lanes>(
    problem: Problem<'_, T>,
    misfit: &mut dyn Misfit<T>,
    factors: Factors<T>,
) -> Findings<T> {
    let (rank, data) = (problem.rank, problem.data);
    let n = data.cols();
    let (psi_x, psi_a) = problem.terms();
    let (x, a) = (&factors.x, &factors.a);
    let Slopes {
        misfit: value,
        x: mut slope_x,
        a: mut slope_a,
        scales,
        steps,
    } = misfit.slopes(&factors);
    let steps = (
        psi_x.add_graph(&mut slope_x, x, (rank, steps.0)),
        psi_a.add_graph(&mut slope_a, a, (rank, steps.1)),
    );
    // A graph can be all that is left of a slope, where the other factor is 0.
    let scales = (
        scales.0.max(psi_x.scale_of_graph(x, rank)),
        scales.1.max(psi_a.scale_of_graph(a, rank)),
    );
    problem.fixed.clear(&mut slope_x, rank);
    let codes_gap = gap::of_codes(problem, misfit, &factors, &slope_a);
    let size = misfit.size();
    let Grams { x: gx, a: ga } = misfit.grams();
    let (residual_x, error_x) = psi_x.residual(x, &slope_x, (rank, steps.0));
    let (residual_a, error_a) = psi_a.residual(a, &slope_a, (rank, steps.1));
    let penalties = (psi_x.value(x, rank), psi_a.value(a, rank));
    let escape = escape(problem, &factors, (gx, ga), Search::Thorough);
    let parts = Parts {
        misfit: value,
        penalties,
        residuals: (residual_x, residual_a),
        errors: (error_x, error_a),
        scales,
        steps,
        norms: (problem.fixed.norm_of_free(x, rank), norm(a)),
        shape: (data.rows(), n),
        codes_gap,
        dead_atoms: dead::count(gx, ga, (rank, psi_x.first())),
        escape: gain(problem, escape.as_ref()),
        size,
    };
    Findings {
        at: parts.at_point::<T>(),
        factors,
        slope: slope_x,
        escape,
    }
}

/// Whether rounding of parts of this size takes more than a third of the digits of their sum.
pub(crate) fn is_lost<T: Lanes>(sum: f64, parts: f64) -> bool {
    let kept = sum > T::EPSILON.f64().cbrt() * parts;
    !kept
}

/// What is smaller has no inverse.
const LEAST_NORM: f64 = 1e-300;

/// 1/L for L = w‖G‖; ∞ where G is zero, and only a graph may curve.
pub(crate) fn reference_step<T: Lanes>(gram: &[T], rank: usize, weight: f64) -> f64 {
    if gram.iter().all(|&g| g == T::ZERO) {
        f64::INFINITY
    } else {
        1.0 / (largest_eigenvalue(gram, rank) * weight)
    }
}

/// ‖G‖, from above: rounding of the eigenvalue is allowed for. 1 if G is zero, where any step will do.
pub(crate) fn largest_eigenvalue<T: Lanes>(gram: &[T], rank: usize) -> f64 {
    let mat = Mat::from_fn(rank, rank, |i, j| gram[i * rank + j].f64());
    let bound = crate::codes::largest_eigenvalue_bound(gram, rank);
    let largest = symmetric_eigenvalues(&mat)
        .map(|values| values.into_iter().fold(0.0, f64::max))
        .map_or(bound, |value| value * (1.0 + 1e-9));
    match largest.min(bound) {
        0.0 => 1.0,
        norm => norm.max(LEAST_NORM),
    }
}
