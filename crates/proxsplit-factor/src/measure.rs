//! The certificate's numbers: φ(X) with the codes solved nearly exactly, and ρ(X) with the exact gradient
//! ∇f(X) = (XA* − Y)A*ᵀ.

use crate::codes::{Effort, Quadratic, Side, Term, active_set, gradient, largest_eigenvalue_bound};
use crate::incremental::times;
use crate::problem::Problem;
use crate::products::{Data, Lanes, dot, gram};
use crate::work::NEARLY_EXACT;
use proxsplit::linalg::dense::{Mat, symmetric_eigenvalues};
use proxsplit::{Level, Measure, Prox};
use rayon::prelude::*;

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
    /// A bound on what the inexact codes change in ∇f.
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
    let inner_problem = Quadratic {
        gram: &gx,
        linear: &xy,
        rank,
    };
    gram(&mut ga, &codes, rank);
    let misfit = (0.5 * problem.data.square() - dot(&xy, &codes) + 0.5 * dot(&gx, &ga)).max(0.0);
    let mut slope = vec![T::ZERO; x.len()];
    let mut ya = vec![T::ZERO; x.len()];
    problem.data.with_rows(&mut ya, &codes, 0..n);
    times(&mut slope, &ga, x, rank);
    proxsplit::linalg::vec::axpy(-T::ONE, &ya, &mut slope);

    let lipschitz = largest_eigenvalue_bound(&ga, rank).max(f64::MIN_POSITIVE);
    let measure = Measure {
        objective: misfit + psi_x.value(x, rank) + psi.value(&codes, rank),
        residual: psi_x.residual(x, &slope, (rank, 1.0)),
        scaled_residual: psi_x.residual(x, &slope, (rank, 1.0 / lipschitz)),
    };
    let distance = distance_bound(inner_problem, &codes, problem.codes);
    let size = (
        (2.0 * misfit).sqrt(),
        largest_eigenvalue_bound(&gx, rank).sqrt(),
        dot(&codes, &codes).sqrt(),
    );
    Findings {
        measure,
        lipschitz,
        inner: distance.map_or(Level::Unknown, |d| {
            Level::Bounded(d * size.0 + size.1 * d * (size.2 + d))
        }),
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

/// ‖A − A*‖ ≤ (1/L + 2/μ)·‖R‖, R the proximal residuals of the codes with step 1/L and μ the least eigenvalue of XᵀX:
/// R + ∇(A⁺) − ∇(A) is a subgradient at A⁺ and no longer than 2‖R‖. `None` if XᵀX is singular or ψ not convex.
fn distance_bound<T: Lanes>(
    problem: Quadratic<'_, T>,
    codes: &[T],
    psi: &dyn Prox<T>,
) -> Option<f64> {
    let rank = problem.rank;
    if psi.class() != proxsplit::Class::Convex {
        return None;
    }
    let mat = Mat::from_fn(rank, rank, |i, j| problem.gram[i * rank + j].f64());
    let least = symmetric_eigenvalues(&mat)?
        .into_iter()
        .fold(f64::INFINITY, f64::min);
    let bound = largest_eigenvalue_bound(problem.gram, rank);
    if least <= 1e3 * T::EPSILON.f64() * bound {
        return None;
    }
    let step = T::of(1.0 / bound);
    let parts: Vec<f64> = codes
        .par_chunks(rank * 256)
        .zip(problem.linear.par_chunks(rank * 256))
        .map(|(codes, linear)| {
            let mut slope = vec![T::ZERO; rank];
            let mut sum = 0.0;
            for (a, c) in codes.chunks(rank).zip(linear.chunks(rank)) {
                gradient(problem.gram, a, c, &mut slope);
                for (slope, &a) in slope.iter_mut().zip(a) {
                    *slope = a - step * *slope;
                }
                psi.prox(&mut slope, step);
                sum += proxsplit::linalg::vec::distance_squared(&slope, a);
            }
            sum
        })
        .collect();
    let residual = bound * parts.iter().sum::<f64>().sqrt();
    Some(residual * (1.0 / bound + 2.0 / least))
}
