//! What can be wrong with an input.

/// A refused input: what it was, and what it must be.
///
/// Everything is checked when a value is made, so that nothing can fail inside an iteration; numerical trouble of a run
/// is a [`Reason`](crate::run::Reason), not an error.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A number outside its range.
    #[error("{name} = {value}, but it must be {must}")]
    Parameter {
        /// The parameter's name.
        name: &'static str,
        /// The value that was given.
        value: f64,
        /// What it must be.
        must: &'static str,
    },
    /// A length that does not fit.
    #[error("{what} has length {found}, expected {expected}")]
    Shape {
        /// Which input.
        what: &'static str,
        /// The length it should have.
        expected: usize,
        /// The length it has.
        found: usize,
    },
    /// NaN or infinity among the data.
    #[error("{what} has a non-finite entry at {index}; remove or replace it")]
    NotFinite {
        /// Which input.
        what: &'static str,
        /// Position of the first such entry.
        index: usize,
    },
    /// Inputs that are valid by themselves but not together.
    #[error("{0}")]
    Incompatible(String),
    /// A text form that cannot be read.
    #[error("cannot read operator '{text}': {cause}")]
    Text {
        /// The text that was given.
        text: String,
        /// What is wrong with it, and what was expected.
        cause: String,
    },
}

/// `Ok(value)` if it is finite and ≥ 0.
pub fn nonnegative(name: &'static str, value: f64) -> Result<f64, Error> {
    require(
        name,
        value,
        value.is_finite() && value >= 0.0,
        "finite and at least 0",
    )
}

/// `Ok(value)` if it is finite and > 0.
pub fn positive(name: &'static str, value: f64) -> Result<f64, Error> {
    require(
        name,
        value,
        value.is_finite() && value > 0.0,
        "finite and greater than 0",
    )
}

/// `Ok(value)` if it is neither infinite nor NaN.
pub fn finite(name: &'static str, value: f64) -> Result<f64, Error> {
    require(name, value, value.is_finite(), "finite")
}

/// `Ok(value)` if the condition `fits`.
pub fn require(
    name: &'static str,
    value: f64,
    fits: bool,
    must: &'static str,
) -> Result<f64, Error> {
    if fits {
        Ok(value)
    } else {
        Err(Error::Parameter { name, value, must })
    }
}

/// `Ok` if `values` has the expected length.
pub fn length<E>(what: &'static str, values: &[E], expected: usize) -> Result<(), Error> {
    let found = values.len();
    if found == expected {
        Ok(())
    } else {
        Err(Error::Shape {
            what,
            expected,
            found,
        })
    }
}

/// `Ok` if every entry is finite.
pub fn all_finite<T: crate::Real>(what: &'static str, values: &[T]) -> Result<(), Error> {
    match crate::data::first_where(values, |v| !v.is_finite()) {
        None => Ok(()),
        Some(index) => Err(Error::NotFinite { what, index }),
    }
}
