//! x ∈ {0, 1}ⁿ.

use crate::prox::separable::{self, best};
use crate::{Class, Form, Kind, Prox, Real, Separable};

/// `binary`: prox(x)_i = 1 if x_i > ½, else 0. Nonconvex.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Binary;

impl<T: Real> Prox<T> for Binary {
    fn value(&self, x: &[T]) -> f64 {
        separable::value(self, x)
    }

    fn prox(&self, x: &mut [T], _: T) {
        for x in x {
            *x = if *x > T::of(0.5) { T::ONE } else { T::ZERO };
        }
    }

    fn class(&self) -> Class {
        Class::Nonconvex
    }

    fn separable(&self) -> Option<&dyn Separable<T>> {
        Some(self)
    }

    fn form(&self) -> Form {
        Form::of(Kind::Set).symmetric()
    }
}

impl<T: Real> Separable<T> for Binary {
    fn value_at(&self, _: usize, t: T) -> f64 {
        if t == T::ZERO || t == T::ONE {
            0.0
        } else {
            f64::INFINITY
        }
    }

    fn prox_between(&self, i: usize, t: T, step: T, (lower, upper): (T, T)) -> T {
        let bounds = (lower.f64(), upper.f64());
        T::of(best([0.0, 1.0], bounds, (t.f64(), step.f64()), |z| {
            self.value_at(i, z)
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_the_contract() {
        crate::check::contract(&Binary, 4);
    }

    #[test]
    fn takes_the_nearest_and_on_a_tie_zero() {
        let mut x = [0.5, 0.6, -7.0, 1e300];
        Binary.prox(&mut x, 1.0);
        assert_eq!(x, [0.0, 1.0, 0.0, 1.0]);
        assert_eq!(Binary.prox_between(0, -3.0, 1.0, (0.5, 2.0)), 1.0);
        assert_eq!(Binary.prox_between(0, 1e300, 1.0, (-1.0, 0.5)), 0.0);
    }
}
