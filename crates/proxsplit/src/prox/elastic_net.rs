//! g(x) = W1‖x‖₁ + (W2/2)‖x‖₂².

use super::l1::soft;
use super::separable::{self, clamp};
use crate::error::{Error, nonnegative};
use crate::linalg::vec::{dot, norm1};
use crate::{Elementary, Form, Prox, Real, Separable};

/// `elastic:W1,W2`, the elastic net W1‖x‖₁ + (W2/2)‖x‖₂²: prox(x)_i = soft(x_i, ηW1)/(1 + ηW2). Convex.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ElasticNet {
    l1: f64,
    l2: f64,
}

impl ElasticNet {
    /// W1‖x‖₁ + (W2/2)‖x‖₂² with W1, W2 ≥ 0.
    pub fn new(l1: f64, l2: f64) -> Result<Self, Error> {
        Ok(Self {
            l1: nonnegative("weight of the l1 norm", l1)?,
            l2: nonnegative("weight of the squared l2 norm", l2)?,
        })
    }

    /// W1
    pub fn l1_weight(&self) -> f64 {
        self.l1
    }

    /// W2
    pub fn l2_weight(&self) -> f64 {
        self.l2
    }
}

impl<T: Real> Prox<T> for ElasticNet {
    fn value(&self, x: &[T]) -> f64 {
        self.l1 * norm1(x) + 0.5 * self.l2 * dot(x, x)
    }

    fn prox(&self, x: &mut [T], step: T) {
        separable::prox(self, x, step);
    }

    fn separable(&self) -> Option<&dyn Separable<T>> {
        Some(self)
    }

    fn form(&self) -> Form {
        Form::default().absolute().symmetric()
    }

    fn elementary(&self) -> Option<Elementary> {
        Some(Elementary {
            l1: self.l1,
            sql2: self.l2,
            ..Elementary::ZERO
        })
    }
}

impl<T: Real> Separable<T> for ElasticNet {
    #[inline(always)]
    fn value_at(&self, _: usize, t: T) -> f64 {
        let t = t.abs().f64();
        self.l1 * t + 0.5 * self.l2 * t * t
    }

    #[inline(always)]
    fn prox_between(&self, _: usize, t: T, step: T, bounds: (T, T)) -> T {
        let moved = soft(t, T::of(self.l1) * step);
        clamp(moved / (T::ONE + T::of(self.l2) * step), bounds)
    }
}

#[cfg(test)]
mod tests {
    use super::ElasticNet;
    use crate::check::{contract, extremes};

    #[test]
    fn keeps_the_contract() {
        for (l1, l2) in [(0.7, 0.3), (0.0, 2.0), (1.0, 0.0), (0.0, 0.0)] {
            contract(&ElasticNet::new(l1, l2).unwrap(), 5);
            extremes(&ElasticNet::new(l1, l2).unwrap(), 5);
        }
    }

    #[test]
    fn names_the_bad_weight() {
        assert_eq!(
            ElasticNet::new(1.0, -2.0).unwrap_err().to_string(),
            "weight of the squared l2 norm = -2, but it must be finite and at least 0"
        );
        assert!(ElasticNet::new(f64::NAN, 0.0).is_err());
    }
}
