//! Writes an `.npy` array.

use crate::values::bytes;
use proxsplit::data::{Elements, StorageOrder};
use std::io::{self, Write};

/// The header of an array: version 1, padded so that the numbers begin at a multiple of 64 bytes and can be mapped.
pub(crate) fn header(descr: &str, order: StorageOrder, shape: &[usize]) -> Vec<u8> {
    let fortran = match order {
        StorageOrder::RowMajor => "False",
        StorageOrder::ColumnMajor => "True",
    };
    let axes: Vec<String> = shape.iter().map(ToString::to_string).collect();
    let comma = if shape.len() == 1 { "," } else { "" };
    let mut text = format!(
        "{{'descr': '{descr}', 'fortran_order': {fortran}, 'shape': ({}{comma}), }}",
        axes.join(", ")
    );
    let unpadded = 10 + text.len() + 1;
    text.push_str(&" ".repeat(unpadded.next_multiple_of(64) - unpadded));
    text.push('\n');
    let mut header = b"\x93NUMPY\x01\x00".to_vec();
    // At most two axes of 20 digits: far below the 65535 that fit here.
    header.extend_from_slice(&(text.len() as u16).to_le_bytes());
    header.extend_from_slice(text.as_bytes());
    header
}

/// NumPy's name of a number type.
pub(crate) fn descr(elements: Elements<'_>) -> &'static str {
    match elements {
        Elements::U8(_) => "|u1",
        Elements::I16(_) => "<i2",
        Elements::I32(_) => "<i4",
        Elements::F32(_) => "<f4",
        Elements::F64(_) => "<f8",
    }
}

/// Writes header and numbers.
pub(crate) fn array(
    out: &mut dyn Write,
    order: StorageOrder,
    shape: &[usize],
    elements: Elements<'_>,
) -> io::Result<()> {
    out.write_all(&header(descr(elements), order, shape))?;
    out.write_all(bytes(elements))
}
