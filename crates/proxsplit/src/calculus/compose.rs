//! The rules at work: the prox of ψ + φ for each [`Rule`].

use super::dykstra::{self, Limits};
use super::join_errors;
use super::rule::Rule;
use crate::linalg::vec::{norm, scale};
use crate::{Kind, Prox, Real, Separable, scratch};

/// (ψ, φ) in the order of the rule.
pub(super) type Ordered<'a, T> = (&'a dyn Prox<T>, &'a dyn Prox<T>);

/// Entries that fit in the first cache.
const BLOCK: usize = 2048;

/// x ← P_η^{ψ+φ}(x); returns a bound on the error, if one is known.
pub(super) fn prox<T: Real>(
    rule: Rule,
    (psi, phi): Ordered<T>,
    x: &mut [T],
    step: T,
) -> Option<f64> {
    match (rule, phi.form().kind) {
        (Rule::Alone, _) => psi.prox_with_error(x, step),
        (Rule::Ridge, Kind::Ridge { weight }) => {
            let share = T::ONE / (T::ONE + step * T::of(weight));
            scale(share, x);
            psi.prox_with_error(x, step * share)
        }
        (Rule::Clamp | Rule::SeparableLast | Rule::Shrink | Rule::SoftFirst, _) => {
            in_turn([psi, phi], x, step)
        }
        (Rule::ProjectFirst | Rule::LargestFirst, _) => in_turn([phi, psi], x, step),
        (Rule::BallMultiplier, Kind::Ball { radius }) => shrink(psi, radius, x, step),
        (Rule::SparseSimplex, Kind::Sparse { count }) => {
            sparse_simplex(psi, count, x, step);
            Some(0.0)
        }
        (Rule::Dykstra, _) => {
            let term = |i| if i == 0 { psi } else { phi };
            dykstra::solve(2, term, x, step, Limits::default()).error()
        }
        (rule, kind) => {
            if let Some(psi) = psi.separable() {
                separable(rule, (psi, phi, kind), x, step);
            }
            Some(0.0)
        }
    }
}

/// One prox after the other. Where both act on every entry alike, in blocks that stay in the cache between the two.
fn in_turn<T: Real>(terms: [&dyn Prox<T>; 2], x: &mut [T], step: T) -> Option<f64> {
    let alike = |term: &dyn Prox<T>| term.form().symmetric && term.separable().is_some();
    if x.len() > BLOCK && terms.into_iter().all(alike) {
        let errors = x.chunks_mut(BLOCK).map(|x| in_turn(terms, x, step));
        return errors.fold(Some(0.0), join_errors);
    }
    let errors = terms.map(|term| term.prox_with_error(x, step));
    // The second prox does not expand the error of the first: both are convex, or the first is exact.
    Some(errors[0]? + errors[1]?)
}

/// The rules for a separable ψ.
fn separable<T: Real>(
    rule: Rule,
    (psi, phi, kind): (&dyn Separable<T>, &dyn Prox<T>, Kind),
    x: &mut [T],
    step: T,
) {
    match (rule, kind, phi.separable()) {
        (Rule::Between, _, Some(phi)) => {
            for (i, x) in x.iter_mut().enumerate() {
                *x = psi.prox_between(i, *x, step, bounds(phi, i));
            }
        }
        (Rule::Stretch, Kind::Sphere { radius }, _) => stretch(psi, radius, x, step),
        (
            _,
            Kind::Sum {
                lower,
                upper,
                total,
            },
            _,
        ) => {
            let bounds = (T::of(lower), T::of(upper));
            crate::set::prox_on(psi, |_| (1.0, bounds), total, x, step);
        }
        _ => {}
    }
}

/// The bounds of entry i of a box: the projections of −∞ and ∞.
pub(super) fn bounds<T: Real>(set: &dyn Separable<T>, i: usize) -> (T, T) {
    let everywhere = (-T::INFINITY, T::INFINITY);
    let end = |t| set.prox_between(i, t, T::ONE, everywhere);
    (end(-T::INFINITY), end(T::INFINITY))
}

/// ψ convex with ‖x‖ ≤ R. With the multiplier μ of ‖x‖²/2 ≤ R²/2 and s = 1/(1 + ημ), x(s) = P_{sη}^ψ(sy), and ‖x(s)‖ grows
/// with s: the largest s ≤ 1 with ‖x(s)‖ ≤ R.
fn shrink<T: Real>(psi: &dyn Prox<T>, radius: f64, x: &mut [T], step: T) -> Option<f64> {
    scratch::with(x.len(), |y: &mut [T]| {
        y.copy_from_slice(x);
        let mut at = |s: f64| {
            for (x, &y) in x.iter_mut().zip(&*y) {
                *x = T::of(s) * y;
            }
            let error = psi.prox_with_error(x, T::of(s) * step);
            (norm(x) - radius, error)
        };
        let (mut excess, error) = at(1.0);
        if excess <= 0.0 {
            return error;
        }
        // Bracket from above by ever larger steps down; R may be far below ‖x(1)‖.
        let (mut high, mut low) = ((1.0, excess), (0.5, 0.0));
        loop {
            low.1 = at(low.0).0;
            if low.1 <= 0.0 || low.0 < T::EPSILON.f64().powi(2) {
                break;
            }
            high = low;
            low.0 *= low.0;
        }
        let mut halve = false;
        let close = T::EPSILON.f64();
        while high.0 - low.0 > 2.0 * close * high.0 && low.1 < -close * radius {
            let width = high.0 - low.0;
            let secant = high.0 - width * (high.1 / (high.1 - low.1));
            let s = if halve || !(low.0 < secant && secant < high.0) {
                low.0 + 0.5 * width
            } else {
                secant
            };
            excess = at(s).0;
            if excess > 0.0 {
                high = (s, excess);
            } else {
                low = (s, excess);
            }
            // A secant step that keeps more than half of the bracket is followed by a bisection.
            halve = !halve && high.0 - low.0 > 0.5 * width;
        }
        // With an inexact prox the multiplier is off by nobody knows how much.
        at(low.0).1.filter(|&error| error == 0.0)
    })
}

/// ψ homogeneous and separable with ‖x‖ = R. If the prox is 0, no direction gains anything, and the one that loses least is
/// along an axis.
fn stretch<T: Real>(psi: &dyn Separable<T>, radius: f64, x: &mut [T], step: T) {
    let mut best = (f64::NEG_INFINITY, 0, T::ONE);
    for (i, y) in x.iter().enumerate() {
        for sign in [T::ONE, -T::ONE] {
            let gain = (sign * *y).f64() - step.f64() * psi.value_at(i, sign);
            if gain > best.0 {
                best = (gain, i, sign);
            }
        }
    }
    psi.prox(x, step);
    let size = norm(x);
    if size > 0.0 {
        for x in x {
            *x = T::of(x.f64() / size * radius);
        }
    } else if let Some(entry) = x.get_mut(best.1) {
        *entry = best.2 * T::of(radius);
    }
}

/// The K largest entries on the simplex, the others 0; of equal ones the first.
fn sparse_simplex<T: Real>(simplex: &dyn Prox<T>, count: usize, x: &mut [T], step: T) {
    let count = count.min(x.len());
    scratch::with(x.len(), |order: &mut [usize]| {
        for (i, place) in order.iter_mut().enumerate() {
            *place = i;
        }
        if 0 < count && count < x.len() {
            let descending = |&i: &usize, &j: &usize| {
                let values = x[j].f64().total_cmp(&x[i].f64());
                values.then(i.cmp(&j))
            };
            order.select_nth_unstable_by(count - 1, descending);
        }
        scratch::with(count, |kept: &mut [T]| {
            for (kept, &i) in kept.iter_mut().zip(&*order) {
                *kept = x[i];
            }
            simplex.prox(kept, step);
            x.fill(T::ZERO);
            for (&mut kept, &i) in kept.iter_mut().zip(&*order) {
                x[i] = kept;
            }
        });
    });
}
