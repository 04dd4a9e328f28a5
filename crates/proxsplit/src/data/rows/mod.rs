//! A matrix read by rows, as the terms of a sum need it: products ⟨a_i, x⟩ and sums Σ_i w_i a_i over some rows.
//!
//! Dense matrices in either order and row-compressed ones are used as they stand, in their stored type. A
//! column-compressed matrix has no rows to read: where single rows are needed, it is copied once, in its stored type, to
//! row-compressed form. Sums over all rows of a matrix that stands by columns go by these, the rows of the transposed matrix, if few
//! entries of x are not 0.

mod by_columns;
mod columns;
mod dense;
mod design;
pub(in crate::data) mod kernel;
mod origin;
mod picked;
#[cfg(test)]
mod same_bits;
mod sparse;

pub(crate) use design::Design;
pub(crate) use picked::Picked;

use super::{Columns, Matrix, StorageOrder, dispatch};
use crate::Real;
use std::ops::Range;

/// What a stored matrix can do with its rows. One call serves many rows, so that the virtual call costs nothing.
pub trait Rows<T>: Send + Sync {
    /// How many entries of these rows are stored.
    fn stored(&self, rows: Picked<'_>) -> usize;

    /// z_k ← ⟨a_k, x⟩
    fn dots(&self, rows: Picked<'_>, x: &[T], z: &mut [f64]);

    /// out ← out + Σ_k w_k a_k
    fn add(&self, rows: Picked<'_>, weights: &[f64], out: &mut [T]);

    /// The same with a sum in `f64`.
    fn add_wide(&self, rows: Picked<'_>, weights: &[f64], out: &mut [f64]);

    /// out_k ← ‖a_k‖²
    fn norms_squared(&self, rows: Picked<'_>, out: &mut [f64]);

    /// The entries of a rectangle, one row after the other.
    fn tile(&self, rows: Range<usize>, cols: Range<usize>, out: &mut [f64]);

    /// Copies these columns behind those that are there already.
    fn pack(&self, cols: &[usize], into: &mut Columns<T>);

    /// Copies these rows as columns of the transposed matrix, if they are sparse.
    fn pack_rows(&self, _rows: &[usize], _into: &mut Columns<T>) {}
}

/// Scalars for which the kernels are compiled, here and once, not in every crate that uses them.
pub trait Open: Sized {
    #[doc(hidden)]
    fn open(matrix: Matrix<'_>) -> Box<dyn Rows<Self> + '_>;
}

impl Open for f32 {
    fn open(matrix: Matrix<'_>) -> Box<dyn Rows<f32> + '_> {
        open(matrix)
    }
}

impl Open for f64 {
    fn open(matrix: Matrix<'_>) -> Box<dyn Rows<f64> + '_> {
        open(matrix)
    }
}

/// The matrix as rows, whatever its storage.
fn open<'a, T: Real>(matrix: Matrix<'a>) -> Box<dyn Rows<T> + 'a> {
    match matrix {
        Matrix::Dense(a) => dispatch!(Elements: a.elements() => values, match a.order() {
            StorageOrder::RowMajor => Box::new(dense::DenseRows::new(values, a.cols())),
            StorageOrder::ColumnMajor => Box::new(columns::DenseColumns::new(values, a.rows(), a.cols())),
        }),
        Matrix::Sparse(a) => dispatch!(Elements: a.elements() => values,
        dispatch!(Indices: a.starts() => starts,
        dispatch!(Indices: a.indices() => indices, match a.order() {
            StorageOrder::RowMajor => Box::new(sparse::SparseRows::new(starts, indices, values)),
            StorageOrder::ColumnMajor if i32::try_from(a.cols()).is_ok() =>
                Box::new(sparse::from_columns::<_, _, i32, _>(a.rows(), starts, indices, values)),
            StorageOrder::ColumnMajor =>
                Box::new(sparse::from_columns::<_, _, i64, _>(a.rows(), starts, indices, values)),
        }))),
    }
}
