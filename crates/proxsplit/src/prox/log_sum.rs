//! The log-sum penalty, which reweighted ℓ1 minimization majorizes.
//!
//! E. Candès, M. Wakin, S. Boyd, "Enhancing sparsity by reweighted ℓ1 minimization", 2008.

use super::separable::{self, even_between, map, odd};
use crate::error::{Error, nonnegative, positive};
use crate::{Class, Form, Prox, Real, Separable};

/// `log-sum:W,E`: W Σ_i log(1 + |x_i|/E). The prox is zero up to a jump, beyond it the larger root of a quadratic.
/// Weakly convex with modulus W/E².
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LogSum {
    weight: f64,
    epsilon: f64,
}

impl LogSum {
    /// The penalty with W ≥ 0 and E > 0; its slope at zero is W/E.
    pub fn new(weight: f64, epsilon: f64) -> Result<Self, Error> {
        Ok(Self {
            weight: nonnegative("weight", weight)?,
            epsilon: positive("E", epsilon)?,
        })
    }

    /// W
    pub fn weight(&self) -> f64 {
        self.weight
    }

    /// E
    pub fn epsilon(&self) -> f64 {
        self.epsilon
    }

    fn at(&self, t: f64) -> f64 {
        self.weight * (t.abs() / self.epsilon).ln_1p()
    }

    /// The larger root of (z − t)(z + E) + ηW, the local minimizer; NaN if there is none, and it may be below zero.
    #[inline(always)]
    fn root(&self, t: f64, pull: f64) -> f64 {
        let e = self.epsilon;
        if t >= e {
            self.root_of_large(t, pull)
        } else {
            // The same without cancellation.
            2.0 * (t * e - pull) / (e - t + self.spread(t, pull))
        }
    }

    /// The same for t that are not much smaller than E.
    #[inline(always)]
    fn root_of_large(&self, t: f64, pull: f64) -> f64 {
        0.5 * (t - self.epsilon + self.spread(t, pull))
    }

    /// The distance of the two roots, √((t + E)² − 4ηW), without a square that overflows.
    #[inline(always)]
    fn spread(&self, t: f64, pull: f64) -> f64 {
        let (sum, least) = (t + self.epsilon, 2.0 * pull.sqrt());
        (sum - least).sqrt() * (sum + least).sqrt()
    }

    /// The largest t whose prox is zero.
    ///
    /// If ηW ≤ E² the prox is continuous and this is ηW/E. Else it is where the objective at the root less that at zero
    /// changes sign. That difference is concave and decreasing in t with slope −root/η, so Newton's method from
    /// ηW/E comes down to it without overshoot.
    fn jump(&self, step: f64) -> f64 {
        let pull = step * self.weight;
        let mut t = pull / self.epsilon;
        if t <= self.epsilon {
            return t;
        }
        for _ in 0..60 {
            let z = self.root(t, pull);
            let drop = step * self.at(z) + z * (z / 2.0 - t);
            let next = t + drop / z;
            if next.is_nan() || next >= t {
                break;
            }
            t = next;
        }
        t
    }
}

/// x ← root(|x|), or zero if it is below, beyond the jump, and zero up to it.
#[inline(always)]
fn threshold<T: Real>(x: &mut [T], jump: f64, root: impl Fn(f64) -> f64 + Copy) {
    let jump = T::of(jump);
    let cut = move |t: T| {
        let root = root(t.f64()).max(0.0);
        if t > jump { T::of(root) } else { T::ZERO }
    };
    map(x, move |x| odd(x, cut));
}

impl<T: Real> Prox<T> for LogSum {
    fn value(&self, x: &[T]) -> f64 {
        separable::value(self, x)
    }

    fn prox(&self, x: &mut [T], step: T) {
        let g = *self;
        let (jump, pull) = (self.jump(step.f64()), step.f64() * self.weight);
        // Where E is not much larger than the t beyond the jump, cancellation stays within the rounding of t.
        if self.epsilon <= 4.0 * jump {
            threshold(x, jump, move |t| g.root_of_large(t, pull));
        } else {
            threshold(x, jump, move |t| g.root(t, pull));
        }
    }

    fn class(&self) -> Class {
        Class::WeaklyConvex {
            modulus: self.weight / (self.epsilon * self.epsilon),
        }
    }

    fn separable(&self) -> Option<&dyn Separable<T>> {
        Some(self)
    }

    fn form(&self) -> Form {
        Form::default().absolute().symmetric()
    }
}

impl<T: Real> Separable<T> for LogSum {
    fn value_at(&self, _: usize, t: T) -> f64 {
        self.at(t.f64())
    }

    fn prox_between(&self, _: usize, t: T, step: T, bounds: (T, T)) -> T {
        let root = |t, step: f64| self.root(t, step * self.weight);
        even_between(
            (t, step),
            bounds,
            |t, step| [0.0, root(t, step).max(0.0)],
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
        contract(&LogSum::new(0.7, 0.5).unwrap(), 5);
        contract(&LogSum::new(0.7, 3.0).unwrap(), 5);
        contract(&LogSum::new(0.0, 1.0).unwrap(), 3);
    }

    #[test]
    fn beats_every_point_of_a_grid() {
        brute::grid(&LogSum::new(0.7, 0.5).unwrap());
        brute::grid(&LogSum::new(0.2, 0.01).unwrap());
        brute::grid(&LogSum::new(2.0, 4.0).unwrap());
    }

    #[test]
    fn huge_entries_stay() {
        let g = LogSum::new(0.7, 0.5).unwrap();
        let mut x = [1e160, -1e300, f64::MAX / 4.0];
        let y = x;
        g.prox(&mut x, 0.3);
        let stays = |(x, y): (&f64, &f64)| (x - y).abs() <= 2.0 * f64::EPSILON * y.abs();
        assert!(x.iter().zip(&y).all(stays), "{x:?}");
    }

    #[test]
    fn refuses_bad_parameters() {
        assert_eq!(
            LogSum::new(1.0, 0.0).unwrap_err().to_string(),
            "E = 0, but it must be finite and greater than 0"
        );
    }
}
