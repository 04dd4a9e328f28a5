//! g(x) = W1‖x‖₁ + W2 Σ_i |x_{i+1} − x_i|.

use super::l1::soft;
use super::separable::map;
use super::tv1d::{flow, variation};
use super::variation::reduce_variation;
use crate::dual;
use crate::error::{Error, nonnegative};
use crate::linalg::vec::{norm_inf, norm1};
use crate::{Form, Prox, Real};

/// `fused:W1,W2`, the fused lasso: the prox of total variation by ηW2, then soft thresholding by ηW1. Convex.
///
/// J. Friedman, T. Hastie, H. Höfling, R. Tibshirani, "Pathwise coordinate optimization", 2007, prove the order.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Fused {
    l1: f64,
    variation: f64,
}

impl Fused {
    /// W1‖x‖₁ + W2 Σ |x_{i+1} − x_i| with W1, W2 ≥ 0.
    pub fn new(l1: f64, variation: f64) -> Result<Self, Error> {
        Ok(Self {
            l1: nonnegative("weight of the l1 norm", l1)?,
            variation: nonnegative("weight of the variation", variation)?,
        })
    }

    /// W1
    pub fn l1_weight(&self) -> f64 {
        self.l1
    }

    /// W2
    pub fn variation_weight(&self) -> f64 {
        self.variation
    }
}

impl<T: Real> Prox<T> for Fused {
    fn value(&self, x: &[T]) -> f64 {
        self.l1 * norm1(x) + self.variation * variation(x)
    }

    fn prox(&self, x: &mut [T], step: T) {
        reduce_variation(x, self.variation * step.f64());
        let by = T::of(self.l1) * step;
        map(x, move |t| soft(t, by));
    }

    /// 0 where the prox of step 1 vanishes.
    fn conjugate(&self, s: &[T]) -> Option<f64> {
        if self.l1 == 0.0 {
            return self.polar(s).map(dual::indicator);
        }
        Some(dual::cone(dual::vanishes(self, s, 1.0)))
    }

    fn polar(&self, s: &[T]) -> Option<f64> {
        Some(if self.l1 == 0.0 {
            dual::ratio(flow(s), self.variation)
        } else {
            dual::bisect(self, s, dual::ratio(norm_inf(s), self.l1))
        })
    }

    fn form(&self) -> Form {
        Form::default().homogeneous().clamps()
    }
}

#[cfg(test)]
mod tests {
    use super::Fused;
    use crate::check::{contract, extremes};

    #[test]
    fn keeps_the_contract() {
        for (l1, variation) in [(0.4, 0.6), (0.0, 1.0), (1.0, 0.0), (0.0, 0.0)] {
            contract(&Fused::new(l1, variation).unwrap(), 7);
            extremes(&Fused::new(l1, variation).unwrap(), 7);
        }
    }

    #[test]
    fn names_the_bad_weight() {
        assert_eq!(
            Fused::new(0.0, f64::NAN).unwrap_err().to_string(),
            "weight of the variation = NaN, but it must be finite and at least 0"
        );
    }
}
