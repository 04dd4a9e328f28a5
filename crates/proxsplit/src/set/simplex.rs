//! The simplex x ≥ 0, Σx = R.

use super::inside;
use crate::error::{Error, nonnegative};
use crate::linalg::{simplex_cut, vec::sum};
use crate::{Form, Kind, Prox, Real};

/// `simplex:R`: prox(x)_i = max(x_i − τ, 0) with the τ that makes the sum R. Convex.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Simplex {
    radius: f64,
}

impl Simplex {
    /// The x ≥ 0 whose sum is R ≥ 0; for R = 0 only x = 0.
    pub fn new(radius: f64) -> Result<Self, Error> {
        Ok(Self {
            radius: nonnegative("radius", radius)?,
        })
    }

    /// R
    pub fn radius(&self) -> f64 {
        self.radius
    }
}

impl<T: Real> Prox<T> for Simplex {
    fn value(&self, x: &[T]) -> f64 {
        if x.iter().any(|&x| x < T::ZERO) {
            return f64::INFINITY;
        }
        inside::<T>((sum(x) - self.radius).abs(), self.radius)
    }

    fn prox(&self, x: &mut [T], _: T) {
        let cut = simplex_cut(x, self.radius);
        for t in x {
            *t = T::of(cut.excess(t.f64()));
        }
    }

    fn conjugate(&self, s: &[T]) -> Option<f64> {
        let largest = s.iter().map(|s| s.f64()).reduce(f64::max);
        Some(self.radius * largest.unwrap_or(0.0))
    }

    fn polar(&self, _: &[T]) -> Option<f64> {
        Some(0.0)
    }

    fn fits(&self, len: usize) -> Result<(), Error> {
        super::some_entry(len, self.radius)
    }

    fn form(&self) -> Form {
        let (lower, upper, total) = (0.0, f64::INFINITY, self.radius);
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
        contract(&Simplex::new(1.0).unwrap(), 6);
        contract(&Simplex::new(1e-3).unwrap(), 3);
        contract(&Simplex::new(50.0).unwrap(), 1);
        contract(&Simplex::new(0.0).unwrap(), 4);
    }

    #[test]
    fn survives_extreme_scales() {
        let mut x = [1e15, 1e15, -1e15, 0.0];
        Simplex::new(1e-4).unwrap().prox(&mut x, 1.0);
        assert_eq!(x, [5e-5, 5e-5, 0.0, 0.0]);
        let mut x = [1e-300, 0.0];
        Simplex::new(1e-300).unwrap().prox(&mut x, 1.0);
        assert_eq!(x, [1e-300, 0.0]);
    }

    #[test]
    fn refuses_the_impossible() {
        assert!(Simplex::new(-1.0).is_err());
        let no_entry = Prox::<f64>::fits(&Simplex::new(1.0).unwrap(), 0);
        assert_eq!(
            no_entry.unwrap_err().to_string(),
            "an empty vector has sum and norm 0, not 1"
        );
    }
}
