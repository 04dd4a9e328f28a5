//! What separable terms share: value and prox of a vector from those of its entries.

use crate::linalg::vectorized::vectorized;
use crate::{Real, Separable};

/// Σ_i g_i(x_i)
#[inline(always)]
pub(crate) fn value<T: Real, G: Separable<T>>(g: &G, x: &[T]) -> f64 {
    x.iter().enumerate().map(|(i, &t)| g.value_at(i, t)).sum()
}

/// x ← P_η^g(x), entry by entry.
#[inline(always)]
pub(crate) fn prox<T: Real, G: Separable<T>>(g: &G, x: &mut [T], step: T) {
    vectorized(
        #[inline(always)]
        || {
            for (i, t) in x.iter_mut().enumerate() {
                *t = g.prox_between(i, *t, step, (-T::INFINITY, T::INFINITY));
            }
        },
    );
}

/// x_i ← f(x_i). If `f` has no branches, is inlined as a whole and owns its numbers, this runs as fast as the processor can.
#[inline(always)]
pub(crate) fn map<T: Real>(x: &mut [T], f: impl Fn(T) -> T) {
    vectorized(
        #[inline(always)]
        move || {
            for t in x {
                *t = f(*t);
            }
        },
    );
}

/// The nearest point to `t` in l ≤ z ≤ u.
#[inline(always)]
pub(crate) fn clamp<T: Real>(t: T, (lower, upper): (T, T)) -> T {
    t.max(lower).min(upper)
}

/// f(|t|) with the sign of t: the prox of an even penalty from its prox on t ≥ 0.
#[inline(always)]
pub(crate) fn odd<T: Real>(t: T, f: impl FnOnce(T) -> T) -> T {
    let z = f(t.abs());
    // 0 − z and not −z, which would make a negative zero.
    if t < T::ZERO { T::ZERO - z } else { z }
}

/// The prox of an even penalty over l ≤ z ≤ u, from the points z ≥ 0 where it can be for |t|.
///
/// Beyond zero, where z and t differ in sign, a penalty that grows with |z| has no stationary point: only the bounds
/// count there.
#[inline(always)]
pub(crate) fn even_between<T: Real, const N: usize>(
    (t, step): (T, T),
    (lower, upper): (T, T),
    candidates: impl FnOnce(f64, f64) -> [f64; N],
    value: impl Fn(f64) -> f64,
) -> T {
    let sign = if t < T::ZERO { -1.0 } else { 1.0 };
    let candidates = candidates(t.abs().f64(), step.f64()).map(|z| 0.0 + sign * z);
    let (bounds, at) = ((lower.f64(), upper.f64()), (t.f64(), step.f64()));
    T::of(best(candidates, bounds, at, value))
}

/// The candidate with the least g(z) + (z − t)²/2η among those between the bounds, and the bounds themselves.
///
/// This is how nonconvex scalar terms find their prox: they list every point where the minimum can be, those nearer to
/// zero first, because ties go to the earlier one. A bound is looked at last, and only if it is finite. A candidate
/// that is NaN does not exist.
pub(crate) fn best<const N: usize>(
    candidates: [f64; N],
    (lower, upper): (f64, f64),
    (t, step): (f64, f64),
    value: impl Fn(f64) -> f64,
) -> f64 {
    let nearest = t.max(lower).min(upper);
    let mut best = (f64::INFINITY, nearest);
    let ends = [lower, upper].into_iter().filter(|end| end.is_finite());
    for z in candidates
        .into_iter()
        .filter(|z| lower <= *z && *z <= upper)
        .chain(ends)
    {
        // (z − t)² less its least value, in a form that does not cancel where t is far outside the bounds.
        let objective = value(z) + (z - nearest) * (z + nearest - 2.0 * t) / (2.0 * step);
        if objective < best.0 {
            best = (objective, z);
        }
    }
    best.1
}
