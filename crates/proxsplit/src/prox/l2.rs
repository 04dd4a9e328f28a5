//! g(x) = W‖x‖₂.

use crate::dual;
use crate::error::{Error, nonnegative};
use crate::linalg::vec::{norm, scale};
use crate::{Form, Prox, Real};

/// `l2:W`, block soft thresholding: prox(x) = max(1 − ηW/‖x‖₂, 0)·x. Convex.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct L2 {
    weight: f64,
}

impl L2 {
    /// W‖x‖₂ with W ≥ 0.
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

/// x moved towards zero by `by` along itself, and no further than zero.
pub(crate) fn shorten<T: Real>(x: &mut [T], by: f64) {
    let size = norm(x);
    if size > by {
        scale(T::of((size - by) / size), x);
    } else {
        x.fill(T::ZERO);
    }
}

impl<T: Real> Prox<T> for L2 {
    fn value(&self, x: &[T]) -> f64 {
        self.weight * norm(x)
    }

    fn prox(&self, x: &mut [T], step: T) {
        shorten(x, self.weight * step.f64());
    }

    fn conjugate(&self, s: &[T]) -> Option<f64> {
        self.polar(s).map(dual::indicator)
    }

    fn polar(&self, s: &[T]) -> Option<f64> {
        Some(dual::ratio(norm(s), self.weight))
    }

    fn form(&self) -> Form {
        Form::default().absolute().homogeneous().symmetric()
    }
}

#[cfg(test)]
mod tests {
    use super::L2;
    use crate::check::{contract, extremes};

    #[test]
    fn keeps_the_contract() {
        for weight in [0.0, 0.7, 5.0] {
            contract(&L2::new(weight).unwrap(), 6);
            extremes(&L2::new(weight).unwrap(), 6);
        }
        contract(&L2::new(1.0).unwrap(), 1);
    }

    #[test]
    fn refuses_a_bad_weight() {
        assert!(L2::new(-1.0).is_err());
    }
}
