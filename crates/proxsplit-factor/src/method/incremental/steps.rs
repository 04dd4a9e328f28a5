//! Steps of X in a metric, from a gradient or from what a batch has found.

use crate::codes::{Effort, Quadratic, Term};
use crate::products::{Lanes, times_plus};
use proxsplit::internal::scratch;

/// X ← the prox, in the metric H/η, of X − η·H⁻¹·gradient; there is room for H/η and for (H/η)X − gradient.
pub(crate) fn prox_step<T: Lanes>(
    (term, effort): (Term<'_, T>, Effort),
    (metric, step): (&[T], f64),
    x: &mut [T],
    gradient: &[T],
    (scaled, linear): (&mut [T], &mut [T]),
) {
    let rank = metric.len().isqrt();
    let inverse = T::of(1.0 / step);
    for (scaled, &metric) in scaled.iter_mut().zip(metric) {
        *scaled = inverse * metric;
    }
    times_plus(linear, (scaled, x), (-T::ONE, gradient), rank);
    let problem = Quadratic {
        gram: scaled,
        linear,
        rank,
        own: None,
        weights: None,
    };
    term.solve(problem, x, effort);
}

/// The same for the gradient H_t·X − C_t of a batch, by one product: (H/η)X − gradient is (H/η − H_t)X + C_t. H_t is overwritten.
pub(crate) fn step_for_share<T: Lanes>(
    (term, effort): (Term<'_, T>, Effort),
    (metric, step): (&[T], f64),
    x: &mut [T],
    (curvature, linear): (&mut [T], &[T]),
    room: &mut [T],
) {
    let (rank, inverse) = (metric.len().isqrt(), T::of(1.0 / step));
    scratch::with(metric.len(), |scaled: &mut [T]| {
        for ((scaled, &metric), rest) in scaled.iter_mut().zip(metric).zip(&mut *curvature) {
            *scaled = inverse * metric;
            *rest = *scaled - *rest;
        }
        times_plus(room, (curvature, x), (T::ONE, linear), rank);
        let problem = Quadratic {
            gram: scaled,
            linear: room,
            rank,
            own: None,
            weights: None,
        };
        term.solve(problem, x, effort);
    });
}
