//! The positive entries of Y by columns and by rows: all that the divergence reads of the data.

use super::line::Line;
use crate::products::{Data, Lanes};
use proxsplit::data::{Element, Matrix, StorageOrder};
use proxsplit::internal::dispatch;

/// The positive entries of every line, with where they are.
pub(super) struct Lines<T> {
    starts: Vec<usize>,
    indices: Vec<u32>,
    values: Vec<T>,
}

impl<T: Lanes> Lines<T> {
    pub(super) fn line(&self, line: usize) -> (&[u32], &[T]) {
        let part = self.starts[line]..self.starts[line + 1];
        (&self.indices[part.clone()], &self.values[part])
    }

    /// The same with the factor that it meets.
    pub(super) fn line_with<'a>(&'a self, line: usize, other: &'a [T]) -> Line<'a, T> {
        let (indices, y) = self.line(line);
        Line { y, indices, other }
    }

    /// The lines of every column, then of every row.
    pub(super) fn both(data: &Data<'_, T>) -> [Self; 2] {
        let matrix = data.matrix();
        let order = match matrix {
            Matrix::Dense(dense) => dense.order(),
            Matrix::Sparse(sparse) => sparse.order(),
        };
        match order {
            StorageOrder::ColumnMajor => {
                let columns = Self::stored(matrix, data.rows(), data.scale());
                let rows = columns.flipped(data.rows());
                [columns, rows]
            }
            StorageOrder::RowMajor => {
                let rows = Self::stored(matrix, data.cols(), data.scale());
                [rows.flipped(data.cols()), rows]
            }
        }
    }

    /// By the lines that are stored, each `width` long.
    fn stored(matrix: Matrix<'_>, width: usize, scale: f64) -> Self {
        let mut lines = Self {
            starts: vec![0],
            indices: Vec::new(),
            values: Vec::new(),
        };
        match matrix {
            Matrix::Dense(dense) => dispatch!(Elements: dense.elements() => values, {
                for line in values.chunks(width) {
                    lines.push(line.iter().map(|v| v.f64()).enumerate(), scale);
                }
            }),
            Matrix::Sparse(sparse) => {
                let (starts, indices) = (sparse.starts(), sparse.indices());
                let elements = sparse.elements();
                for line in 1..starts.len() {
                    let part = starts.get(line - 1)..starts.get(line);
                    lines.push(part.map(|at| (indices.get(at), elements.get(at))), scale);
                }
            }
        }
        lines
    }

    fn push(&mut self, line: impl Iterator<Item = (usize, f64)>, scale: f64) {
        for (index, value) in line.filter(|(_, value)| *value > 0.0) {
            self.indices.push(index as u32);
            self.values.push(T::of(value / scale));
        }
        self.starts.push(self.indices.len());
    }

    /// The same entries by the other lines, of which there are `width`, by a counting sort.
    fn flipped(&self, width: usize) -> Self {
        let mut next = vec![0; width + 1];
        for &index in &self.indices {
            next[index as usize + 1] += 1;
        }
        for line in 0..width {
            next[line + 1] += next[line];
        }
        let starts = next.clone();
        let mut indices = vec![0; self.indices.len()];
        let mut values = self.values.clone();
        for line in 0..self.starts.len() - 1 {
            let (places, numbers) = self.line(line);
            for (&place, &value) in places.iter().zip(numbers) {
                let to = &mut next[place as usize];
                indices[*to] = line as u32;
                values[*to] = value;
                *to += 1;
            }
        }
        Self {
            starts,
            indices,
            values,
        }
    }
}
