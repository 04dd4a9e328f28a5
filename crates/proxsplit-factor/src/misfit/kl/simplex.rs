//! Pairwise Newton steps for one line over the simplex a ≥ 0, Σa = R.
//!
//! A step moves t from the largest coordinate j to another one k, along u = d_k − d_j, so that the sum stays. The slope along u
//! grows with t: where it has not changed its sign between 0 and t, the objective has fallen on the way. A Newton step that goes
//! too far is shortened until that holds. As a_j ≥ R/K, a point at which no pair can be improved satisfies the conditions of
//! a minimizer: no slope is below that of j, and those of positive coordinates are equal to it.

use super::line::Line;
use super::sweep::{LANES, LEAST, Rounds, total};
use crate::products::Lanes;
use proxsplit::internal::scratch;
use proxsplit::simd;

/// How often a step is shortened before the pair is left as it is.
const TRIALS: usize = 8;

/// Improves `a`, which lies in the simplex; `sums` are the slopes of its linear part.
pub(super) fn solve<T: Lanes>(
    line: Line<'_, T>,
    (a, sums): (&mut [T], &[T]),
    radius: f64,
    rounds: Rounds,
) {
    let (n, rank) = (line.y.len(), a.len());
    scratch::with((rank + 2) * n, |space: &mut [T]| {
        scratch::with(rank, |all: &mut [u32]| {
            let (d, space) = space.split_at_mut(rank * n);
            let (z, along) = space.split_at_mut(n);
            for (k, place) in all.iter_mut().enumerate() {
                *place = k as u32;
            }
            simd::arch().dispatch(
                #[inline(always)]
                || {
                    line.gather(all, d);
                    rounds.run(line.total(), || {
                        line.products(a, z);
                        sweeps((line.y, d), (a, sums), (z, along), rounds)
                    });
                },
            );
        });
    });
    let (j, lacking) = (largest(a), radius - a.iter().map(|a| a.f64()).sum::<f64>());
    a[j] += T::of(lacking);
}

fn largest<T: Lanes>(a: &[T]) -> usize {
    (1..a.len()).fold(0, |best, k| if a[k] > a[best] { k } else { best })
}

/// Returns Σ h·t² of the first sweep.
#[inline(always)]
fn sweeps<T: Lanes>(
    (y, d): (&[T], &[T]),
    (a, sums): (&mut [T], &[T]),
    (z, along): (&mut [T], &mut [T]),
    rounds: Rounds,
) -> f64 {
    let (n, effort) = (y.len(), rounds.sweeps);
    let mut first = 0.0;
    for sweep in 0..effort.sweeps {
        let (j, mut change) = (largest(a), 0.0);
        for k in (0..a.len()).filter(|&k| k != j) {
            let (from, to) = (&d[j * n..][..n], &d[k * n..][..n]);
            for (along, (&to, &from)) in along.iter_mut().zip(to.iter().zip(from)) {
                *along = to - from;
            }
            let linear = sums[k] - sums[j];
            let (t, curvature) = step((y, along, z), linear, (-a[k], a[j]));
            if t != T::ZERO {
                for (z, &along) in z.iter_mut().zip(&*along) {
                    *z += t * along;
                }
                a[k] = (a[k] + t).max(T::ZERO);
                a[j] = (a[j] - t).max(T::ZERO);
                change += (curvature * t * t).f64();
            }
        }
        if sweep == 0 {
            first = change;
        }
        if change <= effort.tolerance * effort.tolerance * first {
            break;
        }
    }
    first
}

/// A step between the bounds that lowers the objective, or 0, and the curvature.
#[inline(always)]
fn step<T: Lanes>((y, along, z): (&[T], &[T], &[T]), linear: T, (lower, upper): (T, T)) -> (T, T) {
    let (pull, curvature) = derivatives((y, along, z), T::ZERO);
    let slope = linear - pull;
    let is_blocked =
        (slope >= T::ZERO && lower >= T::ZERO) || (slope <= T::ZERO && upper <= T::ZERO);
    if is_blocked || slope == T::ZERO {
        return (T::ZERO, curvature);
    }
    let newton = T::ZERO - slope / curvature;
    let mut t = if slope > T::ZERO {
        // Without curvature Newton's point is −∞ or +∞.
        newton.max(lower)
    } else {
        newton.min(upper)
    };
    for _ in 0..TRIALS {
        let there = linear - derivatives((y, along, z), t).0;
        if (there > T::ZERO) == (slope > T::ZERO) || there == T::ZERO {
            return (t, curvature);
        }
        t *= slope / (slope - there);
    }
    (T::ZERO, curvature)
}

/// Σ y·u/(z + t·u) and Σ y·u²/(z + t·u)²
#[inline(always)]
fn derivatives<T: Lanes>((y, along, z): (&[T], &[T], &[T]), t: T) -> (T, T) {
    let (mut first, mut second) = ([T::ZERO; LANES], [T::ZERO; LANES]);
    let least = T::of(LEAST);
    let blocks = y.chunks(LANES).zip(along.chunks(LANES));
    for ((y, along), z) in blocks.zip(z.chunks(LANES)) {
        let sums = first.iter_mut().zip(&mut second);
        for ((first, second), ((&y, &u), &z)) in sums.zip(y.iter().zip(along).zip(z)) {
            let ratio = u / (z + t * u).max(least * y);
            let part = y * ratio;
            *first += part;
            *second += part * ratio;
        }
    }
    (total(first), total(second))
}
