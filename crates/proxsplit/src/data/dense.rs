//! A dense matrix in row-major (C) or column-major (F) order.

use super::Elements;
use crate::error::{Error, length};

/// Which index runs fastest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StorageOrder {
    /// Rows stand one after the other (C, NumPy's default).
    RowMajor,
    /// Columns stand one after the other (Fortran).
    ColumnMajor,
}

/// A view of a dense matrix.
#[derive(Debug, Clone, Copy)]
pub struct Dense<'a> {
    rows: usize,
    cols: usize,
    order: StorageOrder,
    elements: Elements<'a>,
}

impl<'a> Dense<'a> {
    /// A view of `rows`·`cols` numbers. Whether they are finite is not looked at here: see [`Dense::check_finite`].
    pub fn new(
        rows: usize,
        cols: usize,
        order: StorageOrder,
        elements: Elements<'a>,
    ) -> Result<Self, Error> {
        let expected = rows.saturating_mul(cols);
        crate::data::dispatch!(Elements: elements => values, length("dense matrix", values, expected))?;
        Ok(Self {
            rows,
            cols,
            order,
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

    /// Which index runs fastest.
    pub fn order(&self) -> StorageOrder {
        self.order
    }

    /// The numbers, in the order of storage.
    pub fn elements(&self) -> Elements<'a> {
        self.elements
    }

    /// Entry (i, j).
    pub fn get(&self, i: usize, j: usize) -> f64 {
        match self.order {
            StorageOrder::RowMajor => self.elements.get(i * self.cols + j),
            StorageOrder::ColumnMajor => self.elements.get(i + self.rows * j),
        }
    }

    /// The transposed matrix: the same numbers in the other order.
    #[must_use]
    pub fn t(self) -> Dense<'a> {
        let order = match self.order {
            StorageOrder::RowMajor => StorageOrder::ColumnMajor,
            StorageOrder::ColumnMajor => StorageOrder::RowMajor,
        };
        Dense {
            rows: self.cols,
            cols: self.rows,
            order,
            elements: self.elements,
        }
    }

    /// `Ok` if there is neither NaN nor infinity.
    pub fn check_finite(&self) -> Result<(), Error> {
        match self.elements.first_non_finite() {
            None => Ok(()),
            Some(index) => Err(Error::NotFinite {
                what: "matrix",
                index,
            }),
        }
    }
}
