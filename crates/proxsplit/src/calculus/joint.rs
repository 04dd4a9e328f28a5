//! Conjugates of ψ + φ where a rule gives them in closed form.

use super::compose::Ordered;
use super::rule::Rule;
use crate::linalg::vec::{dot, norm};
use crate::{Class, Kind, Prox, Real, scratch};

/// (ψ + φ)*(s)
pub(super) fn conjugate<T: Real>(rule: Rule, (psi, phi): Ordered<T>, s: &[T]) -> Option<f64> {
    if psi.class() != Class::Convex {
        return None;
    }
    match (rule, phi.form().kind) {
        (Rule::Alone, _) => psi.conjugate(s),
        // The supremum is attained at z = P_{1/w}^ψ(s/w).
        (Rule::Ridge, Kind::Ridge { weight }) if weight > 0.0 => {
            exact_prox(psi, s, 1.0 / weight, |z| {
                dot(s, z) - psi.value(z) - 0.5 * weight * dot(z, z)
            })
        }
        // sup over ‖z‖ ≤ R of ⟨s, z⟩ − ψ(z) is R times the distance of s from dom ψ*, which is ‖P_1^ψ(s)‖.
        (Rule::Shrink, Kind::Ball { radius }) => exact_prox(psi, s, 1.0, |z| radius * norm(z)),
        // Negative s_i gain nothing.
        (Rule::ProjectFirst, _) => positive_part(s, |s| psi.conjugate(s)),
        // z_i of the sign of s_i gains |s_i| − w_i for every unit, or is 0.
        (Rule::SoftFirst, _) => exact_prox(psi, s, 1.0, |z| phi.conjugate(z)).flatten(),
        _ => None,
    }
}

/// The gauge of dom (ψ + φ)*.
pub(super) fn polar<T: Real>(rule: Rule, (psi, phi): Ordered<T>, s: &[T]) -> Option<f64> {
    if psi.class() != Class::Convex {
        return None;
    }
    match (rule, phi.form().kind) {
        (Rule::Alone, _) => psi.polar(s),
        (Rule::Ridge, Kind::Ridge { weight }) if weight > 0.0 => Some(0.0),
        (Rule::Shrink | Rule::BallMultiplier, _) => Some(0.0),
        (Rule::ProjectFirst, _) => positive_part(s, |s| psi.polar(s)),
        // Where the domain of φ* is everything.
        (Rule::SoftFirst, _) => phi.polar(s).filter(|&gauge| gauge == 0.0),
        _ => None,
    }
}

/// `look` at P_η^ψ(ηs), if that prox is not an iteration.
fn exact_prox<T: Real, R>(
    psi: &dyn Prox<T>,
    s: &[T],
    step: f64,
    look: impl FnOnce(&[T]) -> R,
) -> Option<R> {
    scratch::with(s.len(), |z: &mut [T]| {
        for (z, s) in z.iter_mut().zip(s) {
            *z = T::of(step * s.f64());
        }
        (psi.prox_with_error(z, T::of(step)) == Some(0.0)).then(|| look(z))
    })
}

/// `look` at max(s, 0).
fn positive_part<T: Real>(s: &[T], look: impl FnOnce(&[T]) -> Option<f64>) -> Option<f64> {
    scratch::with(s.len(), |positive: &mut [T]| {
        for (positive, &s) in positive.iter_mut().zip(s) {
            *positive = s.max(T::ZERO);
        }
        look(positive)
    })
}
