//! Where entries of Y are missing, and what that changes.

mod own;
mod positions;
#[cfg(test)]
mod tests;

pub(crate) use own::{GATHERED, Own, add_block};
use positions::{Kind, Positions};

use super::{Data, Lanes, in_order};
use crate::Missing;
use crate::rank::Speckle;
use proxsplit::Error;
use proxsplit::data::{Dense, Element, Matrix, Sparse, StorageOrder};
use proxsplit::internal::dispatch;
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
    /// Looks for missing entries, to which those that are held out are added; `None` if there are none.
    pub(crate) fn find(
        matrix: Matrix<'_>,
        missing: Missing,
        held_out: Option<Speckle>,
    ) -> Result<Option<Self>, Error> {
        let order = match matrix {
            Matrix::Dense(dense) => dense.order(),
            Matrix::Sparse(sparse) => sparse.order(),
        };
        let is_held_out = |line: usize, place: usize| {
            held_out.is_some_and(|speckle| match order {
                StorageOrder::ColumnMajor => speckle.holds_out(place, line),
                StorageOrder::RowMajor => speckle.holds_out(line, place),
            })
        };
        let positions = match (matrix, missing) {
            (_, Missing::None) => return Ok(None),
            (Matrix::Dense(_), Missing::Unstored) => {
                return Err(Error::Incompatible(
                    "dense data store every entry: mark the missing ones with NaN, or give sparse data".into(),
                ));
            }
            (Matrix::Dense(dense), Missing::Nan) => nan_of_dense(dense, is_held_out),
            (Matrix::Sparse(sparse), Missing::Nan) => nan_of_sparse(sparse, is_held_out),
            (Matrix::Sparse(sparse), Missing::Unstored) => stored(sparse, is_held_out),
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
    fn new(positions: Positions, order: StorageOrder, count: usize) -> Self {
        let positions = positions.fewer();
        let flipped = positions.flipped();
        let (columns, rows) = match order {
            StorageOrder::ColumnMajor => (positions, flipped),
            StorageOrder::RowMajor => (flipped, positions),
        };
        Self {
            columns,
            rows,
            count,
        }
    }
}

/// Lines of a storage order, and their length.
fn lines(order: StorageOrder, (rows, cols): (usize, usize)) -> (usize, usize) {
    match order {
        StorageOrder::RowMajor => (rows, cols),
        StorageOrder::ColumnMajor => (cols, rows),
    }
}

fn nan_of_dense(dense: Dense<'_>, is_held_out: impl Fn(usize, usize) -> bool + Copy) -> Positions {
    let (lines, width) = lines(dense.order(), (dense.rows(), dense.cols()));
    dispatch!(Elements: dense.elements() => values, {
        let is_missing = |line: usize, i: usize| values[line * width + i].f64().is_nan() || is_held_out(line, i);
        // Counted first, so that the longer list is never made.
        let count = count_nan(values);
        let kind = if 2 * count <= values.len() { Kind::Missing } else { Kind::Observed };
        Positions::collect(kind, width, (0..lines).map(|line| {
            (0..width).filter(move |&i| is_missing(line, i) == (kind == Kind::Missing))
        }))
    })
}

fn count_nan<E: Element>(values: &[E]) -> usize {
    const PART: usize = 1 << 16;
    let of_part: &(dyn Fn(usize) -> usize + Sync) = &|k| {
        let part = &values[k * PART..values.len().min((k + 1) * PART)];
        part.iter().filter(|v| v.f64().is_nan()).count()
    };
    let parts = (0..values.len().div_ceil(PART)).into_par_iter();
    parts.map(of_part).sum()
}

fn nan_of_sparse(sparse: Sparse<'_>, is_held_out: impl Fn(usize, usize) -> bool) -> Positions {
    let (lines, width) = lines(sparse.order(), (sparse.rows(), sparse.cols()));
    let (starts, indices, elements) = (sparse.starts(), sparse.indices(), sparse.elements());
    let of_line = |line| {
        let mut missing: Vec<usize> = (starts.get(line)..starts.get(line + 1))
            .filter(|&at| elements.get(at).is_nan())
            .map(|at| indices.get(at))
            .collect();
        let held_out = (0..width).filter(|&i| is_held_out(line, i));
        missing.extend(held_out);
        missing.sort_unstable();
        missing.dedup();
        missing.into_iter()
    };
    Positions::collect(Kind::Missing, width, (0..lines).map(of_line))
}

fn stored(sparse: Sparse<'_>, is_held_out: impl Fn(usize, usize) -> bool + Copy) -> Positions {
    let (lines, width) = lines(sparse.order(), (sparse.rows(), sparse.cols()));
    let (starts, indices) = (sparse.starts(), sparse.indices());
    let of_line = |line| {
        let stored = (starts.get(line)..starts.get(line + 1)).map(|at| indices.get(at));
        stored.filter(move |&i| !is_held_out(line, i))
    };
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
        in_order(parts, &|(part, codes)| {
            let columns = (part * PART..).zip(codes.chunks_exact(rank));
            columns.map(|(t, a)| own.square(gx, a, t)).sum()
        })
    }
}

impl<T: Lanes> Data<'_, T> {
    /// How many entries are missing, or held out.
    pub fn missing(&self) -> usize {
        match (&self.gaps, self.speckle()) {
            (Some(gaps), _) => gaps.count,
            (None, Some(speckle)) => speckle.count(self.rows(), self.cols()),
            (None, None) => 0,
        }
    }

    /// Where entries are missing, if any are.
    pub(crate) fn gaps(&self) -> Option<&Gaps> {
        self.gaps.as_ref()
    }
}
