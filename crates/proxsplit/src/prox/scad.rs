//! SCAD: linear near zero, constant far out, with a quadratic piece between.
//!
//! J. Fan, R. Li, "Variable selection via nonconcave penalized likelihood and its oracle properties", 2001.

use super::separable::{self, even_between, map, odd};
use crate::error::{Error, nonnegative, require};
use crate::{Class, Form, Prox, Real, Separable};

/// `scad:W,A`: Σ_i p(|x_i|), p(t) = Wt up to W, (2AWt − t² − W²)/2(A−1) up to AW, W²(A+1)/2 beyond. Weakly convex with
/// modulus 1/(A−1).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scad {
    weight: f64,
    a: f64,
}

impl Scad {
    /// The penalty with slope W ≥ 0 at zero, constant from AW on, with A > 2.
    pub fn new(weight: f64, a: f64) -> Result<Self, Error> {
        Ok(Self {
            weight: nonnegative("weight", weight)?,
            a: require(
                "A",
                a,
                a.is_finite() && a > 2.0,
                "finite and greater than 2",
            )?,
        })
    }

    /// W
    pub fn weight(&self) -> f64 {
        self.weight
    }

    /// A
    pub fn a(&self) -> f64 {
        self.a
    }

    fn at(&self, t: f64) -> f64 {
        let (t, w, a) = (t.abs(), self.weight, self.a);
        if t <= w {
            w * t
        } else if t <= a * w {
            (2.0 * a * w * t - t * t - w * w) / (2.0 * (a - 1.0))
        } else {
            w * w * (a + 1.0) / 2.0
        }
    }

    /// The minimizers on each of the three pieces.
    fn candidates(&self, t: f64, step: f64) -> [f64; 4] {
        let (w, a) = (self.weight, self.a);
        let middle = ((a - 1.0) * t - step * a * w) / (a - 1.0 - step);
        [
            0.0,
            (t - step * w).max(0.0).min(w),
            middle.max(w).min(a * w),
            t.max(a * w),
        ]
    }

    /// For a step ≥ A−1 the middle piece is concave, and the prox jumps from soft thresholding to t here.
    fn jump(&self, step: f64) -> f64 {
        if step <= self.a + 1.0 {
            self.weight * (self.a + 1.0 + step) / 2.0
        } else {
            self.weight * (step * (self.a + 1.0)).sqrt()
        }
    }
}

impl<T: Real> Prox<T> for Scad {
    fn value(&self, x: &[T]) -> f64 {
        separable::value(self, x)
    }

    fn prox(&self, x: &mut [T], step: T) {
        let (w, by) = (T::of(self.weight), T::of(self.weight) * step);
        if step.f64() < self.a - 1.0 {
            let steeper = T::of(step.f64() / (self.a - 1.0 - step.f64()));
            // The pieces have slopes 1, more than 1, and 1, so that they are joined by a maximum and a minimum. Beside a small t
            // a large w would take its digits, if it were not multiplied by as small a step.
            let joined = move |t: T| {
                let soft = (t - by).max(T::ZERO);
                soft.max(soft + steeper * (soft - w)).min(t)
            };
            map(x, move |x| odd(x, joined));
        } else {
            let jump = T::of(self.jump(step.f64()));
            let cut = move |t: T| if t > jump { t } else { (t - by).max(T::ZERO) };
            map(x, move |x| odd(x, cut));
        }
    }

    fn class(&self) -> Class {
        Class::WeaklyConvex {
            modulus: 1.0 / (self.a - 1.0),
        }
    }

    fn separable(&self) -> Option<&dyn Separable<T>> {
        Some(self)
    }

    fn form(&self) -> Form {
        Form::default().absolute().symmetric()
    }
}

impl<T: Real> Separable<T> for Scad {
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
    fn a_large_weight_takes_no_digits_of_a_small_point() {
        let g = Scad::new(1e11, 3.7).unwrap();
        let mut x = [1e-3, -2e-3];
        g.prox(&mut x, 1e-20);
        for (found, exact) in x.iter().zip([1e-3 - 1e-9, -2e-3 + 1e-9]) {
            assert!((found - exact).abs() <= 1e-18, "{found:e}, not {exact:e}");
        }
    }

    #[test]
    fn keeps_the_contract() {
        contract(&Scad::new(0.7, 3.7).unwrap(), 5);
        contract(&Scad::new(0.0, 2.1).unwrap(), 3);
    }

    #[test]
    fn beats_every_point_of_a_grid() {
        brute::grid(&Scad::new(0.7, 3.7).unwrap());
        brute::grid(&Scad::new(1.5, 2.01).unwrap());
    }

    #[test]
    fn refuses_bad_parameters() {
        assert_eq!(
            Scad::new(1.0, 2.0).unwrap_err().to_string(),
            "A = 2, but it must be finite and greater than 2"
        );
        assert!(Scad::new(-1.0, 3.0).is_err());
    }
}
