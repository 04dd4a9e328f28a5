//! What NaN is in a file, and an empty cell of a table.

/// Whether NaN, and an empty cell or another mark of a missing value in a table, may stand in a file. Infinity may not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Nan {
    /// No; `or` is what a caller can do besides, to be put behind the remedy in the message.
    Refused {
        /// For example ", or …"; may be empty.
        or: &'static str,
    },
    /// Yes: a missing entry, which is read as NaN.
    Missing,
}

impl Default for Nan {
    fn default() -> Self {
        Self::REFUSED
    }
}

impl Nan {
    pub(crate) const REFUSED: Nan = Nan::Refused { or: "" };

    /// Whether a number may be there.
    #[inline]
    pub(crate) fn admits(self, value: f64) -> bool {
        value.is_finite() || (value.is_nan() && self == Nan::Missing)
    }

    /// What a caller can do besides removing or replacing a number.
    pub(crate) fn or(self, value: f64) -> &'static str {
        match self {
            Nan::Refused { or } if value.is_nan() => or,
            _ => "",
        }
    }
}
