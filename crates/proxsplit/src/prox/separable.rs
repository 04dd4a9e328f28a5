//! What separable terms share: value and prox of a vector from those of its entries.

use crate::{Real, Separable};

/// Σ_i g_i(x_i)
#[inline(always)]
pub(crate) fn value<T: Real, G: Separable<T>>(g: &G, x: &[T]) -> f64 {
    x.iter().enumerate().map(|(i, &t)| g.value_at(i, t)).sum()
}

/// x ← P_η^g(x), entry by entry.
#[inline(always)]
pub(crate) fn prox<T: Real, G: Separable<T>>(g: &G, x: &mut [T], step: T) {
    for (i, t) in x.iter_mut().enumerate() {
        *t = g.prox_between(i, *t, step, (-T::INFINITY, T::INFINITY));
    }
}

/// The nearest point to `t` in l ≤ z ≤ u.
#[inline(always)]
pub(crate) fn clamp<T: Real>(t: T, (lower, upper): (T, T)) -> T {
    t.max(lower).min(upper)
}

/// The candidate with the least g(z) + (z − t)²/2η among those between the bounds, and the bounds themselves.
///
/// This is how nonconvex scalar terms find their prox: they list every point where the minimum can be, those nearer to
/// zero first, because ties go to the earlier one. A bound is looked at last, and only if it is finite.
pub(crate) fn best<const N: usize>(
    candidates: [f64; N],
    (lower, upper): (f64, f64),
    (t, step): (f64, f64),
    value: impl Fn(f64) -> f64,
) -> f64 {
    let mut best = (f64::INFINITY, t.max(lower).min(upper));
    let ends = [lower, upper].into_iter().filter(|end| end.is_finite());
    for z in candidates
        .into_iter()
        .filter(|z| lower <= *z && *z <= upper)
        .chain(ends)
    {
        let objective = value(z) + (z - t) * (z - t) / (2.0 * step);
        if objective < best.0 {
            best = (objective, z);
        }
    }
    best.1
}
