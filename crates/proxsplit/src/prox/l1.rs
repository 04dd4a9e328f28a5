//! g(x) = W‖x‖₁, and Σ_i w_i|x_i| with a weight for every entry.

use super::separable::{self, clamp};
use crate::error::{Error, length, nonnegative};
use crate::{Elementary, Form, Prox, Real, Separable};

/// `l1:W`, soft thresholding: prox(x)_i = sign(x_i)·max(|x_i| − ηW, 0). Convex.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct L1 {
    weight: f64,
}

impl L1 {
    /// W‖x‖₁ with W ≥ 0.
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

/// t moved towards zero by `by`, and no further than zero.
#[inline(always)]
pub(crate) fn soft<T: Real>(t: T, by: T) -> T {
    t - t.max(-by).min(by)
}

impl<T: Real> Prox<T> for L1 {
    fn value(&self, x: &[T]) -> f64 {
        self.weight * crate::linalg::vec::norm1(x)
    }

    fn prox(&self, x: &mut [T], step: T) {
        separable::prox(self, x, step);
    }

    fn separable(&self) -> Option<&dyn Separable<T>> {
        Some(self)
    }

    fn form(&self) -> Form {
        Form::default().absolute().homogeneous().symmetric()
    }

    fn elementary(&self) -> Option<Elementary> {
        Some(Elementary {
            l1: self.weight,
            ..Elementary::ZERO
        })
    }
}

impl<T: Real> Separable<T> for L1 {
    #[inline(always)]
    fn value_at(&self, _: usize, t: T) -> f64 {
        self.weight * t.abs().f64()
    }

    #[inline(always)]
    fn prox_between(&self, _: usize, t: T, step: T, bounds: (T, T)) -> T {
        clamp(soft(t, T::of(self.weight) * step), bounds)
    }
}

/// Soft thresholding with a weight for every entry: prox(x)_i = sign(x_i)·max(|x_i| − ηw_i, 0). Convex.
#[derive(Debug, Clone, PartialEq)]
pub struct WeightedL1 {
    weights: Vec<f64>,
}

impl WeightedL1 {
    /// Σ_i w_i|x_i| with all w_i ≥ 0.
    pub fn new(weights: Vec<f64>) -> Result<Self, Error> {
        weights
            .iter()
            .try_for_each(|&w| nonnegative("weight", w).map(|_| ()))?;
        Ok(Self { weights })
    }
}

impl<T: Real> Prox<T> for WeightedL1 {
    fn value(&self, x: &[T]) -> f64 {
        separable::value(self, x)
    }

    fn prox(&self, x: &mut [T], step: T) {
        separable::prox(self, x, step);
    }

    fn fits(&self, len: usize) -> Result<(), Error> {
        length("weights", &self.weights, len)
    }

    fn separable(&self) -> Option<&dyn Separable<T>> {
        Some(self)
    }

    fn form(&self) -> Form {
        Form::default().absolute().homogeneous()
    }
}

impl<T: Real> Separable<T> for WeightedL1 {
    fn entry(&self, i: usize) -> Option<Elementary> {
        Some(Elementary {
            l1: self.weights[i],
            ..Elementary::ZERO
        })
    }

    #[inline(always)]
    fn value_at(&self, i: usize, t: T) -> f64 {
        self.weights[i] * t.abs().f64()
    }

    #[inline(always)]
    fn prox_between(&self, i: usize, t: T, step: T, bounds: (T, T)) -> T {
        clamp(soft(t, T::of(self.weights[i]) * step), bounds)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::contract;

    #[test]
    fn keeps_the_contract() {
        contract(&L1::new(0.7).unwrap(), 7);
        contract(&L1::new(0.0).unwrap(), 3);
        contract(&WeightedL1::new(vec![0.0, 0.5, 1.0, 3.0]).unwrap(), 4);
    }

    #[test]
    fn refuses_bad_weights() {
        assert_eq!(
            L1::new(-1.0).unwrap_err().to_string(),
            "weight = -1, but it must be finite and at least 0"
        );
        assert!(WeightedL1::new(vec![1.0, f64::NAN]).is_err());
        assert!(Prox::<f64>::fits(&WeightedL1::new(vec![1.0]).unwrap(), 2).is_err());
    }
}
