//! The certificate of a run: what is true at the returned point, which theorem covers the run, and a verdict in words.

use crate::guarantee::{Guarantee, StepRange};
use crate::ledger::Ledger;
use crate::run::Reason;
use crate::solve::{Measure, Progress, Setting};
use serde::Serialize;
use std::fmt;

/// What a run can claim. It holds no vectors; all numbers are about the returned point.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Certificate {
    /// Φ(x)
    pub objective: f64,
    /// ‖ρ(x)‖ with the unit step, by the exact gradient.
    pub residual: f64,
    /// ‖ρ_η(x)‖ with the solver's step.
    pub scaled_residual: f64,
    /// The number to compare with the tolerance: the larger of both residuals, or ‖ρ_η‖ alone if g is not convex.
    pub stationarity: f64,
    /// The tolerance that was asked for.
    pub tolerance: f64,
    /// The last step η.
    pub step: f64,
    /// Passes over the data.
    pub passes: f64,
    /// Whether η keeps to eq.38.
    pub range: StepRange,
    /// The errors of the gradient, by source.
    pub errors: Ledger,
    /// The theorem that covers the run.
    pub guarantee: Guarantee,
    /// What it comes to.
    pub verdict: Verdict,
}

/// What a run comes to.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// The residual at the returned point is within the tolerance.
    Stationary,
    /// The residual no longer falls and is as small as the errors of the gradient allow.
    AtErrorFloor,
    /// A limit came first.
    NotConverged(Reason),
    /// The iterates ran away; the last finite point was returned.
    Diverged {
        /// The pass in which it was seen.
        pass: f64,
    },
}

impl Certificate {
    /// Draws up the certificate of a run that ended for `reason`.
    pub fn new(
        reason: Reason,
        last: (Progress, Measure),
        setting: &Setting,
        tolerance: f64,
    ) -> Self {
        let (progress, measure) = last;
        let verdict = match reason {
            Reason::Converged => Verdict::Stationary,
            Reason::ErrorFloor => Verdict::AtErrorFloor,
            Reason::Diverged => Verdict::Diverged {
                pass: progress.passes,
            },
            limit => Verdict::NotConverged(limit),
        };
        Self {
            objective: measure.objective,
            residual: measure.residual,
            scaled_residual: measure.scaled_residual,
            stationarity: measure.stationarity(setting.class),
            tolerance,
            step: setting.step,
            passes: progress.passes,
            range: StepRange::of(setting),
            errors: setting.ledger,
            guarantee: Guarantee::of(setting),
            verdict,
        }
    }

    /// The verdict in words, with what to do about it.
    pub fn words(&self) -> String {
        let residual = self.stationarity;
        match &self.verdict {
            Verdict::Stationary => {
                format!(
                    "stationary to tolerance: residual {residual:.2e} ≤ {:.2e}",
                    self.tolerance
                )
            }
            Verdict::AtErrorFloor => {
                let (cause, remedy) = match self.errors.largest() {
                    Some((source, error)) => (format!("{source} {error:.2e}"), source.remedy()),
                    None => ("an unknown error".into(), "shrink the step"),
                };
                format!(
                    "at the error floor: residual {residual:.2e} with {cause}; to get below, {remedy}"
                )
            }
            Verdict::NotConverged(reason) => {
                format!(
                    "not converged: {reason}, with residual {residual:.2e} above {:.2e}",
                    self.tolerance
                )
            }
            Verdict::Diverged { pass } => {
                let cause = match self.range {
                    StepRange::Violated { lipschitz } => {
                        format!(
                            "the step {:.2e} is not below 2/L = {:.2e}; shorten it",
                            self.step,
                            2.0 / lipschitz
                        )
                    }
                    _ => format!(
                        "the step {:.2e} is probably too long; shorten it or leave it to the default rule",
                        self.step
                    ),
                };
                format!("diverged at pass {pass:.1}: {cause}")
            }
        }
    }
}

impl fmt::Display for Certificate {
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        writeln!(out, "{}", self.words())?;
        writeln!(out, "  objective   {:.10e}", self.objective)?;
        writeln!(
            out,
            "  residual    {:.3e} at step 1, {:.3e} at step {:.2e}",
            self.residual, self.scaled_residual, self.step
        )?;
        writeln!(out, "  step        {}", self.range)?;
        for (source, level) in self.errors.entries() {
            writeln!(out, "  error       {source}: {level}")?;
        }
        write!(out, "  guarantee   {}", self.guarantee)
    }
}
