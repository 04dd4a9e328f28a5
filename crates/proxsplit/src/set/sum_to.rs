//! The hyperplane Σx = B.

use super::{clear_rounding, inside};
use crate::error::{Error, finite};
use crate::linalg::vec::{norm, norm1, sum};
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
}
