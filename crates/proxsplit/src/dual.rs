//! What the conjugates of several operators share.
//!
//! Where g* is an indicator, its domain {s : g°(s) ≤ 1} is tested as computed, without a tolerance: a test that forgives
//! an ulp would prove a bound that is not true. Whoever wants a point of the domain divides by g°(s) first.

use crate::{Prox, Real, Separable, scratch};

/// Σ_i g_i*(s_i), if every entry is elementary.
pub(crate) fn entries<T: Real>(g: &dyn Separable<T>, s: &[T]) -> Option<f64> {
    if let Some(alike) = g.elementary() {
        return Some(alike.conjugate_of_all(s));
    }
    let mut total = 0.0;
    for (i, s) in s.iter().enumerate() {
        total += g.entry(i)?.conjugate(s.f64());
    }
    Some(total)
}

/// max_i of the gauges of dom g_i*, if every entry is elementary.
pub(crate) fn gauge_of_entries<T: Real>(g: &dyn Separable<T>, s: &[T]) -> Option<f64> {
    if let Some(alike) = g.elementary() {
        return Some(alike.polar_of_all(s));
    }
    let mut largest = 0.0f64;
    for (i, s) in s.iter().enumerate() {
        largest = largest.max(g.entry(i)?.polar(s.f64()));
    }
    Some(largest)
}

/// The value of the indicator of {s : g°(s) ≤ 1}.
pub(crate) fn indicator(polar: f64) -> f64 {
    if polar <= 1.0 { 0.0 } else { f64::INFINITY }
}

/// The gauge of a cone, if s belongs to it or not.
pub(crate) fn cone(inside: bool) -> f64 {
    if inside { 0.0 } else { f64::INFINITY }
}

/// a/b for a ≥ 0, b ≥ 0, where 0/0 = 0: the factor by which b must grow to reach a.
pub(crate) fn ratio(a: f64, b: f64) -> f64 {
    if a > 0.0 { a / b } else { 0.0 }
}

/// How far from a subspace or a cone a vector of this size may lie by rounding alone, and still count as in it.
pub(crate) fn rounding<T: Real>(size: f64) -> f64 {
    32.0 * T::EPSILON.f64() * size
}

/// Whether P_t^g(s) = 0. For a homogeneous g this says that s ∈ t·dom g*.
pub(crate) fn vanishes<T: Real>(g: &dyn Prox<T>, s: &[T], t: f64) -> bool {
    scratch::with(s.len(), |p: &mut [T]| {
        p.copy_from_slice(s);
        g.prox(p, T::of(t));
        p.iter().all(|&p| p == T::ZERO)
    })
}

/// g°(s) of a homogeneous g by bisection on P_t^g(s) = 0, from above; +∞ if it does not vanish below `most`.
pub(crate) fn bisect<T: Real>(g: &dyn Prox<T>, s: &[T], most: f64) -> f64 {
    if s.iter().all(|&s| s == T::ZERO) {
        return 0.0;
    }
    // Beyond `most` nothing but rounding could keep the prox from 0.
    let (mut low, mut high) = (0.0, 2.0 * most);
    if !high.is_finite() || !vanishes(g, s, high) {
        return f64::INFINITY;
    }
    while high - low > T::EPSILON.f64() * high {
        let middle = low + 0.5 * (high - low);
        if vanishes(g, s, middle) {
            high = middle;
        } else {
            low = middle;
        }
    }
    high
}
