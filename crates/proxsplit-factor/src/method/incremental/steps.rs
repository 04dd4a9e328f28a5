//! Steps of X in a metric, from a gradient or from what a batch has found.

use crate::codes::{Effort, Quadratic, Sweeps, Term};
use crate::products::{Lanes, small_product, times_plus};
use proxsplit::internal::linalg::vec::axpy;
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
    let from = (&*scaled, -T::ONE, gradient);
    solve_from((term, effort), (scaled, rank), x, from, linear);
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
        let from = (&*curvature, T::ONE, linear);
        solve_from((term, effort), (scaled, rank), x, from, room);
    });
}

/// Improves X for G and the linear parts B·X + αC; sweeps find these tile by tile, other solvers in `room`.
fn solve_from<T: Lanes>(
    (term, effort): (Term<'_, T>, Effort),
    (gram, rank): (&[T], usize),
    x: &mut [T],
    (b, alpha, c): (&[T], T, &[T]),
    room: &mut [T],
) {
    let Some(swept) = term.swept() else {
        times_plus(room, (b, x), (alpha, c), rank);
        let problem = Quadratic {
            gram,
            linear: room,
            rank,
            own: None,
            weights: None,
        };
        return term.solve(problem, x, effort);
    };
    Sweeps::with((gram, rank), swept, effort, |sweeps| {
        sweeps.improve_all(x, c, &|x, c| {
            scratch::with(x.len(), |linear: &mut [T]| {
                small_product(linear, b, x, rank);
                axpy(alpha, c, linear);
                sweeps.improve(x, linear);
            });
        });
    });
}
