//! η_k = η₀ / (1 + k/d)^p.

use super::StepRule;
use crate::error::{Error, positive, require};

/// Steps that go to zero slowly enough to reach a stationary point: Σ η_k = ∞ needs p ≤ 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Diminishing {
    first: f64,
    power: f64,
    delay: f64,
}

impl Diminishing {
    /// First step η₀ > 0, power 0 < p ≤ 1, and delay d = 1.
    pub fn new(first: f64, power: f64) -> Result<Self, Error> {
        require(
            "power",
            power,
            power > 0.0 && power <= 1.0,
            "greater than 0 and at most 1",
        )?;
        Ok(Self {
            first: positive("first step", first)?,
            power,
            delay: 1.0,
        })
    }

    /// The number of iterations d > 0 after which the step has clearly begun to fall.
    pub fn delay(mut self, iterations: f64) -> Result<Self, Error> {
        self.delay = positive("delay", iterations)?;
        Ok(self)
    }
}

impl StepRule for Diminishing {
    fn scheduled(&self, iteration: u64) -> Option<f64> {
        Some(self.first / (1.0 + iteration as f64 / self.delay).powf(self.power))
    }

    fn vanishes(&self) -> bool {
        true
    }

    fn is_square_summable(&self) -> bool {
        self.power > 0.5
    }
}
