//! The sphere ‖x‖₂ = R.

use super::inside;
use crate::error::{Error, nonnegative};
use crate::linalg::vec::norm;
use crate::{Class, Form, Kind, Prox, Real};

/// `sphere:R`: prox(x) = R·x/‖x‖₂; for x = 0, where every point is as near, (R, 0, …, 0). Nonconvex.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sphere {
    radius: f64,
}

impl Sphere {
    /// The sphere of radius R ≥ 0; for R = 0 only x = 0.
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

impl<T: Real> Prox<T> for Sphere {
    fn value(&self, x: &[T]) -> f64 {
        inside::<T>((norm(x) - self.radius).abs(), self.radius)
    }

    fn prox(&self, x: &mut [T], _: T) {
        let size = norm(x);
        if size > 0.0 {
            // Divided first: R/‖x‖ can overflow.
            for x in x {
                *x = T::of(x.f64() / size * self.radius);
            }
        } else if let Some(first) = x.first_mut() {
            *first = T::of(self.radius);
        }
    }

    fn class(&self) -> Class {
        Class::Nonconvex
    }

    fn fits(&self, len: usize) -> Result<(), Error> {
        super::some_entry(len, self.radius)
    }

    fn form(&self) -> Form {
        let radius = self.radius;
        Form::of(Kind::Sphere { radius }).symmetric()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::contract;

    #[test]
    fn keeps_the_contract() {
        contract(&Sphere::new(0.7).unwrap(), 5);
        contract(&Sphere::new(2.0).unwrap(), 1);
        contract(&Sphere::new(0.0).unwrap(), 2);
    }

    #[test]
    fn zero_and_extreme_scales() {
        let sphere = Sphere::new(5.0).unwrap();
        for (y, expected) in [
            ([0.0, 0.0], [5.0, 0.0]),
            ([3e-308, 4e-308], [3.0, 4.0]),
            ([-3e300, 4e300], [-3.0, 4.0]),
        ] {
            let mut x = y;
            sphere.prox(&mut x, 1.0);
            assert!(
                x.iter().zip(expected).all(|(x, e)| (x - e).abs() < 1e-14),
                "{x:?}"
            );
        }
        assert!(Sphere::new(-1.0).is_err());
        assert!(Prox::<f64>::fits(&sphere, 0).is_err());
    }
}
