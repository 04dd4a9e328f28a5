//! g(x) = Σ_i w_i|x|_(i), |x|_(1) ≥ |x|_(2) ≥ …, the sorted ℓ1 norm.

use super::sorted;
use crate::dual;
use crate::error::{Error, length, nonnegative};
use crate::{Form, Prox, Real};

/// SLOPE, a sorted ℓ1 norm with given weights: larger entries get larger weights. The prox takes O(n log n). Convex.
///
/// ```
/// use proxsplit::{Prox, prox::Slope};
/// let mut x = [1.0_f64, -3.0, 2.9];
/// Slope::new(vec![1.0, 0.5, 0.0])?.prox(&mut x, 1.0);
/// assert!((x[1] + 2.2).abs() < 1e-12 && (x[2] - 2.2).abs() < 1e-12 && x[0] == 1.0);
/// # Ok::<(), proxsplit::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Slope {
    weights: Vec<f64>,
}

impl Slope {
    /// Σ w_i|x|_(i) with w_1 ≥ w_2 ≥ … ≥ 0.
    pub fn new(weights: Vec<f64>) -> Result<Self, Error> {
        for &w in &weights {
            nonnegative("weight", w)?;
        }
        match weights.windows(2).find(|pair| pair[0] < pair[1]) {
            None => Ok(Self { weights }),
            Some(pair) => Err(Error::Parameter {
                name: "weight",
                value: pair[1],
                must: "at most the weight before it: the weights of a sorted l1 norm do not increase",
            }),
        }
    }

    /// w
    pub fn weights(&self) -> &[f64] {
        &self.weights
    }
}

impl<T: Real> Prox<T> for Slope {
    fn value(&self, x: &[T]) -> f64 {
        sorted::value(x, |k| self.weights[k])
    }

    fn prox(&self, x: &mut [T], step: T) {
        let step = step.f64();
        sorted::prox(x, |k| step * self.weights[k]);
    }

    fn conjugate(&self, s: &[T]) -> Option<f64> {
        self.polar(s).map(dual::indicator)
    }

    fn polar(&self, s: &[T]) -> Option<f64> {
        Some(sorted::polar(s, |k| self.weights[k]))
    }

    fn fits(&self, len: usize) -> Result<(), Error> {
        length("weights", &self.weights, len)
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
        for weights in [
            vec![2.0, 1.0, 0.5, 0.5, 0.1],
            vec![3.0, 0.0, 0.0],
            vec![0.0; 4],
            vec![1.0; 4],
            vec![1.0],
        ] {
            let len = weights.len();
            let g = Slope::new(weights).unwrap();
            contract(&g, len);
            extremes(&g, len);
        }
    }

    #[test]
    fn refuses_bad_weights() {
        assert_eq!(
            Slope::new(vec![1.0, 2.0]).unwrap_err().to_string(),
            "weight = 2, but it must be at most the weight before it: the weights of a sorted l1 norm do not increase"
        );
        assert!(Slope::new(vec![1.0, -2.0]).is_err());
        assert!(Prox::<f64>::fits(&Slope::new(vec![1.0]).unwrap(), 2).is_err());
    }
}
