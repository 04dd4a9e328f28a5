//! Hyperplanes aᵀx = b and halfspaces aᵀx ≤ b.

use super::{clear_rounding, inside};
use crate::dual;
use crate::error::{Error, all_finite, finite, length};
use crate::linalg::vec::{dot_with, norm};
use crate::{Form, Kind, Prox, Real};

/// A unit normal and an offset: the plane aᵀx = b divided by ‖a‖.
#[derive(Debug, Clone, PartialEq)]
struct Plane {
    normal: Vec<f64>,
    offset: f64,
}

impl Plane {
    fn new(mut a: Vec<f64>, b: f64) -> Result<Self, Error> {
        all_finite("normal", &a)?;
        let size = norm(&a);
        if size == 0.0 {
            let none = "the normal of a hyperplane must have a nonzero entry".into();
            return Err(Error::Incompatible(none));
        }
        for a in &mut a {
            *a /= size;
        }
        Ok(Self {
            normal: a,
            offset: finite("b", b)? / size,
        })
    }

    /// How far x lies above the plane, and the size of the numbers in it.
    fn excess<T: Real>(&self, x: &[T]) -> (f64, f64) {
        let excess = dot_with(&self.normal, x) - self.offset;
        (excess, norm(x) + self.offset.abs())
    }

    /// The c with s = c·normal, if there is one.
    fn along<T: Real>(&self, s: &[T]) -> Option<f64> {
        let c = dot_with(&self.normal, s);
        let pairs = s.iter().zip(&self.normal);
        let beside = pairs.map(|(s, a)| (s.f64() - c * a).powi(2)).sum::<f64>();
        (beside.sqrt() <= dual::rounding::<T>(norm(s))).then_some(c)
    }

    /// A plane through 0 is a subspace.
    fn clear_rounding<T: Real>(&self, x: &mut [T], before: f64) {
        if self.offset == 0.0 {
            clear_rounding(x, before);
        }
    }

    /// x ← x − excess·normal
    fn project<T: Real>(&self, x: &mut [T], excess: f64) {
        for (x, &a) in x.iter_mut().zip(&self.normal) {
            *x = T::of(x.f64() - excess * a);
        }
    }
}

/// The x with aᵀx = b: prox(x) = x − a(aᵀx − b)/‖a‖². Convex.
#[derive(Debug, Clone, PartialEq)]
pub struct Hyperplane {
    plane: Plane,
}

impl Hyperplane {
    /// The plane with normal a ≠ 0.
    pub fn new(a: Vec<f64>, b: f64) -> Result<Self, Error> {
        Plane::new(a, b).map(|plane| Self { plane })
    }
}

impl<T: Real> Prox<T> for Hyperplane {
    fn value(&self, x: &[T]) -> f64 {
        let (excess, scale) = self.plane.excess(x);
        inside::<T>(excess.abs(), scale)
    }

    fn prox(&self, x: &mut [T], _: T) {
        let before = norm(x);
        // The second round removes the rounding of the first, which counts when x was far away.
        for _ in 0..2 {
            let (excess, _) = self.plane.excess(x);
            self.plane.project(x, excess);
        }
        self.plane.clear_rounding(x, before);
    }

    /// cb/‖a‖ at s = c·a/‖a‖, elsewhere +∞; parallel up to the rounding of s.
    fn conjugate(&self, s: &[T]) -> Option<f64> {
        Some(
            self.plane
                .along(s)
                .map_or(f64::INFINITY, |c| c * self.plane.offset),
        )
    }

    /// dom g* is a cone.
    fn polar(&self, s: &[T]) -> Option<f64> {
        self.conjugate(s)
            .map(|value| dual::cone(value < f64::INFINITY))
    }

    fn fits(&self, len: usize) -> Result<(), Error> {
        length("normal", &self.plane.normal, len)
    }

    fn form(&self) -> Form {
        Form::of(Kind::Set)
    }
}

/// The x with aᵀx ≤ b: prox(x) = x − a·max(aᵀx − b, 0)/‖a‖². Convex.
#[derive(Debug, Clone, PartialEq)]
pub struct Halfspace {
    plane: Plane,
}

impl Halfspace {
    /// The halfspace with outer normal a ≠ 0.
    pub fn new(a: Vec<f64>, b: f64) -> Result<Self, Error> {
        Plane::new(a, b).map(|plane| Self { plane })
    }
}

impl<T: Real> Prox<T> for Halfspace {
    fn value(&self, x: &[T]) -> f64 {
        let (excess, scale) = self.plane.excess(x);
        inside::<T>(excess, scale)
    }

    fn prox(&self, x: &mut [T], _: T) {
        let before = norm(x);
        for _ in 0..2 {
            let (excess, _) = self.plane.excess(x);
            if excess <= 0.0 {
                return;
            }
            self.plane.project(x, excess);
        }
        self.plane.clear_rounding(x, before);
    }

    /// The same where c ≥ 0.
    fn conjugate(&self, s: &[T]) -> Option<f64> {
        let outwards = self.plane.along(s).filter(|&c| c >= 0.0);
        Some(outwards.map_or(f64::INFINITY, |c| c * self.plane.offset))
    }

    /// dom g* is a cone.
    fn polar(&self, s: &[T]) -> Option<f64> {
        self.conjugate(s)
            .map(|value| dual::cone(value < f64::INFINITY))
    }

    fn fits(&self, len: usize) -> Result<(), Error> {
        length("normal", &self.plane.normal, len)
    }

    fn form(&self) -> Form {
        Form::of(Kind::Set)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::contract;

    #[test]
    fn keep_the_contract() {
        for (a, b) in [
            (vec![1.0, -2.0, 0.0, 3.0], 1.5),
            (vec![1e-8; 3], 0.0),
            (vec![-7e9], 2.0),
        ] {
            let n = a.len();
            contract(&Hyperplane::new(a.clone(), b).unwrap(), n);
            contract(&Halfspace::new(a, b).unwrap(), n);
        }
    }

    #[test]
    fn projects_along_the_normal() {
        let mut x = [3.0, 3.0];
        Hyperplane::new(vec![2.0, 0.0], 2.0)
            .unwrap()
            .prox(&mut x, 1.0);
        assert_eq!(x, [1.0, 3.0]);
        let mut x = [-3.0, 3.0];
        Halfspace::new(vec![2.0, 0.0], 2.0)
            .unwrap()
            .prox(&mut x, 1.0);
        assert_eq!(x, [-3.0, 3.0]);
        let mut x = [1e200, 1e200];
        Hyperplane::new(vec![1e200, 0.0], 1e200)
            .unwrap()
            .prox(&mut x, 1.0);
        assert_eq!(x, [1.0, 1e200]);
    }

    #[test]
    fn refuse_bad_parameters() {
        assert!(Hyperplane::new(vec![0.0, 0.0], 0.0).is_err());
        assert!(Hyperplane::new(vec![], 0.0).is_err());
        assert!(Halfspace::new(vec![1.0, f64::NAN], 0.0).is_err());
        assert!(Halfspace::new(vec![1.0], f64::INFINITY).is_err());
        assert!(Prox::<f64>::fits(&Hyperplane::new(vec![1.0], 0.0).unwrap(), 2).is_err());
    }

    #[test]
    fn the_support_function_is_finite_along_the_normal() {
        // Every point of 3x + 4y = 10 has the same product with (6, 8).
        let plane = Hyperplane::new(vec![3.0, 4.0], 10.0).unwrap();
        let half = Halfspace::new(vec![3.0, 4.0], 10.0).unwrap();
        let close = |value: Option<f64>, expected: f64| {
            assert!((value.unwrap() - expected).abs() < 1e-13);
        };
        close(plane.conjugate(&[6.0, 8.0]), 20.0);
        close(plane.conjugate(&[-6.0, -8.0]), -20.0);
        close(half.conjugate(&[6.0, 8.0]), 20.0);
        assert_eq!(half.conjugate(&[-6.0, -8.0]), Some(f64::INFINITY));
        assert_eq!(plane.conjugate(&[6.0, 8.1]), Some(f64::INFINITY));
    }
}
