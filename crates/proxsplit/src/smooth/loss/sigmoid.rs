//! Sigmoid loss: ℓ(z, b) = 1/(1 + exp(bz)) with labels b = ±1, a smooth count of wrong signs.

use super::{Loss, label};
use crate::data::Matrix;
use crate::smooth::LinearModel;
use crate::{Error, Real};

/// The least curvature of a parabola.
const LEAST: f64 = 1e-12;

/// Σ_i 1/(1 + exp(b_i a_iᵀx))
pub type Sigmoid<'a, T> = LinearModel<'a, T, SigmoidLoss>;

/// 1/(1 + exp(bz)), without overflow. Nonconvex.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SigmoidLoss;

impl Loss for SigmoidLoss {
    #[inline(always)]
    fn at(&self, z: f64, b: f64) -> (f64, f64) {
        let margin = b * z;
        let small = (-margin.abs()).exp();
        let value = if margin >= 0.0 { small } else { 1.0 } / (1.0 + small);
        (value, -b * small / ((1.0 + small) * (1.0 + small)))
    }

    /// |σ″| is largest where σ = (1 ± 1/√3)/2.
    fn curvature(&self) -> f64 {
        0.096_225_044_864_937_64
    }

    /// |σ″|, but not less than a part of σ′ around the turning point.
    fn bend(&self, z: f64, _: f64) -> f64 {
        let small = (-z.abs()).exp();
        let slope = small / ((1.0 + small) * (1.0 + small));
        let turn = (1.0 - small) / (1.0 + small);
        (slope * turn.max(0.1)).max(LEAST)
    }

    fn escapes(&self, z: f64, b: f64) -> bool {
        b * z > 0.0
    }

    fn is_convex(&self) -> bool {
        false
    }

    fn is_nonnegative(&self) -> bool {
        true
    }

    fn accepts(&self, b: f64) -> Result<(), Error> {
        label(b)
    }
}

impl<'a, T: Real> Sigmoid<'a, T> {
    /// Σ_i 1/(1 + exp(b_i a_iᵀx)) with labels b_i = ±1.
    pub fn new(matrix: impl Into<Matrix<'a>>, labels: &[T]) -> Result<Self, Error> {
        Self::with_loss(matrix, labels, SigmoidLoss)
    }
}
