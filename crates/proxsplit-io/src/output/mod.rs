//! Output files, all written atomically.

pub(crate) mod atomic;
mod folder;
mod protect;

use crate::error::Error;
use crate::{npy, npz};
pub use folder::OutputDir;
pub use protect::refuse_to_replace;
use proxsplit::data::{Dense, Elements, StorageOrder};
use serde::Serialize;
use std::io::Write;
use std::path::Path;

/// Writes a matrix as `.npy`, in its own number type and order.
pub fn write_npy(path: impl AsRef<Path>, matrix: Dense<'_>) -> Result<(), Error> {
    atomic::write(path.as_ref(), &mut |out| {
        let shape = [matrix.rows(), matrix.cols()];
        npy::write::array(out, matrix.order(), &shape, matrix.elements())
    })
}

/// Writes a vector as `.npy` with one axis.
pub fn write_npy_vector(path: impl AsRef<Path>, numbers: Elements<'_>) -> Result<(), Error> {
    atomic::write(path.as_ref(), &mut |out| {
        npy::write::array(out, StorageOrder::RowMajor, &[numbers.len()], numbers)
    })
}

/// Writes the nonzeros of a matrix as `scipy.sparse.save_npz` does: csr for `RowMajor`, csc for `ColumnMajor`.
pub fn write_npz_sparse(
    path: impl AsRef<Path>,
    matrix: Dense<'_>,
    order: StorageOrder,
) -> Result<(), Error> {
    atomic::write(path.as_ref(), &mut |out| {
        npz::write::sparse(out, matrix, order)
    })
}

/// Writes bytes or text.
pub fn write_bytes(path: impl AsRef<Path>, bytes: impl AsRef<[u8]>) -> Result<(), Error> {
    atomic::write(path.as_ref(), &mut |out| out.write_all(bytes.as_ref()))
}

/// Writes a value as indented JSON.
pub fn write_json(path: impl AsRef<Path>, value: &impl Serialize) -> Result<(), Error> {
    atomic::write(path.as_ref(), &mut |out| {
        serde_json::to_writer_pretty(&mut *out, value)?;
        out.write_all(b"\n")
    })
}

/// Writes one JSON value a line.
pub fn write_json_lines(
    path: impl AsRef<Path>,
    values: impl IntoIterator<Item = impl Serialize>,
) -> Result<(), Error> {
    let mut values = values.into_iter();
    atomic::write(path.as_ref(), &mut |out| {
        for value in values.by_ref() {
            serde_json::to_writer(&mut *out, &value)?;
            out.write_all(b"\n")?;
        }
        Ok(())
    })
}
