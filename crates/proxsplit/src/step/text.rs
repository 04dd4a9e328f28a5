//! The text form of a step rule: `auto`, `0.1`, `diminishing:0.1,0.6`, `backtracking`, `bb`, `adaptive`.

use super::{Adaptive, Backtracking, BarzilaiBorwein, Constant, Diminishing, StepRule};
use crate::Error;
use std::fmt;
use std::str::FromStr;

/// A step rule as people write it.
///
/// | text | rule |
/// |---|---|
/// | `auto` | whatever the solver prefers |
/// | a number η | [`Constant`] |
/// | `diminishing:η,p` | [`Diminishing`], η/(1 + k)^p; `diminishing:η,p,d` with a delay of d iterations |
/// | `backtracking` | [`Backtracking`] |
/// | `bb` | [`BarzilaiBorwein`] |
/// | `adaptive` | [`Adaptive`] |
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[non_exhaustive]
pub enum Choice {
    /// Whatever the solver prefers.
    #[default]
    Auto,
    /// η_k = η.
    Constant(f64),
    /// η_k = η/(1 + k/d)^p.
    Diminishing {
        /// η
        first: f64,
        /// p
        power: f64,
        /// d
        delay: f64,
    },
    /// Halved until Φ decreases enough.
    Backtracking,
    /// The quotients of Barzilai and Borwein.
    BarzilaiBorwein,
    /// Follows the local curvature.
    Adaptive,
}

impl Choice {
    /// The rule itself; rules that learn begin with the step `first`. `None` for `auto`.
    pub fn rule(self, first: f64) -> Result<Option<Box<dyn StepRule>>, Error> {
        Ok(Some(match self {
            Choice::Auto => return Ok(None),
            Choice::Constant(step) => Box::new(Constant::new(step)?),
            Choice::Diminishing {
                first,
                power,
                delay,
            } => Box::new(Diminishing::new(first, power)?.delay(delay)?),
            Choice::Backtracking => Box::new(Backtracking::new(first)?),
            Choice::BarzilaiBorwein => Box::new(BarzilaiBorwein::new(first)?),
            Choice::Adaptive => Box::new(Adaptive::new(first)?),
        }))
    }
}

impl FromStr for Choice {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let choice = match text.trim() {
            "auto" => Choice::Auto,
            "backtracking" => Choice::Backtracking,
            "bb" => Choice::BarzilaiBorwein,
            "adaptive" => Choice::Adaptive,
            other => match other.strip_prefix("diminishing:") {
                Some(numbers) => diminishing(text, numbers)?,
                None => Choice::Constant(number(text, other)?),
            },
        };
        // A number out of its range is refused here and not when the run begins.
        choice.rule(1.0).map(|_| choice)
    }
}

fn diminishing(text: &str, numbers: &str) -> Result<Choice, Error> {
    let numbers = numbers.split(',').map(|part| number(text, part.trim()));
    match numbers.collect::<Result<Vec<_>, _>>()?[..] {
        [first, power] => Ok(Choice::Diminishing {
            first,
            power,
            delay: 1.0,
        }),
        [first, power, delay] => Ok(Choice::Diminishing {
            first,
            power,
            delay,
        }),
        _ => Err(unreadable(text)),
    }
}

fn number(text: &str, part: &str) -> Result<f64, Error> {
    part.parse().map_err(|_| unreadable(text))
}

fn unreadable(text: &str) -> Error {
    Error::Incompatible(format!(
        "cannot read step '{text}': use auto, a number, diminishing:FIRST,POWER, backtracking, bb or adaptive"
    ))
}

impl fmt::Display for Choice {
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Choice::Auto => out.write_str("auto"),
            Choice::Constant(step) => write!(out, "{step}"),
            Choice::Diminishing {
                first,
                power,
                delay,
            } if *delay == 1.0 => write!(out, "diminishing:{first},{power}"),
            Choice::Diminishing {
                first,
                power,
                delay,
            } => write!(out, "diminishing:{first},{power},{delay}"),
            Choice::Backtracking => out.write_str("backtracking"),
            Choice::BarzilaiBorwein => out.write_str("bb"),
            Choice::Adaptive => out.write_str("adaptive"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_read_and_printed() {
        let texts = [
            "auto",
            "0.1",
            "diminishing:0.1,0.6",
            "diminishing:1,1,20",
            "backtracking",
            "bb",
            "adaptive",
        ];
        for text in texts {
            let choice: Choice = text.parse().unwrap();
            assert_eq!(choice.to_string(), text);
            let rule = choice.rule(0.5).unwrap();
            assert_eq!(rule.is_none(), text == "auto");
            let learns = ["backtracking", "bb", "adaptive"].contains(&text);
            assert_eq!(
                rule.is_some_and(|rule| rule.scheduled(0).is_none()),
                learns,
                "{text}"
            );
        }
        let third = "diminishing: 0.1, 1".parse::<Choice>().unwrap();
        assert_eq!(
            third.rule(1.0).unwrap().unwrap().scheduled(1),
            Some(0.1 / 2.0)
        );
    }

    #[test]
    fn nonsense_is_refused_with_what_is_possible() {
        let texts = [
            "",
            "fast",
            "0",
            "-1",
            "nan",
            "inf",
            "diminishing:",
            "diminishing:0.1",
            "diminishing:0.1,2",
            "diminishing:1,1,1,1",
        ];
        for text in texts {
            assert!(text.parse::<Choice>().is_err(), "{text}");
        }
        let message = "fast".parse::<Choice>().unwrap_err().to_string();
        assert!(message.contains("'fast'") && message.contains("backtracking"));
    }
}
