//! The header of a page: what it holds, and how many bytes.

use super::thrift::Numbers;
use parquet::basic::Encoding;

pub(super) struct Header {
    pub(super) kind: Kind,
    /// Bytes of the header itself.
    pub(super) length: usize,
    /// Bytes of the page in the file.
    pub(super) packed: usize,
    /// Bytes of the page once it is unpacked.
    pub(super) unpacked: usize,
}

/// What a page holds.
pub(super) enum Kind {
    Dictionary {
        values: usize,
        encoding: Encoding,
    },
    /// Values, with the levels that tell nulls packed like them.
    One {
        values: usize,
        encoding: Encoding,
        levels: Encoding,
    },
    /// The second version: the levels stand in front and are never packed.
    Two {
        values: usize,
        nulls: usize,
        rows: usize,
        encoding: Encoding,
        definition: usize,
        repetition: usize,
        compressed: bool,
    },
    /// Nothing that is needed here.
    Other,
}

impl Header {
    /// Reads the header at the start of these bytes; `None` if it is damaged or cut off.
    pub(super) fn read(bytes: &[u8]) -> Option<Self> {
        let numbers = Numbers::read(bytes)?;
        let size = |field, inner| numbers.size(field, inner);
        let encoding = |field, inner| encoding(numbers.get(field, inner)?);
        let kind = match numbers.get(1, 0)? {
            0 => Kind::One {
                values: size(5, 1)?,
                encoding: encoding(5, 2)?,
                levels: encoding(5, 3)?,
            },
            2 => Kind::Dictionary {
                values: size(7, 1)?,
                encoding: encoding(7, 2)?,
            },
            3 => Kind::Two {
                values: size(8, 1)?,
                nulls: size(8, 2)?,
                rows: size(8, 3)?,
                encoding: encoding(8, 4)?,
                definition: size(8, 5)?,
                repetition: size(8, 6)?,
                compressed: numbers.get(8, 7) != Some(0),
            },
            _ => Kind::Other,
        };
        Some(Self {
            kind,
            length: numbers.length,
            packed: size(3, 0)?,
            unpacked: size(2, 0)?,
        })
    }
}

/// An encoding by its number.
fn encoding(number: i64) -> Option<Encoding> {
    Some(match number {
        0 => Encoding::PLAIN,
        2 => Encoding::PLAIN_DICTIONARY,
        3 => Encoding::RLE,
        5 => Encoding::DELTA_BINARY_PACKED,
        6 => Encoding::DELTA_LENGTH_BYTE_ARRAY,
        7 => Encoding::DELTA_BYTE_ARRAY,
        8 => Encoding::RLE_DICTIONARY,
        9 => Encoding::BYTE_STREAM_SPLIT,
        _ => return None,
    })
}
