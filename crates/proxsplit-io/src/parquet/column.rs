//! The values of one column, from all groups of rows.

use super::layout::Kind;
use super::pages::Pages;
use super::words;
use crate::error::Fault;
use crate::format::{EXPANSION, FREE};
use crate::nan::Nan;
use crate::values::exact;
use parquet::column::reader::{ColumnReader, ColumnReaderImpl, get_column_reader};
use parquet::data_type::{ByteArray, DataType};
use parquet::file::metadata::{ColumnChunkMetaData, ParquetMetaData};
use parquet::file::reader::ChunkReader;

/// Rows that are decoded at a time.
const BATCH: usize = 4096;

pub(super) struct Source<'a, R> {
    pub(super) file: &'a R,
    pub(super) footer: &'a ParquetMetaData,
    pub(super) nan: Nan,
}

impl<R: ChunkReader> Source<'_, R> {
    /// Puts the numbers of a column behind others.
    pub(super) fn numbers(
        &self,
        column: usize,
        kind: Kind,
        out: &mut Vec<f64>,
    ) -> Result<(), Fault> {
        let nan = self.nan;
        let unsigned = kind == Kind::Unsigned;
        let mut push = |number: Option<f64>| {
            out.push(match number {
                Some(number) => number,
                None if nan == Nan::Missing => f64::NAN,
                None => {
                    return Err(format!(
                        "is missing (null); fill it or leave out the row or column{}",
                        nan.or(f64::NAN)
                    ));
                }
            });
            Ok(())
        };
        self.groups(column, |reader, rows, before| match reader {
            ColumnReader::BoolColumnReader(reader) => each(reader, rows, before, |value| {
                push(value.map(|&value| f64::from(u8::from(value))))
            }),
            ColumnReader::Int32ColumnReader(reader) if unsigned => {
                each(reader, rows, before, |value| {
                    push(value.map(|&value| f64::from(value.cast_unsigned())))
                })
            }
            ColumnReader::Int32ColumnReader(reader) => each(reader, rows, before, |value| {
                push(value.map(|&value| f64::from(value)))
            }),
            ColumnReader::Int64ColumnReader(reader) => each(reader, rows, before, |value| {
                push(value.map(|&value| long(value, unsigned)).transpose()?)
            }),
            ColumnReader::FloatColumnReader(reader) => each(reader, rows, before, |value| {
                push(value.map(|&value| f64::from(value)))
            }),
            ColumnReader::DoubleColumnReader(reader) => {
                each(reader, rows, before, |value| push(value.copied()))
            }
            _ => Err("these are not numbers".to_owned()),
        })
    }

    /// The texts of a column, of which a null is empty, or its numbers as text.
    pub(super) fn names(&self, column: usize, kind: Kind) -> Result<Vec<String>, Fault> {
        if kind != Kind::Text {
            let mut numbers = Vec::new();
            self.numbers(column, kind, &mut numbers)?;
            return Ok(numbers.iter().map(f64::to_string).collect());
        }
        let size = self.file.len();
        let mut free = size.saturating_mul(EXPANSION).saturating_add(FREE);
        let mut names = Vec::new();
        self.groups(column, |reader, rows, before| match reader {
            ColumnReader::ByteArrayColumnReader(reader) => each(reader, rows, before, |value| {
                let name = value.map_or(Ok(String::new()), text)?;
                // A dictionary can repeat a long text at no cost.
                let rest = free.checked_sub(name.len() as u64);
                free =
                    rest.ok_or("is one name too many: together the names are implausibly long")?;
                names.push(name);
                Ok(())
            }),
            _ => Err("these are not text".to_owned()),
        })?;
        Ok(names)
    }

    /// Calls `take` with a reader for every group of rows, the number of its rows, and that of the rows before.
    fn groups(
        &self,
        column: usize,
        mut take: impl FnMut(ColumnReader, usize, usize) -> Result<(), String>,
    ) -> Result<(), Fault> {
        let mut before = 0;
        for group in self.footer.row_groups() {
            let chunk = group.column(column);
            let name = chunk.column_descr().name();
            let fault = |cause: String| Fault::in_column(name, cause);
            let rows = group.num_rows() as usize;
            let pages = self.pages(chunk, rows).map_err(fault)?;
            let reader = get_column_reader(chunk.column_descr_ptr(), Box::new(pages));
            take(reader, rows, before).map_err(fault)?;
            before += rows;
        }
        Ok(())
    }

    fn pages(&self, chunk: &ColumnChunkMetaData, rows: usize) -> Result<Pages, String> {
        if chunk.file_path().is_some() {
            return Err("the column is in another file; save the table in one file".to_owned());
        }
        let first = chunk.data_page_offset();
        let dictionary = chunk.dictionary_page_offset();
        let start = dictionary.filter(|&at| 0 < at && at < first);
        let start = u64::try_from(start.unwrap_or(first)).ok();
        let length = u64::try_from(chunk.compressed_size()).ok();
        let whole = start.zip(length).filter(|(start, length)| {
            let end = start.checked_add(*length);
            end.is_some_and(|end| end <= self.file.len())
        });
        let (start, length) = whole
            .ok_or("the column extends past the end of the file, which was cut off or damaged")?;
        let bytes = self.file.get_bytes(start, length as usize);
        Ok(Pages {
            chunk: bytes.map_err(words)?,
            codec: chunk.compression_codec(),
            kind: chunk.column_type(),
            left: rows,
            dictionary: false,
        })
    }
}

/// Calls `take` with every value, or with none for a null; it says what is wrong with a row.
fn each<T: DataType>(
    mut reader: ColumnReaderImpl<T>,
    rows: usize,
    before: usize,
    mut take: impl FnMut(Option<&T::T>) -> Result<(), String>,
) -> Result<(), String> {
    let (mut values, mut levels) = (Vec::new(), Vec::new());
    let mut done = 0;
    while done < rows {
        values.clear();
        levels.clear();
        let wanted = (rows - done).min(BATCH);
        let read = reader.read_records(wanted, Some(&mut levels), None, &mut values);
        let (found, ..) = read.map_err(words)?;
        if found == 0 {
            return Err(format!(
                "the column ends after {} rows; the file is damaged",
                before + done
            ));
        }
        // A column that cannot have nulls has no levels.
        let mut present = values.iter();
        for row in 0..found {
            let value = match levels.get(row) {
                Some(&level) if level != 1 => None,
                _ => present.next(),
            };
            take(value).map_err(|cause| format!("row {} {cause}", before + done + row + 1))?;
        }
        done += found;
    }
    Ok(())
}

fn long(value: i64, unsigned: bool) -> Result<f64, String> {
    // An unsigned number that looks negative is larger than all signed ones.
    let number = if unsigned && value < 0 {
        None
    } else {
        exact(value)
    };
    number.ok_or_else(|| {
        "is an integer beyond ±2⁵³, which float64 cannot hold exactly; scale or convert the column"
            .to_owned()
    })
}

fn text(value: &ByteArray) -> Result<String, String> {
    // A damaged dictionary has values without content.
    let text = value.as_utf8();
    Ok(text
        .map_err(|_| "is not text; the file is damaged")?
        .to_owned())
}
