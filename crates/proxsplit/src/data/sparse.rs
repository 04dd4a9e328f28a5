//! A compressed sparse matrix, by rows (CSR) or by columns (CSC).

use super::{Elements, Index, Indices, StorageOrder, dispatch};
use crate::Error;
use crate::linalg::vectorized::vectorized;

/// A view of a compressed sparse matrix. Within each line (row of CSR, column of CSC) the indices increase strictly.
#[derive(Debug, Clone, Copy)]
pub struct Sparse<'a> {
    rows: usize,
    cols: usize,
    order: StorageOrder,
    starts: Indices<'a>,
    indices: Indices<'a>,
    elements: Elements<'a>,
}

impl<'a> Sparse<'a> {
    /// A view of the three arrays of CSR (`RowMajor`) or CSC (`ColumnMajor`): line `l` has the entries
    /// `starts[l] .. starts[l + 1]`. Refused if the starts or indices do not describe a matrix of this shape, or if a
    /// line's indices are not in increasing order.
    pub fn new(
        (rows, cols): (usize, usize),
        order: StorageOrder,
        starts: Indices<'a>,
        indices: Indices<'a>,
        elements: Elements<'a>,
    ) -> Result<Self, Error> {
        let (lines, width) = match order {
            StorageOrder::RowMajor => (rows, cols),
            StorageOrder::ColumnMajor => (cols, rows),
        };
        dispatch!(Indices: starts => starts, check_starts(starts, lines, indices.len()))?;
        if elements.len() != indices.len() {
            return Err(Error::Shape {
                what: "sparse values",
                expected: indices.len(),
                found: elements.len(),
            });
        }
        dispatch!(Indices: starts => starts, dispatch!(Indices: indices => indices, check_lines(starts, indices, width)))?;
        Ok(Self {
            rows,
            cols,
            order,
            starts,
            indices,
            elements,
        })
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Number of columns.
    pub fn cols(&self) -> usize {
        self.cols
    }

    /// `RowMajor` for CSR, `ColumnMajor` for CSC.
    pub fn order(&self) -> StorageOrder {
        self.order
    }

    /// Where each line begins, and the end of the last.
    pub fn starts(&self) -> Indices<'a> {
        self.starts
    }

    /// Position of each entry in its line.
    pub fn indices(&self) -> Indices<'a> {
        self.indices
    }

    /// The values of the entries.
    pub fn elements(&self) -> Elements<'a> {
        self.elements
    }

    /// Number of stored entries.
    pub fn stored(&self) -> usize {
        self.indices.len()
    }

    /// The transposed matrix: the same arrays, CSR read as CSC and the reverse.
    #[must_use]
    pub fn t(self) -> Sparse<'a> {
        let order = match self.order {
            StorageOrder::RowMajor => StorageOrder::ColumnMajor,
            StorageOrder::ColumnMajor => StorageOrder::RowMajor,
        };
        Sparse {
            rows: self.cols,
            cols: self.rows,
            order,
            ..self
        }
    }

    /// `Ok` if there is neither NaN nor infinity.
    pub fn check_finite(&self) -> Result<(), Error> {
        match self.elements.first_non_finite() {
            None => Ok(()),
            Some(index) => Err(Error::NotFinite {
                what: "sparse matrix",
                index,
            }),
        }
    }
}

/// Whether the indices of every line increase strictly and stay in range. One loop over all indices, which vectorizes, counts where
/// the next one is not larger, and one over the lines counts at how many of these places a line ends.
fn are_lines<S: Index, I: Index>(starts: &[S], indices: &[I], width: usize) -> bool {
    let falls = |a: &I, b: &I| usize::from(a.at() >= b.at());
    let (total, largest) = vectorized(
        #[inline(always)]
        || {
            let pairs = indices.iter().zip(indices.iter().skip(1));
            let total: usize = pairs.map(|(a, b)| falls(a, b)).sum();
            let largest = indices.iter().fold(0, |largest, i| i.at().max(largest));
            (total, largest)
        },
    );
    let ends = starts.windows(2).filter(|line| {
        let (start, end) = (line[0].at(), line[1].at());
        start < end && end < indices.len()
    });
    let at_ends = ends.map(|line| falls(&indices[line[1].at() - 1], &indices[line[1].at()]));
    total == at_ends.sum::<usize>() && (indices.is_empty() || largest < width)
}

fn check_starts<I: Index>(starts: &[I], lines: usize, stored: usize) -> Result<(), Error> {
    if starts.len() != lines + 1 {
        return Err(Error::Shape {
            what: "sparse line starts",
            expected: lines + 1,
            found: starts.len(),
        });
    }
    let bad = |at: usize| {
        Error::Incompatible(format!(
            "sparse line starts go wrong at position {at}: they must begin at 0, never decrease and end at the {stored} stored entries"
        ))
    };
    if starts[0].at() != 0 {
        return Err(bad(0));
    }
    if let Some(at) = starts
        .windows(2)
        .position(|pair| pair[0].at() > pair[1].at())
    {
        return Err(bad(at + 1));
    }
    if starts[lines].at() == stored {
        Ok(())
    } else {
        Err(bad(lines))
    }
}

fn check_lines<S: Index, I: Index>(starts: &[S], indices: &[I], width: usize) -> Result<(), Error> {
    if are_lines(starts, indices, width) {
        return Ok(());
    }
    for (line, pair) in starts.windows(2).enumerate() {
        let line_indices = &indices[pair[0].at()..pair[1].at()];
        let ordered = line_indices
            .windows(2)
            .all(|pair| pair[0].at() < pair[1].at());
        // Ordered indices are in range if the last one is; a negative one reads as a huge number.
        if !ordered || line_indices.last().is_some_and(|last| last.at() >= width) {
            return Err(Error::Incompatible(format!(
                "line {line} of the sparse matrix has an index outside 0..{width}, or its indices do not increase strictly"
            )));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::are_lines;

    #[test]
    fn lines_may_be_empty_and_begin_anywhere_but_must_increase_and_end_in_time() {
        let indices = [0_i32, 3, 1, 2, 3, 0];
        assert!(are_lines(&[0_i64, 2, 2, 5, 6], &indices, 4));
        assert!(!are_lines(&[0_i64, 2, 2, 5, 6], &indices, 3));
        assert!(!are_lines(&[0_i64, 1, 2, 5, 5, 6], &[0, 3, 1, 1, 3, 0], 4));
        assert!(!are_lines(&[0_i64, 3, 6], &indices, 4));
        assert!(are_lines(&[0_i64, 1, 2], &[1, 1], 2) && are_lines::<i64, i64>(&[0, 0], &[], 0));
        assert!(!are_lines(&[0_i64, 1], &[-1], 2));
    }
}
