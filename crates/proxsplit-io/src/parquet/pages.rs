//! The pages of one column in one group of rows, checked before the decoders of `parquet` see them: those trust what a
//! header says.

use super::header::{Header, Kind};
use super::unpack::unpack;
use bytes::Bytes;
use parquet::basic::{CompressionCodec, Encoding, Type};
use parquet::column::page::{Page, PageMetadata, PageReader};
use parquet::errors::{ParquetError, Result as ParquetResult};

pub(super) struct Pages {
    /// What is left to read.
    pub(super) chunk: Bytes,
    pub(super) codec: CompressionCodec,
    /// The type of the values.
    pub(super) kind: Type,
    /// Values that are still to come.
    pub(super) left: usize,
    /// Whether there was a dictionary.
    pub(super) dictionary: bool,
}

impl Pages {
    fn page(&mut self) -> Result<Option<Page>, String> {
        while self.left > 0 && !self.chunk.is_empty() {
            let header = Header::read(&self.chunk).ok_or("the header of a page is damaged")?;
            self.chunk = self.chunk.slice(header.length..);
            if header.packed > self.chunk.len() {
                return Err(
                    "a page extends past the end of its column; the file is damaged".to_owned(),
                );
            }
            let packed = self.chunk.split_to(header.packed);
            let page = match header.kind {
                Kind::Dictionary { .. } => self.dictionary(&header, &packed)?,
                Kind::One { .. } => self.one(&header, &packed)?,
                Kind::Two { .. } => self.two(&header, &packed)?,
                Kind::Other => None,
            };
            if page.is_some() {
                return Ok(page);
            }
        }
        Ok(None)
    }

    fn dictionary(&mut self, header: &Header, packed: &Bytes) -> Result<Option<Page>, String> {
        let Kind::Dictionary { values, encoding } = header.kind else {
            return Ok(None);
        };
        let buf = unpack(self.codec, packed, header.unpacked)?;
        let least = match self.kind {
            Type::INT64 | Type::DOUBLE => 8,
            _ => 4,
        };
        if values > buf.len() / least {
            return Err(format!(
                "a dictionary of {values} values has only {} bytes; the file is damaged",
                buf.len()
            ));
        }
        self.dictionary = true;
        Ok(Some(Page::DictionaryPage {
            buf,
            num_values: values as u32,
            encoding,
            is_sorted: false,
        }))
    }

    fn one(&mut self, header: &Header, packed: &Bytes) -> Result<Option<Page>, String> {
        let Kind::One {
            values,
            encoding,
            levels,
        } = header.kind
        else {
            return Ok(None);
        };
        if levels != Encoding::RLE {
            return Err(format!("levels encoded as {levels} are not supported"));
        }
        self.count(values, encoding)?;
        Ok(Some(Page::DataPage {
            buf: unpack(self.codec, packed, header.unpacked)?,
            num_values: values as u32,
            encoding,
            def_level_encoding: levels,
            rep_level_encoding: Encoding::RLE,
            statistics: None,
        }))
    }

    fn two(&mut self, header: &Header, packed: &Bytes) -> Result<Option<Page>, String> {
        let Kind::Two {
            values,
            nulls,
            rows,
            encoding,
            definition,
            repetition,
            compressed,
        } = header.kind
        else {
            return Ok(None);
        };
        let levels = definition.saturating_add(repetition);
        let codec = if compressed {
            self.codec
        } else {
            CompressionCodec::UNCOMPRESSED
        };
        self.count(values, encoding)?;
        Ok(Some(Page::DataPageV2 {
            buf: behind_levels(codec, packed, levels, header.unpacked)?,
            num_values: values as u32,
            encoding,
            num_nulls: nulls as u32,
            num_rows: rows as u32,
            def_levels_byte_len: definition as u32,
            rep_levels_byte_len: repetition as u32,
            is_compressed: false,
            statistics: None,
        }))
    }

    /// Counts the values of a page; `Ok` if so many can follow, and can be decoded.
    fn count(&mut self, values: usize, encoding: Encoding) -> Result<(), String> {
        let Some(left) = self.left.checked_sub(values) else {
            return Err(format!(
                "a page has {values} values, but only {} are left in its group of rows; the file is damaged",
                self.left
            ));
        };
        self.left = left;
        let by_dictionary = matches!(
            encoding,
            Encoding::PLAIN_DICTIONARY | Encoding::RLE_DICTIONARY
        );
        if by_dictionary && !self.dictionary {
            return Err("the dictionary of a page is missing; the file is damaged".to_owned());
        }
        // The other encodings of texts say where each one ends, which `parquet` does not check.
        if self.kind == Type::BYTE_ARRAY && !by_dictionary && encoding != Encoding::PLAIN {
            return Err(format!(
                "text encoded as {encoding} is not supported; save the file with dictionary encoding"
            ));
        }
        Ok(())
    }
}

/// A page of the second version, whose levels are not packed.
fn behind_levels(
    codec: CompressionCodec,
    packed: &Bytes,
    levels: usize,
    size: usize,
) -> Result<Bytes, String> {
    if levels > packed.len() || levels > size {
        return Err("the header of a page contradicts itself; the file is damaged".to_owned());
    }
    // Where every value is null, nothing is packed.
    let values = match size - levels {
        0 => Bytes::new(),
        size => unpack(codec, &packed.slice(levels..), size)?,
    };
    Ok([&packed[..levels], &values[..]].concat().into())
}

impl PageReader for Pages {
    fn get_next_page(&mut self) -> ParquetResult<Option<Page>> {
        self.page().map_err(ParquetError::General)
    }

    fn peek_next_page(&mut self) -> ParquetResult<Option<PageMetadata>> {
        Err(no_skipping())
    }

    fn skip_next_page(&mut self) -> ParquetResult<()> {
        Err(no_skipping())
    }
}

/// All values are read, one after the other.
fn no_skipping() -> ParquetError {
    ParquetError::NYI("pages are not skipped".to_owned())
}

impl Iterator for Pages {
    type Item = ParquetResult<Page>;

    fn next(&mut self) -> Option<Self::Item> {
        self.get_next_page().transpose()
    }
}
