//! Cauchy loss: ℓ(z, b) = (c²/2) log(1 + (r/c)²), r = z − b; outliers pull less the farther they are.

use super::Loss;
use crate::Real;
use crate::data::Matrix;
use crate::error::{Error, positive};
use crate::smooth::LinearModel;

/// Σ_i (c²/2) log(1 + (r_i/c)²), r = Ax − b
pub type Cauchy<'a, T> = LinearModel<'a, T, CauchyLoss>;

/// (c²/2) log(1 + (r/c)²), r = z − b. Nonconvex, like r²/2 near 0.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CauchyLoss {
    scale: f64,
}

impl CauchyLoss {
    /// Residuals far above `scale` = c > 0 count little.
    pub fn new(scale: f64) -> Result<Self, Error> {
        Ok(Self {
            scale: positive("scale", scale)?,
        })
    }
}

impl Loss for CauchyLoss {
    #[inline(always)]
    fn at(&self, z: f64, b: f64) -> (f64, f64) {
        let r = z - b;
        let square = (r / self.scale) * (r / self.scale);
        let value = 0.5 * self.scale * self.scale * square.ln_1p();
        (value, r / (1.0 + square))
    }

    fn curvature(&self) -> f64 {
        1.0
    }

    /// ℓ is concave in r², so that ℓ′(r)/r is the curvature of a parabola above it.
    fn bend(&self, z: f64, b: f64) -> f64 {
        let r = (z - b) / self.scale;
        (1.0 / (1.0 + r * r)).max(f64::MIN_POSITIVE)
    }

    fn is_convex(&self) -> bool {
        false
    }

    fn is_nonnegative(&self) -> bool {
        true
    }
}

impl<'a, T: Real> Cauchy<'a, T> {
    /// Σ_i (c²/2) log(1 + (r_i/c)²), r = Ax − b, c = `scale` > 0.
    pub fn new(matrix: impl Into<Matrix<'a>>, targets: &[T], scale: f64) -> Result<Self, Error> {
        Self::with_loss(matrix, targets, CauchyLoss::new(scale)?)
    }
}
