//! The certificate of a run in two halves: what is true at the returned point, and what is known of the method.
//!
//! A statement is proved, measured or estimated, and says so. The verdict follows from the point alone.

mod assumption;
mod at_point;
mod curve;
mod standard;
mod theorem;
mod verdict;

pub use assumption::{Assumption, Standing};
pub use at_point::{AtPoint, Pair};
pub(crate) use curve::Curve;
pub use standard::{Obstacle, Standard};
pub(crate) use theorem::Stretch;
pub use theorem::{Guarantee, OfMethod};
pub use verdict::Verdict;

use crate::bound::{at_least, at_most, percent_at_most};
use theorem::DRIFT;

use std::fmt;

/// What a run can claim. It holds no vectors; all numbers of `at_point` refer to the returned point.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Certificate {
    /// The outcome.
    pub verdict: Verdict,
    /// What is true at the returned point.
    pub at_point: AtPoint,
    /// What is known about the method.
    pub of_method: OfMethod,
    /// The residual up to which the point would have been called stationary.
    pub tolerance: f64,
    /// Φ at the first look: at the start or, where g is not convex, one exact step from it.
    pub start_objective: f64,
    /// Passes over the data until the returned point was reached.
    pub passes: f64,
    /// What prevents success, apart from the residual.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub obstacle: Option<Obstacle>,
}

impl Certificate {
    /// The outcome in words, with a remedy where there is one.
    pub fn words(&self) -> String {
        verdict::words(self)
    }

    /// The facts behind the verdict, line by line: a name and a text.
    pub fn details(&self) -> Vec<(&'static str, String)> {
        let (at, of) = (&self.at_point, &self.of_method);
        let mut lines = vec![("objective", format!("{:.10e}", at.objective))];
        match &at.pair {
            None => lines.push((
                "residual",
                format!("{:.3e} at step {:.2e}", at.residual, at.reference_step),
            )),
            Some(pair) => lines.extend(of_pair(pair)),
        }
        if at.prox_error != Some(0.0) {
            lines.push((
                "prox",
                match at.prox_error {
                    Some(error) => format!(
                        "stopped early; adds at most {} to the residual",
                        at_most(error, 2)
                    ),
                    None => "stopped early; its error is unknown".into(),
                },
            ));
        }
        if at.gradient_error != Some(0.0) {
            lines.push((
                "gradient",
                match at.gradient_error {
                    Some(error) => format!(
                        "inexact; adds at most {} to the residual",
                        at_most(error, 2)
                    ),
                    None => "inexact; its error is unknown".into(),
                },
            ));
        }
        if let Some(text) = self.minimum() {
            lines.push(("minimum", text));
        }
        lines.push(("guarantee", of.promise()));
        lines.extend(of.assumptions.iter().map(|a| ("assumes", a.to_string())));
        let errors = of.errors.entries();
        lines.extend(errors.map(|(source, level)| ("error", format!("{source}: {level}"))));
        lines.extend(of.rate_in_words().map(|text| ("rate", text)));
        lines
    }

    /// How far above the least value the objective may be.
    fn minimum(&self) -> Option<String> {
        let at = &self.at_point;
        if let Some(gap) = at.gap {
            // A sum that cancels may come out a rounding below zero.
            let gap = gap.max(0.0);
            let least = at.objective - gap;
            let relative = if least > 0.0 {
                format!(", {}", percent_at_most(gap / least))
            } else {
                String::new()
            };
            let gap = at_most(gap, 3);
            return Some(format!("at most {gap} lower{relative} (proved)"));
        }
        let bound = at.lower_bound.filter(|bound| *bound > 0.0)?;
        let above = percent_at_most((at.objective / bound - 1.0).max(0.0));
        let any = match at.pair {
            Some(_) => "that of any factorization of this rank",
            None => "any other",
        };
        Some(format!(
            "at least {}: the objective is at most {above} above {any}",
            at_least(bound, 6)
        ))
    }
}

fn of_pair(pair: &Pair) -> Vec<(&'static str, String)> {
    let one = |residual: f64, scale: f64| format!("{residual:.2e} of {scale:.2e}");
    let mut lines = vec![(
        "residual",
        format!(
            "X {}, A {}",
            one(pair.residual_x, pair.scale_x),
            one(pair.residual_a, pair.scale_a)
        ),
    )];
    if let Some(gap) = pair.codes_gap {
        lines.push((
            "codes",
            format!(
                "within {} of the best objective for this X (proved, up to rounding)",
                at_most(gap, 2)
            ),
        ));
    }
    if pair.dead_atoms > 0 {
        let escape = match pair.escape {
            None => "replacements were not searched for: the codes of a sample are coupled, or samples on several shards use the atom".into(),
            Some(0.0) => "a search found no replacement that lowers the objective, but one may exist".into(),
            Some(gain) => format!("replacing one would lower the objective by at least {}", at_least(gain, 2)),
        };
        lines.push(("dead atoms", format!("{}; {escape}", pair.dead_atoms)));
    }
    lines
}

impl fmt::Display for Certificate {
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        write!(out, "{}", self.words())?;
        for (name, text) in self.details() {
            write!(out, "\n  {name:<11} {text}")?;
        }
        Ok(())
    }
}
