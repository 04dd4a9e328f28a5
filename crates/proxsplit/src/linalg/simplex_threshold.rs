//! The τ with Σ_i max(v_i − τ, 0) = r, the one number behind the projections on the simplex and the ℓ1 ball and behind the
//! prox of the ℓ∞ norm.
//!
//! Newton's method from below: entries at or under the current lower bound of τ can never count, so each round works on
//! the survivors of the last; the bound improves already while v is read. C. Michelot, "A finite algorithm for finding the projection of a point onto the canonical
//! simplex of Rⁿ", 1986, with the first bound max v − r, which usually leaves few entries (L. Condat, "Fast projection
//! onto the simplex and the ℓ1 ball", 2016, compares the family). Sums are of v_i − max v in `f64`: the entries that count
//! lie within r of the maximum, so nothing cancels, and large values do not hide a small radius.

use crate::Real;

const LANES: usize = 8;

/// Entries that are tested together.
const BLOCK: usize = 16;

/// So many survivors are collected before the bound is first improved.
const FIRST_LOOK: usize = 1024;

/// τ with Σ_i max(v_i − τ, 0) = `radius` ≥ 0, in expected linear time; −∞ if `v` is empty.
///
/// ```
/// use proxsplit::internal::linalg::simplex_threshold;
/// assert_eq!(simplex_threshold(&[3.0, 1.0, 2.0], 2.0), 1.5);
/// ```
pub fn simplex_threshold<T: Real>(v: &[T], radius: f64) -> f64 {
    simplex_cut(v, radius).at()
}

/// τ with Σ_i max(|v_i| − τ, 0) = `radius` ≥ 0; negative if and only if ‖v‖₁ < `radius`.
pub(crate) fn ball_threshold<T: Real>(v: &[T], radius: f64) -> f64 {
    ball_cut(v, radius).at()
}

/// τ = top + offset, kept apart because the sum can round: 1e20 − 1e-3 is 1e20.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cut {
    top: f64,
    offset: f64,
}

impl Cut {
    /// τ
    fn at(self) -> f64 {
        self.top + self.offset
    }

    /// max(v − τ, 0), exact also where τ is huge.
    #[inline(always)]
    pub(crate) fn excess(self, v: f64) -> f64 {
        (v - self.top - self.offset).max(0.0)
    }
}

/// [`simplex_threshold`] as a [`Cut`].
pub(crate) fn simplex_cut<T: Real>(v: &[T], radius: f64) -> Cut {
    threshold(v, radius, |v| v)
}

/// [`ball_threshold`] as a [`Cut`].
pub(crate) fn ball_cut<T: Real>(v: &[T], radius: f64) -> Cut {
    threshold(v, radius, T::abs)
}

fn threshold<T: Real>(v: &[T], radius: f64, read: impl Fn(T) -> T + Copy) -> Cut {
    let top = largest(v, read).f64();
    if v.is_empty() || radius <= 0.0 {
        return Cut { top, offset: 0.0 };
    }
    crate::scratch::with(v.len(), |kept: &mut [T]| {
        let (mut count, mut bound, mut limit) = (0, -radius, FIRST_LOOK);
        for block in v.chunks(BLOCK) {
            count = keep_above(block, kept, count, (top, bound), read);
            // The τ of a part of v is a lower bound of the whole one, and a higher bound keeps fewer entries.
            if count > limit {
                (count, bound) = newton(&mut kept[..count], top, radius);
                limit = 2 * count + FIRST_LOOK;
            }
        }
        let (_, offset) = newton(&mut kept[..count], top, radius);
        Cut { top, offset }
    })
}

/// τ − top for the entries of `kept`, of which those above it move to the front; also how many they are.
fn newton<T: Real>(kept: &mut [T], top: f64, radius: f64) -> (usize, f64) {
    let mut count = kept.len();
    loop {
        let bound = (sum_below(&kept[..count], top) - radius) / count as f64;
        let fewer = shrink(&mut kept[..count], top, bound);
        // Rounding can drop even the maximum when the radius is negligible.
        if fewer == count || fewer == 0 {
            return (count, bound);
        }
        count = fewer;
    }
}

/// The maximum, by lanes so that it vectorizes; −∞ if there is none.
fn largest<T: Real>(v: &[T], read: impl Fn(T) -> T) -> T {
    let larger = |a: T, b: T| if a > b { a } else { b };
    let mut lanes = [-T::INFINITY; LANES];
    let (blocks, rest) = v.as_chunks::<LANES>();
    for block in blocks {
        for lane in 0..LANES {
            lanes[lane] = larger(read(block[lane]), lanes[lane]);
        }
    }
    let top = lanes.into_iter().fold(-T::INFINITY, larger);
    rest.iter().fold(top, |top, &v| larger(read(v), top))
}

/// Appends the entries with v_i − top > bound to the `count` ones in `kept`; returns the new count.
#[inline(always)]
fn keep_above<T: Real>(
    block: &[T],
    kept: &mut [T],
    mut count: usize,
    (top, bound): (f64, f64),
    read: impl Fn(T) -> T,
) -> usize {
    let above = |v: T| read(v).f64() - top > bound;
    // Most blocks have no survivor, and this test of a whole block vectorizes.
    if block.iter().fold(false, |any, &v| any | above(v)) {
        for &v in block {
            kept[count] = read(v);
            count += usize::from(above(v));
        }
    }
    count
}

/// Moves the entries with v_i − top > bound to the front; returns how many they are.
fn shrink<T: Real>(kept: &mut [T], top: f64, bound: f64) -> usize {
    let mut count = 0;
    for i in 0..kept.len() {
        let v = kept[i];
        kept[count] = v;
        count += usize::from(v.f64() - top > bound);
    }
    count
}

/// Σ v_i − top, by lanes.
fn sum_below<T: Real>(kept: &[T], top: f64) -> f64 {
    let mut lanes = [0.0; LANES];
    let (blocks, rest) = kept.as_chunks::<LANES>();
    for block in blocks {
        for lane in 0..LANES {
            lanes[lane] += block[lane].f64() - top;
        }
    }
    let rest: f64 = rest.iter().map(|v| v.f64() - top).sum();
    lanes.iter().sum::<f64>() + rest
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// τ by bisection on the definition.
    fn by_bisection(v: &[f64], radius: f64) -> f64 {
        let top = v.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let (mut low, mut high) = (-radius, 0.0);
        for _ in 0..200 {
            let middle = 0.5 * (low + high);
            let sum: f64 = v.iter().map(|v| (v - top - middle).max(0.0)).sum();
            if sum > radius {
                low = middle;
            } else {
                high = middle;
            }
        }
        top + 0.5 * (low + high)
    }

    proptest! {
        #[test]
        fn solves_the_equation(v in crate::check::vector(40), log_radius in -6.0..6.0f64) {
            let radius = 10f64.powf(log_radius);
            let single: Vec<f32> = v.iter().map(|&v| v as f32).collect();
            let widened: Vec<f64> = single.iter().map(|&v| f64::from(v)).collect();
            for (found, v) in [(simplex_threshold(&v, radius), &v), (simplex_threshold(&single, radius), &widened)] {
                let expected = by_bisection(v, radius);
                let size = v.iter().fold(radius, |size, v| size.max(v.abs()));
                prop_assert!((found - expected).abs() <= 1e-14 * size, "{} is not {}", found, expected);
            }
            let absolute: Vec<f64> = v.iter().map(|v| v.abs()).collect();
            prop_assert_eq!(ball_threshold(&v, radius), simplex_threshold(&absolute, radius));
        }
    }

    #[test]
    fn edge_cases() {
        assert_eq!(simplex_threshold::<f64>(&[], 1.0), f64::NEG_INFINITY);
        assert_eq!(simplex_threshold(&[2.0, 5.0], 0.0), 5.0);
        assert_eq!(simplex_threshold(&[4.0; 100], 1.0), 4.0 - 0.01);
        assert_eq!(ball_threshold(&[0.5, -0.5], 2.0), -0.5);
        // A small radius on large values, in single precision.
        assert_eq!(simplex_threshold(&[1e8_f32, 1e8, 0.0], 1.0), 1e8 - 0.5);
        assert_eq!(
            simplex_threshold(&[1e20_f32, -1e20], 1e-20),
            f64::from(1e20_f32)
        );
        assert_eq!(ball_threshold(&[1e100, -1e100], 1e100), 0.5e100);
    }

    #[test]
    fn geometric_entries() {
        let v: Vec<f64> = (0..1000).map(|i| 0.97f64.powi(i)).collect();
        let (found, expected) = (simplex_threshold(&v, 3.0), by_bisection(&v, 3.0));
        assert!((found - expected).abs() < 1e-14);
    }
}
