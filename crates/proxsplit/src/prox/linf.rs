//! g(x) = W‖x‖_∞.

use crate::dual;
use crate::error::{Error, nonnegative};
use crate::linalg::ball_threshold;
use crate::linalg::vec::{norm_inf, norm1};
use crate::{Form, Prox, Real};

/// `linf:W`, the largest entries cut to a common size: prox(x)_i = sign(x_i)·min(|x_i|, τ), where τ ≥ 0 is such that the
/// cut parts add up to ηW. Convex.
///
/// By the Moreau identity it is x minus the projection of x on the ℓ1 ball of radius ηW.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Linf {
    weight: f64,
}

impl Linf {
    /// W‖x‖_∞ with W ≥ 0.
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

/// Cuts the largest entries of x down until `by` is taken away, at most to zero.
pub(crate) fn cut_peaks<T: Real>(x: &mut [T], by: f64) {
    let peak = T::of(ball_threshold(x, by).max(0.0));
    for x in x {
        *x = x.max(-peak).min(peak);
    }
}

impl<T: Real> Prox<T> for Linf {
    fn value(&self, x: &[T]) -> f64 {
        self.weight * norm_inf(x)
    }

    fn prox(&self, x: &mut [T], step: T) {
        cut_peaks(x, self.weight * step.f64());
    }

    fn conjugate(&self, s: &[T]) -> Option<f64> {
        self.polar(s).map(dual::indicator)
    }

    fn polar(&self, s: &[T]) -> Option<f64> {
        Some(dual::ratio(norm1(s), self.weight))
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
        for weight in [0.0, 0.7, 5.0] {
            contract(&Linf::new(weight).unwrap(), 6);
            extremes(&Linf::new(weight).unwrap(), 6);
        }
        contract(&Linf::new(1.0).unwrap(), 1);
    }

    #[test]
    fn equals_bisection_on_the_cut() {
        let y: Vec<f64> = (0..50).map(|i| f64::from(i * 37 % 50) - 25.0).collect();
        let mut x = y.clone();
        Linf::new(8.0).unwrap().prox(&mut x, 2.0);
        let (mut low, mut high) = (0.0, 25.0);
        for _ in 0..100 {
            let peak = 0.5 * (low + high);
            let cut: f64 = y.iter().map(|y| (y.abs() - peak).max(0.0)).sum();
            if cut > 16.0 {
                low = peak;
            } else {
                high = peak;
            }
        }
        for (x, y) in x.iter().zip(&y) {
            assert!((x - y.clamp(-low, low)).abs() < 1e-13);
        }
    }

    #[test]
    fn refuses_a_bad_weight() {
        assert!(Linf::new(f64::NAN).is_err());
    }
}
