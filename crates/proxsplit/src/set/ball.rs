//! The balls ‖x‖ ≤ R of the norms ℓ1, ℓ2 and ℓ∞.

use super::inside;
use crate::error::{Error, nonnegative};
use crate::linalg::ball_cut;
use crate::linalg::vec::{norm, norm_inf, norm1};
use crate::prox::separable::{self, clamp, odd};
use crate::{Elementary, Form, Kind, Prox, Real, Separable};

macro_rules! ball {
    ($ball:ident, $(#[$attribute:meta])*) => {
        $(#[$attribute])*
        #[derive(Debug, Clone, Copy, PartialEq)]
        pub struct $ball {
            radius: f64,
        }

        impl $ball {
            /// The ball of radius R ≥ 0; for R = 0 only x = 0 is in it.
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
    };
}

ball!(L1Ball, /// `l1-ball:R`, the x with ‖x‖₁ ≤ R: soft thresholding by the τ that makes the norm R. Convex.
);
ball!(L2Ball, /// `l2-ball:R`, the x with ‖x‖₂ ≤ R: prox(x) = x·min(1, R/‖x‖₂). Convex.
);
ball!(LinfBall, /// `linf-ball:R`, the x with ‖x‖_∞ ≤ R: prox(x)_i = min(max(x_i, −R), R). Convex.
);

impl<T: Real> Prox<T> for L1Ball {
    fn value(&self, x: &[T]) -> f64 {
        inside::<T>(norm1(x) - self.radius, self.radius)
    }

    fn prox(&self, x: &mut [T], _: T) {
        if norm1(x) <= self.radius {
            return;
        }
        let cut = ball_cut(x, self.radius);
        for t in x {
            *t = odd(*t, |t| T::of(cut.excess(t.f64())));
        }
    }

    fn conjugate(&self, s: &[T]) -> Option<f64> {
        Some(self.radius * norm_inf(s))
    }

    fn polar(&self, _: &[T]) -> Option<f64> {
        Some(0.0)
    }

    fn form(&self) -> Form {
        Form::of(Kind::Set).absolute().symmetric()
    }
}

impl<T: Real> Prox<T> for L2Ball {
    fn value(&self, x: &[T]) -> f64 {
        inside::<T>(norm(x) - self.radius, self.radius)
    }

    fn prox(&self, x: &mut [T], _: T) {
        let size = norm(x);
        if size > self.radius {
            let shrink = self.radius / size;
            for x in x {
                *x = T::of(x.f64() * shrink);
            }
        }
    }

    fn conjugate(&self, s: &[T]) -> Option<f64> {
        Some(self.radius * norm(s))
    }

    fn polar(&self, _: &[T]) -> Option<f64> {
        Some(0.0)
    }

    fn form(&self) -> Form {
        let radius = self.radius;
        Form::of(Kind::Ball { radius }).absolute().symmetric()
    }
}

impl<T: Real> Prox<T> for LinfBall {
    fn value(&self, x: &[T]) -> f64 {
        separable::value(self, x)
    }

    fn prox(&self, x: &mut [T], step: T) {
        separable::prox(self, x, step);
    }

    fn conjugate(&self, s: &[T]) -> Option<f64> {
        Some(self.radius * norm1(s))
    }

    fn polar(&self, _: &[T]) -> Option<f64> {
        Some(0.0)
    }

    fn separable(&self) -> Option<&dyn Separable<T>> {
        Some(self)
    }

    fn form(&self) -> Form {
        Form::of(Kind::Box).absolute().symmetric()
    }
}

impl<T: Real> Separable<T> for LinfBall {
    fn entry(&self, _: usize) -> Option<Elementary> {
        Some(Elementary {
            lower: -self.radius,
            upper: self.radius,
            ..Elementary::ZERO
        })
    }

    #[inline(always)]
    fn value_at(&self, _: usize, t: T) -> f64 {
        if t.abs() <= T::of(self.radius) {
            0.0
        } else {
            f64::INFINITY
        }
    }

    #[inline(always)]
    fn prox_between(&self, _: usize, t: T, _: T, bounds: (T, T)) -> T {
        let radius = T::of(self.radius);
        clamp(clamp(t, (-radius, radius)), bounds)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::contract;

    #[test]
    fn keep_the_contract() {
        for radius in [0.0, 1e-3, 0.7, 40.0] {
            contract(&L1Ball::new(radius).unwrap(), 6);
            contract(&L2Ball::new(radius).unwrap(), 6);
            contract(&LinfBall::new(radius).unwrap(), 4);
        }
    }

    #[test]
    fn survive_extreme_scales() {
        let mut x = [3e200, -4e200];
        L2Ball::new(5.0).unwrap().prox(&mut x, 1.0);
        assert!((x[0] - 3.0).abs() < 1e-14 && (x[1] + 4.0).abs() < 1e-14);
        let mut x = [1e15 + 1.0, -1e15, 0.0];
        let ball = L1Ball::new(1e-3).unwrap();
        ball.prox(&mut x, 1.0);
        assert_eq!(x, [1e-3, 0.0, 0.0]);
        assert_eq!(ball.value(&x), 0.0);
    }

    #[test]
    fn refuse_a_negative_radius() {
        assert!(L1Ball::new(-1.0).is_err());
        assert!(L2Ball::new(f64::INFINITY).is_err());
        assert!(LinfBall::new(f64::NAN).is_err());
    }
}
