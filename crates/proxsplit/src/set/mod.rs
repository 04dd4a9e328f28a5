//! Sets, one file each: the prox is the Euclidean projection, the value 0 inside and +∞ outside.

mod nonneg;

pub use nonneg::NonNeg;

use crate::Real;

/// The value of an indicator whose constraint is violated by `excess`, on numbers of size `scale`: 0 up to rounding.
///
/// A constraint such as Σx = R holds in floating point only approximately, so membership means a relative tolerance of
/// 1e-9 (1e-5 in `f32`). Constraints on single entries are met exactly and tested exactly.
#[allow(dead_code)]
pub(crate) fn inside<T: Real>(excess: f64, scale: f64) -> f64 {
    let tolerance = if T::EPSILON.f64() < 1e-10 { 1e-9 } else { 1e-5 };
    if excess <= tolerance * scale {
        0.0
    } else {
        f64::INFINITY
    }
}
