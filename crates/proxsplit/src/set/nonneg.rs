//! The nonnegative orthant x ≥ 0.

use crate::prox::separable::{self, clamp};
use crate::{Elementary, Form, Kind, Prox, Real, Separable};

/// `nonneg`: prox(x)_i = max(x_i, 0). Convex.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct NonNeg;

impl<T: Real> Prox<T> for NonNeg {
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
        Form::of(Kind::NonNeg).homogeneous().symmetric()
    }

    fn elementary(&self) -> Option<Elementary> {
        Some(Elementary {
            lower: 0.0,
            ..Elementary::ZERO
        })
    }
}

impl<T: Real> Separable<T> for NonNeg {
    #[inline(always)]
    fn value_at(&self, _: usize, t: T) -> f64 {
        if t >= T::ZERO { 0.0 } else { f64::INFINITY }
    }

    #[inline(always)]
    fn prox_between(&self, _: usize, t: T, _: T, bounds: (T, T)) -> T {
        clamp(t.max(T::ZERO), bounds)
    }
}

#[cfg(test)]
mod tests {
    use super::NonNeg;

    #[test]
    fn keeps_the_contract() {
        crate::check::contract(&NonNeg, 5);
    }
}
