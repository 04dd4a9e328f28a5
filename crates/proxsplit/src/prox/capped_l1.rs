//! The capped ℓ1 penalty: W|t| up to T, and no more beyond.

use super::separable::{self, even_between, map, odd};
use crate::error::{Error, nonnegative, positive};
use crate::{Class, Form, Prox, Real, Separable};

/// `capped-l1:W,T`: W Σ_i min(|x_i|, T). The prox soft-thresholds up to a jump and is the identity beyond. Nonconvex.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CappedL1 {
    weight: f64,
    cap: f64,
}

impl CappedL1 {
    /// The penalty with slope W ≥ 0, constant from T > 0 on.
    pub fn new(weight: f64, cap: f64) -> Result<Self, Error> {
        Ok(Self {
            weight: nonnegative("weight", weight)?,
            cap: positive("T", cap)?,
        })
    }

    /// W
    pub fn weight(&self) -> f64 {
        self.weight
    }

    /// T
    pub fn cap(&self) -> f64 {
        self.cap
    }

    fn at(&self, t: f64) -> f64 {
        self.weight * t.abs().min(self.cap)
    }

    fn candidates(&self, t: f64, step: f64) -> [f64; 3] {
        let soft = (t - step * self.weight).max(0.0).min(self.cap);
        [0.0, soft, t.max(self.cap)]
    }

    /// Where the objective of soft thresholding passes that of t itself, WT.
    fn jump(&self, step: f64) -> f64 {
        let by = step * self.weight;
        if by <= 2.0 * self.cap {
            self.cap + by / 2.0
        } else {
            (2.0 * by * self.cap).sqrt()
        }
    }
}

impl<T: Real> Prox<T> for CappedL1 {
    fn value(&self, x: &[T]) -> f64 {
        separable::value(self, x)
    }

    fn prox(&self, x: &mut [T], step: T) {
        let by = T::of(self.weight) * step;
        let jump = T::of(self.jump(step.f64()));
        let cut = move |t: T| if t > jump { t } else { (t - by).max(T::ZERO) };
        map(x, move |x| odd(x, cut));
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

impl<T: Real> Separable<T> for CappedL1 {
    fn value_at(&self, _: usize, t: T) -> f64 {
        self.at(t.f64())
    }

    fn prox_between(&self, _: usize, t: T, step: T, bounds: (T, T)) -> T {
        even_between(
            (t, step),
            bounds,
            |t, step| self.candidates(t, step),
            |z| self.at(z),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::contract;
    use crate::prox::brute;

    #[test]
    fn keeps_the_contract() {
        contract(&CappedL1::new(0.7, 1.2).unwrap(), 5);
        contract(&CappedL1::new(0.0, 1.0).unwrap(), 3);
    }

    #[test]
    fn beats_every_point_of_a_grid() {
        brute::grid(&CappedL1::new(0.7, 1.2).unwrap());
        brute::grid(&CappedL1::new(3.0, 0.2).unwrap());
    }

    #[test]
    fn refuses_bad_parameters() {
        assert_eq!(
            CappedL1::new(1.0, -1.0).unwrap_err().to_string(),
            "T = -1, but it must be finite and greater than 0"
        );
    }
}
