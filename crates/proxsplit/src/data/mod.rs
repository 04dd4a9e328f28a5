//! Data matrices as they are stored: dense in either order and five element types, or compressed sparse.
//!
//! A [`Matrix`] is a view that borrows its numbers; the owner may be a vector, a memory-mapped file or a NumPy array.
//! Nothing here converts or copies a matrix as a whole: algorithms widen the entries panel by panel while they use them.

mod columns;
mod dense;
mod elements;
pub(crate) mod rows;
mod sparse;

pub(crate) use columns::{Columns, gathered};
pub use dense::{Dense, StorageOrder};
pub use elements::{Element, Elements, Index, Indices};
pub(crate) use elements::{dispatch, first_where};
pub use sparse::Sparse;

/// A view of a dense or sparse data matrix.
#[derive(Debug, Clone, Copy)]
pub enum Matrix<'a> {
    /// Every entry is stored.
    Dense(Dense<'a>),
    /// Only nonzeros are stored.
    Sparse(Sparse<'a>),
}

impl<'a> Matrix<'a> {
    /// Number of rows.
    pub fn rows(&self) -> usize {
        match self {
            Matrix::Dense(dense) => dense.rows(),
            Matrix::Sparse(sparse) => sparse.rows(),
        }
    }

    /// Number of columns.
    pub fn cols(&self) -> usize {
        match self {
            Matrix::Dense(dense) => dense.cols(),
            Matrix::Sparse(sparse) => sparse.cols(),
        }
    }

    /// The transposed matrix: the same numbers, read the other way.
    #[must_use]
    pub fn t(self) -> Matrix<'a> {
        match self {
            Matrix::Dense(dense) => Matrix::Dense(dense.t()),
            Matrix::Sparse(sparse) => Matrix::Sparse(sparse.t()),
        }
    }

    /// Number of stored entries.
    pub fn stored(&self) -> usize {
        match self {
            Matrix::Dense(dense) => dense.rows() * dense.cols(),
            Matrix::Sparse(sparse) => sparse.stored(),
        }
    }
}

impl<'a> From<Dense<'a>> for Matrix<'a> {
    fn from(dense: Dense<'a>) -> Self {
        Matrix::Dense(dense)
    }
}

impl<'a> From<Sparse<'a>> for Matrix<'a> {
    fn from(sparse: Sparse<'a>) -> Self {
        Matrix::Sparse(sparse)
    }
}
