//! (c·g)(x) = c·g(x) with c ≥ 0.

use crate::error::{Error, nonnegative};
use crate::{Class, Elementary, Form, Kind, Prox, Real, Separable, scratch};

/// c times an operator: P_η of c·g is P_{cη} of g. For c = 0 it is the zero function, also where g is infinite.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scaled<P> {
    factor: f64,
    of: P,
}

impl<P> Scaled<P> {
    /// factor·of, with factor ≥ 0.
    pub fn new(factor: f64, of: P) -> Result<Self, Error> {
        Ok(Self {
            factor: nonnegative("factor", factor)?,
            of,
        })
    }
}

impl<P> Scaled<P> {
    fn times(&self, of: Option<Elementary>) -> Option<Elementary> {
        if self.factor == 0.0 {
            return Some(Elementary::ZERO);
        }
        of.map(|of| Elementary {
            l1: self.factor * of.l1,
            sql2: self.factor * of.sql2,
            ..of
        })
    }
}

impl<T: Real, P: Prox<T>> Prox<T> for Scaled<P> {
    fn value(&self, x: &[T]) -> f64 {
        if self.factor == 0.0 {
            return 0.0;
        }
        self.factor * self.of.value(x)
    }

    fn prox(&self, x: &mut [T], step: T) {
        self.prox_with_error(x, step);
    }

    fn prox_with_error(&self, x: &mut [T], step: T) -> Option<f64> {
        if self.factor == 0.0 {
            return Some(0.0);
        }
        self.of.prox_with_error(x, T::of(self.factor) * step)
    }

    /// c·g*(s/c)
    fn conjugate(&self, s: &[T]) -> Option<f64> {
        if self.factor == 0.0 {
            return crate::prox::Zero.conjugate(s);
        }
        scratch::with(s.len(), |divided: &mut [T]| {
            for (divided, s) in divided.iter_mut().zip(s) {
                *divided = T::of(s.f64() / self.factor);
            }
            Some(self.factor * self.of.conjugate(divided)?)
        })
    }

    fn polar(&self, s: &[T]) -> Option<f64> {
        if self.factor == 0.0 {
            return crate::prox::Zero.polar(s);
        }
        Some(self.of.polar(s)? / self.factor)
    }

    fn class(&self) -> Class {
        match self.of.class() {
            _ if self.factor == 0.0 => Class::Convex,
            Class::WeaklyConvex { modulus } => Class::WeaklyConvex {
                modulus: self.factor * modulus,
            },
            class => class,
        }
    }

    fn fits(&self, len: usize) -> Result<(), Error> {
        self.of.fits(len)
    }

    fn separable(&self) -> Option<&dyn Separable<T>> {
        self.of.separable().map(|_| self as &dyn Separable<T>)
    }

    fn elementary(&self) -> Option<Elementary> {
        self.times(self.of.elementary())
    }

    fn form(&self) -> Form {
        let form = self.of.form();
        let kind = match form.kind {
            _ if self.factor == 0.0 => Kind::Zero,
            Kind::Ridge { weight } => Kind::Ridge {
                weight: self.factor * weight,
            },
            kind => kind,
        };
        Form { kind, ..form }
    }
}

impl<T: Real, P: Prox<T>> Separable<T> for Scaled<P> {
    fn value_at(&self, i: usize, t: T) -> f64 {
        match self.of.separable() {
            Some(of) if self.factor > 0.0 => self.factor * of.value_at(i, t),
            _ => 0.0,
        }
    }

    fn entry(&self, i: usize) -> Option<Elementary> {
        self.times(self.of.separable()?.entry(i))
    }

    fn prox_between(&self, i: usize, t: T, step: T, bounds: (T, T)) -> T {
        match self.of.separable() {
            Some(of) if self.factor > 0.0 => {
                of.prox_between(i, t, T::of(self.factor) * step, bounds)
            }
            _ => crate::prox::separable::clamp(t, bounds),
        }
    }
}

/// What is left of a kind when the operator acts on parts of x: a sum of ridges is a ridge, a product of boxes is a box.
pub(super) fn alike(kind: Kind) -> Kind {
    match kind {
        Kind::Ball { .. } | Kind::Sphere { .. } | Kind::Sum { .. } | Kind::Sparse { .. } => {
            Kind::Set
        }
        kind => kind,
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
        contract(&Scaled::new(3.0, L1::new(0.5).unwrap()).unwrap(), 4);
        contract(&Scaled::new(0.2, L0::new(2.0).unwrap()).unwrap(), 4);
        contract(&Scaled::new(0.0, NonNeg).unwrap(), 3);
        contract(&Scaled::new(5.0, NonNeg).unwrap(), 3);
    }

    #[test]
    fn three_times_a_penalty_is_the_penalty_with_three_times_the_weight() {
        let (mut a, mut b) = ([2.0, -0.7, 0.1], [2.0, -0.7, 0.1]);
        Scaled::new(3.0, L1::new(0.5).unwrap())
            .unwrap()
            .prox(&mut a, 0.4);
        L1::new(1.5).unwrap().prox(&mut b, 0.4);
        assert!(a.iter().zip(&b).all(|(a, b)| (a - b).abs() < 1e-15));
        assert!(Scaled::new(-1.0, NonNeg).is_err());
        let elementary = |p: &dyn Prox<f64>| p.elementary();
        let three = Scaled::new(3.0, L1::new(0.5).unwrap()).unwrap();
        assert_eq!(elementary(&three), elementary(&L1::new(1.5).unwrap()));
        let none = Scaled::new(0.0, NonNeg).unwrap();
        assert_eq!(elementary(&none), Some(Elementary::ZERO));
    }
}
