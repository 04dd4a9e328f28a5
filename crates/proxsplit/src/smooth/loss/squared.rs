//! Least squares: ℓ(z, b) = (z − b)²/2.

use super::Loss;
use crate::data::Matrix;
use crate::smooth::LinearModel;
use crate::{Error, Real};

/// ½‖Ax − b‖²
pub type LeastSquares<'a, T> = LinearModel<'a, T, SquaredLoss>;

/// (z − b)²/2. Convex.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SquaredLoss;

impl Loss for SquaredLoss {
    #[inline(always)]
    fn at(&self, z: f64, b: f64) -> (f64, f64) {
        let r = z - b;
        (0.5 * r * r, r)
    }

    fn curvature(&self) -> f64 {
        1.0
    }

    fn is_convex(&self) -> bool {
        true
    }

    fn is_nonnegative(&self) -> bool {
        true
    }

    fn conjugate(&self, u: f64, b: f64) -> Option<f64> {
        Some(u * (0.5 * u + b))
    }

    fn is_squared(&self) -> bool {
        true
    }
}

impl<'a, T: Real> LeastSquares<'a, T> {
    /// ½‖Ax − b‖²
    pub fn new(matrix: impl Into<Matrix<'a>>, targets: &[T]) -> Result<Self, Error> {
        Self::with_loss(matrix, targets, SquaredLoss)
    }
}
