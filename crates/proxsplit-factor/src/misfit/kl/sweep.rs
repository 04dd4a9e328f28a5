//! Coordinate Newton steps for one line: min_a Σ_k s_k a_k + (W₂/2)‖a‖² − Σ_p y_p log z_p with z_p = Σ_k a_k d_kp, over l ≤ a ≤ u.
//!
//! Borrowed: C.-J. Hsieh, I. Dhillon, Fast coordinate descent methods with variable selection for non-negative matrix factorization,
//! 2011; X. Lin, P. Boutros, Optimization and expansion of non-negative matrix factorization, 2020. Their steps may raise the
//! objective; here none does. Let g and h be the derivatives in a_k, others fixed. As g is concave in a_k, a Newton step from g < 0
//! stops short of the minimizer. From g > 0 it overshoots; but z_p ≥ a_k d_kp, so that at (1 − δ)a_k the curvature is at
//! most h/(1 − δ)², and the minimizer of that bound is a_k/(1 + ν), ν = g/(h·a_k). Bounds are reached by asking for the slope there.

use crate::codes::Effort;
use crate::products::Lanes;
use proxsplit::{Elementary, scratch, simd};

/// Partial sums, so that loops vectorize with the same bits on every processor.
const LANES: usize = 8;
/// z is kept above this multiple of y, so that ratios stay finite; their squares must not overflow in `f32`.
const LEAST: f64 = 1e-12;

/// The entries of one line.
#[derive(Clone, Copy)]
pub(super) struct Line<'a, T> {
    /// y > 0
    pub(super) y: &'a [T],
    /// The other factor at these entries, K rows.
    pub(super) d: &'a [T],
}

/// Improves `a` from its entry `first` on; `sums` are s.
pub(super) fn solve<T: Lanes>(
    line: Line<'_, T>,
    (a, sums): (&mut [T], &[T]),
    term: (Elementary, usize),
    effort: Effort,
) {
    let n = line.y.len();
    scratch::with(2 * n, |space: &mut [T]| {
        let (z, inverse) = space.split_at_mut(n);
        simd::arch().dispatch(|| {
            let mut first = 0.0;
            for round in 0..effort.sweeps {
                let change = once(line, (a, sums), term, (z, inverse));
                if round == 0 {
                    first = change;
                }
                if change <= effort.tolerance * effort.tolerance * first {
                    break;
                }
            }
        });
    });
}

/// One sweep; returns Σ h·δ². z is computed anew, so that rounding does not add up.
#[inline(always)]
fn once<T: Lanes>(
    line: Line<'_, T>,
    (a, sums): (&mut [T], &[T]),
    (term, first): (Elementary, usize),
    (z, inverse): (&mut [T], &mut [T]),
) -> f64 {
    let n = line.y.len();
    z.fill(T::ZERO);
    for (k, &a) in a.iter().enumerate() {
        add(z, a, &line.d[k * n..][..n]);
    }
    invert(inverse, z, line.y);
    let mut change = 0.0;
    for (k, (a, &sum)) in a.iter_mut().zip(sums).enumerate().skip(first) {
        let d = &line.d[k * n..][..n];
        let (pull, curvature) = derivatives(line.y, d, inverse);
        let at = Derivatives {
            slope: sum + T::of(term.sql2) * *a - pull,
            curvature: curvature + T::of(term.sql2),
        };
        let new = minimize(*a, at, (T::of(term.lower), T::of(term.upper)), |bound| {
            let moved = *a - bound;
            sum + T::of(term.sql2) * bound - pull_at(line.y, d, z, moved)
        });
        let moved = new - *a;
        if moved != T::ZERO {
            add(z, moved, d);
            invert(inverse, z, line.y);
            *a = new;
            change += (at.curvature * moved * moved).f64();
        }
    }
    change
}

#[derive(Clone, Copy)]
struct Derivatives<T> {
    slope: T,
    curvature: T,
}

/// A point between the bounds that is no worse than `a`; `slope_at` is asked for the slope at the lower bound.
#[inline(always)]
fn minimize<T: Lanes>(
    a: T,
    at: Derivatives<T>,
    (lower, upper): (T, T),
    slope_at: impl FnOnce(T) -> T,
) -> T {
    let Derivatives { slope, curvature } = at;
    let newton = a - slope / curvature;
    if slope < T::ZERO && newton.is_finite() {
        newton.max(lower).min(upper)
    } else if slope > T::ZERO && a > lower {
        // Without curvature Newton's point is −∞.
        if newton <= lower && slope_at(lower) >= T::ZERO {
            return lower;
        }
        let damped = a / (T::ONE + slope / (curvature * a));
        if damped.is_finite() {
            damped.max(lower).min(upper)
        } else {
            a
        }
    } else {
        a
    }
}

/// z ← z + weight·d
#[inline(always)]
fn add<T: Lanes>(z: &mut [T], weight: T, d: &[T]) {
    for (z, &d) in z.iter_mut().zip(d) {
        *z += weight * d;
    }
}

/// inverse ← 1/z
#[inline(always)]
fn invert<T: Lanes>(inverse: &mut [T], z: &[T], y: &[T]) {
    let least = T::of(LEAST);
    for ((inverse, &z), &y) in inverse.iter_mut().zip(z).zip(y) {
        *inverse = T::ONE / z.max(least * y);
    }
}

/// Σ y·d/z and Σ y·d²/z²
#[inline(always)]
fn derivatives<T: Lanes>(y: &[T], d: &[T], inverse: &[T]) -> (T, T) {
    let (mut first, mut second) = ([T::ZERO; LANES], [T::ZERO; LANES]);
    let blocks = y.chunks(LANES).zip(d.chunks(LANES));
    for ((y, d), inverse) in blocks.zip(inverse.chunks(LANES)) {
        let sums = first.iter_mut().zip(&mut second);
        for ((first, second), ((&y, &d), &inverse)) in sums.zip(y.iter().zip(d).zip(inverse)) {
            let ratio = d * inverse;
            let part = y * ratio;
            *first += part;
            *second += part * ratio;
        }
    }
    (total(first), total(second))
}

/// Σ y·d/(z − moved·d)
#[inline(always)]
fn pull_at<T: Lanes>(y: &[T], d: &[T], z: &[T], moved: T) -> T {
    let (mut sums, least) = ([T::ZERO; LANES], T::of(LEAST));
    let blocks = y.chunks(LANES).zip(d.chunks(LANES));
    for ((y, d), z) in blocks.zip(z.chunks(LANES)) {
        for (sum, ((&y, &d), &z)) in sums.iter_mut().zip(y.iter().zip(d).zip(z)) {
            *sum += y * d / (z - moved * d).max(least * y);
        }
    }
    total(sums)
}

#[inline(always)]
fn total<T: Lanes>(sums: [T; LANES]) -> T {
    let [a, b, c, d, e, f, g, h] = sums;
    ((a + b) + (c + d)) + ((e + f) + (g + h))
}

#[cfg(test)]
mod tests;
