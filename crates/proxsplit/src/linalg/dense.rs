//! Dense column-major matrices and the border to faer, the only file that names it.

use super::spectral::magnitude;
use super::tridiagonal;
use super::vec::{is_finite, scale};
use super::vectorized::vectorized;
use crate::{Error, Real, scratch};
use faer::diag::DiagMut;
use faer::dyn_stack::{MemStack, StackReq};
use faer::linalg::evd::{self, ComputeEigenvectors};
use faer::linalg::matmul::matmul;
use faer::linalg::svd::{self, ComputeSvdVectors};
use faer::traits::RealField;
use faer::{Accum, MatMut, MatRef, Par, Spec};
use std::cell::RefCell;
use std::mem::MaybeUninit;

/// faer's algorithms for one scalar: compiled here and once, and faer's own traits stay out of public bounds.
pub trait Field: Sized {
    #[doc(hidden)]
    fn product(c: MatMut<'_, Self>, accum: Accum, a: MatRef<'_, Self>, b: MatRef<'_, Self>);
    #[doc(hidden)]
    fn svd(a: MatRef<'_, Self>, values: &mut [Self], vectors: Option<Pair<'_, Self>>) -> bool;
    #[doc(hidden)]
    fn evd(a: MatRef<'_, Self>, values: &mut [Self], vectors: Option<MatMut<'_, Self>>) -> bool;
}

/// Left and right singular vectors.
type Pair<'a, T> = (MatMut<'a, T>, MatMut<'a, T>);

macro_rules! field {
    ($($scalar:ty),*) => {$(
        impl Field for $scalar {
            fn product(c: MatMut<'_, Self>, accum: Accum, a: MatRef<'_, Self>, b: MatRef<'_, Self>) {
                matmul(c, accum, a, b, 1.0, Par::Seq);
            }
            fn svd(a: MatRef<'_, Self>, values: &mut [Self], vectors: Option<Pair<'_, Self>>) -> bool {
                svd_of(a, values, vectors)
            }
            fn evd(a: MatRef<'_, Self>, values: &mut [Self], vectors: Option<MatMut<'_, Self>>) -> bool {
                evd_of(a, values, vectors)
            }
        }
    )*};
}
field!(f32, f64);

fn svd_of<T: RealField>(a: MatRef<'_, T>, values: &mut [T], vectors: Option<Pair<'_, T>>) -> bool {
    let wanted = match vectors {
        Some(_) => ComputeSvdVectors::Thin,
        None => ComputeSvdVectors::No,
    };
    let (u, v) = vectors.unzip();
    let settings = Spec::default();
    let need = svd::svd_scratch::<T>(a.nrows(), a.ncols(), wanted, wanted, Par::Seq, settings);
    with_stack(need, |stack| {
        let values = DiagMut::from_slice_mut(values);
        svd::svd(a, values, u, v, Par::Seq, stack, settings).is_ok()
    })
}

fn evd_of<T: RealField>(
    a: MatRef<'_, T>,
    values: &mut [T],
    vectors: Option<MatMut<'_, T>>,
) -> bool {
    let wanted = match vectors {
        Some(_) => ComputeEigenvectors::Yes,
        None => ComputeEigenvectors::No,
    };
    let settings = Spec::default();
    let need = evd::self_adjoint_evd_scratch::<T>(a.nrows(), wanted, Par::Seq, settings);
    with_stack(need, |stack| {
        let values = DiagMut::from_slice_mut(values);
        evd::self_adjoint_evd(a, values, vectors, Par::Seq, stack, settings).is_ok()
    })
}

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
    T::product(c, accum, a.inner, b.inner);
}

/// The eigenvalues of a symmetric matrix in increasing order, read from its lower triangle; `None` in the rare case that
/// the iteration does not converge.
pub fn symmetric_eigenvalues<T: Real>(a: &Mat<T>) -> Option<Vec<T>> {
    let mut values = vec![T::ZERO; a.rows()];
    eigenvalues(a.view(), &mut values, None).then_some(values)
}

/// Calls `work` with faer's kind of scratch memory, kept for the next call on the thread.
fn with_stack<R>(need: StackReq, work: impl FnOnce(&mut MemStack) -> R) -> R {
    thread_local!(static MEMORY: RefCell<Vec<MaybeUninit<u64>>> = const { RefCell::new(Vec::new()) });
    let mut memory = MEMORY.take();
    let words = need.unaligned_bytes_required().div_ceil(size_of::<u64>());
    if memory.len() < words {
        memory.resize(words, MaybeUninit::uninit());
    }
    let result = work(MemStack::new_any(&mut memory));
    MEMORY.set(memory);
    result
}

/// a = U diag(s) Vᵀ with k = min(rows, cols) singular values in decreasing order; U and V, if asked for, have k columns.
/// `false` if the iteration did not converge.
pub fn singular_values<T: Real>(
    a: View<'_, T>,
    values: &mut [T],
    vectors: Option<(&mut [T], &mut [T])>,
) -> bool {
    let (rows, cols) = (a.inner.nrows(), a.inner.ncols());
    let size = rows.min(cols);
    let vectors = vectors.map(|(u, v)| {
        let u = MatMut::from_column_major_slice_mut(u, rows, size);
        (u, MatMut::from_column_major_slice_mut(v, cols, size))
    });
    T::svd(a.inner, values, vectors)
}

/// a = V diag(values) Vᵀ for a symmetric matrix, of which the lower triangle is read; values in increasing order.
/// `false` if the iteration did not converge. Up to order 192 the bits are the same on every processor.
pub fn eigenvalues<T: Real>(a: View<'_, T>, values: &mut [T], vectors: Option<&mut [T]>) -> bool {
    let size = a.inner.nrows();
    if size == 0 {
        return true;
    }
    if size <= PLAIN {
        return plain_eigenvalues(a, values, vectors);
    }
    let vectors = vectors.map(|v| MatMut::from_column_major_slice_mut(v, size, size));
    T::evd(a.inner, values, vectors)
}

/// Orders up to which eigenvalues are found in plain arithmetic: faer, whose bits depend on the processor, is not much faster there.
const PLAIN: usize = 192;

/// The same in `f64`, at a scale where no square over- or underflows.
fn plain_eigenvalues<T: Real>(a: View<'_, T>, values: &mut [T], vectors: Option<&mut [T]>) -> bool {
    let n = values.len();
    scratch::with(2 * n * (n + 1), |space: &mut [f64]| {
        let (copy, space) = space.split_at_mut(n * n);
        let (found, space) = space.split_at_mut(n * n);
        let (wide, beside) = space.split_at_mut(n);
        for (k, copy) in copy.iter_mut().enumerate() {
            let (i, j) = (k % n, k / n);
            *copy = a.inner[(i.max(j), i.min(j))].f64();
        }
        let size = magnitude(copy);
        scale(1.0 / size, copy);
        let wanted = vectors.is_some().then_some(&mut *found);
        let done = vectorized(
            #[inline(always)]
            || is_finite(copy) && tridiagonal::eigen(copy, wide, beside, wanted),
        );
        for (value, wide) in values.iter_mut().zip(&*wide) {
            *value = T::of(size * wide);
        }
        for (vector, &found) in vectors.into_iter().flatten().zip(&*found) {
            *vector = T::of(found);
        }
        done
    })
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
