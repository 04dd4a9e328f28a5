//! Weights of columns, w_t(½aᵀGa − c_tᵀa) + ψ(a): the same as ψ/w_t beside a quadratic without weight.

use super::Quadratic;
use crate::products::Lanes;
use proxsplit::Elementary;
use proxsplit::internal::scratch;

impl<T: Lanes> Quadratic<'_, T> {
    /// w_t
    pub(super) fn weight(&self, column: usize) -> T {
        self.weights.map_or(T::ONE, |weights| weights[column])
    }
}

/// Whether the weights can be left out: without a penalty they do not matter, and W₁‖a‖₁ over a ≥ 0 is a part of c_t.
pub(super) fn folds<T: Lanes>(problem: &Quadratic<'_, T>, term: Elementary) -> bool {
    let is_free = term.l1 == 0.0 && term.sql2 == 0.0;
    let is_linear = term.sql2 == 0.0 && term.lower >= 0.0;
    problem.weights.is_none() || is_free || is_linear
}

/// Calls `solve` with a problem without weights that has the same solutions.
pub(super) fn fold<T: Lanes>(
    problem: &Quadratic<'_, T>,
    term: Elementary,
    solve: impl FnOnce(&Quadratic<'_, T>, Elementary),
) {
    let Some(weights) = problem.weights.filter(|_| term.l1 > 0.0) else {
        return solve(problem, term);
    };
    scratch::with(problem.linear.len(), |linear: &mut [T]| {
        let columns = linear
            .chunks_exact_mut(problem.rank)
            .zip(problem.linear.chunks_exact(problem.rank));
        for ((linear, given), &weight) in columns.zip(weights) {
            if weight == T::ZERO {
                // Only the penalty is left: a pull that no slope outweighs holds the entries at the least that is allowed.
                linear.fill(-T::MAX * T::of(0.5));
                continue;
            }
            let cost = T::of(term.l1) / weight;
            for (linear, &given) in linear.iter_mut().zip(given) {
                *linear = given - cost;
            }
        }
        let folded = Quadratic {
            linear,
            weights: None,
            ..*problem
        };
        solve(&folded, Elementary { l1: 0.0, ..term });
    });
}
