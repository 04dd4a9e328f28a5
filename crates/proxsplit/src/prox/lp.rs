//! ‖x‖_p^p with p = 1/2 and p = 2/3, the powers whose prox is a root of a cubic and of a quartic.
//!
//! Z. Xu, X. Chang, F. Xu, H. Zhang, "L1/2 regularization: a thresholding representation theory", 2012;
//! W. Cao, J. Sun, Z. Xu, "Fast image deconvolution using closed-form thresholding formulas of Lq (q = 1/2, 2/3)
//! regularization", 2013.

use super::separable::{self, even_between, map, odd};
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

/// Newton steps that reach full precision for every t that has a stationary point; beyond the jump 2 or 3 are enough.
const ANYWHERE: usize = 60;

/// The larger stationary point: z = tr² with the larger root of r³ − r + k, k = ηW/2t^{3/2}, solves z − t + ηW/(2√z) = 0.
/// Some other number if there is none.
///
/// The start is a polynomial within 2e-5 of the root for every t beyond the jump, and to the right of it for smaller ones, where
/// the cubic is convex and increasing: Newton's method goes straight down.
#[inline(always)]
fn half(t: f64, pull: f64, steps: usize) -> f64 {
    let k = 0.5 * (pull / t) / t.sqrt();
    let e = 0.5 * k;
    let mut r = 1.0 - e * (1.0 + e * (1.392 + e * (8.892 + e * (411.4 * e - 58.27))));
    for _ in 0..steps {
        r -= (r * (r * r - 1.0) + k) / (3.0 * r * r - 1.0);
    }
    t * r * r
}

/// The same for p = 2/3: z = (cr)³ with the larger root of r⁴ − qr + k, q = t/c³, k = 2ηW/3c⁴, solves z − t + 2ηW/(3∛z) = 0.
///
/// Any c will do. That near ∛t, which makes q nearly 1, comes from a third of the exponent and one step of Newton's method. The
/// start is within 4e-4 of the root for q = 1.
#[inline(always)]
fn two_thirds(t: f64, pull: f64, steps: usize) -> f64 {
    let third = ((t.to_bits() >> 32) * 0x5555_5556) >> 32;
    let guess = f64::from_bits((third + 0x2a9f_7893) << 32);
    let c = (2.0 * guess + t / (guess * guess)) * (1.0 / 3.0);
    let q = t / c / (c * c);
    let k = q * (pull / t) / (1.5 * c);
    let e = k * (1.0 / 3.0);
    let mut r = 1.0 - e * (1.0 + e * (3.12 + e * (243.9 * e - 24.03)));
    for _ in 0..steps {
        let cube = r * r * r;
        r -= (r * (cube - q) + k) / (4.0 * cube - q);
    }
    (c * r) * (c * r) * (c * r)
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

/// x ← root(x) beyond the jump, zero up to it. All roots are computed and then some selected: a branch for each entry
/// would keep them from going in parallel.
#[inline(always)]
fn threshold<T: Real>(x: &mut [T], jump: f64, root: impl Fn(f64) -> f64 + Copy) {
    let cut = move |t: T| {
        let root = root(t.f64());
        if t.f64() > jump { T::of(root) } else { T::ZERO }
    };
    map(x, move |x| odd(x, cut));
}

impl<T: Real> Prox<T> for Lp {
    fn value(&self, x: &[T]) -> f64 {
        separable::value(self, x)
    }

    fn prox(&self, x: &mut [T], step: T) {
        let pull = step.f64() * self.weight;
        let jump = self.jump(pull);
        match self.power {
            Power::Half => threshold(x, jump, move |t| half(t, pull, 2)),
            Power::TwoThirds => threshold(x, jump, move |t| two_thirds(t, pull, 3)),
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
    fn extreme_scales() {
        for power in [Power::Half, Power::TwoThirds] {
            let mut x = [1e-300, -1e300, 0.0, 5e-324];
            Lp::new(0.0, power).unwrap().prox(&mut x, 1.0);
            for (x, y) in x.iter().zip([1e-300, -1e300, 0.0]) {
                assert!((x - y).abs() <= 1e-15 * y.abs(), "{power}: {x} {y}");
            }
            let mut x = [1e-300, -1e300, 0.0];
            Lp::new(1.0, power).unwrap().prox(&mut x, 1.0);
            assert!(x[0] == 0.0 && (x[1] / 1e300 + 1.0).abs() < 1e-15 && x[2] == 0.0);
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
                assert!((x[0] - t + slope).abs() <= 1e-15 * t, "{power}: {t}");
            }
        }
    }
}
