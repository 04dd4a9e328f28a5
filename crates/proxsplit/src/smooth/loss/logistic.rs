//! Logistic loss: ℓ(z, b) = log(1 + exp(−bz)) with labels b = ±1.

use super::{Loss, label};
use crate::data::Matrix;
use crate::smooth::LinearModel;
use crate::{Error, Real};

/// Σ_i log(1 + exp(−b_i a_iᵀx))
pub type Logistic<'a, T> = LinearModel<'a, T, LogisticLoss>;

/// Curvatures below this are none.
const LEAST: f64 = 1e-9;

/// log(1 + exp(−bz)), without overflow. Convex.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LogisticLoss;

/// −b·σ(−margin), where σ(−margin) is the probability of the other label and `small` = exp(−|margin|).
#[inline(always)]
fn slope(margin: f64, small: f64, b: f64) -> f64 {
    let other = if margin >= 0.0 { small } else { 1.0 } / (1.0 + small);
    -b * other
}

impl Loss for LogisticLoss {
    #[inline(always)]
    fn at(&self, z: f64, b: f64) -> (f64, f64) {
        let margin = b * z;
        let small = (-margin.abs()).exp();
        let value = (-margin).max(0.0) + small.ln_1p();
        (value, slope(margin, small, b))
    }

    fn slope(&self, z: f64, b: f64) -> f64 {
        let margin = b * z;
        slope(margin, (-margin.abs()).exp(), b)
    }

    fn curvature(&self) -> f64 {
        0.25
    }

    /// σ(z)(1 − σ(z))
    fn bend(&self, z: f64, _: f64) -> f64 {
        let small = (-z.abs()).exp();
        (small / ((1.0 + small) * (1.0 + small))).max(LEAST)
    }

    fn escapes(&self, z: f64, b: f64) -> bool {
        b * z > 0.0
    }

    fn is_convex(&self) -> bool {
        true
    }

    fn is_nonnegative(&self) -> bool {
        true
    }

    /// p log p + (1 − p) log(1 − p), where p = −ub is a probability.
    fn conjugate(&self, u: f64, b: f64) -> Option<f64> {
        let p = -u * b;
        let term = |p: f64| if p > 0.0 { p * p.ln() } else { 0.0 };
        let inside = (0.0..=1.0).contains(&p);
        Some(if inside {
            term(p) + term(1.0 - p)
        } else {
            f64::INFINITY
        })
    }

    fn accepts(&self, b: f64) -> Result<(), Error> {
        label(b)
    }
}

impl<'a, T: Real> Logistic<'a, T> {
    /// Σ_i log(1 + exp(−b_i a_iᵀx)) with labels b_i = ±1.
    pub fn new(matrix: impl Into<Matrix<'a>>, labels: &[T]) -> Result<Self, Error> {
        Self::with_loss(matrix, labels, LogisticLoss)
    }
}
