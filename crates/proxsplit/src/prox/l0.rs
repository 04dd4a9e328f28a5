//! g(x) = W‖x‖₀, the number of nonzeros times W.

use super::separable::{self, best, clamp, map};
use crate::error::{Error, nonnegative};
use crate::{Class, Form, Prox, Real, Separable};

/// `l0:W`, hard thresholding: prox(x)_i = x_i if x_i² > 2ηW, else 0. Nonconvex.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct L0 {
    weight: f64,
}

impl L0 {
    /// W × number of nonzeros, with W ≥ 0.
    pub fn new(weight: f64) -> Result<Self, Error> {
        Ok(Self {
            weight: nonnegative("weight", weight)?,
        })
    }
}

impl<T: Real> Prox<T> for L0 {
    fn value(&self, x: &[T]) -> f64 {
        separable::value(self, x)
    }

    fn prox(&self, x: &mut [T], step: T) {
        let cut = (T::of(2.0 * self.weight) * step).sqrt();
        map(x, move |t| if t.abs() <= cut { T::ZERO } else { t });
    }

    fn class(&self) -> Class {
        Class::Nonconvex
    }

    fn separable(&self) -> Option<&dyn Separable<T>> {
        Some(self)
    }

    fn form(&self) -> Form {
        Form::default().absolute().symmetric()
    }
}

impl<T: Real> Separable<T> for L0 {
    fn value_at(&self, _: usize, t: T) -> f64 {
        if t == T::ZERO { 0.0 } else { self.weight }
    }

    fn prox_between(&self, i: usize, t: T, step: T, (lower, upper): (T, T)) -> T {
        let nearest = clamp(t, (lower, upper));
        let bounds = (lower.f64(), upper.f64());
        T::of(best(
            [0.0, nearest.f64()],
            bounds,
            (t.f64(), step.f64()),
            |z| self.value_at(i, z),
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::contract;

    #[test]
    fn keeps_the_contract() {
        contract(&L0::new(0.7).unwrap(), 6);
        contract(&L0::new(0.0).unwrap(), 3);
    }
}
