//! Boxes: the same bounds for all entries, or bounds for each.

use crate::error::{Error, length, require};
use crate::prox::separable::{self, clamp};
use crate::{Elementary, Form, Kind, Prox, Real, Separable};

/// `box:L,U`, the x with L ≤ x_i ≤ U: prox(x)_i = min(max(x_i, L), U). Convex.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BoxSet {
    lower: f64,
    upper: f64,
}

/// `Ok` if some number lies between the bounds.
pub(super) fn check_bounds(lower: f64, upper: f64) -> Result<(), Error> {
    require(
        "lower bound",
        lower,
        lower < f64::INFINITY,
        "a number or -inf",
    )?;
    require(
        "upper bound",
        upper,
        upper >= lower && upper > f64::NEG_INFINITY,
        "at least the lower bound",
    )?;
    Ok(())
}

/// 0 if t lies between the bounds, else +∞.
#[inline(always)]
fn value_between<T: Real>(t: T, lower: f64, upper: f64) -> f64 {
    if T::of(lower) <= t && t <= T::of(upper) {
        0.0
    } else {
        f64::INFINITY
    }
}

impl BoxSet {
    /// The box with L ≤ U; −∞ and ∞ are allowed.
    pub fn new(lower: f64, upper: f64) -> Result<Self, Error> {
        check_bounds(lower, upper)?;
        Ok(Self { lower, upper })
    }

    /// L
    pub fn lower(&self) -> f64 {
        self.lower
    }

    /// U
    pub fn upper(&self) -> f64 {
        self.upper
    }
}

impl<T: Real> Prox<T> for BoxSet {
    fn value(&self, x: &[T]) -> f64 {
        separable::value(self, x)
    }

    fn prox(&self, x: &mut [T], step: T) {
        separable::prox(self, x, step);
    }

    fn separable(&self) -> Option<&dyn Separable<T>> {
        Some(self)
    }

    fn form(&self) -> Form {
        Form::of(Kind::Box).symmetric()
    }

    fn elementary(&self) -> Option<Elementary> {
        Some(Elementary {
            lower: self.lower,
            upper: self.upper,
            ..Elementary::ZERO
        })
    }
}

impl<T: Real> Separable<T> for BoxSet {
    #[inline(always)]
    fn value_at(&self, _: usize, t: T) -> f64 {
        value_between(t, self.lower, self.upper)
    }

    #[inline(always)]
    fn prox_between(&self, _: usize, t: T, _: T, bounds: (T, T)) -> T {
        clamp(clamp(t, (T::of(self.lower), T::of(self.upper))), bounds)
    }
}

/// The x with l_i ≤ x_i ≤ u_i: prox(x)_i = min(max(x_i, l_i), u_i). Convex.
#[derive(Debug, Clone, PartialEq)]
pub struct Bounds {
    lower: Vec<f64>,
    upper: Vec<f64>,
}

impl Bounds {
    /// The box with l ≤ u of the same length; −∞ and ∞ are allowed.
    pub fn new(lower: Vec<f64>, upper: Vec<f64>) -> Result<Self, Error> {
        length("upper bounds", &upper, lower.len())?;
        let mut pairs = lower.iter().zip(&upper);
        pairs.try_for_each(|(&l, &u)| check_bounds(l, u))?;
        Ok(Self { lower, upper })
    }

    /// l
    pub fn lower(&self) -> &[f64] {
        &self.lower
    }

    /// u
    pub fn upper(&self) -> &[f64] {
        &self.upper
    }
}

impl<T: Real> Prox<T> for Bounds {
    fn value(&self, x: &[T]) -> f64 {
        separable::value(self, x)
    }

    fn prox(&self, x: &mut [T], _: T) {
        for ((x, &l), &u) in x.iter_mut().zip(&self.lower).zip(&self.upper) {
            *x = clamp(*x, (T::of(l), T::of(u)));
        }
    }

    fn fits(&self, len: usize) -> Result<(), Error> {
        length("bounds", &self.lower, len)
    }

    fn separable(&self) -> Option<&dyn Separable<T>> {
        Some(self)
    }

    fn form(&self) -> Form {
        Form::of(Kind::Box)
    }
}

impl<T: Real> Separable<T> for Bounds {
    fn entry(&self, i: usize) -> Option<Elementary> {
        Some(Elementary {
            lower: self.lower[i],
            upper: self.upper[i],
            ..Elementary::ZERO
        })
    }

    fn value_at(&self, i: usize, t: T) -> f64 {
        value_between(t, self.lower[i], self.upper[i])
    }

    fn prox_between(&self, i: usize, t: T, _: T, bounds: (T, T)) -> T {
        clamp(
            clamp(t, (T::of(self.lower[i]), T::of(self.upper[i]))),
            bounds,
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::contract;

    #[test]
    fn keeps_the_contract() {
        contract(&BoxSet::new(-0.3, 1.7).unwrap(), 5);
        contract(&BoxSet::new(f64::NEG_INFINITY, 0.1).unwrap(), 3);
        contract(&BoxSet::new(0.1, 0.1).unwrap(), 3);
        let (l, u) = (vec![-1.0, 0.0, f64::NEG_INFINITY], vec![1.0, 0.0, 0.3]);
        contract(&Bounds::new(l, u).unwrap(), 3);
    }

    #[test]
    fn refuses_what_is_empty() {
        assert_eq!(
            BoxSet::new(1.0, 0.0).unwrap_err().to_string(),
            "upper bound = 0, but it must be at least the lower bound"
        );
        let infinite = f64::INFINITY;
        for (l, u) in [
            (f64::NAN, 1.0),
            (0.0, f64::NAN),
            (infinite, infinite),
            (-infinite, -infinite),
        ] {
            assert!(BoxSet::new(l, u).is_err(), "{l} {u}");
        }
        assert!(Bounds::new(vec![0.0], vec![]).is_err());
        assert!(Bounds::new(vec![0.0, 2.0], vec![1.0, 1.0]).is_err());
        assert!(Prox::<f64>::fits(&Bounds::new(vec![0.0], vec![1.0]).unwrap(), 2).is_err());
    }
}
