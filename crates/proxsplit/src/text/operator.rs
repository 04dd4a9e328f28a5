//! An operator read from text.

use super::argument::{Value, Values};
use super::catalogue::{Entry, find};
use super::join::join;
use crate::calculus::Rule;
use crate::{Class, Elementary, Error, Form, Grouped, Prox, Separable};
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

/// An operator with a text form, for both scalars; cheap to clone.
///
/// Equal means the same text after reading: `l1:0.10` and `l1:.1` are equal.
#[derive(Clone)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(try_from = "String", into = "String")
)]
pub struct Operator {
    text: Arc<str>,
    rules: Arc<[Rule]>,
    term: Arc<dyn Both>,
}

/// An operator in both precisions.
pub(super) trait Both: Prox<f32> + Prox<f64> {}
impl<P: Prox<f32> + Prox<f64>> Both for P {}

impl Operator {
    pub(super) fn new(text: &str, rules: &[Rule], term: Arc<dyn Both>) -> Self {
        Self {
            text: text.into(),
            rules: rules.into(),
            term,
        }
    }

    pub(super) fn into_term(self) -> Arc<dyn Both> {
        self.term
    }

    /// The same with every weight of its penalties (W, W1, W2 of the catalogue) multiplied by a factor; sets stay.
    pub fn weighted(&self, factor: f64) -> Result<Self, Error> {
        let parts: Result<Vec<_>, String> = split(&self.text)
            .into_iter()
            .map(|text| scaled(text, factor))
            .collect();
        let refuse = |cause| Error::Text {
            text: self.to_string(),
            cause,
        };
        parts.map_err(refuse)?.join("+").parse()
    }

    /// The rules that join its parts, innermost first; none for a single part.
    pub fn rules(&self) -> &[Rule] {
        &self.rules
    }
}

impl FromStr for Operator {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let compact: String = text.chars().filter(|c| !c.is_whitespace()).collect();
        let parts: Result<Vec<_>, _> = split(&compact).into_iter().map(part).collect();
        parts.and_then(join).map_err(|cause| Error::Text {
            text: text.into(),
            cause,
        })
    }
}

/// The parts between the `+` signs that join; those inside numbers (`1e+5`, `box:0,+inf`) do not.
fn split(text: &str) -> Vec<&str> {
    let bytes = text.as_bytes();
    let joins = |&(i, _): &(usize, &str)| {
        let next = bytes.get(i + 1).copied().unwrap_or(b'+');
        let number = next.is_ascii_digit() || next == b'.';
        let argument = i > 0 && matches!(bytes[i - 1], b',' | b':');
        !number && !argument
    };
    let mut start = 0;
    let mut parts = Vec::new();
    for (i, _) in text.match_indices('+').filter(joins) {
        parts.push(&text[start..i]);
        start = i + 1;
    }
    parts.push(&text[start..]);
    parts
}

/// One part, `name:argument,argument`.
fn part(text: &str) -> Result<Operator, String> {
    if text.is_empty() {
        return Err("a part is empty; write name:argument,argument and join parts by +".into());
    }
    let (name, arguments) = match text.split_once(':') {
        Some((name, arguments)) => (name, arguments.split(',').collect()),
        None => (text, Vec::new()),
    };
    let entry = find(name)?;
    let values = read(entry, &arguments)?;
    let term = (entry.build)(&values).map_err(|error| error.to_string())?;
    let mut canonical = entry.name.to_string();
    for (i, value) in values.0.iter().enumerate() {
        canonical.push(if i == 0 { ':' } else { ',' });
        canonical.push_str(&value.to_string());
    }
    Ok(Operator::new(&canonical, &[], term))
}

/// A part with its weights multiplied.
fn scaled(text: &str, factor: f64) -> Result<String, String> {
    let Some((name, arguments)) = text.split_once(':') else {
        return Ok(text.to_owned());
    };
    let entry = find(name)?;
    let arguments: Vec<&str> = arguments.split(',').collect();
    let values = read(entry, &arguments)?;
    let letters = entry.arguments.iter().map(ToString::to_string);
    let scaled = letters.zip(&values.0).map(|(letter, value)| match value {
        Value::Number(weight) if letter.starts_with('W') => {
            Value::Number(weight * factor).to_string()
        }
        other => other.to_string(),
    });
    Ok(format!("{name}:{}", scaled.collect::<Vec<_>>().join(",")))
}

fn read(entry: &Entry, arguments: &[&str]) -> Result<Values, String> {
    if arguments.len() != entry.arguments.len() {
        let (found, expected) = (arguments.len(), entry.arguments.len());
        let plural = if expected == 1 { "" } else { "s" };
        return Err(format!(
            "'{}' takes {expected} argument{plural}, as in {entry}, but there are {found}",
            entry.name
        ));
    }
    let pairs = entry.arguments.iter().zip(arguments);
    let values = pairs.map(|(argument, text)| {
        let refusal = |must| format!("{argument} of {entry} is '{text}', but it must be {must}");
        argument.read(text).map_err(refusal)
    });
    values.collect::<Result<_, _>>().map(Values)
}

impl TryFrom<String> for Operator {
    type Error = Error;

    fn try_from(text: String) -> Result<Self, Error> {
        text.parse()
    }
}

impl From<Operator> for String {
    fn from(operator: Operator) -> String {
        operator.to_string()
    }
}

impl fmt::Display for Operator {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.pad(&self.text)
    }
}

impl fmt::Debug for Operator {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.debug_tuple("Operator").field(&self.text).finish()
    }
}

impl PartialEq for Operator {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl Eq for Operator {}

macro_rules! forward {
    ($($scalar:ty),*) => {$(
        impl Prox<$scalar> for Operator {
            fn value(&self, x: &[$scalar]) -> f64 {
                self.term.value(x)
            }
            fn prox(&self, x: &mut [$scalar], step: $scalar) {
                self.term.prox(x, step);
            }
            fn prox_with_error(&self, x: &mut [$scalar], step: $scalar) -> Option<f64> {
                self.term.prox_with_error(x, step)
            }
            fn conjugate(&self, s: &[$scalar]) -> Option<f64> {
                self.term.conjugate(s)
            }
            fn polar(&self, s: &[$scalar]) -> Option<f64> {
                self.term.polar(s)
            }
            fn class(&self) -> Class {
                Prox::<$scalar>::class(&*self.term)
            }
            fn fits(&self, len: usize) -> Result<(), Error> {
                Prox::<$scalar>::fits(&*self.term, len)
            }
            fn separable(&self) -> Option<&dyn Separable<$scalar>> {
                self.term.separable()
            }
            fn grouped(&self) -> Option<&dyn Grouped<$scalar>> {
                self.term.grouped()
            }
            fn form(&self) -> Form {
                Prox::<$scalar>::form(&*self.term)
            }
            fn elementary(&self) -> Option<Elementary> {
                Prox::<$scalar>::elementary(&*self.term)
            }
        }
    )*};
}
forward!(f32, f64);
