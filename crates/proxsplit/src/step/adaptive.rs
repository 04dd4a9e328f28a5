//! A step that follows the local curvature: it needs neither L nor a line search.
//!
//! Malitsky and Mishchenko, *Adaptive proximal gradient method for convex optimization*, 2024: with ℓ = ‖Δg‖/‖Δx‖ and
//! θ = η_k/η_{k−1}, η_{k+1} = min( √(2/3 + θ)·η_k, η_k/√(max(2η_k²ℓ² − 1, 0)) ).

use super::{Curvature, StepRule};
use crate::error::{Error, positive};
use crate::solve::Method;

/// Grows slowly where f is flat, and shortens as soon as the gradient changes faster than 1/η.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Adaptive {
    step: f64,
    ratio: f64,
}

impl Adaptive {
    /// Starts with the step `first` > 0, rather too short than too long.
    pub fn new(first: f64) -> Result<Self, Error> {
        Ok(Self {
            step: positive("first step", first)?,
            ratio: 1.0 / 3.0,
        })
    }
}

impl StepRule for Adaptive {
    fn scheduled(&self, _: u64) -> Option<f64> {
        None
    }

    fn propose(&mut self, last: Option<Curvature>) -> f64 {
        let Some(last) = last.filter(|last| last.moved > 0.0) else {
            return self.step;
        };
        let local = last.lipschitz();
        let excess = 2.0 * (self.step * local).powi(2) - 1.0;
        let followed = if excess > 0.0 {
            self.step / excess.sqrt()
        } else {
            f64::INFINITY
        };
        let step = ((2.0 / 3.0 + self.ratio).sqrt() * self.step).min(followed);
        self.ratio = step / self.step;
        self.step = step;
        step
    }

    fn method(&self) -> Method {
        Method::Adaptive
    }
}
