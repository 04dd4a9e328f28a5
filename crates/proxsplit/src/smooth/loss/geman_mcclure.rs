//! Geman–McClure loss: ℓ(z, b) = (r²/2)/(1 + r²/c²), r = z − b, which never exceeds c²/2.
//!
//! Stuart Geman and Donald E. McClure, "Bayesian image analysis: an application to single photon emission tomography",
//! 1985.

use super::Loss;
use crate::Real;
use crate::data::Matrix;
use crate::error::{Error, positive};
use crate::smooth::LinearModel;

/// Σ_i (r_i²/2)/(1 + r_i²/c²), r = Ax − b
pub type GemanMcClure<'a, T> = LinearModel<'a, T, GemanMcClureLoss>;

/// (r²/2)/(1 + r²/c²), r = z − b. Nonconvex and bounded, like r²/2 near 0.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GemanMcClureLoss {
    scale: f64,
}

impl GemanMcClureLoss {
    /// Residuals far above `scale` = c > 0 do not count.
    pub fn new(scale: f64) -> Result<Self, Error> {
        Ok(Self {
            scale: positive("scale", scale)?,
        })
    }
}

impl Loss for GemanMcClureLoss {
    #[inline(always)]
    fn at(&self, z: f64, b: f64) -> (f64, f64) {
        let r = z - b;
        // c/√(c² + r²), free of overflow.
        let kept = self.scale / self.scale.hypot(r);
        let part = r * kept;
        (0.5 * part * part, part * kept * kept * kept)
    }

    fn curvature(&self) -> f64 {
        1.0
    }

    /// ℓ is concave in r², so that ℓ′(r)/r is the curvature of a parabola above it.
    fn bend(&self, z: f64, b: f64) -> f64 {
        let kept = self.scale / self.scale.hypot(z - b);
        kept.powi(4).max(f64::MIN_POSITIVE)
    }

    fn is_convex(&self) -> bool {
        false
    }

    fn is_nonnegative(&self) -> bool {
        true
    }
}

impl<'a, T: Real> GemanMcClure<'a, T> {
    /// Σ_i (r_i²/2)/(1 + r_i²/c²), r = Ax − b, c = `scale` > 0.
    pub fn new(matrix: impl Into<Matrix<'a>>, targets: &[T], scale: f64) -> Result<Self, Error> {
        Self::with_loss(matrix, targets, GemanMcClureLoss::new(scale)?)
    }
}
