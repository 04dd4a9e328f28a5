//! The certificate of a run: what is true at the returned point, which theorem covers the run, and a verdict in words.

use crate::ledger::Ledger;
use crate::run::Reason;
use crate::solve::{Measure, Method, Progress, Setting};
use crate::{Class, Lipschitz};
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

/// How a step stands to the range c ≤ η ≤ min(1, 2/L − c) of eq.38.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum StepRange {
    /// η < 2/L with a known L.
    Inside {
        /// L
        lipschitz: f64,
    },
    /// η < 2/L with an L that was observed on the way; the true one may be larger.
    InsideEstimate {
        /// The estimate of L.
        lipschitz: f64,
    },
    /// η ≥ 2/L.
    Violated {
        /// L
        lipschitz: f64,
    },
    /// Nothing is known of L.
    Unknown,
}

impl StepRange {
    fn of(setting: &Setting) -> Self {
        match setting.lipschitz {
            Lipschitz::Known(l) | Lipschitz::Estimated(l) if setting.step * l >= 2.0 => {
                StepRange::Violated { lipschitz: l }
            }
            Lipschitz::Known(lipschitz) => StepRange::Inside { lipschitz },
            Lipschitz::Estimated(lipschitz) => StepRange::InsideEstimate { lipschitz },
            Lipschitz::Unknown => StepRange::Unknown,
        }
    }
}

impl fmt::Display for StepRange {
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        match self {
            StepRange::Inside { lipschitz } => {
                write!(out, "inside the range of eq.38 (L = {lipschitz:.3e})")
            }
            StepRange::InsideEstimate { lipschitz } => {
                write!(
                    out,
                    "inside the range of eq.38 for an estimated L = {lipschitz:.3e}"
                )
            }
            StepRange::Violated { lipschitz } => {
                write!(out, "outside the range of eq.38 (L = {lipschitz:.3e})")
            }
            StepRange::Unknown => out.write_str("not comparable with eq.38: L is unknown"),
        }
    }
}

/// The theorem that covers a run.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Guarantee {
    /// f and g are convex and gradients exact: limit points are global minimizers.
    Minimizer,
    /// Exact gradients and steps inside eq.38, or sufficient decrease: limit points have ρ(x) = 0.
    Stationary,
    /// Theorem "Convergence": the errors stay bounded, and limit points have ‖ρ(x)‖ ≤ K·ε̄ with ε̄ = η·`error`.
    Neighbourhood {
        /// The level of ‖e‖ in the ledger.
        error: f64,
    },
    /// Nothing is claimed beyond the numbers at the returned point.
    None {
        /// The assumption that fails.
        because: &'static str,
    },
}

impl Guarantee {
    /// The strongest statement whose assumptions hold.
    pub fn of(setting: &Setting) -> Self {
        let exact = setting.ledger.is_exact();
        let convex = setting.convex && setting.class == Class::Convex;
        match (setting.class, setting.method) {
            (_, Method::Subgradient) => {
                return Guarantee::None {
                    because: "subgradient steps are not covered by the splitting theorem",
                };
            }
            (Class::Nonconvex, _) => {
                return Guarantee::None {
                    because: "g is nonconvex, and the theorem needs a convex g",
                };
            }
            (Class::WeaklyConvex { .. }, Method::Splitting | Method::Adaptive) => {
                return Guarantee::None {
                    because: "g is weakly convex, and only exact descent steps are covered",
                };
            }
            (_, Method::Descent) => {}
            (Class::Convex, Method::Adaptive) if convex && exact => {}
            (Class::Convex, Method::Splitting | Method::Adaptive) => match StepRange::of(setting) {
                StepRange::Violated { .. } => {
                    return Guarantee::None {
                        because: "the step is not below 2/L",
                    };
                }
                StepRange::Unknown => {
                    return Guarantee::None {
                        because: "L is unknown",
                    };
                }
                StepRange::Inside { .. } | StepRange::InsideEstimate { .. } => {}
            },
        }
        match (exact || setting.diminishing, convex) {
            (true, true) => Guarantee::Minimizer,
            (true, false) => Guarantee::Stationary,
            (false, _) => Guarantee::Neighbourhood {
                error: setting.ledger.total(),
            },
        }
    }
}

impl fmt::Display for Guarantee {
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Guarantee::Minimizer => out.write_str("convex problem: limit points are minimizers"),
            Guarantee::Stationary => out.write_str("limit points are stationary"),
            Guarantee::Neighbourhood { error } => {
                write!(
                    out,
                    "limit points are stationary up to a multiple of the error level {error:.2e}"
                )
            }
            Guarantee::None { because } => write!(out, "no theorem covers this run: {because}"),
        }
    }
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
                let cause = self
                    .errors
                    .largest()
                    .map_or("an unknown error".into(), |(s, e)| format!("{s} {e:.2e}"));
                format!(
                    "at the error floor: residual {residual:.2e} with {cause}; shrink the step or tighten the source of the error"
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
