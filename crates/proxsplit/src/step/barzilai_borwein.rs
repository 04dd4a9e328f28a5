//! η = ‖Δx‖²/⟨Δx,Δg⟩ or ⟨Δx,Δg⟩/‖Δg‖², safeguarded by nonmonotone decrease.
//!
//! Barzilai and Borwein, *Two-point step size gradient methods*, 1988.

use super::descent::{Descent, LONGEST};
use super::{Curvature, StepRule, Trial};
use crate::error::{Error, positive};
use crate::solve::Method;

/// The two quotients in turn. Where the curvature along the last move is not positive, the step doubles.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BarzilaiBorwein {
    step: f64,
    longest: f64,
    long: bool,
    descent: Descent,
}

impl BarzilaiBorwein {
    /// Starts with the step `first` > 0.
    pub fn new(first: f64) -> Result<Self, Error> {
        let step = positive("first step", first)?;
        Ok(Self {
            step,
            longest: LONGEST * step,
            long: true,
            descent: Descent::nonmonotone(),
        })
    }
}

impl StepRule for BarzilaiBorwein {
    fn scheduled(&self, _: u64) -> Option<f64> {
        None
    }

    fn propose(&mut self, last: Option<Curvature>) -> f64 {
        let Some(last) = last.filter(|last| last.moved > 0.0 && last.changed > 0.0) else {
            return self.step;
        };
        self.long = !self.long;
        let quotient = if self.long {
            last.moved / last.product
        } else {
            last.product / last.changed
        };
        // The quotient may be anything where f is not convex; a hundredfold change is as far as one move can be trusted.
        let range = (self.step * 1e-2, self.step * 1e2);
        let step = if last.product > 0.0 {
            quotient.clamp(range.0, range.1)
        } else {
            self.step * 2.0
        };
        self.step = step.min(self.longest);
        self.step
    }

    fn method(&self) -> Method {
        Method::Descent
    }

    fn judge(&mut self, trial: &Trial) -> Option<f64> {
        self.step = trial.step;
        self.descent.judge(trial)
    }
}
