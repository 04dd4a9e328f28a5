//! One pass over all numbers: are they finite, and what is their digest?

use crate::content::{Content, Pattern};
use crate::error::Fault;
use crate::nan::Nan;
use crate::values::bytes;
use proxsplit::data::{Element, Elements, StorageOrder};
use xxhash_rust::xxh3::Xxh3;

/// Bytes that one thread hashes while others look at the numbers: few enough to be in the cache for both, so that data is read once.
const PANEL: usize = 4 << 20;

/// The digest (128 bits of XXH3 as hexadecimal) of shape, storage, type and every number, or the position of the first
/// number that must not be there: infinity, and NaN if it is refused.
///
/// The whole content is read, also of a memory-mapped file: the search for NaN must do so anyway.
pub(crate) fn examine(content: &Content, nan: Nan) -> Result<String, Fault> {
    let mut hash = Xxh3::new();
    let layout = match (&content.pattern, content.order) {
        (None, StorageOrder::RowMajor) => "dense C",
        (None, StorageOrder::ColumnMajor) => "dense F",
        (Some(_), StorageOrder::RowMajor) => "csr",
        (Some(_), StorageOrder::ColumnMajor) => "csc",
    };
    let (rows, cols) = (content.rows, content.cols);
    let elements = content.values.elements();
    hash.update(format!("{layout} {} {rows} {cols}\n", type_name(elements)).as_bytes());
    if let Some(Pattern { starts, indices }) = &content.pattern {
        hash.update(bytemuck::cast_slice(starts));
        hash.update(bytemuck::cast_slice(indices));
    }
    if let Some(at) = absorb(&mut hash, elements, nan) {
        let (row, col) = content.position(at);
        return Err(Fault::whole(format!(
            "row {row}, column {col} (counting from 0) is {}; remove or replace it{}",
            elements.get(at),
            nan.or(elements.get(at))
        )));
    }
    Ok(format!("{:032x}", hash.digest128()))
}

/// The name that NumPy gives to the type.
pub(crate) fn type_name(elements: Elements<'_>) -> &'static str {
    match elements {
        Elements::U8(_) => "uint8",
        Elements::I16(_) => "int16",
        Elements::I32(_) => "int32",
        Elements::F32(_) => "float32",
        Elements::F64(_) => "float64",
    }
}

/// Adds all numbers to the hash; the position of the first that must not be there, if there is one.
fn absorb(hash: &mut Xxh3, elements: Elements<'_>, nan: Nan) -> Option<usize> {
    match elements {
        Elements::F32(values) => absorb_floats(hash, values, nan),
        Elements::F64(values) => absorb_floats(hash, values, nan),
        integers => {
            hash.update(bytes(integers));
            None
        }
    }
}

fn absorb_floats<E: Element + bytemuck::Pod>(
    hash: &mut Xxh3,
    values: &[E],
    nan: Nan,
) -> Option<usize> {
    let length = PANEL / size_of::<E>();
    for (number, panel) in values.chunks(length).enumerate() {
        let look = || {
            let numbers = E::elements(panel);
            if nan.admits(f64::NAN) {
                numbers.first_infinite()
            } else {
                numbers.first_non_finite()
            }
        };
        let ((), found) = rayon::join(|| hash.update(bytemuck::cast_slice(panel)), look);
        if let Some(within) = found {
            return Some(number * length + within);
        }
    }
    None
}
