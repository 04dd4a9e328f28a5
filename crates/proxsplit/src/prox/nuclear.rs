//! The nuclear norm, the convex stand-in for the rank.

use crate::dual;
use crate::error::{Error, nonnegative};
use crate::linalg::spectral::{Shape, change_values, with_values};
use crate::linalg::vec::sum;
use crate::{Form, Prox, Real};

/// `nuclear:W,RxC`: W times the sum of the singular values. The prox soft-thresholds them by ηW. Convex.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Nuclear {
    weight: f64,
    shape: Shape,
}

impl Nuclear {
    /// The norm with W ≥ 0 of matrices with this many rows and columns, given column by column.
    pub fn new(weight: f64, rows: usize, cols: usize) -> Result<Self, Error> {
        Ok(Self {
            weight: nonnegative("weight", weight)?,
            shape: Shape { rows, cols },
        })
    }

    /// W
    pub fn weight(&self) -> f64 {
        self.weight
    }

    /// R and C
    pub fn shape(&self) -> (usize, usize) {
        (self.shape.rows, self.shape.cols)
    }
}

impl<T: Real> Prox<T> for Nuclear {
    fn value(&self, x: &[T]) -> f64 {
        self.weight * with_values(x, self.shape, sum)
    }

    fn prox(&self, x: &mut [T], step: T) {
        let by = T::of(self.weight) * step;
        change_values(x, self.shape, |values| {
            for s in values {
                *s = (*s - by).max(T::ZERO);
            }
            by > T::ZERO
        });
    }

    fn conjugate(&self, s: &[T]) -> Option<f64> {
        self.polar(s).map(dual::indicator)
    }

    fn polar(&self, s: &[T]) -> Option<f64> {
        let largest = with_values(s, self.shape, |values| {
            values.first().map_or(0.0, |s| s.f64())
        });
        largest
            .is_finite()
            .then(|| dual::ratio(largest, self.weight))
    }

    fn fits(&self, len: usize) -> Result<(), Error> {
        self.shape.fits(len)
    }

    fn form(&self) -> Form {
        Form::default().homogeneous()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::contract;

    #[test]
    fn keeps_the_contract() {
        contract(&Nuclear::new(0.7, 3, 2).unwrap(), 6);
        contract(&Nuclear::new(0.7, 1, 4).unwrap(), 4);
        contract(&Nuclear::new(0.0, 2, 2).unwrap(), 4);
        contract(&Nuclear::new(1.0, 0, 2).unwrap(), 0);
    }

    #[test]
    fn of_a_diagonal_matrix_it_is_the_l1_norm() {
        let mut x = [3.0, 0.0, 0.0, -1.0];
        let g = Nuclear::new(2.0, 2, 2).unwrap();
        assert!((g.value(&x) - 8.0).abs() < 1e-14);
        g.prox(&mut x, 0.75);
        for (x, expected) in x.iter().zip([1.5, 0.0, 0.0, 0.0]) {
            assert!((x - expected).abs() < 1e-15);
        }
    }

    #[test]
    fn refuses_what_does_not_fit() {
        assert!(Nuclear::new(-1.0, 2, 2).is_err());
        assert_eq!(
            Prox::<f64>::fits(&Nuclear::new(1.0, 2, 3).unwrap(), 5)
                .unwrap_err()
                .to_string(),
            "a vector of length 5 is not a 2x3 matrix"
        );
        assert!(Prox::<f64>::fits(&Nuclear::new(1.0, usize::MAX, 3).unwrap(), 5).is_err());
    }
}
