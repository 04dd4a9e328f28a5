//! g(x) = (W/2)‖x‖₂².

use super::separable::{self, clamp};
use crate::error::{Error, nonnegative};
use crate::linalg::vec::dot;
use crate::{Elementary, Form, Kind, Prox, Real, Separable};

/// `sql2:W`, the ridge (W/2)‖x‖₂²: prox(x) = x/(1 + ηW). Convex.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SquaredL2 {
    weight: f64,
}

impl SquaredL2 {
    /// (W/2)‖x‖₂² with W ≥ 0.
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

impl<T: Real> Prox<T> for SquaredL2 {
    fn value(&self, x: &[T]) -> f64 {
        0.5 * self.weight * dot(x, x)
    }

    fn prox(&self, x: &mut [T], step: T) {
        separable::prox(self, x, step);
    }

    fn separable(&self) -> Option<&dyn Separable<T>> {
        Some(self)
    }

    fn form(&self) -> Form {
        let weight = self.weight;
        Form::of(Kind::Ridge { weight }).absolute().symmetric()
    }

    fn elementary(&self) -> Option<Elementary> {
        Some(Elementary {
            sql2: self.weight,
            ..Elementary::ZERO
        })
    }
}

impl<T: Real> Separable<T> for SquaredL2 {
    #[inline(always)]
    fn value_at(&self, _: usize, t: T) -> f64 {
        0.5 * self.weight * t.f64() * t.f64()
    }

    #[inline(always)]
    fn prox_between(&self, _: usize, t: T, step: T, bounds: (T, T)) -> T {
        clamp(t * (T::ONE / (T::ONE + T::of(self.weight) * step)), bounds)
    }
}

#[cfg(test)]
mod tests {
    use super::SquaredL2;
    use crate::check::{contract, extremes};

    #[test]
    fn keeps_the_contract() {
        for weight in [0.0, 0.7, 50.0] {
            contract(&SquaredL2::new(weight).unwrap(), 5);
            extremes(&SquaredL2::new(weight).unwrap(), 5);
        }
    }

    #[test]
    fn refuses_a_bad_weight() {
        assert_eq!(
            SquaredL2::new(f64::INFINITY).unwrap_err().to_string(),
            "weight = inf, but it must be finite and at least 0"
        );
    }
}
