//! Writes arrays into an archive.

use crate::npy;
use proxsplit::data::{Dense, StorageOrder};
use proxsplit::internal::dispatch;
use std::io::{self, Seek, Write};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

/// Above this, an entry needs the large form of zip.
const LARGE: usize = u32::MAX as usize - (1 << 16);

/// Writes an archive by `content`.
pub(crate) fn archive<W: Write + Seek>(
    out: W,
    content: impl FnOnce(&mut ZipWriter<W>) -> io::Result<()>,
) -> io::Result<()> {
    let mut zip = ZipWriter::new(out);
    match content(&mut zip).and_then(|()| zip.flush()) {
        Ok(()) => zip.finish().map(drop).map_err(io::Error::from),
        Err(cause) => {
            // Dropped, it would try to complete the archive, fail again, and print that to the terminal.
            std::mem::forget(zip);
            Err(cause)
        }
    }
}

/// Begins an entry of about `bytes` bytes.
pub(crate) fn start<W: Write + Seek>(
    zip: &mut ZipWriter<W>,
    name: &str,
    bytes: usize,
    method: CompressionMethod,
) -> io::Result<()> {
    let options = SimpleFileOptions::default()
        .compression_method(method)
        .large_file(bytes > LARGE);
    zip.start_file(name, options).map_err(io::Error::from)
}

/// Writes the nonzeros of a matrix as `scipy.sparse.save_npz` does: csr or csc with 32-bit indices.
pub(crate) fn sparse<W: Write + Seek>(
    out: W,
    matrix: Dense<'_>,
    order: StorageOrder,
) -> io::Result<()> {
    if matrix.rows().max(matrix.cols()) > i32::MAX as usize {
        return Err(io::Error::other(
            "too many rows or columns for 32-bit indices",
        ));
    }
    let (name, along) = match order {
        StorageOrder::RowMajor => (b"csr", matrix),
        StorageOrder::ColumnMajor => (b"csc", matrix.t()),
    };
    let (starts, indices) = pattern(along);
    let shape = [matrix.rows() as i64, matrix.cols() as i64];
    archive(out, |zip| {
        entry(zip, "indices", &i32_array(&indices))?;
        entry(zip, "indptr", &i64_array(&starts))?;
        entry(zip, "format", &plain("|S3", &[], name))?;
        entry(zip, "shape", &i64_array(&shape))?;
        entry(zip, "data", &nonzeros(along)?)
    })
}

/// Line starts and indices of the nonzeros, row by row.
fn pattern(matrix: Dense<'_>) -> (Vec<i64>, Vec<i32>) {
    let (mut starts, mut indices) = (vec![0], Vec::new());
    for row in 0..matrix.rows() {
        let nonzero = (0..matrix.cols()).filter(|&col| matrix.get(row, col) != 0.0);
        indices.extend(nonzero.map(|col| col as i32));
        starts.push(indices.len() as i64);
    }
    (starts, indices)
}

/// The nonzeros in their own type, row by row, as an array.
fn nonzeros(matrix: Dense<'_>) -> io::Result<Vec<u8>> {
    fn gather<T: proxsplit::data::Element>(matrix: Dense<'_>, values: &[T]) -> Vec<T> {
        let (rows, cols) = (matrix.rows(), matrix.cols());
        let place = |row: usize, col: usize| match matrix.order() {
            StorageOrder::RowMajor => row * cols + col,
            StorageOrder::ColumnMajor => row + rows * col,
        };
        let all = (0..rows).flat_map(|row| (0..cols).map(move |col| place(row, col)));
        let values = all.map(|at| values[at]);
        values.filter(|value| value.f64() != 0.0).collect()
    }
    let mut out = Vec::new();
    dispatch!(Elements: matrix.elements() => values, {
        let kept = gather(matrix, values);
        let elements = proxsplit::data::Element::elements(&kept[..]);
        npy::write::array(&mut out, StorageOrder::RowMajor, &[kept.len()], elements)?;
    });
    Ok(out)
}

fn entry<W: Write + Seek>(zip: &mut ZipWriter<W>, name: &str, array: &[u8]) -> io::Result<()> {
    let method = CompressionMethod::Deflated;
    start(zip, &format!("{name}.npy"), array.len(), method)?;
    zip.write_all(array)
}

fn i32_array(values: &[i32]) -> Vec<u8> {
    plain("<i4", &[values.len()], bytemuck::cast_slice(values))
}

fn i64_array(values: &[i64]) -> Vec<u8> {
    plain("<i8", &[values.len()], bytemuck::cast_slice(values))
}

fn plain(descr: &str, shape: &[usize], bytes: &[u8]) -> Vec<u8> {
    let mut array = npy::write::header(descr, StorageOrder::RowMajor, shape);
    array.extend_from_slice(bytes);
    array
}
