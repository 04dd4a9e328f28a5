//! g(x) = W Σ_i x_i on x ≥ 0, +∞ elsewhere.

use super::separable::{self, clamp};
use crate::error::{Error, nonnegative};
use crate::{Elementary, Form, Prox, Real, Separable};

/// `l1:W+nonneg` in one operator: prox(x)_i = max(x_i − ηW, 0). Convex.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NonNegL1 {
    weight: f64,
}

impl NonNegL1 {
    /// W‖x‖₁ on x ≥ 0, with W ≥ 0.
    pub fn new(weight: f64) -> Result<Self, Error> {
        Ok(Self {
            weight: nonnegative("weight", weight)?,
        })
    }

    /// W
    pub fn weight(&self) -> f64 {
        self.weight
    }
}

impl<T: Real> Prox<T> for NonNegL1 {
    fn value(&self, x: &[T]) -> f64 {
        separable::value(self, x)
    }

    fn prox(&self, x: &mut [T], step: T) {
        separable::prox(self, x, step);
    }

    fn separable(&self) -> Option<&dyn Separable<T>> {
        Some(self)
    }

    fn form(&self) -> Form {
        Form::default().homogeneous().symmetric()
    }

    fn elementary(&self) -> Option<Elementary> {
        Some(Elementary {
            l1: self.weight,
            lower: 0.0,
            ..Elementary::ZERO
        })
    }
}

impl<T: Real> Separable<T> for NonNegL1 {
    #[inline(always)]
    fn value_at(&self, _: usize, t: T) -> f64 {
        if t >= T::ZERO {
            self.weight * t.f64()
        } else {
            f64::INFINITY
        }
    }

    #[inline(always)]
    fn prox_between(&self, _: usize, t: T, step: T, bounds: (T, T)) -> T {
        clamp((t - T::of(self.weight) * step).max(T::ZERO), bounds)
    }
}

#[cfg(test)]
mod tests {
    use super::NonNegL1;
    use crate::check::{contract, extremes};

    #[test]
    fn keeps_the_contract() {
        for weight in [0.0, 0.7] {
            contract(&NonNegL1::new(weight).unwrap(), 5);
            extremes(&NonNegL1::new(weight).unwrap(), 5);
        }
    }

    #[test]
    fn refuses_a_bad_weight() {
        assert!(NonNegL1::new(-0.1).is_err());
    }
}
