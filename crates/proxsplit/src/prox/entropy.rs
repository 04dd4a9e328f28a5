//! g(x) = W Σ_i x_i log x_i on x ≥ 0, with 0 log 0 = 0.

use super::separable::{self, clamp, map};
use super::wright_omega::scaled_omega;
use crate::error::{Error, nonnegative};
use crate::{Form, Prox, Real, Separable};

/// `entropy:W`, the negative entropy: prox(x)_i is the z > 0 with ηW(log z + 1) + z = x_i. Convex.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Entropy {
    weight: f64,
}

impl Entropy {
    /// W Σ x_i log x_i with W ≥ 0.
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

impl<T: Real> Prox<T> for Entropy {
    fn value(&self, x: &[T]) -> f64 {
        separable::value(self, x)
    }

    fn prox(&self, x: &mut [T], step: T) {
        let strength = self.weight * step.f64();
        let offset = -1.0 - strength.ln();
        map(x, move |t: T| {
            T::of(scaled_omega(t.f64(), strength, offset))
        });
    }

    /// W Σ exp(s_i/W − 1); for W = 0 the orthant's.
    fn conjugate(&self, s: &[T]) -> Option<f64> {
        if self.weight == 0.0 {
            return crate::set::NonNeg.conjugate(s);
        }
        let each = |s: &T| self.weight * (s.f64() / self.weight - 1.0).exp();
        Some(s.iter().map(each).sum())
    }

    fn polar(&self, s: &[T]) -> Option<f64> {
        if self.weight == 0.0 {
            return crate::set::NonNeg.polar(s);
        }
        Some(0.0)
    }

    fn separable(&self) -> Option<&dyn Separable<T>> {
        Some(self)
    }

    fn form(&self) -> Form {
        Form::default().symmetric()
    }
}

impl<T: Real> Separable<T> for Entropy {
    fn value_at(&self, _: usize, t: T) -> f64 {
        let t = t.f64();
        if t > 0.0 {
            self.weight * t * t.ln()
        } else if t == 0.0 {
            0.0
        } else {
            f64::INFINITY
        }
    }

    fn prox_between(&self, _: usize, t: T, step: T, bounds: (T, T)) -> T {
        // With s = ηW the minimizer solves z + s log z = t − s.
        let strength = self.weight * step.f64();
        let z = scaled_omega(t.f64(), strength, -1.0 - strength.ln());
        clamp(T::of(z), bounds)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::{contract, extremes};

    #[test]
    fn keeps_the_contract() {
        for weight in [0.0, 0.7, 1e-9, 100.0] {
            contract(&Entropy::new(weight).unwrap(), 5);
            extremes(&Entropy::new(weight).unwrap(), 5);
        }
    }

    #[test]
    fn equals_bisection_to_the_last_digits() {
        let everywhere = (f64::NEG_INFINITY, f64::INFINITY);
        for weight in [1e-8, 0.01, 1.0, 30.0] {
            let g = Entropy::new(weight).unwrap();
            for t in [-5.0, -1.0, 0.0, 1e-3, 0.5, 1.0, 2.0, 100.0, 1e9] {
                let z = g.prox_between(0, t, 1.0, everywhere);
                // In log z the equation has a slope of at least `weight`, so that bisection is accurate.
                let (mut low, mut high) = (-1e10f64, 30.0f64);
                for _ in 0..200 {
                    let middle = 0.5 * (low + high);
                    if weight * (middle + 1.0) + middle.exp() > t {
                        high = middle;
                    } else {
                        low = middle;
                    }
                }
                // Rounding in the exponent (t − z)/W − 1 shows in z.
                let slack = 4e-15 * (1.0 + (t - z).abs() / weight) * z;
                assert!((z - low.exp()).abs() <= slack, "{weight}, {t}: {z}");
            }
        }
    }

    #[test]
    fn refuses_a_bad_weight() {
        assert!(Entropy::new(-1.0).is_err());
    }
}
