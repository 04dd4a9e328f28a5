//! Sets, one file each: the prox is the Euclidean projection, the value 0 inside and +∞ outside.

mod affine;
mod ball;
mod binary;
mod box_hyperplane;
mod box_hyperplane_with;
mod box_set;
mod box_sum;
mod cardinality_ball;
mod hyperplane;
mod knapsack;
mod monotone;
mod multiplier;
mod nonneg;
mod psd;
mod rank_ball;
mod second_order_cone;
mod simplex;
mod sphere;
mod sum_to;

pub use affine::AffineSet;
pub use ball::{L1Ball, L2Ball, LinfBall};
pub use binary::Binary;
pub use box_hyperplane::BoxHyperplane;
pub use box_hyperplane_with::BoxHyperplaneWith;
pub(crate) use box_hyperplane_with::prox_on;
pub use box_set::{Bounds, BoxSet};
pub use box_sum::BoxSum;
pub use cardinality_ball::CardinalityBall;
pub use hyperplane::{Halfspace, Hyperplane};
pub use monotone::Monotone;
pub use nonneg::NonNeg;
pub use psd::Psd;
pub use rank_ball::RankBall;
pub(crate) use rank_ball::numerical_rank;
pub use second_order_cone::SecondOrderCone;
pub use simplex::Simplex;
pub use sphere::Sphere;
pub use sum_to::SumTo;

use crate::linalg::vec::norm;
use crate::{Error, Real};

/// The value of an indicator whose constraint is violated by `excess`, on numbers of size `scale`: 0 up to rounding.
///
/// A constraint such as Σx = R holds in floating point only approximately, so membership means a relative tolerance of
/// 1e-9 (1e-5 in `f32`). Constraints on single entries are met exactly and tested exactly.
pub(crate) fn inside<T: Real>(excess: f64, scale: f64) -> f64 {
    if excess <= tolerance::<T>() * scale {
        0.0
    } else {
        f64::INFINITY
    }
}

/// The relative tolerance of membership, and of what counts as a zero singular value.
pub(crate) fn tolerance<T: Real>() -> f64 {
    if T::EPSILON.f64() < 1e-10 { 1e-9 } else { 1e-5 }
}

/// Sets x to zero if it is no more than the rounding of the point that it was projected from, whose norm was `before`.
///
/// A subspace holds 0 exactly, but hardly ever holds what rounding leaves of a vector that is normal to it.
fn clear_rounding<T: Real>(x: &mut [T], before: f64) {
    if norm(x) <= 4.0 * T::EPSILON.f64() * before {
        x.fill(T::ZERO);
    }
}

/// `Ok` unless the sum or norm of an empty vector must be `size` ≠ 0.
fn some_entry(len: usize, size: f64) -> Result<(), Error> {
    if len > 0 || size == 0.0 {
        return Ok(());
    }
    Err(Error::Incompatible(format!(
        "an empty vector has sum and norm 0, not {size}"
    )))
}
