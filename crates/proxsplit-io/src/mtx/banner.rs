//! The first line: `%%MatrixMarket matrix coordinate real general`.

use crate::text::word;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Layout {
    /// Row, column and value of the entries that are not zero.
    Coordinate,
    /// Every entry, column by column.
    Array,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Symmetry {
    General,
    /// Only the lower triangle is there; the upper one is the same.
    Symmetric,
    /// Only the part below the diagonal is there; the upper one has the other sign, the diagonal is 0.
    Skew,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Banner {
    pub(super) layout: Layout,
    /// Entries have no value and count as 1.
    pub(super) pattern: bool,
    pub(super) symmetry: Symmetry,
}

impl Banner {
    pub(super) fn parse(mut line: &[u8]) -> Result<Self, String> {
        let mut next = || {
            let word = word(&mut line).unwrap_or_default();
            String::from_utf8_lossy(word).to_ascii_lowercase()
        };
        if next() != "%%matrixmarket" || next() != "matrix" {
            return Err(
                "this is not a Matrix Market file: the first line must be '%%MatrixMarket matrix …'"
                    .to_owned(),
            );
        }
        let (layout, field, symmetry) = (next(), next(), next());
        let layout = match layout.as_str() {
            "coordinate" => Layout::Coordinate,
            "array" => Layout::Array,
            other => {
                return Err(format!(
                    "layout '{other}' is unknown; it must be coordinate or array"
                ));
            }
        };
        let pattern = match field.as_str() {
            "real" | "double" | "integer" => false,
            "pattern" if layout == Layout::Coordinate => true,
            "pattern" => return Err("an array cannot be a pattern".to_owned()),
            other => {
                return Err(format!(
                    "values of type '{other}' are not supported; they must be real, integer or pattern"
                ));
            }
        };
        let symmetry = match symmetry.as_str() {
            "general" => Symmetry::General,
            "symmetric" => Symmetry::Symmetric,
            "skew-symmetric" if !pattern => Symmetry::Skew,
            other => {
                return Err(format!(
                    "symmetry '{other}' is not supported; it must be general, symmetric or (with values) skew-symmetric"
                ));
            }
        };
        Ok(Self {
            layout,
            pattern,
            symmetry,
        })
    }
}
