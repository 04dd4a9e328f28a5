//! Huber loss: ℓ(z, b) = h(z − b), h(r) = r²/2 if |r| ≤ δ, else δ|r| − δ²/2.
//!
//! Peter J. Huber, "Robust estimation of a location parameter", 1964.

use super::Loss;
use crate::Real;
use crate::data::Matrix;
use crate::error::{Error, positive};
use crate::smooth::LinearModel;

/// Σ_i h(a_iᵀx − b_i)
pub type HuberRegression<'a, T> = LinearModel<'a, T, HuberLoss>;

/// r²/2 near 0 and δ|r| − δ²/2 beyond δ, r = z − b. Convex.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HuberLoss {
    delta: f64,
}

impl HuberLoss {
    /// Quadratic for |r| ≤ `delta`, where `delta` > 0.
    pub fn new(delta: f64) -> Result<Self, Error> {
        Ok(Self {
            delta: positive("delta", delta)?,
        })
    }
}

impl Loss for HuberLoss {
    #[inline(always)]
    fn at(&self, z: f64, b: f64) -> (f64, f64) {
        let r = z - b;
        let slope = r.clamp(-self.delta, self.delta);
        (slope * (r - 0.5 * slope), slope)
    }

    fn curvature(&self) -> f64 {
        1.0
    }

    /// ℓ is concave in r², so that ℓ′(r)/r is the curvature of a parabola above it.
    fn bend(&self, z: f64, b: f64) -> f64 {
        (self.delta / (z - b).abs()).min(1.0)
    }

    fn is_convex(&self) -> bool {
        true
    }

    fn is_nonnegative(&self) -> bool {
        true
    }

    /// u²/2 + ub for |u| ≤ δ
    fn conjugate(&self, u: f64, b: f64) -> Option<f64> {
        let inside = u.abs() <= self.delta;
        Some(if inside {
            u * (0.5 * u + b)
        } else {
            f64::INFINITY
        })
    }
}

impl<'a, T: Real> HuberRegression<'a, T> {
    /// Σ_i h(a_iᵀx − b_i), quadratic for residuals up to `delta` > 0.
    pub fn new(matrix: impl Into<Matrix<'a>>, targets: &[T], delta: f64) -> Result<Self, Error> {
        Self::with_loss(matrix, targets, HuberLoss::new(delta)?)
    }
}
