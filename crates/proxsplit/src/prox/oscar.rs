//! g(x) = Σ_i (A + B(n − i))|x|_(i), |x|_(1) ≥ |x|_(2) ≥ …, i = 1..n.

use super::sorted;
use crate::dual;
use crate::error::{Error, nonnegative};
use crate::{Form, Prox, Real};

/// `oscar:W1,W2`, a sorted ℓ1 norm with linear weights, with A = W1 and B = W2 the same as A‖x‖₁ + B Σ_{i<j} max(|x_i|, |x_j|). Convex.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Oscar {
    base: f64,
    slope: f64,
}

impl Oscar {
    /// Weights A + B(n − i), with A, B ≥ 0.
    pub fn new(base: f64, slope: f64) -> Result<Self, Error> {
        Ok(Self {
            base: nonnegative("base weight", base)?,
            slope: nonnegative("slope of the weights", slope)?,
        })
    }

    /// A, the weight of the smallest entry.
    pub fn base(&self) -> f64 {
        self.base
    }

    /// B, the difference between successive weights.
    pub fn slope(&self) -> f64 {
        self.slope
    }

    fn weight(self, len: usize) -> impl Fn(usize) -> f64 {
        move |k| self.base + self.slope * (len - 1 - k) as f64
    }
}

impl<T: Real> Prox<T> for Oscar {
    fn value(&self, x: &[T]) -> f64 {
        sorted::value(x, self.weight(x.len()))
    }

    fn prox(&self, x: &mut [T], step: T) {
        let (step, weight) = (step.f64(), self.weight(x.len()));
        sorted::prox(x, |k| step * weight(k));
    }

    fn conjugate(&self, s: &[T]) -> Option<f64> {
        self.polar(s).map(dual::indicator)
    }

    fn polar(&self, s: &[T]) -> Option<f64> {
        Some(sorted::polar(s, self.weight(s.len())))
    }

    fn form(&self) -> Form {
        Form::default().absolute().homogeneous().symmetric()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::{contract, extremes};

    #[test]
    fn keeps_the_contract() {
        for (base, slope) in [(0.3, 0.2), (0.0, 1.0), (1.0, 0.0), (0.0, 0.0)] {
            contract(&Oscar::new(base, slope).unwrap(), 6);
            extremes(&Oscar::new(base, slope).unwrap(), 6);
        }
    }

    #[test]
    fn is_a_sum_over_pairs() {
        let x: [f64; 4] = [1.0, -4.0, 2.5, 0.5];
        let mut pairs = 0.0;
        for i in 0..4 {
            for j in 0..i {
                pairs += x[i].abs().max(x[j].abs());
            }
        }
        let g = Oscar::new(0.5, 0.25).unwrap();
        assert_eq!(Prox::<f64>::value(&g, &x), 0.5 * 8.0 + 0.25 * pairs);
    }

    #[test]
    fn names_the_bad_weight() {
        assert_eq!(
            Oscar::new(1.0, -1.0).unwrap_err().to_string(),
            "slope of the weights = -1, but it must be finite and at least 0"
        );
    }
}
