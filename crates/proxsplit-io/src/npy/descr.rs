//! The number type of an array, as NumPy writes it: byte order, kind, bytes (`<f8`).

use crate::error::Fault;
use crate::values::Kind;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Descr {
    pub(crate) big_endian: bool,
    /// `b` bool, `i` integer, `u` unsigned, `f` float, `S` bytes, `U` text.
    pub(crate) letter: u8,
    /// Bytes of one entry.
    pub(crate) size: usize,
}

impl Descr {
    pub(crate) fn parse(text: &str) -> Result<Self, Fault> {
        let refused = || {
            Fault::whole(format!(
                "entries of type '{text}' are not supported; convert them, for example with .astype('float64')"
            ))
        };
        let (&[order, letter], count) = text.as_bytes().split_first_chunk().ok_or_else(refused)?;
        let count: usize = std::str::from_utf8(count)
            .ok()
            .and_then(|count| count.parse().ok())
            .ok_or_else(refused)?;
        let big_endian = match order {
            b'<' | b'|' | b'=' => false,
            b'>' => true,
            _ => return Err(refused()),
        };
        let size = match (letter, count) {
            (b'b', 1) | (b'i' | b'u', 1 | 2 | 4 | 8) | (b'f', 2 | 4 | 8) | (b'S', 0..=64) => count,
            (b'U', 0..=64) => 4 * count,
            _ => return Err(refused()),
        };
        Ok(Self {
            big_endian,
            letter,
            size,
        })
    }

    /// The stored type that has the same bytes.
    pub(crate) fn native(self) -> Option<Kind> {
        match (self.big_endian, self.letter, self.size) {
            (_, b'u', 1) => Some(Kind::U8),
            (false, b'i', 2) => Some(Kind::I16),
            (false, b'i', 4) => Some(Kind::I32),
            (false, b'f', 4) => Some(Kind::F32),
            (false, b'f', 8) => Some(Kind::F64),
            _ => None,
        }
    }

    pub(crate) fn is_text(self) -> bool {
        matches!(self.letter, b'S' | b'U')
    }
}
