//! η_k from a list.

use super::StepRule;
use crate::error::{Error, positive};

/// The steps of a list, one after the other; the last one is kept from there on.
#[derive(Debug, Clone, PartialEq)]
pub struct Given {
    steps: Vec<f64>,
}

impl Given {
    /// A list of steps η_k > 0, at least one.
    pub fn new(steps: Vec<f64>) -> Result<Self, Error> {
        if steps.is_empty() {
            return Err(Error::Shape {
                what: "list of steps",
                expected: 1,
                found: 0,
            });
        }
        steps
            .iter()
            .try_for_each(|&step| positive("step", step).map(|_| ()))?;
        Ok(Self { steps })
    }
}

impl StepRule for Given {
    fn scheduled(&self, iteration: u64) -> Option<f64> {
        let last = self.steps.len() - 1;
        Some(self.steps[last.min(iteration as usize)])
    }
}
