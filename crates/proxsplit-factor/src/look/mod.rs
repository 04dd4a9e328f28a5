//! A look at X: codes solved as exactly as can be, and what is then true of the pair (X, A).
//!
//! φ(X) = min_A F(X, A) is not smooth where codes are not unique, so nothing is said of its gradient: both residuals, the gap of the
//! codes and the gain from dead atoms are statements about the pair, which need no uniqueness. Residuals are relative to
//! ‖YAᵀ‖ and ‖XᵀY‖, the parts that cancel at a solution, and hence do not depend on the scale of the data.

mod dead;
mod gap;
mod half;
mod rank_one;
mod residual;
mod split;

pub(crate) use dead::{Escape, Search, escape, is_time_for, replace};

use crate::codes::{Effort, Quadratic, Side, TOUCH, Term, active_set};
use crate::incremental::times;
use crate::plain;
use crate::problem::{Factors, Problem};
use crate::products::{Data, Lanes, dot, gram};
use crate::work::NEARLY_EXACT;
use proxsplit::linalg::dense::{Mat, symmetric_eigenvalues};
use proxsplit::linalg::vec::{axpy, norm};
use proxsplit::{AtPoint, Pair, Prox};

/// Sweeps until rounding stops them.
const EXACT: Effort = Effort {
    sweeps: 1000,
    tolerance: 1e-7,
};

/// Residuals above this, relative to their scale, are never taken for rounding.
const LARGEST_ROUNDING: f64 = 1e-4;

/// The least scale of a residual, as a fraction of its typical size.
const TRACE: f64 = 1e-14;

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
    mut factors: Factors<T>,
) -> Findings<T> {
    forget_lost_codes(&mut factors, problem.codes);
    solve_codes(problem.data, &factors.x, &mut factors.a, problem.codes);
    at(problem, factors)
}

/// Codes that a step of X to infinity has left without a value begin anew.
fn forget_lost_codes<T: Lanes>(factors: &mut Factors<T>, psi: &dyn Prox<T>) {
    for column in factors.a.chunks_exact_mut(factors.rank) {
        if column.iter().any(|a| !a.is_finite()) {
            column.fill(T::ZERO);
            psi.prox(column, T::of(TOUCH));
        }
    }
}

/// What is true of the pair as it is.
pub(crate) fn at<T: Lanes>(problem: Problem<'_, T>, factors: Factors<T>) -> Findings<T> {
    let (rank, data) = (problem.rank, problem.data);
    let n = data.cols();
    let (psi_x, psi_a) = problem.terms();
    let (x, a) = (&factors.x, &factors.a);
    let square = || vec![T::ZERO; rank * rank];
    let (mut gx, mut ga) = (square(), square());
    gram(&mut gx, x, rank);
    gram(&mut ga, a, rank);
    let (mut xy, mut ya) = (vec![T::ZERO; a.len()], vec![T::ZERO; x.len()]);
    data.with_columns(&mut xy, x, 0..n);
    data.with_rows(&mut ya, a, 0..n);
    let misfit = misfit(data, &factors, (&gx, &ga), &xy);
    let scales = (
        scale_of(&ya, x, data.square()),
        scale_of(&xy, a, data.square()),
    );
    data.fill_columns(&mut xy, (x, &gx), a, &(0..n));
    data.fill_rows(&mut ya, (a, &ga), x, 0..n);
    let slope_x = slope(&ga, x, &ya, rank);
    let slope_a = slope(&gx, a, &xy, rank);

    let steps = (
        1.0 / largest_eigenvalue(&ga, rank),
        1.0 / largest_eigenvalue(&gx, rank),
    );
    let (residual_x, error_x) = psi_x.residual(x, &slope_x, (rank, steps.0));
    let (residual_a, error_a) = psi_a.residual(a, &slope_a, (rank, steps.1));
    let penalties = (psi_x.value(x, rank), psi_a.value(a, rank));
    let objective = misfit + penalties.0 + penalties.1;
    let escape = escape(problem, &factors, (&gx, &ga), Search::Thorough);
    let pair = Pair {
        residual_x,
        residual_a,
        scale_x: scales.0,
        scale_a: scales.1,
        step_x: steps.0,
        step_a: steps.1,
        codes_gap: gap::of_codes(problem, &factors, &slope_a),
        dead_atoms: dead::count(&gx, &ga, rank),
        escape: escape.as_ref().map_or(0.0, |escape| escape.gain),
        size: 0.5 * data.square(),
    };
    let level = |step: f64, factor: &[T], scale: f64, terms: usize| {
        let size = (terms as f64).sqrt() * norm(factor) / step + scale;
        2.0 * T::EPSILON.f64() * size / scale
    };
    let rounding = level(steps.0, x, scales.0, n).max(level(steps.1, a, scales.1, data.rows()));
    let relative =
        |error: Option<f64>, scale: f64| error.map(|e| if e == 0.0 { 0.0 } else { e / scale });
    let errors = relative(error_x, scales.0).zip(relative(error_a, scales.1));
    Findings {
        at: AtPoint {
            objective,
            residual: pair.residual(),
            reference_step: steps.0,
            prox_error: errors.map(|(x, a)| x.max(a)),
            scale: 1.0,
            // A scale that has all but vanished must not excuse a large residual.
            rounding: if rounding <= LARGEST_ROUNDING {
                rounding
            } else {
                0.0
            },
            gap: None,
            lower_bound: None,
            feasible: penalties.0.is_finite() && penalties.1.is_finite(),
            pair: Some(pair),
        },
        factors,
        slope: slope_x,
        escape,
    }
}

/// ½‖Y − XA‖² through the products; by plain sums where these cancel so far that less than half of the digits are left, and where
/// entries are missing, whose share is a difference itself.
fn misfit<T: Lanes>(
    data: &Data<'_, T>,
    factors: &Factors<T>,
    (gx, ga): (&[T], &[T]),
    xy: &[T],
) -> f64 {
    let square = 0.5 * data.square();
    let products = gx.iter().zip(ga).map(|(x, a)| x.f64() * a.f64());
    let size = products.map(f64::abs).sum::<f64>();
    let cross = dot(xy, &factors.a);
    let misfit = square - cross + 0.5 * dot(gx, ga);
    if data.missing() > 0 || is_lost::<T>(misfit, square + cross.abs() + size) {
        plain::sums(data, factors, false).misfit
    } else {
        misfit
    }
}

/// Whether rounding of parts of this size takes more than half of the digits of their sum.
pub(crate) fn is_lost<T: Lanes>(sum: f64, parts: f64) -> bool {
    let kept = sum > 8.0 * T::EPSILON.f64().sqrt() * parts;
    !kept
}

/// G·F − C
fn slope<T: Lanes>(gram: &[T], factor: &[T], linear: &[T], rank: usize) -> Vec<T> {
    let mut slope = vec![T::ZERO; factor.len()];
    times(&mut slope, gram, factor, rank);
    axpy(-T::ONE, linear, &mut slope);
    slope
}

/// What is smaller has no inverse.
const LEAST_NORM: f64 = 1e-300;

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

/// ‖C‖, the size of what cancels in the slope of a factor F; where nothing is left of the other factor, a trace of ‖Y‖²/‖F‖, which
/// it is about at a good fit. A small F is no such fit: what ‖C‖ would be for two factors of one size is the limit.
fn scale_of<T: Lanes>(linear: &[T], factor: &[T], square: f64) -> f64 {
    let typical = square / norm(factor);
    let trace = if typical.is_finite() {
        TRACE * typical.min(square.powf(0.75))
    } else {
        0.0
    };
    norm(linear).max(trace)
}

/// Codes for Xᵀ as exact as can be: by the active set where the codes are a ≥ 0, else by sweeps until nothing moves.
pub(crate) fn solve_codes<T: Lanes>(
    data: &Data<'_, T>,
    x: &[T],
    codes: &mut [T],
    psi: &dyn Prox<T>,
) {
    let rank = x.len() / data.rows();
    let (mut gx, mut xy) = (vec![T::ZERO; rank * rank], vec![T::ZERO; codes.len()]);
    data.with_columns(&mut xy, x, 0..data.cols());
    gram(&mut gx, x, rank);
    let problem = Quadratic {
        gram: &gx,
        linear: &xy,
        rank,
        own: data.own_of_columns(x, &(0..data.cols())),
    };
    let term = Term::new(psi, Side::Codes);
    let over_orthant = term
        .elementary
        .filter(|e| e.lower == 0.0 && e.upper == f64::INFINITY);
    let is_exact = over_orthant.is_some_and(|elementary| {
        // The active set wants a good support only.
        term.solve(problem, codes, NEARLY_EXACT);
        active_set::polish(problem, codes, elementary)
    });
    if !is_exact {
        term.solve(problem, codes, EXACT);
    }
}

#[cfg(test)]
mod tests {
    /// Residuals are relative to what cancels: a factor that is far too small does not make them smaller.
    #[test]
    fn a_small_factor_is_no_excuse() {
        let scale = |linear: f64, factor: f64| super::scale_of(&[linear], &[factor], 1.0);
        assert_eq!(scale(1.0, 1e-60), 1.0);
        assert_eq!(scale(1e-20, 10.0), 1e-15);
        assert_eq!(scale(0.0, 0.0), 0.0);
    }
}
