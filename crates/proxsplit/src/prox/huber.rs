//! g(x) = W Σ_i h(x_i), h(t) = t²/2 if |t| ≤ D, else D|t| − D²/2.

use super::separable::{self, clamp};
use crate::dual;
use crate::error::{Error, nonnegative, positive};
use crate::linalg::vec::{dot, norm_inf};
use crate::{Form, Prox, Real, Separable};

/// `huber:W,D`, quadratic up to D and linear beyond: prox(x)_i = x_i/(1 + ηW) if |x_i| ≤ D(1 + ηW), else
/// x_i − ηWD·sign(x_i). Convex.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Huber {
    weight: f64,
    delta: f64,
}

impl Huber {
    /// W Σ h(x_i) with W ≥ 0 and D > 0.
    pub fn new(weight: f64, delta: f64) -> Result<Self, Error> {
        Ok(Self {
            weight: nonnegative("weight", weight)?,
            delta: positive("delta", delta)?,
        })
    }

    /// W
    pub fn weight(&self) -> f64 {
        self.weight
    }

    /// D, where the quadratic part ends.
    pub fn delta(&self) -> f64 {
        self.delta
    }
}

impl<T: Real> Prox<T> for Huber {
    fn value(&self, x: &[T]) -> f64 {
        separable::value(self, x)
    }

    fn prox(&self, x: &mut [T], step: T) {
        separable::prox(self, x, step);
    }

    /// Σ s_i²/2W on |s_i| ≤ WD.
    fn conjugate(&self, s: &[T]) -> Option<f64> {
        let outside = norm_inf(s) > self.weight * self.delta;
        Some(if outside {
            f64::INFINITY
        } else {
            dual::ratio(dot(s, s), 2.0 * self.weight)
        })
    }

    fn polar(&self, s: &[T]) -> Option<f64> {
        Some(dual::ratio(norm_inf(s), self.weight * self.delta))
    }

    fn separable(&self) -> Option<&dyn Separable<T>> {
        Some(self)
    }

    fn form(&self) -> Form {
        Form::default().absolute().symmetric()
    }
}

impl<T: Real> Separable<T> for Huber {
    #[inline(always)]
    fn value_at(&self, _: usize, t: T) -> f64 {
        let size = t.abs().f64();
        let quadratic = size.min(self.delta);
        self.weight * quadratic * (size - 0.5 * quadratic)
    }

    #[inline(always)]
    fn prox_between(&self, _: usize, t: T, step: T, bounds: (T, T)) -> T {
        let strength = T::of(self.weight) * step;
        let knee = T::of(self.delta) * (T::ONE + strength);
        let shift = T::of(self.delta) * strength;
        let shrunk = t / (T::ONE + strength);
        let linear = t - t.max(-shift).min(shift);
        clamp(if t.abs() <= knee { shrunk } else { linear }, bounds)
    }
}

#[cfg(test)]
mod tests {
    use super::Huber;
    use crate::Separable;
    use crate::check::{contract, extremes};

    #[test]
    fn keeps_the_contract() {
        for (weight, delta) in [(0.7, 0.5), (3.0, 1e-3), (0.0, 1.0), (1.0, 1e4)] {
            contract(&Huber::new(weight, delta).unwrap(), 5);
            extremes(&Huber::new(weight, delta).unwrap(), 5);
        }
    }

    #[test]
    fn value_is_the_definition() {
        let g = Huber::new(2.0, 0.5).unwrap();
        assert_eq!(g.value_at(0, 0.4), 2.0 * 0.4 * 0.4 / 2.0);
        assert_eq!(g.value_at(0, -3.0), 2.0 * (0.5 * 3.0 - 0.125));
    }

    #[test]
    fn refuses_bad_parameters() {
        assert_eq!(
            Huber::new(1.0, 0.0).unwrap_err().to_string(),
            "delta = 0, but it must be finite and greater than 0"
        );
        assert!(Huber::new(-1.0, 1.0).is_err());
    }
}
