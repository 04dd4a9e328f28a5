//! Matrices of low rank.

use super::tolerance;
use crate::linalg::spectral::{Shape, change_values, with_values};
use crate::{Class, Error, Form, Kind, Prox, Real};

/// `rank-ball:K,RxC`, the matrices of rank at most K: the K largest singular values stay (C. Eckart, G. Young, 1936).
/// Nonconvex.
///
/// The rank counts the singular values above 1e-9 (1e-5 in `f32`) of the largest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RankBall {
    rank: usize,
    shape: Shape,
}

impl RankBall {
    /// Matrices with this many rows and columns, given column by column, of rank at most K.
    pub fn new(rank: usize, rows: usize, cols: usize) -> Self {
        Self {
            rank,
            shape: Shape { rows, cols },
        }
    }

    /// K
    pub fn rank(&self) -> usize {
        self.rank
    }

    /// R and C
    pub fn shape(&self) -> (usize, usize) {
        (self.shape.rows, self.shape.cols)
    }
}

/// How many of the decreasing singular values count as nonzero.
pub(crate) fn numerical_rank<T: Real>(values: &[T]) -> usize {
    let zero = values.first().map_or(0.0, |s| s.f64() * tolerance::<T>());
    values.partition_point(|s| s.f64() > zero)
}

impl<T: Real> Prox<T> for RankBall {
    fn value(&self, x: &[T]) -> f64 {
        with_values(x, self.shape, |values| {
            let none = values.first().is_some_and(|s| !s.is_finite());
            if !none && numerical_rank(values) <= self.rank {
                0.0
            } else {
                f64::INFINITY
            }
        })
    }

    fn prox(&self, x: &mut [T], _: T) {
        if self.rank == 0 {
            x.fill(T::ZERO);
            return;
        }
        change_values(x, self.shape, |values| {
            let kept = self.rank.min(values.len());
            let change = values[kept..].iter().any(|&s| s > T::ZERO);
            values[kept..].fill(T::ZERO);
            change
        });
    }

    fn class(&self) -> Class {
        Class::Nonconvex
    }

    fn fits(&self, len: usize) -> Result<(), Error> {
        self.shape.fits(len)
    }

    fn form(&self) -> Form {
        Form::of(Kind::Set).homogeneous()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::{contract, vector};
    use crate::linalg::vec::distance_squared;
    use proptest::prelude::*;

    #[test]
    fn keeps_the_contract() {
        for rank in 0..3 {
            contract(&RankBall::new(rank, 3, 2), 6);
        }
        contract(&RankBall::new(1, 2, 4), 8);
    }

    proptest! {
        /// The best rank-1 matrix (a + tb)(…)ᵀ over all directions of the row space of a 2-column matrix.
        #[test]
        fn no_direction_is_nearer(y in vector(6)) {
            let mut x = y.clone();
            RankBall::new(1, 3, 2).prox(&mut x, 1.0);
            let reached = distance_squared(&x, &y);
            for i in 0..400 {
                let (sin, cos) = (f64::from(i) * std::f64::consts::PI / 400.0).sin_cos();
                let rival: Vec<f64> = (0..6).map(|at| {
                    let along = y[at % 3] * cos + y[at % 3 + 3] * sin;
                    along * if at < 3 { cos } else { sin }
                }).collect();
                prop_assert!(reached <= distance_squared(&rival, &y) * (1.0 + 1e-12) + 1e-20);
            }
        }
    }

    #[test]
    fn refuses_what_does_not_fit() {
        assert!(Prox::<f64>::fits(&RankBall::new(1, 2, 3), 7).is_err());
    }
}
