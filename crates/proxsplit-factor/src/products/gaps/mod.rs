//! Where entries of Y are missing, and what that changes.

mod own;
mod positions;
#[cfg(test)]
mod tests;

pub(crate) use own::{GATHERED, Own, add_block};
use positions::{Kind, Positions};

use super::{Data, Lanes, in_order};
use crate::Missing;
use proxsplit::Error;
use proxsplit::data::{Dense, Element, Matrix, Order, Sparse, dispatch};
use rayon::prelude::*;
use std::ops::Range;

/// Columns of which one task finds a part of a sum.
const PART: usize = 256;

/// The pattern of missing entries, by columns and by rows.
#[derive(Debug)]
pub(crate) struct Gaps {
    columns: Positions,
    rows: Positions,
    count: usize,
}

impl Gaps {
    /// Looks for missing entries; `None` if there are none.
    pub(crate) fn find(matrix: Matrix<'_>, missing: Missing) -> Result<Option<Self>, Error> {
        let (order, positions) = match (matrix, missing) {
            (_, Missing::None) => return Ok(None),
            (Matrix::Dense(_), Missing::Unstored) => {
                return Err(Error::Incompatible(
                    "dense data store every entry: mark the missing ones by NaN, or give sparse data".into(),
                ));
            }
            (Matrix::Dense(dense), Missing::Nan) => (dense.order(), nan_of_dense(dense)),
            (Matrix::Sparse(sparse), Missing::Nan) => (sparse.order(), nan_of_sparse(sparse)),
            (Matrix::Sparse(sparse), Missing::Unstored) => (sparse.order(), stored(sparse)),
        };
        let all = matrix.rows() * matrix.cols();
        let count = match positions.kind() {
            Kind::Missing => positions.len(),
            Kind::Observed => all - positions.len(),
        };
        if count == all {
            return Err(Error::Incompatible(
                "all entries of the data are missing".into(),
            ));
        }
        Ok((count > 0).then(|| Self::new(positions, order, count)))
    }

    /// From positions by the lines of an order.
    fn new(positions: Positions, order: Order, count: usize) -> Self {
        let positions = positions.fewer();
        let flipped = positions.flipped();
        let (columns, rows) = match order {
            Order::ColumnMajor => (positions, flipped),
            Order::RowMajor => (flipped, positions),
        };
        Self {
            columns,
            rows,
            count,
        }
    }
}

/// Lines of a storage order, and their length.
fn lines(order: Order, (rows, cols): (usize, usize)) -> (usize, usize) {
    match order {
        Order::RowMajor => (rows, cols),
        Order::ColumnMajor => (cols, rows),
    }
}

fn nan_of_dense(dense: Dense<'_>) -> Positions {
    let (lines, width) = lines(dense.order(), (dense.rows(), dense.cols()));
    dispatch!(Elements: dense.elements() => values, {
        let nan = |at: usize| values[at].f64().is_nan();
        // Counted first, so that the longer list is never made.
        let count = values.par_iter().filter(|v| v.f64().is_nan()).count();
        let kind = if 2 * count <= values.len() { Kind::Missing } else { Kind::Observed };
        Positions::collect(kind, width, (0..lines).map(|line| {
            (0..width).filter(move |&i| nan(line * width + i) == (kind == Kind::Missing))
        }))
    })
}

fn nan_of_sparse(sparse: Sparse<'_>) -> Positions {
    let (lines, width) = lines(sparse.order(), (sparse.rows(), sparse.cols()));
    let (starts, indices, elements) = (sparse.starts(), sparse.indices(), sparse.elements());
    let of_line = |line| {
        (starts.get(line)..starts.get(line + 1))
            .filter(|&at| elements.get(at).is_nan())
            .map(|at| indices.get(at))
    };
    Positions::collect(Kind::Missing, width, (0..lines).map(of_line))
}

fn stored(sparse: Sparse<'_>) -> Positions {
    let (lines, width) = lines(sparse.order(), (sparse.rows(), sparse.cols()));
    let (starts, indices) = (sparse.starts(), sparse.indices());
    let of_line = |line| (starts.get(line)..starts.get(line + 1)).map(|at| indices.get(at));
    Positions::collect(Kind::Observed, width, (0..lines).map(of_line))
}

impl Gaps {
    /// The Gram matrices of a range of columns for Xᵀ.
    pub(crate) fn of_columns<'b, T: Lanes>(
        &'b self,
        x: &'b [T],
        range: &Range<usize>,
    ) -> Own<'b, T> {
        Own::new(&self.columns, x, range.start, 0..self.rows.lines())
    }

    /// The Gram matrices of all rows for the codes of a range of columns.
    pub(crate) fn of_rows<'b, T: Lanes>(
        &'b self,
        codes: &'b [T],
        range: Range<usize>,
    ) -> Own<'b, T> {
        Own::new(&self.rows, codes, 0, range)
    }

    /// Σ (x_i·a_t)² over the observed entries of a range of columns.
    pub(crate) fn square<T: Lanes>(
        &self,
        (x, gx): (&[T], &[T]),
        codes: &[T],
        range: &Range<usize>,
    ) -> f64 {
        let (own, rank) = (self.of_columns(x, range), gx.len().isqrt());
        let parts = codes.par_chunks(rank * PART).enumerate();
        in_order(parts.map(|(part, codes)| {
            let columns = (part * PART..).zip(codes.chunks_exact(rank));
            columns.map(|(t, a)| own.square(gx, a, t)).sum()
        }))
    }
}

impl<T: Lanes> Data<'_, T> {
    /// How many entries are missing.
    pub fn missing(&self) -> usize {
        self.gaps.as_ref().map_or(0, |gaps| gaps.count)
    }

    /// Where entries are missing, if any are.
    pub(crate) fn gaps(&self) -> Option<&Gaps> {
        self.gaps.as_ref()
    }
}
