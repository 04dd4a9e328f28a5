//! The metric H of a pass, which `incremental` and `sggd` share: AAᵀ, or ‖AAᵀ‖·I.
//!
//! It comes from the codes as they are when the pass begins and stays the same for all of its steps. With H = LI a step of length η
//! in the metric is a plain step of length η/L, and the step range 0 < η < 2/L of eq. 38 reads 0 < η < 2 for both.

use super::incremental::damp;
use crate::look::largest_eigenvalue;
use crate::products::Lanes;
use crate::settings::{Metric, Step};
use crate::work::Work;

/// matrix ← AAᵀ, times the largest weight of a feature. The first pass has no codes yet but the `seen` ones of its first batch.
pub(super) fn gram_of_codes<T: Lanes>(
    matrix: &mut [T],
    work: &mut Work<'_, T>,
    (curvature, seen): (&[T], usize),
) {
    let data = work.problem.data;
    if work.memory.pass == 0 {
        let share = T::of(data.cols() as f64 / seen as f64);
        for (metric, &gram) in matrix.iter_mut().zip(curvature) {
            *metric = share * gram;
        }
    } else {
        data.gram_of_codes(matrix, &work.factors.a, (work.problem.rank, 0));
        let largest = T::of(data.largest_of_features());
        for value in matrix.iter_mut() {
            *value *= largest;
        }
    }
}

/// Makes H of AAᵀ, to whose diagonal a fraction of its mean is added where H is AAᵀ itself.
pub(super) fn shape<T: Lanes>(matrix: &mut [T], (metric, rank): (Metric, usize), damping: f64) {
    match metric {
        Metric::Gram => damp(matrix, rank, damping),
        Metric::Scalar => {
            let largest = T::of(largest_eigenvalue(matrix, rank));
            matrix.fill(T::ZERO);
            for diagonal in matrix.iter_mut().step_by(rank + 1) {
                *diagonal = largest;
            }
        }
    }
}

/// η of a pass, where `auto` is the choice of the method.
pub(super) fn step_of_pass(step: Step, pass: u64, auto: f64) -> f64 {
    match step {
        Step::Auto => auto,
        Step::Constant(step) => step,
        Step::Diminishing { first, power } => first / (1.0 + pass as f64).powf(power),
    }
}
