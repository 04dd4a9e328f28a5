//! MCP, the minimax concave penalty: its slope falls linearly from W to zero.
//!
//! C.-H. Zhang, "Nearly unbiased variable selection under minimax concave penalty", 2010.

use super::separable::{self, even_between, map, odd};
use crate::error::{Error, nonnegative, positive};
use crate::{Class, Form, Prox, Real, Separable};

/// `mcp:W,G`: Σ_i p(|x_i|), p(t) = Wt − t²/2G up to GW, GW²/2 beyond. Weakly convex with modulus 1/G.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Mcp {
    weight: f64,
    gamma: f64,
}

impl Mcp {
    /// The penalty with slope W ≥ 0 at zero, constant from GW on, with G > 0.
    pub fn new(weight: f64, gamma: f64) -> Result<Self, Error> {
        Ok(Self {
            weight: nonnegative("weight", weight)?,
            gamma: positive("G", gamma)?,
        })
    }

    /// W
    pub fn weight(&self) -> f64 {
        self.weight
    }

    /// G
    pub fn gamma(&self) -> f64 {
        self.gamma
    }

    fn at(&self, t: f64) -> f64 {
        let (t, w, g) = (t.abs(), self.weight, self.gamma);
        if t <= g * w {
            w * t - t * t / (2.0 * g)
        } else {
            g * w * w / 2.0
        }
    }

    /// Zero and the minimizers on the two pieces.
    fn candidates(&self, t: f64, step: f64) -> [f64; 3] {
        let (w, g) = (self.weight, self.gamma);
        let curved = g * (t - step * w) / (g - step);
        [0.0, curved.max(0.0).min(g * w), t.max(g * w)]
    }
}

impl<T: Real> Prox<T> for Mcp {
    fn value(&self, x: &[T]) -> f64 {
        separable::value(self, x)
    }

    fn prox(&self, x: &mut [T], step: T) {
        if step.f64() < self.gamma {
            let by = T::of(self.weight) * step;
            let slope = T::of(self.gamma / (self.gamma - step.f64()));
            // Firm thresholding: the curved piece meets t at GW.
            map(x, move |x| {
                odd(x, move |t| (slope * (t - by).max(T::ZERO)).min(t))
            });
        } else {
            // The curved piece is concave: hard thresholding.
            let jump = T::of(self.weight * (self.gamma * step.f64()).sqrt());
            map(x, move |x| if x.abs() <= jump { T::ZERO } else { x });
        }
    }

    fn class(&self) -> Class {
        Class::WeaklyConvex {
            modulus: 1.0 / self.gamma,
        }
    }

    fn separable(&self) -> Option<&dyn Separable<T>> {
        Some(self)
    }

    fn form(&self) -> Form {
        Form::default().absolute().symmetric()
    }
}

impl<T: Real> Separable<T> for Mcp {
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
        contract(&Mcp::new(0.7, 2.0).unwrap(), 5);
        contract(&Mcp::new(0.0, 1.0).unwrap(), 3);
    }

    #[test]
    fn beats_every_point_of_a_grid() {
        brute::grid(&Mcp::new(0.7, 2.0).unwrap());
        brute::grid(&Mcp::new(2.0, 0.3).unwrap());
    }

    #[test]
    fn refuses_bad_parameters() {
        assert_eq!(
            Mcp::new(1.0, 0.0).unwrap_err().to_string(),
            "G = 0, but it must be finite and greater than 0"
        );
        assert!(Mcp::new(f64::NAN, 1.0).is_err());
    }
}
