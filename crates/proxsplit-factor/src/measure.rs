//! The certificate's numbers: φ(X) with the codes solved nearly exactly, and ρ(X) with the exact gradient
//! ∇f(X) = (XA* − Y)A*ᵀ.

use crate::codes::{Effort, Quadratic, Side, Term, active_set, largest_eigenvalue_bound};
use crate::incremental::times;
use crate::problem::Problem;
use crate::products::{Data, Lanes, dot, gram};
use crate::work::NEARLY_EXACT;
use proxsplit::{Level, Measure, Prox};

/// Sweeps until rounding stops them.
pub(crate) const EXACT: Effort = Effort {
    sweeps: 1000,
    tolerance: 1e-7,
};

/// What was found at X.
pub(crate) struct Findings<T> {
    pub(crate) measure: Measure,
    /// L of the problem in X for fixed codes: the largest eigenvalue of AAᵀ, about.
    pub(crate) lipschitz: f64,
    /// A bound on what the inexact codes change in ∇f, or an estimate.
    pub(crate) inner: Level,
    /// A*, K × T.
    pub(crate) codes: Vec<T>,
    /// ∇f(X), transposed: K × m.
    pub(crate) gradient: Vec<T>,
}

/// Evaluates φ and ρ at Xᵀ, with codes improved from `codes`.
pub(crate) fn at<T: Lanes>(problem: Problem<'_, T>, x: &[T], mut codes: Vec<T>) -> Findings<T> {
    let (rank, n) = (problem.rank, problem.data.cols());
    let (psi_x, psi) = problem.terms();
    let (mut gx, mut ga) = (vec![T::ZERO; rank * rank], vec![T::ZERO; rank * rank]);
    let xy = solve_codes(problem.data, x, &mut codes, problem.codes);
    gram(&mut gx, x, rank);
    let data = problem.data;
    let inner_problem = Quadratic {
        gram: &gx,
        linear: &xy,
        rank,
        own: data.own_of_columns(x, &(0..n)),
    };
    gram(&mut ga, &codes, rank);
    let product = data.observed_square((x, &gx), (&codes, &ga), &(0..n));
    let misfit = (0.5 * data.square() - dot(&xy, &codes) + 0.5 * product).max(0.0);
    let mut slope = vec![T::ZERO; x.len()];
    let mut ya = vec![T::ZERO; x.len()];
    data.with_rows(&mut ya, &codes, 0..n);
    data.fill_rows(&mut ya, (&codes, &ga), x, 0..n);
    times(&mut slope, &ga, x, rank);
    proxsplit::linalg::vec::axpy(-T::ONE, &ya, &mut slope);

    let lipschitz = largest_eigenvalue_bound(&ga, rank).max(f64::MIN_POSITIVE);
    let measure = Measure {
        objective: misfit + psi_x.value(x, rank) + psi.value(&codes, rank),
        residual: psi_x.residual(x, &slope, (rank, 1.0)),
        scaled_residual: psi_x.residual(x, &slope, (rank, 1.0 / lipschitz)),
    };
    let distance = crate::distance::to_exact(inner_problem, &codes, problem.codes);
    let size = (
        (2.0 * misfit).sqrt(),
        largest_eigenvalue_bound(&gx, rank).sqrt(),
        dot(&codes, &codes).sqrt(),
    );
    let in_gradient = |d: f64| d * size.0 + size.1 * d * (size.2 + d);
    Findings {
        measure,
        lipschitz,
        inner: match distance {
            Level::Bounded(d) => Level::Bounded(in_gradient(d)),
            Level::Estimated(d) => Level::Estimated(in_gradient(d)),
            _ => Level::Unknown,
        },
        codes,
        gradient: slope,
    }
}

/// Codes for Xᵀ as exact as can be: by the active set where the codes are a ≥ 0, else by sweeps until nothing moves. Returns
/// XᵀY.
pub(crate) fn solve_codes<T: Lanes>(
    data: &Data<'_, T>,
    x: &[T],
    codes: &mut [T],
    psi: &dyn Prox<T>,
) -> Vec<T> {
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
    xy
}
