//! What the theorems need of a run besides its step and its errors.

use super::Splitting;
use crate::certificate::{Assumption, Curve, Standing};
use crate::gradient::Following;
use crate::ledger::Source;
use crate::solve::{Method, Setting};
use crate::step::StepRule;
use crate::{Lipschitz, Real};

impl<T: Real> Splitting<'_, T> {
    /// How the steps of a source with errors that follow the moves are justified: by their checks, or by c > W.
    pub(super) fn of_following(&self, plain: Setting, follows: &Following) -> Setting {
        if self.rule.as_deref().is_some_and(StepRule::is_guarded) {
            let method = Method::Guarded;
            return Setting { method, ..plain };
        }
        let room = Curve::of(&plain).map(|curve| curve.bracket);
        let Some((c, w)) = room.zip(follows.feedback.value()).filter(|(c, w)| c > w) else {
            return plain;
        };
        let mut shrinking = Setting {
            method: Method::Following,
            ..plain
        };
        shrinking.assumptions.push(Assumption {
            name: "the errors need not vanish",
            standing: match follows.feedback {
                Lipschitz::Known(_) => Standing::Proved,
                _ => Standing::Estimated,
            },
            text: format!("a step lowers Φ by {c:.2e}·‖Δ‖² and the errors raise it by at most {w:.2e}·‖Δ‖² on average"),
        });
        shrinking
    }

    /// What the theorems need besides the step and the errors.
    pub(super) fn assumptions(&self) -> Vec<Assumption> {
        let mut assumptions: Vec<Assumption> = self.point.escape().into_iter().collect();
        if self.rule.as_deref().is_some_and(StepRule::watches) {
            assumptions.push(Assumption {
                name: "nothing keeps the steps from collapsing",
                standing: Standing::Unknown,
                text: "the sum of all steps is infinite".into(),
            });
        }
        // A batch of all terms is no sample.
        let sampled = self.ledger.get(Source::Sampling);
        let sampled = sampled.is_some_and(|level| level.value() != Some(0.0));
        if let Some(source) = self.source.as_ref().filter(|_| sampled) {
            assumptions.push(Assumption {
                name: "the samples are not independent draws",
                standing: if source.is_unbiased() {
                    Standing::Proved
                } else {
                    Standing::Violated
                },
                text: "samples are drawn independently of each other".into(),
            });
        }
        assumptions
    }
}
