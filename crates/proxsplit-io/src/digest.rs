//! One pass over all numbers: are they finite, and what is their digest?

use crate::content::{Content, Pattern};
use crate::error::Fault;
use crate::nan::Nan;
use crate::values::bytes;
use proxsplit::data::{Elements, Order};
use rayon::prelude::*;
use xxhash_rust::xxh3::{Xxh3, xxh3_128};

/// Bytes that a thread takes at once. They are hashed by themselves while they are in the cache, so that the data is read once and
/// by all threads.
const PANEL: usize = 1 << 20;

/// The digest (128 bits of XXH3 as hexadecimal) of shape, storage, type and the digests of all panels of numbers, or the position of the
/// first number that must not be there: infinity, and NaN if it is refused.
///
/// The whole content is read, also of a memory-mapped file: the search for NaN must do so anyway.
pub(crate) fn examine(content: &Content, nan: Nan) -> Result<String, Fault> {
    let mut hash = Xxh3::new();
    let layout = match (&content.pattern, content.order) {
        (None, Order::RowMajor) => "dense C",
        (None, Order::ColumnMajor) => "dense F",
        (Some(_), Order::RowMajor) => "csr",
        (Some(_), Order::ColumnMajor) => "csc",
    };
    let (rows, cols) = (content.rows, content.cols);
    let elements = content.values.elements();
    hash.update(format!("{layout} {} {rows} {cols}\n", type_name(elements)).as_bytes());
    if let Some(Pattern { starts, indices }) = &content.pattern {
        absorb_all(&mut hash, starts);
        absorb_all(&mut hash, indices);
    }
    if let Some(at) = absorb(&mut hash, elements, nan) {
        let (row, col) = content.position(at);
        return Err(Fault::whole(format!(
            "row {row}, column {col} (from 0) is {}; remove or replace it{}",
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
        Elements::F32(values) => absorb_if(hash, values, |v| nan.admits(v.into())),
        Elements::F64(values) => absorb_if(hash, values, |v| nan.admits(v)),
        integers => {
            absorb_all(hash, bytes(integers));
            None
        }
    }
}

fn absorb_all<T: bytemuck::Pod + Sync>(hash: &mut Xxh3, values: &[T]) {
    absorb_if(hash, values, |_| true);
}

fn absorb_if<T: bytemuck::Pod + Sync>(
    hash: &mut Xxh3,
    values: &[T],
    admitted: impl Fn(T) -> bool + Sync,
) -> Option<usize> {
    let length = PANEL / size_of::<T>();
    let panels = values.par_chunks(length).map(|panel| {
        // A fold over all of them vectorizes; an early exit would not.
        let is_sound = panel.iter().fold(true, |all, &v| all & admitted(v));
        is_sound.then(|| xxh3_128(bytemuck::cast_slice(panel)))
    });
    for (number, digest) in panels.collect::<Vec<_>>().into_iter().enumerate() {
        let Some(digest) = digest else {
            let rest = &values[number * length..];
            let within = rest.iter().position(|&v| !admitted(v))?;
            return Some(number * length + within);
        };
        hash.update(&digest.to_le_bytes());
    }
    None
}
