//! `.parquet`: a table of numbers, stored column by column, with or without a column of row names.
//!
//! Footer, schema and encodings are read by the crate `parquet`. Pages are fetched and unpacked here, so that their sizes
//! are checked before memory is asked for, and no codec needs a C compiler.

mod column;
mod header;
mod layout;
mod pages;
mod thrift;
mod unpack;

use crate::content::{Content, Labels};
use crate::error::{Error, Fault};
use crate::format::{EXPANSION, FREE};
use crate::reading::Reading;
use crate::values::Values;
use bytes::Bytes;
use column::Source;
use layout::{Kind, Layout};
use parquet::errors::ParquetError;
use parquet::file::metadata::{ParquetMetaData, ParquetMetaDataReader};
use parquet::file::reader::ChunkReader;
use proxsplit::data::StorageOrder;
use std::fs::File;
use std::path::Path;
use thrift::Numbers;

const DAMAGED: &str = "this is not a parquet file, or it was cut off or damaged";

/// Reads a file.
pub(crate) fn open(path: &Path, reading: &Reading) -> Result<Content, Error> {
    let file = File::open(path).map_err(|cause| Error::system("read", path, cause))?;
    read(&file, reading).map_err(|fault| fault.of(path))
}

/// Reads from memory.
pub(crate) fn parse(bytes: Vec<u8>, reading: &Reading) -> Result<Content, Fault> {
    read(&Bytes::from(bytes), reading)
}

fn read<R: ChunkReader>(file: &R, reading: &Reading) -> Result<Content, Fault> {
    if !footer_is_sound(file) {
        return Err(Fault::whole(DAMAGED));
    }
    let footer = ParquetMetaDataReader::new()
        .parse_and_finish(file)
        .map_err(|cause| Fault::whole(format!("{DAMAGED}: {}", words(cause))))?;
    let layout = Layout::of(footer.file_metadata(), reading.csv.labels)?;
    let rows = rows(&footer, layout.numbers.len(), file.len())?;
    let source = Source {
        file,
        footer: &footer,
        nan: reading.nan,
    };
    let mut values = Vec::new();
    for (column, kind) in &layout.numbers {
        source.numbers(*column, *kind, &mut values)?;
    }
    let names = layout
        .names
        .map(|(column, kind)| source.names(column, kind));
    let single = layout.numbers.iter().all(|(_, kind)| *kind == Kind::Float);
    let values = if single {
        Values::F32(values.iter().map(|&value| value as f32).collect())
    } else {
        Values::narrow(values)
    };
    let taken = layout.describe(&footer);
    Ok(Content {
        labels: Labels {
            rows: names.transpose()?,
            columns: Some(layout.columns(&footer)),
        },
        taken,
        ..Content::dense(
            rows,
            layout.numbers.len(),
            StorageOrder::ColumnMajor,
            values,
        )
    })
}

/// Whether all lists in the footer are as long as they say: `parquet` counts to the end of some that are not there.
fn footer_is_sound<R: ChunkReader>(file: &R) -> bool {
    let footer = || {
        let end = file.len().checked_sub(8)?;
        let tail = file.get_bytes(end, 8).ok()?;
        let length = u32::from_le_bytes(tail[..4].try_into().ok()?);
        let start = end.checked_sub(length.into())?;
        let bytes = file.get_bytes(start, length as usize).ok()?;
        Numbers::read(&bytes)
    };
    footer().is_some()
}

/// The number of rows, if the file can hold as many: runs of equal values take next to no space.
fn rows(footer: &ParquetMetaData, cols: usize, size: u64) -> Result<usize, Fault> {
    let damaged = || Fault::whole("the numbers of rows in the footer contradict each other");
    let mut rows = 0_u64;
    for group in footer.row_groups() {
        let more = u64::try_from(group.num_rows()).map_err(|_| damaged())?;
        rows = rows.checked_add(more).ok_or_else(damaged)?;
    }
    if u64::try_from(footer.file_metadata().num_rows()) != Ok(rows) {
        return Err(damaged());
    }
    let limit = size.saturating_mul(EXPANSION).saturating_add(FREE);
    match rows.checked_mul(cols.max(1) as u64) {
        Some(cells) if cells <= limit => Ok(rows as usize),
        _ => Err(Fault::whole(format!(
            "its {rows} × {cols} numbers are more than {EXPANSION} for every byte of the file; if this is intended, save it as .npy"
        ))),
    }
}

/// What the crate says, without its own name in front.
fn words(cause: ParquetError) -> String {
    match cause {
        ParquetError::General(text) | ParquetError::NYI(text) | ParquetError::EOF(text) => text,
        other => other.to_string(),
    }
}
