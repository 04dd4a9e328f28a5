//! Standard input, pipes and files whose name tells no format: the first bytes tell it, or the caller does.

use crate::content::Content;
use crate::error::Fault;
use crate::format::{Format, Text, unpacked};
use crate::reading::Reading;
use crate::{csv, mtx, npy, npz};
use std::io::{Cursor, Read};

/// Bytes that tell a format.
const MAGIC: usize = 16;

/// Reads a matrix from a stream; gzip is unpacked whatever the name.
pub(crate) fn read(
    source: Text<'_>,
    format: Option<Format>,
    reading: &Reading,
) -> Result<Content, Fault> {
    let (magic, source) = peek(source)?;
    let (magic, source) = if magic.starts_with(&[0x1f, 0x8b]) {
        peek(unpacked(source))?
    } else {
        (magic, source)
    };
    let format = format.or_else(|| sniff(&magic)).ok_or_else(|| {
        let cause = if magic.is_empty() {
            "it is empty".to_owned()
        } else {
            format!(
                "neither the name nor the content matches a known format; {}",
                Format::ADVICE
            )
        };
        Fault::whole(cause)
    })?;
    reading.check(format)?;
    parse(source, format, reading)
}

fn parse(mut source: Text<'_>, format: Format, reading: &Reading) -> Result<Content, Fault> {
    match format {
        Format::Npy => npy::stream(&mut source),
        Format::Npz => npz::parse(Cursor::new(whole(source)?), None),
        Format::Mtx => mtx::read(source, reading.nan),
        Format::Csv | Format::Tsv => csv::read(source, format, reading),
        #[cfg(feature = "hdf5")]
        Format::Hdf5 => crate::hdf5::parse(whole(source)?, reading.layer.as_deref()),
        #[cfg(not(feature = "hdf5"))]
        Format::Hdf5 => Err(Fault::whole(Format::NO_HDF5)),
        #[cfg(feature = "parquet")]
        Format::Parquet => crate::parquet::parse(whole(source)?, reading),
        #[cfg(not(feature = "parquet"))]
        Format::Parquet => Err(Fault::whole(Format::NO_PARQUET)),
        #[cfg(feature = "images")]
        Format::Image => crate::images::parse(&whole(source)?),
        #[cfg(not(feature = "images"))]
        Format::Image => Err(Fault::whole(Format::NO_IMAGES)),
    }
}

/// All bytes. Memory grows with what really arrives.
fn whole(mut source: Text<'_>) -> Result<Vec<u8>, Fault> {
    let mut bytes = Vec::new();
    source.read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The first bytes, and the stream with them.
fn peek(mut source: Text<'_>) -> Result<(Vec<u8>, Text<'_>), Fault> {
    let mut magic = Vec::with_capacity(MAGIC);
    source.by_ref().take(MAGIC as u64).read_to_end(&mut magic)?;
    Ok((magic.clone(), Box::new(Cursor::new(magic).chain(source))))
}

/// The format that begins so. Tables have no mark of their own.
fn sniff(magic: &[u8]) -> Option<Format> {
    let marks: [(&[u8], Format); 10] = [
        (b"\x93NUMPY", Format::Npy),
        (b"PK\x03\x04", Format::Npz),
        (b"%%MatrixMarket", Format::Mtx),
        (b"\x89HDF\r\n\x1a\n", Format::Hdf5),
        (b"PAR1", Format::Parquet),
        (b"\x89PNG\r\n\x1a\n", Format::Image),
        (b"II*\0", Format::Image),
        (b"MM\0*", Format::Image),
        (b"P5\n", Format::Image),
        (b"P2\n", Format::Image),
    ];
    let mut known = marks.iter().filter(|(mark, _)| magic.starts_with(mark));
    known.next().map(|(_, format)| *format)
}
