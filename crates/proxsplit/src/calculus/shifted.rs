//! x ↦ g(x − b).

use crate::error::{Error, all_finite, length};
use crate::linalg::vec::{axpy, dot_with};
use crate::prox::separable::clamp;
use crate::{Class, Form, Kind, Prox, Real, Separable, scratch};

/// An operator with its origin moved to b: the prox is b + P_η^g(x − b).
#[derive(Debug, Clone, PartialEq)]
pub struct Shifted<P> {
    of: P,
    by: Vec<f64>,
}

impl<P> Shifted<P> {
    /// x ↦ of(x − by)
    pub fn new(of: P, by: Vec<f64>) -> Result<Self, Error> {
        all_finite("shift", &by)?;
        Ok(Self { of, by })
    }

    /// Calls `work` with b in the scalar of x.
    fn origin<T: Real, R>(&self, work: impl FnOnce(&[T]) -> R) -> R {
        scratch::with(self.by.len(), |origin: &mut [T]| {
            for (o, &b) in origin.iter_mut().zip(&self.by) {
                *o = T::of(b);
            }
            work(origin)
        })
    }
}

impl<T: Real, P: Prox<T>> Prox<T> for Shifted<P> {
    /// A set counts as met within rounding: x − b is not exact.
    fn value(&self, x: &[T]) -> f64 {
        scratch::with(x.len(), |moved: &mut [T]| {
            moved.copy_from_slice(x);
            self.origin(|origin| axpy(-T::ONE, origin, moved));
            super::value_near(&self.of, moved, 8.0 * T::EPSILON.f64())
        })
    }

    fn prox(&self, x: &mut [T], step: T) {
        self.prox_with_error(x, step);
    }

    fn prox_with_error(&self, x: &mut [T], step: T) -> Option<f64> {
        self.origin(|origin| {
            axpy(-T::ONE, origin, x);
            let error = self.of.prox_with_error(x, step);
            axpy(T::ONE, origin, x);
            error
        })
    }

    /// g*(s) + ⟨s, b⟩
    fn conjugate(&self, s: &[T]) -> Option<f64> {
        Some(self.of.conjugate(s)? + dot_with(&self.by, s))
    }

    fn polar(&self, s: &[T]) -> Option<f64> {
        self.of.polar(s)
    }

    fn class(&self) -> Class {
        self.of.class()
    }

    fn fits(&self, len: usize) -> Result<(), Error> {
        length("shift", &self.by, len)?;
        self.of.fits(len)
    }

    fn separable(&self) -> Option<&dyn Separable<T>> {
        self.of.separable().map(|_| self as &dyn Separable<T>)
    }

    fn form(&self) -> Form {
        let form = self.of.form();
        Form::of(match form.kind {
            Kind::Zero => Kind::Zero,
            _ if form.is_box() => Kind::Box,
            _ if form.is_set() => Kind::Set,
            _ => Kind::Penalty,
        })
    }
}

impl<T: Real, P: Prox<T>> Separable<T> for Shifted<P> {
    fn value_at(&self, i: usize, t: T) -> f64 {
        let t = t - T::of(self.by[i]);
        self.of.separable().map_or(f64::NAN, |of| of.value_at(i, t))
    }

    fn prox_between(&self, i: usize, t: T, step: T, (lower, upper): (T, T)) -> T {
        let b = T::of(self.by[i]);
        let Some(of) = self.of.separable() else {
            return t;
        };
        let moved = of.prox_between(i, t - b, step, (lower - b, upper - b));
        clamp(moved + b, (lower, upper))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::contract;
    use crate::prox::{L0, L1};
    use crate::set::NonNeg;

    #[test]
    fn keeps_the_contract() {
        let by = || vec![1.0, -0.3, 0.0];
        contract(&Shifted::new(L1::new(0.5).unwrap(), by()).unwrap(), 3);
        contract(&Shifted::new(L0::new(0.5).unwrap(), by()).unwrap(), 3);
        contract(&Shifted::new(NonNeg, by()).unwrap(), 3);
    }

    #[test]
    fn refuses_bad_shifts() {
        assert!(Shifted::new(NonNeg, vec![f64::NAN]).is_err());
        assert!(Prox::<f64>::fits(&Shifted::new(NonNeg, vec![1.0]).unwrap(), 2).is_err());
    }
}
