//! The hyperplane Σx = B.

use super::{clear_rounding, inside};
use crate::dual;
use crate::error::{Error, finite};
use crate::linalg::vec::{norm, norm_inf, norm1, sum};
use crate::{Form, Kind, Prox, Real};

/// `sum:B`, the x whose entries sum to B: prox(x)_i = x_i − (Σx − B)/n. Convex.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SumTo {
    total: f64,
}

impl SumTo {
    /// The vectors with sum B.
    pub fn new(total: f64) -> Result<Self, Error> {
        Ok(Self {
            total: finite("total", total)?,
        })
    }

    /// B
    pub fn total(&self) -> f64 {
        self.total
    }
}

impl<T: Real> Prox<T> for SumTo {
    fn value(&self, x: &[T]) -> f64 {
        inside::<T>((sum(x) - self.total).abs(), norm1(x) + self.total.abs())
    }

    fn prox(&self, x: &mut [T], _: T) {
        let before = norm(x);
        // The second round removes the rounding of the first, which counts when x was far away.
        for _ in 0..2 {
            let each = (sum(x) - self.total) / x.len() as f64;
            for x in x.iter_mut() {
                *x = T::of(x.f64() - each);
            }
        }
        if self.total == 0.0 {
            clear_rounding(x, before);
        }
    }

    /// cB at s = c·(1, …, 1), elsewhere +∞; equal up to the rounding of s.
    fn conjugate(&self, s: &[T]) -> Option<f64> {
        let mean = sum(s) / s.len().max(1) as f64;
        let spread = s.iter().fold(0.0f64, |d, s| d.max((s.f64() - mean).abs()));
        let inside = spread <= dual::rounding::<T>(norm_inf(s));
        Some(if inside {
            mean * self.total
        } else {
            f64::INFINITY
        })
    }

    /// dom g* is a cone.
    fn polar(&self, s: &[T]) -> Option<f64> {
        self.conjugate(s)
            .map(|value| dual::cone(value < f64::INFINITY))
    }

    fn fits(&self, len: usize) -> Result<(), Error> {
        super::some_entry(len, self.total)
    }

    fn form(&self) -> Form {
        let (lower, upper) = (f64::NEG_INFINITY, f64::INFINITY);
        let total = self.total;
        Form::of(Kind::Sum {
            lower,
            upper,
            total,
        })
        .symmetric()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::contract;

    #[test]
    fn keeps_the_contract() {
        contract(&SumTo::new(1.5).unwrap(), 6);
        contract(&SumTo::new(0.0).unwrap(), 3);
        contract(&SumTo::new(-4.0).unwrap(), 1);
    }

    #[test]
    fn refuses_the_impossible() {
        assert!(SumTo::new(f64::NAN).is_err());
        assert!(Prox::<f64>::fits(&SumTo::new(1.0).unwrap(), 0).is_err());
        assert!(Prox::<f64>::fits(&SumTo::new(0.0).unwrap(), 0).is_ok());
    }

    #[test]
    fn the_support_function_is_finite_along_the_normal() {
        let three = SumTo::new(3.0).unwrap();
        assert_eq!(three.conjugate(&[-2.0, -2.0]), Some(-6.0));
        assert_eq!(three.conjugate(&[2.0, 2.0 + 1e-12]), Some(f64::INFINITY));
        assert_eq!(three.polar(&[1.0, 1.0]), Some(0.0));
    }
}
