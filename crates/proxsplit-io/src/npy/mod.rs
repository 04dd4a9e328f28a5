//! `.npy`: one NumPy array.
//!
//! Numbers of a stored type in little-endian order are mapped, not copied; all others are converted.

mod descr;
mod foreign;
mod header;
pub(crate) mod write;

use crate::content::Content;
use crate::error::{Error, Fault, Place};
use crate::map::{Mapped, map};
use crate::values::{Kind, Values};
pub(crate) use descr::Descr;
pub(crate) use header::Header;
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// Maps a file.
pub(crate) fn open(path: &Path) -> Result<Content, Error> {
    let failed = |cause| Error::system("read", path, cause);
    let map = map(&File::open(path).map_err(failed)?).map_err(failed)?;
    mapped(map).map_err(|fault| fault.of(path))
}

fn mapped(map: memmap2::Mmap) -> Result<Content, Fault> {
    let header = Header::read(&mut &map[..])?;
    let (rows, cols) = header.matrix()?;
    check_length(&header, map.len())?;
    let values = match header.descr.native() {
        Some(kind) if header.offset.is_multiple_of(kind.size()) => {
            Mapped::new(map, header.offset, kind)
                .map(Values::Mapped)
                .ok_or_else(|| Fault::whole("the numbers do not end at the end of the file"))?
        }
        _ => values(&header, &mut &map[header.offset..])?,
    };
    Ok(Content::dense(rows, cols, header.order, values))
}

/// Copies an array from memory.
pub(crate) fn parse(bytes: &[u8]) -> Result<Content, Fault> {
    let header = Header::read(&mut &bytes[..])?;
    let (rows, cols) = header.matrix()?;
    check_length(&header, bytes.len())?;
    let values = values(&header, &mut &bytes[header.offset..])?;
    Ok(Content::dense(rows, cols, header.order, values))
}

/// Copies an array from a stream, which must end where the array does.
pub(crate) fn stream(source: &mut dyn Read) -> Result<Content, Fault> {
    let header = Header::read(source)?;
    let (rows, cols) = header.matrix()?;
    let values = values(&header, source)?;
    if std::io::copy(&mut source.take(1), &mut std::io::sink())? > 0 {
        return Err(Fault::whole(
            "there are extra bytes after the end of the array",
        ));
    }
    Ok(Content::dense(rows, cols, header.order, values))
}

/// `Ok` if the file ends where the array does.
fn check_length(header: &Header, found: usize) -> Result<(), Fault> {
    let (_, bytes) = header.size()?;
    let expected = header.offset.saturating_add(bytes);
    if found == expected {
        return Ok(());
    }
    let cause = if found < expected {
        "it was cut off; copy it again"
    } else {
        "something was added to it"
    };
    Err(Fault::new(
        Place::Byte(found.min(expected) as u64),
        format!("the file has {found} bytes but its header says {expected}: {cause}"),
    ))
}

/// Reads the numbers that follow the header.
pub(crate) fn values(header: &Header, source: &mut dyn Read) -> Result<Values, Fault> {
    let (count, bytes) = header.size()?;
    match header.descr.native() {
        Some(Kind::U8) => Ok(Values::U8(numbers(source, count)?)),
        Some(Kind::I16) => Ok(Values::I16(numbers(source, count)?)),
        Some(Kind::I32) => Ok(Values::I32(numbers(source, count)?)),
        Some(Kind::F32) => Ok(Values::F32(numbers(source, count)?)),
        Some(Kind::F64) => Ok(Values::F64(numbers(source, count)?)),
        None => foreign::convert(&numbers::<u8>(source, bytes)?, header.descr),
    }
}

/// Bytes read before more memory is asked for, so that a false size costs little.
const PIECE: usize = 1 << 22;

/// Reads `count` numbers. Memory grows with what really arrives.
pub(crate) fn numbers<T: bytemuck::Pod>(
    source: &mut dyn Read,
    count: usize,
) -> Result<Vec<T>, Fault> {
    let mut numbers = Vec::new();
    while numbers.len() < count {
        let from = numbers.len();
        let to = count.min(from + PIECE / size_of::<T>());
        numbers.resize(to, T::zeroed());
        source.read_exact(bytemuck::cast_slice_mut(&mut numbers[from..]))?;
    }
    Ok(numbers)
}
