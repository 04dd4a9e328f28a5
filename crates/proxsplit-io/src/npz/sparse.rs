//! The layout of `scipy.sparse.save_npz`: `format`, `shape`, `data`, and `indices` with `indptr` (csr, csc) or `row` with
//! `col` (coo).

use super::Archive;
use crate::compress::{Triplets, canonical, check_indices, check_shape, check_starts};
use crate::content::{Content, Pattern};
use crate::error::{Fault, Place};
use crate::npy::Header;
use crate::values::Values;
use proxsplit::data::StorageOrder;
use std::io::{Read, Seek};

pub(super) fn read<R: Read + Seek>(archive: &mut Archive<R>) -> Result<Content, Fault> {
    let format = text(archive)?;
    let shape = integers(archive, "shape")?;
    let (rows, cols) = match shape[..] {
        [rows, cols] if rows >= 0 && cols >= 0 => (rows as usize, cols as usize),
        _ => return Err(fault("shape", format!("{shape:?} is not rows and columns"))),
    };
    let (_, values) = archive.array("data")?;
    check_shape(rows, cols, values.elements().len())?;
    match format.as_str() {
        "csr" => compressed(archive, (rows, cols), StorageOrder::RowMajor, values),
        "csc" => compressed(archive, (rows, cols), StorageOrder::ColumnMajor, values),
        "coo" => coordinates(archive, (rows, cols), values.to_f64()),
        other => Err(fault(
            "format",
            format!("sparse format '{other}' is not supported; save it as csr, csc or coo"),
        )),
    }
}

fn compressed<R: Read + Seek>(
    archive: &mut Archive<R>,
    (rows, cols): (usize, usize),
    order: StorageOrder,
    values: Values,
) -> Result<Content, Fault> {
    let (lines, width) = match order {
        StorageOrder::RowMajor => (rows, cols),
        StorageOrder::ColumnMajor => (cols, rows),
    };
    let stored = values.elements().len();
    let indices = indices(archive, "indices", stored, width)?;
    let starts = integers(archive, "indptr")?;
    check_starts(&starts, lines, stored).map_err(|cause| fault("indptr", cause))?;
    let pattern = Pattern { starts, indices };
    Ok(canonical((rows, cols), order, pattern, values))
}

fn coordinates<R: Read + Seek>(
    archive: &mut Archive<R>,
    (rows, cols): (usize, usize),
    values: Vec<f64>,
) -> Result<Content, Fault> {
    let row = indices(archive, "row", values.len(), rows)?;
    let col = indices(archive, "col", values.len(), cols)?;
    Triplets { row, col, values }.compress(rows, cols)
}

/// As many indices as there are values, each below `width`.
fn indices<R: Read + Seek>(
    archive: &mut Archive<R>,
    name: &str,
    count: usize,
    width: usize,
) -> Result<Vec<i32>, Fault> {
    let (header, values) = archive.array(name)?;
    let indices = match values {
        Values::I32(indices) => indices,
        other => {
            let numbers = whole_numbers(&header, &other).map_err(|cause| fault(name, cause))?;
            // What does not fit becomes negative and is refused below.
            numbers
                .iter()
                .map(|&i| i32::try_from(i).unwrap_or(-1))
                .collect()
        }
    };
    check_indices(&indices, count, width).map_err(|cause| fault(name, cause))?;
    Ok(indices)
}

fn integers<R: Read + Seek>(archive: &mut Archive<R>, name: &str) -> Result<Vec<i64>, Fault> {
    let (header, values) = archive.array(name)?;
    whole_numbers(&header, &values).map_err(|cause| fault(name, cause))
}

/// The numbers of an integer array; converted ones are exact.
fn whole_numbers(header: &Header, values: &Values) -> Result<Vec<i64>, &'static str> {
    if !matches!(header.descr.letter, b'i' | b'u') {
        return Err("these must be whole numbers");
    }
    Ok(values.to_f64().into_iter().map(|v| v as i64).collect())
}

/// The array `format`, a single word.
fn text<R: Read + Seek>(archive: &mut Archive<R>) -> Result<String, Fault> {
    let (header, bytes) = archive.bytes("format")?;
    if !header.descr.is_text() || bytes.len() > 64 {
        return Err(fault("format", "it must be a word such as 'csr'"));
    }
    // Both bytes and four-byte characters: the letters are what remains without zeros.
    Ok(bytes
        .iter()
        .filter(|&&byte| byte != 0)
        .map(|&byte| char::from(byte))
        .collect())
}

fn fault(name: &str, cause: impl Into<String>) -> Fault {
    Fault::new(Place::Array(name.to_owned()), cause)
}
