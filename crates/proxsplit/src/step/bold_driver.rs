//! η grows while Φ falls, and is cut when Φ has risen.
//!
//! T. P. Vogl, J. K. Mangis, A. K. Rigler, W. T. Zink and D. L. Alkon, Accelerating the convergence of the
//! back-propagation method, 1988.

use super::StepRule;
use crate::error::{Error, positive};

/// The step after a look at which Φ fell, as a multiple of the one before.
const GROWTH: f64 = 1.1;

/// The same after a look at which Φ rose.
const CUT: f64 = 0.5;

/// The shortest step, as a part of the first: no prox is defined for a step that has become 0, also in single precision.
const SHORTEST: f64 = 1e-30;

/// A step for inexact gradients that learns from Φ alone: it finds the long steps that pay while x is far away, and
/// shortens them at the floor that they have. A step after which Φ is not lower is taken back, so that Φ never rises.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BoldDriver {
    step: f64,
    shortest: f64,
}

impl BoldDriver {
    /// Begins with η = `first`; 1/L is never too long.
    pub fn new(first: f64) -> Result<Self, Error> {
        let step = positive("first step", first)?;
        Ok(Self {
            step,
            shortest: SHORTEST * step.min(1.0),
        })
    }
}

impl StepRule for BoldDriver {
    fn scheduled(&self, _: u64) -> Option<f64> {
        Some(self.step)
    }

    fn watches(&self) -> bool {
        true
    }

    fn keeps(&mut self, before: f64, after: f64) -> bool {
        let fell = after < before;
        self.step *= if fell { GROWTH } else { CUT };
        self.step = self.step.max(self.shortest);
        fell
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_step_grows_whenever_the_objective_falls_and_is_halved_otherwise() {
        assert!(BoldDriver::new(0.0).is_err() && BoldDriver::new(f64::NAN).is_err());
        let mut rule = BoldDriver::new(1.0).unwrap();
        assert!(rule.keeps(5.0, 4.5) && rule.keeps(4.5, 4.0));
        assert_eq!(rule.scheduled(7), Some(GROWTH * GROWTH));
        assert!(!rule.keeps(4.0, 4.5) && !rule.keeps(4.0, f64::NAN));
        assert_eq!(rule.scheduled(9), Some(GROWTH * GROWTH / 4.0));
        assert!(rule.keeps(4.0, 3.0));
    }
}
