//! The arguments of text forms: numbers, counts, matrix shapes and powers.

use crate::prox::Power;
use std::fmt;

/// What stands for an argument in a form, and how it is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Argument {
    /// A finite number, by its letter.
    Number(&'static str),
    /// A number, or `-inf`, or `inf`.
    Bound(&'static str),
    /// A whole number.
    Count(&'static str),
    /// The shape of a column-major matrix, `RxC`.
    Shape,
    /// `1/2` or `2/3`.
    Power,
}

/// An argument that has been read.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Value {
    Number(f64),
    Count(usize),
    Shape(usize, usize),
    Power(Power),
}

impl Argument {
    /// Reads it; the error says what it must be.
    pub(super) fn read(self, text: &str) -> Result<Value, &'static str> {
        let whole = |text: &str| {
            let count: Option<u32> = text.parse().ok();
            count.map(|count| count as usize)
        };
        let number = |text: &str| text.parse().ok().filter(|value: &f64| !value.is_nan());
        match self {
            Argument::Number(_) => number(text)
                .filter(|value| value.is_finite())
                .map(Value::Number)
                .ok_or("a finite number"),
            Argument::Bound(_) => number(text)
                .map(Value::Number)
                .ok_or("a number, -inf or inf"),
            Argument::Count(_) => whole(text).map(Value::Count).ok_or("a whole number"),
            Argument::Shape => text
                .split_once('x')
                .and_then(|(rows, cols)| Some((whole(rows)?, whole(cols)?)))
                .filter(|&(rows, cols)| rows > 0 && cols > 0)
                .map(|(rows, cols)| Value::Shape(rows, cols))
                .ok_or("rows x columns, as in 3x4"),
            Argument::Power => match text {
                "1/2" => Ok(Value::Power(Power::Half)),
                "2/3" => Ok(Value::Power(Power::TwoThirds)),
                _ => Err("1/2 or 2/3"),
            },
        }
    }
}

/// The letter in the form: `W`, `RxC`, `1/2`.
impl fmt::Display for Argument {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(match self {
            Argument::Number(letter) | Argument::Bound(letter) | Argument::Count(letter) => letter,
            Argument::Shape => "RxC",
            Argument::Power => "P",
        })
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match *self {
            // Both ways print the shortest text that reads back as the same number.
            Value::Number(v) if v == 0.0 || (1e-4..1e15).contains(&v.abs()) => write!(f, "{v}"),
            Value::Number(v) if v.is_infinite() => write!(f, "{v}"),
            Value::Number(v) => write!(f, "{v:e}"),
            Value::Count(count) => write!(f, "{count}"),
            Value::Shape(rows, cols) => write!(f, "{rows}x{cols}"),
            Value::Power(power) => write!(f, "{power}"),
        }
    }
}

/// The arguments of a form, by position. Their types follow from the form, so that asking for another one is a slip in the
/// table, which the test of the table finds.
pub(super) struct Values(pub(super) Vec<Value>);

impl Values {
    pub(super) fn number(&self, i: usize) -> f64 {
        match self.0[i] {
            Value::Number(value) => value,
            _ => f64::NAN,
        }
    }

    pub(super) fn count(&self, i: usize) -> usize {
        match self.0[i] {
            Value::Count(count) => count,
            _ => 0,
        }
    }

    pub(super) fn shape(&self, i: usize) -> (usize, usize) {
        match self.0[i] {
            Value::Shape(rows, cols) => (rows, cols),
            _ => (0, 0),
        }
    }

    pub(super) fn power(&self, i: usize) -> Power {
        match self.0[i] {
            Value::Power(power) => power,
            _ => Power::Half,
        }
    }
}
