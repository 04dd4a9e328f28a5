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

use theorem::DRIFT;

use std::fmt;

/// What a run can claim. It holds no vectors; all numbers of `at_point` are about the returned point.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Certificate {
    /// The outcome.
    pub verdict: Verdict,
    /// What is true at the returned point.
    pub at_point: AtPoint,
    /// What is known of the method.
    pub of_method: OfMethod,
    /// The residual up to which the point would have been called stationary.
    pub tolerance: f64,
    /// Φ at the first look: at the start or, where g is not convex, one exact step from it.
    pub start_objective: f64,
    /// Passes over the data until the returned point was reached.
    pub passes: f64,
    /// What stands against the point besides its residual.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub obstacle: Option<Obstacle>,
}

impl Certificate {
    /// The outcome in words, with what to do about it.
    pub fn words(&self) -> String {
        verdict::words(self)
    }

    /// What stands behind the verdict, line by line: a name and a text.
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
                    Some(error) => format!("stopped; adds at most {error:.2e} to the residual"),
                    None => "stopped, and its error is unknown".into(),
                },
            ));
        }
        if at.gradient_error != Some(0.0) {
            lines.push((
                "gradient",
                match at.gradient_error {
                    Some(error) => format!("inexact; adds at most {error:.2e} to the residual"),
                    None => "inexact, and its error is unknown".into(),
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
                format!(", {} relatively", percent(gap / least))
            } else {
                String::new()
            };
            return Some(format!("at most {gap:.3e} lower{relative} (proved)"));
        }
        let bound = at.lower_bound.filter(|bound| *bound > 0.0)?;
        let above = percent_at_most((at.objective / bound - 1.0).max(0.0));
        let any = match at.pair {
            Some(_) => "that of any factorization of this rank",
            None => "any other",
        };
        Some(format!(
            "at least {bound:.6e}: the objective is at most {above} above {any}"
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
            format!("within {gap:.2e} of the best objective for this X (proved, up to rounding)"),
        ));
    }
    if pair.dead_atoms > 0 {
        let escape = match pair.escape {
            None => "replacements were not searched for: the codes of a sample are tied together, or samples in several places use the atom".into(),
            Some(0.0) => "a search found no replacement that lowers the objective, which is no proof that there is none".into(),
            Some(gain) => format!("replacing one gains at least {gain:.2e}"),
        };
        lines.push(("dead atoms", format!("{}; {escape}", pair.dead_atoms)));
    }
    lines
}

/// A fraction as people read it: in percent while it is of a readable size.
fn percent(fraction: f64) -> String {
    if (1e-4..10.0).contains(&fraction) {
        format!("{:.2} %", 100.0 * fraction)
    } else {
        format!("{fraction:.1e}")
    }
}

/// A fraction in percent, rounded up: what is said to be at most that must not be more.
fn percent_at_most(fraction: f64) -> String {
    let percent = 100.0 * fraction;
    if percent == 0.0 {
        "0 %".into()
    } else if (0.01..1e3).contains(&percent) {
        format!("{:.2} %", (100.0 * percent).ceil() / 100.0)
    } else if (1e3..1e6).contains(&percent) {
        format!("{:.0} %", percent.ceil())
    } else {
        let digit = 10f64.powf(percent.log10().floor() - 1.0);
        format!("{:.1e} %", (percent / digit).ceil() * digit)
    }
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

#[cfg(test)]
mod tests {
    #[test]
    fn what_is_at_most_is_rounded_up_and_has_its_unit() {
        let told = super::percent_at_most;
        assert_eq!(told(0.121_218), "12.13 %");
        assert_eq!(told(13.387), "1339 %");
        assert_eq!(told(1.21e-9), "1.3e-7 %");
        assert_eq!(told(2.345e8), "2.4e10 %");
        assert_eq!(told(0.0), "0 %");
    }
}
