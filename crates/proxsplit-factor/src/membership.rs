//! Whether factors lie in their sets, and whether the sets hold anything. Files round: what is outside by rounding of single precision is moved inside.

use crate::codes::{Side, TOUCH, Term};
use crate::products::Lanes;
use proxsplit::internal::linalg::vec::{distance, norm};
use proxsplit::{Error, Prox};
use serde::Serialize;
use std::fmt;

/// A vector of a factor that lies outside its set.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Outside {
    /// X or A.
    pub factor: &'static str,
    /// The column, from 0.
    pub column: usize,
    /// Its distance to the set.
    pub distance: f64,
}

impl fmt::Display for Outside {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            out,
            "column {} of {} lies {:.2e} outside its set",
            self.column, self.factor, self.distance
        )
    }
}

/// Where points are taken from to see what a term makes of them: numbers of all sizes, as large ones lose small sets in rounding.
const PROBES: [f64; 11] = [
    1.0, -1.0, 1e-10, -1e-10, 1e10, -1e10, 1e-20, 1e20, 1e-30, 1e30, -1e30,
];

/// Refuses a term of vectors of length `len` under which every number is 0, or none is finite, in this precision.
pub(crate) fn check_range<T: Lanes>(
    factor: &str,
    term: &dyn Prox<T>,
    len: usize,
) -> Result<(), Error> {
    // A number that has all its digits: what is below the range of the precision, and denormal, has not.
    let is_held = |v: &T| v.is_finite() && (*v * (T::ONE + T::EPSILON)).f64().abs() > v.f64().abs();
    let mut vector = vec![T::ZERO; len];
    let holds = PROBES.iter().any(|&probe| {
        vector.fill(T::ZERO);
        vector[0] = T::of(probe);
        term.prox(&mut vector, T::of(TOUCH));
        vector.iter().all(|v| v.is_finite()) && vector.iter().any(is_held)
    });
    if holds {
        return Ok(());
    }
    Err(Error::Incompatible(format!(
        "the term of {factor} allows only 0 among the numbers that {} can represent: use f64, or scale the data and the term",
        std::any::type_name::<T>()
    )))
}

/// Roundings of `f32` by which a vector may be outside, relative to its norm.
const ROUNDINGS: f64 = 16.0;

/// Moves vectors that are outside by rounding into their set; the first one that is farther away is named.
pub(crate) fn settle<T: Lanes>(
    term: &Term<'_, T>,
    factor: &mut [T],
    rank: usize,
) -> Result<(), Outside> {
    if term.value(factor, rank).is_finite() {
        return Ok(());
    }
    let mut outside = None;
    let mut column = term.first();
    term.change_each(factor, rank, |vector| {
        if term.prox.value(vector).is_infinite() {
            let before = vector.to_vec();
            term.prox.prox(vector, T::EPSILON);
            let (moved, size) = (distance(&before, vector), norm(&before));
            let allowed = ROUNDINGS * f64::from(f32::EPSILON) * size.max(norm(vector));
            if moved > allowed || moved.is_nan() {
                outside.get_or_insert((column, moved));
            }
        }
        column += 1;
    });
    match outside {
        None => Ok(()),
        Some((column, distance)) => Err(Outside {
            factor: match term.side() {
                Side::Atoms => "X",
                Side::Codes => "A",
            },
            column,
            distance,
        }),
    }
}
