//! η is constant, until a look finds that Φ has not fallen enough: then it is cut, and the run is taken back.
//!
//! With M = Σ_j ‖Δ_j‖²/η over the moves since the last look, and M₁, M₂, … those of the looks before it, the check is
//!
//! Φ(last look) − Φ(x) ≥ σM − σ′ Σ_i 2⁻ⁱM_i, σ′ < σ.
//!
//! Summed over all looks, it makes (σ − σ′) Σ_j ‖Δ_j‖²/η finite, so that moves vanish, and errors that follow them. And it fails only finitely
//! often: as [`Following`](crate::gradient::Following) derives, Φ falls by at least (c − W) Σ_j ‖Δ_j‖² over the moves since the last look, but for at
//! most W times the squares of moves before it that the errors remember. As η falls, c = (2 − ηL)/(2η) grows without bound, so that every η
//! below a positive limit passes. Nobody needs to know L or W.

use super::StepRule;
use crate::error::{Error, positive};

/// What the first failed check leaves of the step; every further one in a row leaves half as much as the one before.
const CUT: f64 = 0.5;

/// A bold constant step under supervision, for gradient sources whose errors follow the moves.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Guarded {
    step: f64,
    cut: f64,
}

impl Guarded {
    /// σ
    pub(crate) const PART: f64 = 0.02;

    /// σ′
    pub(crate) const REMEMBERED: f64 = 0.01;

    /// Begins with η = `first`.
    pub fn new(first: f64) -> Result<Self, Error> {
        Ok(Self {
            step: positive("first step", first)?,
            cut: CUT,
        })
    }
}

impl StepRule for Guarded {
    fn scheduled(&self, _: u64) -> Option<f64> {
        Some(self.step)
    }

    fn is_guarded(&self) -> bool {
        true
    }

    fn checked(&mut self, passed: bool) {
        if passed {
            self.cut = CUT;
        } else {
            self.step = (self.cut * self.step).max(f64::MIN_POSITIVE);
            self.cut *= CUT;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_failed_check_shortens_the_step() {
        assert!(Guarded::new(0.0).is_err() && Guarded::new(f64::NAN).is_err());
        let mut rule = Guarded::new(0.4).unwrap();
        rule.checked(true);
        assert_eq!(rule.scheduled(3), Some(0.4));
        rule.checked(false);
        assert_eq!(rule.scheduled(4), Some(0.2));
        rule.checked(false);
        assert_eq!(rule.scheduled(5), Some(0.05));
        rule.checked(true);
        rule.checked(false);
        assert_eq!(rule.scheduled(6), Some(0.025));
    }
}
