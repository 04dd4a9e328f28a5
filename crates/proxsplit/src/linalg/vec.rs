//! Vectors are slices. Sums run in fixed order with eight partial sums in `f64`, so that they are fast, accurate and the
//! same bits every time.

use crate::{Real, simd};
use pulp::{Simd, WithSimd};

const LANES: usize = 8;
/// Vectors of this length are worth asking which instructions the machine has. The order of sums does not depend on them.
const LONG: usize = 64;

/// Σ_i term(i), over the pairs of two slices of the same length.
#[inline]
fn sum_pairs<A: Real, B: Real>(a: &[A], b: &[B], term: impl Fn(f64, f64) -> f64) -> f64 {
    debug_assert_eq!(a.len(), b.len());
    let sum = Sum { a, b, term };
    if a.len() < LONG {
        sum.find()
    } else {
        simd::arch().dispatch(sum)
    }
}

struct Sum<'a, A, B, F> {
    a: &'a [A],
    b: &'a [B],
    term: F,
}

impl<A: Real, B: Real, F: Fn(f64, f64) -> f64> Sum<'_, A, B, F> {
    #[inline(always)]
    fn find(self) -> f64 {
        let mut partial = [0.0; LANES];
        let (a_blocks, a_rest) = self.a.as_chunks::<LANES>();
        let (b_blocks, b_rest) = self.b.as_chunks::<LANES>();
        for (a, b) in a_blocks.iter().zip(b_blocks) {
            for lane in 0..LANES {
                partial[lane] += (self.term)(a[lane].f64(), b[lane].f64());
            }
        }
        for ((sum, &a), &b) in partial.iter_mut().zip(a_rest).zip(b_rest) {
            *sum += (self.term)(a.f64(), b.f64());
        }
        partial.iter().sum()
    }
}

impl<A: Real, B: Real, F: Fn(f64, f64) -> f64> WithSimd for Sum<'_, A, B, F> {
    type Output = f64;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> f64 {
        self.find()
    }
}

/// ⟨a, b⟩
#[inline]
pub fn dot<T: Real>(a: &[T], b: &[T]) -> f64 {
    sum_pairs(a, b, |a, b| a * b)
}

/// ⟨a − b, c − d⟩
pub fn dot_of_differences<T: Real>((a, b): (&[T], &[T]), (c, d): (&[T], &[T])) -> f64 {
    let terms = a.iter().zip(b).zip(c.iter().zip(d));
    terms
        .map(|((a, b), (c, d))| (a.f64() - b.f64()) * (c.f64() - d.f64()))
        .sum()
}

/// ⟨a, b⟩ of coefficients, which are always `f64`, with a vector.
#[inline]
pub fn dot_with<T: Real>(a: &[f64], b: &[T]) -> f64 {
    sum_pairs(a, b, |a, b| a * b)
}

/// ‖a − b‖²
#[inline]
pub fn distance_squared<T: Real>(a: &[T], b: &[T]) -> f64 {
    sum_pairs(a, b, |a, b| (a - b) * (a - b))
}

/// ‖a − b‖
pub fn distance<T: Real>(a: &[T], b: &[T]) -> f64 {
    distance_squared(a, b).sqrt()
}

/// ‖a‖₂, without overflow for huge or underflow for tiny entries.
pub fn norm<T: Real>(a: &[T]) -> f64 {
    let plain = dot(a, a);
    if plain.is_finite() && plain > f64::MIN_POSITIVE * 1e30 {
        return plain.sqrt();
    }
    let largest = norm_inf(a);
    if largest == 0.0 || !largest.is_finite() {
        return largest;
    }
    largest * sum_pairs(a, a, |a, _| (a / largest) * (a / largest)).sqrt()
}

/// ‖a‖₁
#[inline]
pub fn norm1<T: Real>(a: &[T]) -> f64 {
    sum_pairs(a, a, |a, _| a.abs())
}

/// ‖a‖_∞
pub fn norm_inf<T: Real>(a: &[T]) -> f64 {
    a.iter()
        .fold(0.0, |largest: f64, a| largest.max(a.abs().f64()))
}

/// Σ a_i
#[inline]
pub fn sum<T: Real>(a: &[T]) -> f64 {
    sum_pairs(a, a, |a, _| a)
}

/// y ← y + αx
#[inline]
pub fn axpy<T: Real>(alpha: T, x: &[T], y: &mut [T]) {
    debug_assert_eq!(x.len(), y.len());
    let sum = Add { alpha, x, y };
    if x.len() < LONG {
        sum.add();
    } else {
        simd::arch().dispatch(sum);
    }
}

struct Add<'a, T> {
    alpha: T,
    x: &'a [T],
    y: &'a mut [T],
}

impl<T: Real> Add<'_, T> {
    #[inline(always)]
    fn add(self) {
        for (y, &x) in self.y.iter_mut().zip(self.x) {
            *y += self.alpha * x;
        }
    }
}

impl<T: Real> WithSimd for Add<'_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        self.add();
    }
}

/// x ← αx
pub fn scale<T: Real>(alpha: T, x: &mut [T]) {
    for x in x {
        *x *= alpha;
    }
}

/// Whether no entry is infinite or NaN.
pub fn is_finite<T: Real>(x: &[T]) -> bool {
    x.iter().all(|x| x.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn norms_survive_extreme_scales() {
        let close = |a: f64, b: f64| assert!((a - b).abs() <= 1e-15 * b, "{a} is not {b}");
        close(norm(&[3e200, 4e200]), 5e200);
        close(norm(&[3e-200, 4e-200]), 5e-200);
        close(
            norm(&[3e30_f32, 4e30]),
            f64::from(3e30_f32).hypot(f64::from(4e30_f32)),
        );
        assert_eq!(norm::<f64>(&[]), 0.0);
    }

    #[test]
    fn sums_cover_every_remainder() {
        for n in 0..40 {
            let a: Vec<f64> = (0..n).map(f64::from).collect();
            assert_eq!(sum(&a), f64::from(n * (n - 1) / 2));
            assert_eq!(dot(&a, &a), a.iter().map(|a| a * a).sum::<f64>());
        }
    }
}
