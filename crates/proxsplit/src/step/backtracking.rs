//! Longer steps as long as Φ decreases enough, shorter ones when it does not.

use super::descent::{Descent, LONGEST};
use super::{Curvature, StepRule, Trial};
use crate::error::{Error, positive};
use crate::solve::Method;

/// A quarter longer than the last step, then halved until Φ decreases enough.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Backtracking {
    step: f64,
    longest: f64,
    descent: Descent,
}

impl Backtracking {
    /// Starts with the step `first` > 0; Φ must decrease in every iteration.
    pub fn new(first: f64) -> Result<Self, Error> {
        let step = positive("first step", first)?;
        Ok(Self {
            step,
            longest: LONGEST * step,
            descent: Descent::monotone(),
        })
    }

    /// Φ may rise for a while: it is compared with the worst of the last eight values.
    #[must_use]
    pub fn nonmonotone(mut self) -> Self {
        self.descent = Descent::nonmonotone();
        self
    }
}

impl StepRule for Backtracking {
    fn scheduled(&self, _: u64) -> Option<f64> {
        None
    }

    fn propose(&mut self, last: Option<Curvature>) -> f64 {
        if last.is_some_and(|last| last.moved > 0.0) {
            self.step = (self.step * 1.25).min(self.longest);
        }
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
