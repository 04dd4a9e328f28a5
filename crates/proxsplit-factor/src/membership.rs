//! Whether factors lie in their sets. Files round: what is outside by rounding of single precision is moved inside.

use crate::codes::{Side, Term};
use crate::products::Lanes;
use proxsplit::linalg::vec::{distance, norm};
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
