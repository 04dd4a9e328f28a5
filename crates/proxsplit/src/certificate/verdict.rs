//! The outcome of a run, and how it is said.

use super::{Certificate, Obstacle, Standing};
use crate::bound::{at_most, percent_at_most};
use crate::run::Reason;

/// The outcome of a run.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize),
    serde(rename_all = "kebab-case")
)]
#[non_exhaustive]
pub enum Verdict {
    /// The residual at the returned point is within the tolerance, and no obstacle is known.
    Stationary,
    /// The objective is proved to be as close to its minimum as requested.
    Optimal,
    /// The residual no longer falls and is as small as the errors of the gradient allow.
    AtErrorFloor,
    /// A limit was reached first.
    NotConverged(Reason),
    /// The iterates diverged; the best point that was looked at is returned.
    Diverged {
        /// The pass in which this was noticed.
        pass: f64,
    },
}

impl Verdict {
    /// The name of the kind, the same in every language.
    pub fn code(&self) -> &'static str {
        match self {
            Verdict::Stationary => "stationary",
            Verdict::Optimal => "optimal",
            Verdict::AtErrorFloor => "at-error-floor",
            Verdict::NotConverged(_) => "not-converged",
            Verdict::Diverged { .. } => "diverged",
        }
    }

    /// Whether the point is as requested.
    pub fn is_success(&self) -> bool {
        matches!(self, Verdict::Stationary | Verdict::Optimal)
    }
}

pub(super) fn words(certificate: &Certificate) -> String {
    let (at, tolerance) = (&certificate.at_point, certificate.tolerance);
    let residual = at.stationarity();
    match &certificate.verdict {
        Verdict::Stationary => {
            let minimum = relative_gap(certificate).map_or_else(String::new, |gap| {
                let gap = percent_at_most(gap);
                format!(", objective at most {gap} above the minimum")
            });
            format!("stationary to tolerance: residual {residual:.2e} ≤ {tolerance:.2e}{minimum}")
        }
        Verdict::Optimal => {
            // Where the minimum may be 0, no part of it is known.
            let gap = match (relative_gap(certificate), at.gap) {
                (Some(gap), _) => percent_at_most(gap),
                (None, gap) => at_most(gap.unwrap_or(f64::NAN).max(0.0), 1),
            };
            let rise = at.objective - certificate.start_objective;
            let above = if rise > 0.0 {
                format!(", but {rise:.1e} above that of the start")
            } else {
                String::new()
            };
            format!("optimal to tolerance: objective at most {gap} above the minimum{above}")
        }
        Verdict::AtErrorFloor => {
            let (cause, remedy) = match certificate.of_method.errors.largest() {
                Some((source, error)) => (format!("{source} {error:.2e}"), source.remedy()),
                None => ("an unknown error".into(), "shrink the step"),
            };
            format!(
                "at the error floor: residual {residual:.2e} with {cause}; to go lower, {remedy}"
            )
        }
        Verdict::NotConverged(reason) => {
            format!("not converged: {reason}, {}", shortfall(certificate))
        }
        Verdict::Diverged { pass } => {
            let cause = divergence(certificate);
            format!("diverged at pass {pass:.1}: {cause}; the best point seen is returned")
        }
    }
}

/// What the point lacks.
fn shortfall(certificate: &Certificate) -> String {
    let (at, tolerance) = (&certificate.at_point, certificate.tolerance);
    if at.residual > tolerance {
        let start = match certificate.obstacle {
            Some(Obstacle::AboveStart) => " and an objective above that of the start",
            _ => "",
        };
        return format!(
            "with residual {:.2e} above {tolerance:.2e}{start}",
            at.residual
        );
    }
    let small = format!("residual {:.2e} ≤ {tolerance:.2e}", at.residual);
    match certificate.obstacle {
        None => format!("with residual {:.2e}", at.residual),
        Some(Obstacle::Unsound) => "at a point that is not feasible".into(),
        Some(Obstacle::AboveStart) => {
            format!("{small}, but the objective is above that of the start")
        }
        Some(Obstacle::ProxError) => {
            format!(
                "{small}, but the prox was stopped early and may hide a larger residual: tighten its tolerance"
            )
        }
        Some(Obstacle::GradientError) => {
            format!(
                "{small}, but the inexact gradient may hide a larger residual: compute it more accurately"
            )
        }
        Some(Obstacle::Fall(fall)) => {
            format!("{small}, but a single step would lower the objective by about {fall:.2e}")
        }
        Some(Obstacle::Gap(gap)) => {
            let advice = if tolerance > 0.0 {
                ": set a smaller tolerance"
            } else {
                ""
            };
            format!("{small}, but the objective may be {gap:.2e} above the minimum{advice}")
        }
        Some(Obstacle::Escape(gain)) => {
            format!("{small}, but replacing a dead atom would lower the objective by {gain:.2e}")
        }
    }
}

fn divergence(certificate: &Certificate) -> String {
    if !certificate.start_objective.is_finite() {
        return "the objective is not finite at the start; choose another start".into();
    }
    let step = certificate
        .of_method
        .assumptions
        .iter()
        .find(|a| a.name == "step");
    match step {
        Some(step) if step.standing == Standing::Violated => {
            format!("{}; shorten the step", step.text)
        }
        _ => "the step is probably too long; shorten it, or use the default rule".into(),
    }
}

/// (Φ(x) − inf Φ)/inf Φ, at most; `None` if that says nothing.
fn relative_gap(certificate: &Certificate) -> Option<f64> {
    let at = &certificate.at_point;
    let gap = at.gap?.max(0.0);
    let least = at.objective.abs() - gap;
    (least > 0.0).then(|| gap / least)
}
