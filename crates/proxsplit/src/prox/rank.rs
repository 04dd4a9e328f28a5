//! The rank of a matrix.

use crate::error::{Error, nonnegative};
use crate::linalg::spectral::{Shape, change_values, with_values};
use crate::set::numerical_rank;
use crate::{Class, Prox, Real};

/// `rank:W,RxC`: W times the rank. The prox drops the singular values s with s² ≤ 2ηW. Nonconvex.
///
/// The rank counts the singular values above 1e-9 (1e-5 in `f32`) of the largest.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rank {
    weight: f64,
    shape: Shape,
}

impl Rank {
    /// W ≥ 0 times the rank of matrices with this many rows and columns, given column by column.
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

impl<T: Real> Prox<T> for Rank {
    fn value(&self, x: &[T]) -> f64 {
        self.weight * with_values(x, self.shape, numerical_rank) as f64
    }

    fn prox(&self, x: &mut [T], step: T) {
        let cut = (T::of(2.0 * self.weight) * step).sqrt();
        change_values(x, self.shape, |values| {
            let kept = values.partition_point(|&s| s > cut);
            values[kept..].fill(T::ZERO);
            kept < values.len()
        });
    }

    fn class(&self) -> Class {
        Class::Nonconvex
    }

    fn fits(&self, len: usize) -> Result<(), Error> {
        self.shape.fits(len)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::contract;

    #[test]
    fn keeps_the_contract() {
        contract(&Rank::new(0.7, 3, 2).unwrap(), 6);
        contract(&Rank::new(0.7, 1, 3).unwrap(), 3);
        contract(&Rank::new(0.0, 2, 2).unwrap(), 4);
    }

    #[test]
    fn of_a_diagonal_matrix_it_is_hard_thresholding() {
        let mut x = [3.0, 0.0, 0.0, -1.0];
        let g = Rank::new(2.0, 2, 2).unwrap();
        assert_eq!(g.value(&x), 4.0);
        g.prox(&mut x, 1.0);
        assert_eq!(g.value(&x), 2.0);
        assert!((x[0] - 3.0).abs() < 1e-15 && x[3].abs() < 1e-15);
    }
}
