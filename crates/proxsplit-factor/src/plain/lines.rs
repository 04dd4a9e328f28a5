//! The data line by line, as numbers in `f64`.

use super::entry::EntryLoss;
use crate::loss::Loss;
use crate::problem::Factors;
use crate::products::{Data, Lanes};
use crate::rank::Speckle;
use proxsplit::data::{Dense, Element, Matrix, Sparse, StorageOrder};
use proxsplit::internal::dispatch;
use proxsplit::internal::linalg::vec;
use proxsplit::internal::parallel::Each;
use rayon::prelude::*;

/// The data line by line in the order of storage.
pub(crate) struct Lines<'a> {
    matrix: Matrix<'a>,
    pub(super) scale: f64,
    /// Whether entries that are not stored are missing.
    pub(super) only_stored: bool,
    /// Entries that are held out are missing, too.
    pub(super) held_out: Option<Speckle>,
    pub(super) by_columns: bool,
    pub(super) loss: EntryLoss<'a>,
    /// How many lines.
    pub(crate) count: usize,
    /// The length of a line.
    pub(crate) width: usize,
}

impl<'a> Lines<'a> {
    pub(crate) fn of<T: Lanes>(data: &Data<'a, T>, loss: Loss) -> Self {
        let matrix = data.matrix();
        let order = match matrix {
            Matrix::Dense(dense) => dense.order(),
            Matrix::Sparse(sparse) => sparse.order(),
        };
        let by_columns = order == StorageOrder::ColumnMajor;
        let (rows, cols) = (data.rows(), data.cols());
        let (count, width) = if by_columns {
            (cols, rows)
        } else {
            (rows, cols)
        };
        Self {
            matrix,
            scale: data.scale(),
            only_stored: data.misses_unstored(),
            loss: EntryLoss::new(data, loss, by_columns),
            held_out: data.speckle(),
            by_columns,
            count,
            width,
        }
    }

    /// The factor along every line, and the one with a column for every line.
    pub(super) fn sides<'f, T>(&self, factors: &'f Factors<T>) -> (&'f [T], &'f [T]) {
        if self.by_columns {
            (&factors.x, &factors.a)
        } else {
            (&factors.a, &factors.x)
        }
    }

    /// How many there are.
    pub(crate) fn count(&self) -> usize {
        self.count
    }

    /// Whether they are columns.
    pub(crate) fn by_columns(&self) -> bool {
        self.by_columns
    }

    /// The stored numbers of a line with their places.
    pub(crate) fn numbers(&self, line: usize) -> Vec<(usize, f64)> {
        let scaled = |(index, value): (usize, f64)| (index, value / self.scale);
        match self.matrix {
            Matrix::Dense(dense) => {
                let start = line * self.width;
                let entry = |i: usize| (i, dense.elements().get(start + i));
                (0..self.width).map(entry).map(scaled).collect()
            }
            Matrix::Sparse(sparse) => entries(sparse, line).map(scaled).collect(),
        }
    }

    /// The numbers of a line; missing ones are NaN.
    pub(crate) fn read(&self, line: usize, out: &mut [f64]) {
        match self.matrix {
            Matrix::Dense(dense) => read_dense(dense, line, out),
            Matrix::Sparse(sparse) => {
                out.fill(if self.only_stored { f64::NAN } else { 0.0 });
                for (index, value) in entries(sparse, line) {
                    out[index] = value;
                }
            }
        }
        for value in &mut *out {
            *value /= self.scale;
        }
        if let Some(speckle) = self.held_out {
            for (place, value) in out.iter_mut().enumerate() {
                let (row, column) = if self.by_columns {
                    (place, line)
                } else {
                    (line, place)
                };
                if speckle.holds_out(row, column) {
                    *value = f64::NAN;
                }
            }
        }
    }
}

impl Lines<'_> {
    /// Y − XA in a line; 0 where entries are missing. `along` has the rows of the factor along the line, `column` is the line's own.
    pub(super) fn residual<T: Lanes>(
        &self,
        line: usize,
        (along, column): (&[f64], &[T]),
        out: &mut [f64],
    ) {
        self.read(line, out);
        for (row, value) in along.chunks_exact(self.width).zip(column) {
            vec::axpy(-value.f64(), row, out);
        }
        for value in out {
            *value = if value.is_nan() { 0.0 } else { *value };
        }
    }

    /// How the residuals of a line pull on XA, and what they add to the misfit.
    pub(super) fn pull(&self, line: usize, residual: &mut [f64]) -> f64 {
        if self.loss.is_plain() {
            0.5 * vec::dot(residual, residual)
        } else {
            self.loss.pull(line, residual)
        }
    }

    /// The misfit of XA = 0.
    pub(crate) fn value_at_zero(&self) -> f64 {
        let value = |line: usize| {
            let mut numbers = self.numbers(line);
            for (_, value) in &mut numbers {
                *value = if value.is_nan() { 0.0 } else { *value };
            }
            self.loss.of_stored(line, &numbers)
        };
        let parts = (0..self.count).into_par_iter().map_to_vec(&value);
        parts.iter().sum()
    }

    /// The largest weight of an entry that is not missing.
    pub(crate) fn largest_weight(&self) -> f64 {
        let largest = |line| self.loss.largest_of_stored(line, &self.numbers(line));
        let lines = (0..self.count).into_par_iter();
        lines.map(largest).reduce(|| 0.0, f64::max)
    }
}

fn read_dense(dense: Dense<'_>, line: usize, out: &mut [f64]) {
    let start = line * out.len();
    dispatch!(Elements: dense.elements() => values, {
        for (out, value) in out.iter_mut().zip(&values[start..]) {
            *out = value.f64();
        }
    });
}

pub(super) fn entries(sparse: Sparse<'_>, line: usize) -> impl Iterator<Item = (usize, f64)> {
    let (starts, indices, elements) = (sparse.starts(), sparse.indices(), sparse.elements());
    (starts.get(line)..starts.get(line + 1)).map(move |at| (indices.get(at), elements.get(at)))
}

/// The K × n factor with its rows one after the other.
pub(super) fn rows_of<T: Lanes>(factor: &[T], rank: usize) -> Vec<f64> {
    let n = factor.len() / rank;
    let mut rows = vec![0.0; factor.len()];
    for (t, column) in factor.chunks_exact(rank).enumerate() {
        for (k, value) in column.iter().enumerate() {
            rows[k * n + t] = value.f64();
        }
    }
    rows
}
