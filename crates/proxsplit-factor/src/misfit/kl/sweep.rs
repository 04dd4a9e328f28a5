//! Coordinate Newton steps for one line: min_a Σ_k s_k a_k + (W₂/2)‖a‖² − Σ_p y_p log z_p with z_p = Σ_k a_k d_kp, over l ≤ a ≤ u.
//!
//! Borrowed: C.-J. Hsieh, I. Dhillon, Fast coordinate descent methods with variable selection for non-negative matrix factorization,
//! 2011; X. Lin, P. Boutros, Optimization and expansion of non-negative matrix factorization, 2020. Their steps may raise the
//! objective; here none does. Let g and h be the derivatives in a_k, others fixed. As g is concave in a_k, a Newton step from g < 0
//! stops short of the minimizer. From g > 0 it overshoots; but z_p ≥ a_k d_kp, so that at (1 − δ)a_k the curvature is at
//! most h/(1 − δ)², and the minimizer of that bound is a_k/(1 + ν), ν = g/(h·a_k). Bounds are reached by asking for the slope there.
//!
//! A round begins with the slopes of all coordinates, which cost one division an entry. Those that rest at a bound are left
//! out of its sweeps, which cost one division an entry and coordinate: most entries of a sparse factor are never swept.

use super::line::Line;
use crate::codes::Effort;
use crate::products::Lanes;
use proxsplit::internal::scratch;
use proxsplit::{Elementary, simd};

/// Partial sums, so that loops vectorize with the same bits on every processor.
pub(super) const LANES: usize = 8;
/// z is kept above this multiple of y, so that ratios stay finite; their squares must not overflow in `f32`.
pub(super) const LEAST: f64 = 1e-12;

/// Rounds of sweeps, and when they are over.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rounds {
    pub(super) count: usize,
    /// The sweeps of a round.
    pub(super) sweeps: Effort,
    /// No other round follows one whose first sweep promises to gain less than this fraction of Σy …
    pub(super) gain: f64,
    /// … or of what that of the first round did.
    pub(super) share: f64,
}

impl Rounds {
    /// Calls `round` until one gains little; it returns what its first sweep has promised.
    #[inline(always)]
    pub(super) fn run(self, total: f64, mut round: impl FnMut() -> f64) {
        let mut enough = self.gain * total;
        for number in 0..self.count {
            let gain = round();
            if number == 0 {
                enough = enough.max(self.share * gain);
            }
            if gain <= enough {
                break;
            }
        }
    }
}

/// Improves `a` from its entry `first` on; `sums` are s.
pub(super) fn solve<T: Lanes>(
    line: Line<'_, T>,
    (a, sums): (&mut [T], &[T]),
    (term, first): (Elementary, usize),
    rounds: Rounds,
) {
    let (n, rank) = (line.y.len(), a.len());
    scratch::with((rank + 2) * n + rank, |space: &mut [T]| {
        scratch::with(rank, |moving: &mut [u32]| {
            let (d, space) = space.split_at_mut(rank * n);
            let (z, space) = space.split_at_mut(n);
            let (inverse, pulls) = space.split_at_mut(n);
            simd::arch().dispatch(
                #[inline(always)]
                || {
                    rounds.run(line.total(), || {
                        line.products(a, z);
                        invert(inverse, z, line.y);
                        line.pulls(inverse, pulls);
                        let count = choose(moving, a, (sums, pulls), (term, first));
                        let moving = &moving[..count];
                        line.gather(moving, d);
                        let state = (&mut *z, &mut *inverse);
                        sweeps(line.y, (d, moving), (a, sums, term), state, rounds.sweeps)
                    });
                },
            );
        });
    });
}

/// Writes down the coordinates from `first` on that do not rest at a bound; returns how many.
#[inline(always)]
fn choose<T: Lanes>(
    moving: &mut [u32],
    a: &[T],
    (sums, pulls): (&[T], &[T]),
    (term, first): (Elementary, usize),
) -> usize {
    let (ridge, lower, upper) = (T::of(term.sql2), T::of(term.lower), T::of(term.upper));
    let mut count = 0;
    for (k, ((&a, &sum), &pull)) in a.iter().zip(sums).zip(pulls).enumerate().skip(first) {
        let slope = sum + ridge * a - pull;
        let rests = (a <= lower && slope >= T::ZERO) || (a >= upper && slope <= T::ZERO);
        moving[count] = k as u32;
        count += usize::from(!rests);
    }
    count
}

/// Sweeps over some coordinates, of which `d` has the rows; returns Σ h·δ² of the first sweep.
#[inline(always)]
fn sweeps<T: Lanes>(
    y: &[T],
    (d, moving): (&[T], &[u32]),
    (a, sums, term): (&mut [T], &[T], Elementary),
    (z, inverse): (&mut [T], &mut [T]),
    effort: Effort,
) -> f64 {
    let mut first = 0.0;
    for round in 0..effort.sweeps {
        let mut change = 0.0;
        for (at, &k) in moving.iter().enumerate() {
            let d = &d[at * y.len()..][..y.len()];
            let (a, sum) = (&mut a[k as usize], sums[k as usize]);
            change += step(y, d, (a, sum, term), (z, inverse));
        }
        if round == 0 {
            first = change;
        }
        if change <= effort.tolerance * effort.tolerance * first {
            break;
        }
    }
    first
}

/// One coordinate; returns h·δ².
#[inline(always)]
fn step<T: Lanes>(
    y: &[T],
    d: &[T],
    (a, sum, term): (&mut T, T, Elementary),
    (z, inverse): (&mut [T], &mut [T]),
) -> f64 {
    let ridge = T::of(term.sql2);
    let (pull, curvature) = derivatives(y, d, inverse);
    let at = Derivatives {
        slope: sum + ridge * *a - pull,
        curvature: curvature + ridge,
    };
    let new = minimize(*a, at, (T::of(term.lower), T::of(term.upper)), |bound| {
        sum + ridge * bound - pull_at(y, d, z, *a - bound)
    });
    let moved = new - *a;
    if moved == T::ZERO {
        return 0.0;
    }
    *a = new;
    for (z, &d) in z.iter_mut().zip(d) {
        *z += moved * d;
    }
    invert(inverse, z, y);
    (at.curvature * moved * moved).f64()
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
pub(super) fn total<T: Lanes>(sums: [T; LANES]) -> T {
    let [a, b, c, d, e, f, g, h] = sums;
    ((a + b) + (c + d)) + ((e + f) + (g + h))
}

#[cfg(test)]
mod tests;
