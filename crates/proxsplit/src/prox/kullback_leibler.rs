//! g(x) = W Σ_i x_i log(x_i/q_i) − x_i + q_i on x ≥ 0, with 0 log 0 = 0.

use super::separable::{self, clamp};
use super::wright_omega::scaled_omega;
use crate::error::{Error, length, nonnegative, positive};
use crate::{Prox, Real, Separable};

/// The Kullback–Leibler divergence from a positive reference q: prox(x)_i is the z > 0 with ηW log(z/q_i) + z = x_i.
/// Convex.
#[derive(Debug, Clone, PartialEq)]
pub struct KullbackLeibler {
    weight: f64,
    reference: Vec<f64>,
}

impl KullbackLeibler {
    /// W × the divergence of x from `reference`, with W ≥ 0 and all q_i > 0.
    pub fn new(weight: f64, reference: Vec<f64>) -> Result<Self, Error> {
        let weight = nonnegative("weight", weight)?;
        for &q in &reference {
            positive("entry of the reference", q)?;
        }
        Ok(Self { weight, reference })
    }

    /// W
    pub fn weight(&self) -> f64 {
        self.weight
    }

    /// q
    pub fn reference(&self) -> &[f64] {
        &self.reference
    }
}

impl<T: Real> Prox<T> for KullbackLeibler {
    fn value(&self, x: &[T]) -> f64 {
        separable::value(self, x)
    }

    fn prox(&self, x: &mut [T], step: T) {
        separable::prox(self, x, step);
    }

    /// W Σ q_i (exp(s_i/W) − 1); for W = 0 the orthant's.
    fn conjugate(&self, s: &[T]) -> Option<f64> {
        if self.weight == 0.0 {
            return crate::set::NonNeg.conjugate(s);
        }
        let pairs = s.iter().zip(&self.reference);
        let each = pairs.map(|(s, q)| self.weight * q * (s.f64() / self.weight).exp_m1());
        Some(each.sum())
    }

    fn polar(&self, s: &[T]) -> Option<f64> {
        if self.weight == 0.0 {
            return crate::set::NonNeg.polar(s);
        }
        Some(0.0)
    }

    fn fits(&self, len: usize) -> Result<(), Error> {
        length("reference", &self.reference, len)
    }

    fn separable(&self) -> Option<&dyn Separable<T>> {
        Some(self)
    }
}

impl<T: Real> Separable<T> for KullbackLeibler {
    fn value_at(&self, i: usize, t: T) -> f64 {
        let (t, q) = (t.f64(), self.reference[i]);
        if t > 0.0 {
            self.weight * (t * (t.ln() - q.ln()) - t + q)
        } else if t == 0.0 {
            self.weight * q
        } else {
            f64::INFINITY
        }
    }

    fn prox_between(&self, i: usize, t: T, step: T, bounds: (T, T)) -> T {
        let strength = self.weight * step.f64();
        let z = scaled_omega(t.f64(), strength, self.reference[i].ln() - strength.ln());
        clamp(T::of(z), bounds)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::{contract, extremes};

    #[test]
    fn keeps_the_contract() {
        for weight in [0.0, 0.7, 40.0] {
            let g = KullbackLeibler::new(weight, vec![1.0, 1e-6, 0.3, 50.0]).unwrap();
            contract(&g, 4);
            extremes(&g, 4);
        }
    }

    #[test]
    fn the_reference_is_the_minimum() {
        let q = vec![0.2, 3.0];
        let g = KullbackLeibler::new(2.0, q.clone()).unwrap();
        assert_eq!(Prox::<f64>::value(&g, &q), 0.0);
        let mut x = q.clone();
        g.prox(&mut x, 0.7);
        assert!((x[0] - q[0]).abs() < 1e-15 && (x[1] - q[1]).abs() < 1e-14);
    }

    #[test]
    fn refuses_bad_input() {
        assert_eq!(
            KullbackLeibler::new(1.0, vec![1.0, 0.0])
                .unwrap_err()
                .to_string(),
            "entry of the reference = 0, but it must be finite and greater than 0"
        );
        assert!(KullbackLeibler::new(-1.0, vec![1.0]).is_err());
        let g = KullbackLeibler::new(1.0, vec![1.0]).unwrap();
        assert!(Prox::<f32>::fits(&g, 2).is_err());
    }
}
