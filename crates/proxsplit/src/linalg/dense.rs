//! Dense column-major matrices and the border to faer, the only file that names it.

use crate::{Error, Real};
use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, MatRef, Par};

/// What the dense algorithms need of a scalar.
pub trait Field: faer::traits::RealField {}
impl Field for f32 {}
impl Field for f64 {}

/// A dense matrix, column-major: entry (i, j) is `data[i + rows·j]`.
#[derive(Debug, Clone, PartialEq)]
pub struct Mat<T> {
    rows: usize,
    cols: usize,
    data: Vec<T>,
}

impl<T: Real> Mat<T> {
    /// The matrix whose columns stand one after the other in `data`.
    pub fn new(rows: usize, cols: usize, data: Vec<T>) -> Result<Self, Error> {
        let expected = rows.checked_mul(cols).ok_or(Error::Shape {
            what: "matrix",
            expected: usize::MAX,
            found: data.len(),
        })?;
        crate::error::length("matrix", &data, expected)?;
        Ok(Self { rows, cols, data })
    }

    /// All zeros.
    pub fn zeros(rows: usize, cols: usize) -> Self {
        Self {
            rows,
            cols,
            data: vec![T::ZERO; rows * cols],
        }
    }

    /// The matrix with entry (i, j) = `entry(i, j)`.
    pub fn from_fn(rows: usize, cols: usize, mut entry: impl FnMut(usize, usize) -> T) -> Self {
        let mut data = Vec::with_capacity(rows * cols);
        for j in 0..cols {
            data.extend((0..rows).map(|i| entry(i, j)));
        }
        Self { rows, cols, data }
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Number of columns.
    pub fn cols(&self) -> usize {
        self.cols
    }

    /// All entries, column by column.
    pub fn data(&self) -> &[T] {
        &self.data
    }

    /// All entries, column by column.
    pub fn data_mut(&mut self) -> &mut [T] {
        &mut self.data
    }

    /// The entries, column by column.
    pub fn into_data(self) -> Vec<T> {
        self.data
    }

    /// Column j.
    pub fn col(&self, j: usize) -> &[T] {
        &self.data[self.rows * j..self.rows * (j + 1)]
    }

    /// Column j.
    pub fn col_mut(&mut self, j: usize) -> &mut [T] {
        &mut self.data[self.rows * j..self.rows * (j + 1)]
    }

    /// The transposed matrix, copied.
    #[must_use]
    pub fn transposed(&self) -> Self {
        Self::from_fn(self.cols, self.rows, |i, j| self[(j, i)])
    }

    /// A view for products.
    pub fn view(&self) -> View<'_, T> {
        View::new(&self.data, self.rows, self.cols)
    }
}

impl<T> std::ops::Index<(usize, usize)> for Mat<T> {
    type Output = T;
    fn index(&self, (i, j): (usize, usize)) -> &T {
        &self.data[i + self.rows * j]
    }
}

impl<T> std::ops::IndexMut<(usize, usize)> for Mat<T> {
    fn index_mut(&mut self, (i, j): (usize, usize)) -> &mut T {
        &mut self.data[i + self.rows * j]
    }
}

/// A borrowed matrix, transposed or not, as an operand of [`multiply`].
#[derive(Debug, Clone, Copy)]
pub struct View<'a, T> {
    inner: MatRef<'a, T>,
}

impl<'a, T: Real> View<'a, T> {
    /// Column-major data.
    pub fn new(data: &'a [T], rows: usize, cols: usize) -> Self {
        Self {
            inner: MatRef::from_column_major_slice(data, rows, cols),
        }
    }

    /// The transposed view.
    #[must_use]
    pub fn t(self) -> Self {
        Self {
            inner: self.inner.transpose(),
        }
    }

    /// Rows `start .. start + len`.
    #[must_use]
    pub fn rows(self, start: usize, len: usize) -> Self {
        Self {
            inner: self.inner.subrows(start, len),
        }
    }

    /// Columns `start .. start + len`.
    #[must_use]
    pub fn cols(self, start: usize, len: usize) -> Self {
        Self {
            inner: self.inner.subcols(start, len),
        }
    }
}

/// c ← a·b, or c ← c + a·b, where c is column-major. On the calling thread: parallel callers cut the work in fixed
/// panels, so that results do not depend on the number of threads.
pub fn multiply<T: Real>(c: &mut [T], a: View<'_, T>, b: View<'_, T>, add: bool) {
    let c = MatMut::from_column_major_slice_mut(c, a.inner.nrows(), b.inner.ncols());
    let accum = if add { Accum::Add } else { Accum::Replace };
    matmul(c, accum, a.inner, b.inner, T::ONE, Par::Seq);
}

/// The eigenvalues of a symmetric matrix in increasing order, read from its lower triangle; `None` in the rare case that
/// the iteration does not converge.
pub fn symmetric_eigenvalues<T: Real>(a: &Mat<T>) -> Option<Vec<T>> {
    a.view()
        .inner
        .self_adjoint_eigenvalues(faer::Side::Lower)
        .ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_of_views() {
        let a = Mat::from_fn(3, 2, |i, j| (i + 10 * j) as f64);
        let mut c = vec![1.0; 4];
        multiply(&mut c, a.view().t(), a.view(), true);
        assert_eq!(c, [6.0, 36.0, 36.0, 366.0]);
    }
}
