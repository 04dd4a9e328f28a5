//! What a theorem assumes of a run, and how firmly that is known.

use super::curve::limit;
use super::theorem::follow_moves;
use crate::bound::at_most;
use crate::ledger::{Level, Source};
use crate::solve::{Method, Setting};
use crate::{Class, Lipschitz};
use std::fmt;

/// How firmly something is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize),
    serde(rename_all = "kebab-case")
)]
#[non_exhaustive]
pub enum Standing {
    /// It cannot be otherwise.
    Proved,
    /// Seen in this run, at every step or look.
    Measured,
    /// A rule of thumb.
    Estimated,
    /// It does not hold.
    Violated,
    /// Nobody knows.
    Unknown,
}

impl Standing {
    /// The weaker of two.
    fn and(self, other: Standing) -> Standing {
        if other as u8 > self as u8 {
            other
        } else {
            self
        }
    }
}

/// One assumption of a theorem.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Assumption {
    /// A short name for programs; where it fails, the reason that is given.
    pub name: &'static str,
    /// How firmly it is known to hold.
    pub standing: Standing,
    /// What it says, with its numbers.
    pub text: String,
}

impl fmt::Display for Assumption {
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        let standing = match self.standing {
            Standing::Proved => "proved",
            Standing::Measured => "measured",
            Standing::Estimated => "estimated",
            Standing::Violated => "violated",
            Standing::Unknown => "unknown",
        };
        write!(out, "{} ({standing})", self.text)
    }
}

/// Whether the steps are short enough.
pub(super) fn of_steps(setting: &Setting) -> Assumption {
    let convex = setting.convex && setting.class == Class::Convex;
    let (standing, text) = match setting.method {
        Method::Descent => {
            let text = "a line search ends every step sufficiently far below the largest of the last few values of Φ";
            (Standing::Measured, text.into())
        }
        Method::Envelope => {
            let text = "every step ends sufficiently far below a running mean of Φ or of the forward–backward envelope, which is regularly checked to be above Φ";
            (Standing::Measured, text.into())
        }
        Method::WorkingSet => {
            let text = "every round lowers Φ by a fraction of what a plain step would, on a set that includes the coordinates farthest from stationary";
            (Standing::Measured, text.into())
        }
        Method::Monotone => {
            let text = "passes without momentum are made regularly, each begins no higher than the previous one ended, and none raises the objective";
            (Standing::Measured, text.into())
        }
        Method::Adaptive if convex && setting.ledger.is_exact() => {
            let text = "the step follows the local curvature of a convex problem";
            (Standing::Proved, text.into())
        }
        Method::Guarded => {
            let text = "between checks Φ falls by a fraction of Σ‖Δ‖²/η: where it does not, the run is rolled back and the step is halved";
            (Standing::Measured, text.into())
        }
        Method::Splitting | Method::Adaptive | Method::Following | Method::Subgradient => {
            in_range(setting)
        }
    };
    Assumption {
        name: "step",
        standing,
        text,
    }
}

/// Whether all steps are in the range of the theorem.
fn in_range(setting: &Setting) -> (Standing, String) {
    let l = setting.lipschitz.value();
    let (limit, symbol) = limit(setting.class, l.unwrap_or(f64::INFINITY));
    let Some((least, greatest)) = setting.steps else {
        let text = format!("0 < η < {symbol}: no step has been made");
        return (Standing::Unknown, text);
    };
    let range = if least == greatest {
        format!("η = {least:.3e}")
    } else {
        format!("η from {least:.3e} to {greatest:.3e}")
    };
    let (standing, relation, known) = match (setting.lipschitz, l) {
        (Lipschitz::Unknown, _) | (_, None) => (
            Standing::Unknown,
            "cannot be checked",
            "L is unknown".to_owned(),
        ),
        (_, Some(l)) if greatest >= limit || greatest.is_nan() || limit.is_nan() => (
            Standing::Violated,
            "violated",
            format!("{symbol} = {limit:.3e} for L = {l:.3e}"),
        ),
        (Lipschitz::Estimated(l), _) => (
            Standing::Estimated,
            "holds",
            format!("{symbol} = {limit:.3e} if L ≤ {l:.3e}"),
        ),
        (Lipschitz::Known(_), _) => (Standing::Proved, "holds", format!("{symbol} = {limit:.3e}")),
    };
    let text = format!("0 < η < {symbol} {relation}: {range}, {known}");
    (standing, text)
}

/// Whether the errors of the gradient are bounded, and by what.
pub(super) fn of_errors(setting: &Setting) -> Assumption {
    let errors = &setting.ledger;
    let of_level = |(source, level): (Source, Level)| match level {
        _ if level.value().is_none() => Standing::Unknown,
        Level::Bounded(_) => Standing::Proved,
        Level::Measured(_) => Standing::Measured,
        Level::Estimated(_) if source == Source::Rounding => Standing::Proved,
        Level::Estimated(_) | Level::Unknown => Standing::Estimated,
    };
    let levels = errors.entries().map(of_level);
    let mut standing = levels.fold(Standing::Proved, Standing::and);
    let text = if errors.is_exact() {
        "gradients are exact up to rounding".into()
    } else if setting.vanishing && errors.is_exact_but_for(&super::DRIFT) {
        // Whatever its level so far, it is of the order of the step.
        standing = Standing::Proved;
        "the drift of a pass vanishes with the step".into()
    } else if follow_moves(setting) {
        // Whatever its level so far, it is of the order of the moves, whose squares have a finite sum.
        standing = Standing::Proved;
        "‖e‖ is at most a multiple of the moves since the last refresh, and vanishes with them"
            .into()
    } else if errors.is_known() {
        let level = errors.total();
        let level = at_most(level, 2);
        format!("‖e‖ ≤ {level} wherever it was observed in the second half of the run")
    } else {
        "the level of one of the errors is unknown".into()
    };
    Assumption {
        name: "errors",
        standing,
        text,
    }
}
