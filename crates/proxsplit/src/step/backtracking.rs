//! Longer steps as long as Φ decreases enough, shorter ones when it does not.

use super::descent::Descent;
use super::{Curvature, StepRule, Trial};
use crate::Lipschitz;
use crate::error::{Error, positive};
use crate::solve::Method;

/// A quarter longer than the last step, then halved until Φ decreases enough.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Backtracking {
    step: f64,
    descent: Descent,
    observed: f64,
}

impl Backtracking {
    /// Starts with the step `first` > 0; Φ must decrease in every iteration.
    pub fn new(first: f64) -> Result<Self, Error> {
        Ok(Self {
            step: positive("first step", first)?,
            descent: Descent::monotone(),
            observed: 0.0,
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
        if let Some(last) = last.filter(|last| last.moved > 0.0) {
            self.observed = self.observed.max(last.lipschitz());
            self.step *= 1.25;
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

    fn lipschitz(&self) -> Lipschitz {
        if self.observed > 0.0 {
            Lipschitz::Estimated(self.observed)
        } else {
            Lipschitz::Unknown
        }
    }
}
