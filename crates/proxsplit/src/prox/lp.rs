//! ‖x‖_p^p with p = 1/2 and p = 2/3, the powers whose prox is a root of a cubic and of a quartic.
//!
//! Z. Xu, X. Chang, F. Xu, H. Zhang, "L1/2 regularization: a thresholding representation theory", 2012;
//! W. Cao, J. Sun, Z. Xu, "Fast image deconvolution using closed-form thresholding formulas of Lq (q = 1/2, 2/3)
//! regularization", 2013.

use super::separable::{self, even_between, odd};
use crate::error::{Error, nonnegative};
use crate::{Class, Form, Prox, Real, Separable};

/// The power p of [`Lp`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Power {
    /// p = 1/2
    Half,
    /// p = 2/3
    TwoThirds,
}

impl std::fmt::Display for Power {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Power::Half => "1/2",
            Power::TwoThirds => "2/3",
        })
    }
}

/// `lp:W,1/2` and `lp:W,2/3`: W Σ_i |x_i|^p. The prox is zero up to a jump, beyond it the larger stationary point.
/// Nonconvex.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Lp {
    weight: f64,
    power: Power,
}

/// Newton steps that reach full precision for every t beyond the jump, and for every t that has a stationary point.
const BEYOND_JUMP: usize = 6;
const ANYWHERE: usize = 60;

/// The larger root of r³ − r + k or NaN: with z = tr² and k = ηW/2t^{3/2} it solves z − t + ηW/(2√z) = 0.
///
/// The start is to the right of the root, where the cubic is convex and increasing: Newton's method goes straight down.
#[inline(always)]
fn half(t: f64, pull: f64, steps: usize) -> f64 {
    let k = 0.5 * pull / (t * t.sqrt());
    let mut r = 1.0 - k * (0.5 + 0.375 * k);
    for _ in 0..steps {
        r -= (r * (r * r - 1.0) + k) / (3.0 * r * r - 1.0);
    }
    // The double root has k = 2/√27.
    if k < 0.384_900_179_459_750_5 {
        t * r * r
    } else {
        f64::NAN
    }
}

/// The larger root of r⁴ − r + k or NaN: with z = tr³ and k = 2ηW/3t^{4/3} it solves z − t + 2ηW/(3∛z) = 0.
#[inline(always)]
fn two_thirds(t: f64, pull: f64, steps: usize) -> f64 {
    let k = pull / (1.5 * t * t.cbrt());
    let mut r = 1.0 - k * (3.0 + 2.0 * k) / 9.0;
    for _ in 0..steps {
        let cube = r * r * r;
        r -= (r * (cube - 1.0) + k) / (4.0 * cube - 1.0);
    }
    // The double root has 4r³ = 1, k = 3r/4.
    if k < 0.472_470_393_710_577_4 {
        t * r * r * r
    } else {
        f64::NAN
    }
}

impl Lp {
    /// W Σ|x_i|^p with W ≥ 0.
    pub fn new(weight: f64, power: Power) -> Result<Self, Error> {
        Ok(Self {
            weight: nonnegative("weight", weight)?,
            power,
        })
    }

    /// W
    pub fn weight(&self) -> f64 {
        self.weight
    }

    /// p
    pub fn power(&self) -> Power {
        self.power
    }

    fn at(&self, t: f64) -> f64 {
        self.weight
            * match self.power {
                Power::Half => t.abs().sqrt(),
                Power::TwoThirds => (t * t).cbrt(),
            }
    }

    /// The largest t whose prox is zero. There the other minimizer is 2t/3 for p = 1/2, t/2 for p = 2/3.
    fn jump(&self, pull: f64) -> f64 {
        match self.power {
            Power::Half => 1.5 * (pull * pull).cbrt(),
            Power::TwoThirds => 2.0 * (pull / 1.5).powf(0.75),
        }
    }
}

/// x ← root(x) beyond the jump, zero up to it.
#[inline(always)]
fn threshold<T: Real>(x: &mut [T], jump: f64, root: impl Fn(f64) -> f64) {
    let jump = T::of(jump);
    for x in x {
        *x = odd(*x, |t| {
            if t > jump {
                T::of(root(t.f64()))
            } else {
                T::ZERO
            }
        });
    }
}

impl<T: Real> Prox<T> for Lp {
    fn value(&self, x: &[T]) -> f64 {
        separable::value(self, x)
    }

    fn prox(&self, x: &mut [T], step: T) {
        let pull = step.f64() * self.weight;
        let jump = self.jump(pull);
        match self.power {
            Power::Half => threshold(x, jump, |t| half(t, pull, BEYOND_JUMP)),
            Power::TwoThirds => threshold(x, jump, |t| two_thirds(t, pull, BEYOND_JUMP)),
        }
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

impl<T: Real> Separable<T> for Lp {
    fn value_at(&self, _: usize, t: T) -> f64 {
        self.at(t.f64())
    }

    fn prox_between(&self, _: usize, t: T, step: T, bounds: (T, T)) -> T {
        let root = match self.power {
            Power::Half => half,
            Power::TwoThirds => two_thirds,
        };
        even_between(
            (t, step),
            bounds,
            |t, step| [0.0, root(t, step * self.weight, ANYWHERE)],
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
        for power in [Power::Half, Power::TwoThirds] {
            contract(&Lp::new(0.7, power).unwrap(), 5);
            contract(&Lp::new(0.0, power).unwrap(), 3);
        }
    }

    #[test]
    fn beats_every_point_of_a_grid() {
        for power in [Power::Half, Power::TwoThirds] {
            brute::grid(&Lp::new(0.7, power).unwrap());
            brute::grid(&Lp::new(4.0, power).unwrap());
        }
    }

    #[test]
    fn the_root_is_stationary_to_rounding() {
        for power in [Power::Half, Power::TwoThirds] {
            let g = Lp::new(1.0, power).unwrap();
            for i in 1..200 {
                let t = g.jump(1.0) * (1.0 + f64::from(i * i) * 1e-4);
                let mut x = [t];
                g.prox(&mut x, 1.0);
                let slope = match power {
                    Power::Half => 0.5 / x[0].sqrt(),
                    Power::TwoThirds => 2.0 / (3.0 * x[0].cbrt()),
                };
                assert!((x[0] - t + slope).abs() <= 4e-16 * t, "{power}: {t}");
            }
        }
    }
}
