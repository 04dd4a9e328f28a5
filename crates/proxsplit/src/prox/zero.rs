//! g(x) = 0.

use super::separable::clamp;
use crate::{Elementary, Form, Kind, Prox, Real, Separable};

/// `zero`, no penalty: prox(x) = x. Convex.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Zero;

impl<T: Real> Prox<T> for Zero {
    fn value(&self, _: &[T]) -> f64 {
        0.0
    }

    fn prox(&self, _: &mut [T], _: T) {}

    fn separable(&self) -> Option<&dyn Separable<T>> {
        Some(self)
    }

    fn form(&self) -> Form {
        Form::of(Kind::Zero)
            .absolute()
            .homogeneous()
            .symmetric()
            .ordered()
    }

    fn elementary(&self) -> Option<Elementary> {
        Some(Elementary::ZERO)
    }
}

impl<T: Real> Separable<T> for Zero {
    #[inline(always)]
    fn value_at(&self, _: usize, _: T) -> f64 {
        0.0
    }

    #[inline(always)]
    fn prox_between(&self, _: usize, t: T, _: T, bounds: (T, T)) -> T {
        clamp(t, bounds)
    }
}

#[cfg(test)]
mod tests {
    use super::Zero;

    #[test]
    fn keeps_the_contract() {
        crate::check::contract(&Zero, 4);
        crate::check::extremes(&Zero, 4);
    }
}
