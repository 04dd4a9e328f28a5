//! The inner loops. Sums run in `f64`, in an order that does not depend on the processor: wide instructions are used
//! where they exist, without fused multiply-add, and give the same bits as narrow ones.

use crate::Real;
use crate::data::Element;
use crate::linalg::vectorized::vectorized;

const LANES: usize = 16;

/// Σ_j term(a_j, b_j). One vector at a time: sums of several at once end up in scalar registers.
#[inline(always)]
pub(in crate::data) fn sum<E: Copy, B: Copy>(a: &[E], b: &[B], term: impl Fn(E, B) -> f64) -> f64 {
    let mut partial = [0.0; LANES];
    let (b_blocks, b_rest) = b.as_chunks::<LANES>();
    let (a_blocks, a_rest) = a[..b.len()].as_chunks::<LANES>();
    for (a, b) in a_blocks.iter().zip(b_blocks) {
        for lane in 0..LANES {
            partial[lane] += term(a[lane], b[lane]);
        }
    }
    for ((partial, &a), &b) in partial.iter_mut().zip(a_rest).zip(b_rest) {
        *partial += term(a, b);
    }
    folded(partial)
}

/// The sum by halves: its few steps are vectors, too.
#[inline(always)]
fn folded(mut partial: [f64; LANES]) -> f64 {
    let mut half = LANES / 2;
    while half > 0 {
        for lane in 0..half {
            partial[lane] += partial[lane + half];
        }
        half /= 2;
    }
    partial[0]
}

/// ⟨a, b⟩
#[inline(always)]
pub(super) fn dot<E: Element, B: Real>(a: &[E], b: &[B]) -> f64 {
    sum(a, b, |a, b| a.f64() * b.f64())
}

/// ‖a‖²
#[inline(always)]
pub(super) fn norm_squared<E: Element>(a: &[E]) -> f64 {
    sum(a, a, |a, _| a.f64() * a.f64())
}

/// ‖a‖² by itself.
pub(super) fn squares<E: Element>(a: &[E]) -> f64 {
    vectorized(
        #[inline(always)]
        || norm_squared(a),
    )
}

/// out ← out + w·a
#[inline(always)]
pub(super) fn add<E: Element, O: Real>(weight: f64, a: &[E], out: &mut [O]) {
    for (out, &a) in out.iter_mut().zip(a) {
        *out += O::of(weight * a.f64());
    }
}

/// out ← out + Σ_k w_k a_k of four vectors, in one walk over `out`.
#[inline(always)]
pub(super) fn add_four<E: Element, O: Real>(weights: [f64; 4], a: [&[E]; 4], out: &mut [O]) {
    let n = out.len();
    let a = a.map(|a| &a[..n]);
    for j in 0..n {
        let first = weights[0] * a[0][j].f64() + weights[1] * a[1][j].f64();
        let second = weights[2] * a[2][j].f64() + weights[3] * a[3][j].f64();
        out[j] += O::of(first + second);
    }
}
