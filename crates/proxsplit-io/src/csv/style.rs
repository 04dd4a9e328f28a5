//! How the cells of a table are understood: which of them are numbers.

use crate::nan::Nan;
use crate::reading::CsvOptions;
use crate::text::number;

/// What a cell looks like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Number,
    /// Empty, or another mark of a missing value.
    Missing,
    /// A number, if only the decimal sign were another.
    Foreign,
    Name,
}

/// The options of a table and what may be missing in it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Style {
    pub(super) options: CsvOptions,
    pub(super) nan: Nan,
}

impl Style {
    fn decimal(&self) -> u8 {
        self.options.decimal.unwrap_or(b'.')
    }

    /// The number in a cell, possibly NaN or infinite.
    #[inline]
    pub(super) fn number(&self, cell: &[u8]) -> Option<f64> {
        if self.decimal() == b'.' {
            return number(cell);
        }
        swap(cell).and_then(|cell| number(&cell))
    }

    pub(super) fn kind(&self, cell: &str) -> Kind {
        let cell = cell.as_bytes();
        if is_missing(cell) {
            Kind::Missing
        } else if self.number(cell).is_some() {
            Kind::Number
        } else if self.options.decimal.is_none() && self.is_foreign(cell) {
            Kind::Foreign
        } else {
            Kind::Name
        }
    }

    /// Whether the other decimal sign would make it a number.
    pub(super) fn is_foreign(&self, cell: &[u8]) -> bool {
        let other = if self.decimal() == b'.' {
            swap(cell).and_then(|cell| number(&cell))
        } else {
            number(cell)
        };
        other.is_some()
    }

    /// The option that would read a cell as a number.
    pub(super) fn other_decimal(&self) -> &'static str {
        match self.decimal() {
            b'.' => "--decimal ,",
            _ => "--decimal .",
        }
    }
}

/// A number with a decimal comma as one with a point; `None` if it has points already.
fn swap(cell: &[u8]) -> Option<Vec<u8>> {
    let swapped = |&byte: &u8| match byte {
        b'.' => None,
        b',' => Some(b'.'),
        other => Some(other),
    };
    cell.iter().map(swapped).collect()
}

/// Marks that programs write for a missing value.
pub(super) fn is_missing(cell: &[u8]) -> bool {
    let marks = ["", "na", "n/a", "nan", "null", "none", "?", "-"];
    marks
        .iter()
        .any(|mark| cell.eq_ignore_ascii_case(mark.as_bytes()))
}
