//! The numbers of a Thrift structure in the compact protocol, which page headers and the footer are written in.

/// Structures and lists nest no deeper in any of them.
const DEPTH: u8 = 16;

/// The integers and truth values of a structure and of those directly inside it.
pub(super) struct Numbers {
    /// By the field of the structure and the field inside it, which is 0 for a number of the structure itself.
    found: Vec<((i16, i16), i64)>,
    /// Bytes that the structure takes.
    pub(super) length: usize,
}

impl Numbers {
    /// Reads a structure; `None` if it is damaged or cut off.
    pub(super) fn read(bytes: &[u8]) -> Option<Self> {
        let mut rest = Compact(bytes);
        let mut found = Vec::new();
        rest.structure(0, &mut |field, inner, value| {
            found.push(((field, inner), value));
        })?;
        let length = bytes.len() - rest.0.len();
        Some(Self { found, length })
    }

    pub(super) fn get(&self, field: i16, inner: i16) -> Option<i64> {
        let mut found = self.found.iter();
        let entry = found.find(|(place, _)| *place == (field, inner))?;
        Some(entry.1)
    }

    /// The same for a size.
    pub(super) fn size(&self, field: i16, inner: i16) -> Option<usize> {
        usize::try_from(self.get(field, inner)?).ok()
    }
}

/// What is left to read.
struct Compact<'a>(&'a [u8]);

impl Compact<'_> {
    fn structure(&mut self, depth: u8, visit: &mut dyn FnMut(i16, i16, i64)) -> Option<()> {
        let mut field = 0_i16;
        loop {
            let head = self.byte()?;
            let kind = head & 15;
            if kind == 0 {
                return Some(());
            }
            field = match head >> 4 {
                0 => i16::try_from(self.zigzag()?).ok()?,
                step => field.checked_add(i16::from(step))?,
            };
            match kind {
                1 => visit(field, 0, 1),
                2 => visit(field, 0, 0),
                4..=6 => visit(field, 0, self.zigzag()?),
                12 if depth == 0 => {
                    self.structure(1, &mut |inner, _, value| visit(field, inner, value))?;
                }
                _ => self.skip(kind, depth)?,
            }
        }
    }

    fn skip(&mut self, kind: u8, depth: u8) -> Option<()> {
        if depth == DEPTH {
            return None;
        }
        match kind {
            // Inside a list, a truth value takes a byte.
            1..=3 => self.byte().map(drop),
            4..=6 => self.varint().map(drop),
            7 => self.take(8),
            8 => {
                let length = self.varint()?;
                self.take(usize::try_from(length).ok()?)
            }
            9 | 10 => {
                let head = self.byte()?;
                let size = match head >> 4 {
                    15 => self.varint()?,
                    size => u64::from(size),
                };
                (0..size).try_for_each(|_| self.skip(head & 15, depth + 1))
            }
            12 => self.structure(depth + 1, &mut |_, _, _| ()),
            _ => None,
        }
    }

    fn byte(&mut self) -> Option<u8> {
        let (first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(*first)
    }

    fn take(&mut self, length: usize) -> Option<()> {
        self.0 = self.0.get(length..)?;
        Some(())
    }

    /// Seven bits a byte, least significant first.
    fn varint(&mut self) -> Option<u64> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            value |= u64::from(byte & 127) << shift;
            if byte < 128 {
                return Some(value);
            }
        }
        None
    }

    fn zigzag(&mut self) -> Option<i64> {
        let value = self.varint()?;
        Some((value >> 1).cast_signed() ^ -(value & 1).cast_signed())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Field 1 = 0, 2 = 300, a list of three, a text, and field 5 with 1 = −1, a truth value and a structure.
    const BYTES: &[u8] = &[
        0x15, 0x00, 0x15, 0xd8, 0x04, 0x19, 0x35, 2, 4, 6, 0x18, 2, b'a', b'b', 0x0c, 0x0a, 0x15,
        0x01, 0x11, 0x1c, 0x15, 0x02, 0, 0, 0, 99,
    ];

    #[test]
    fn numbers_are_found_and_the_rest_is_skipped() {
        let numbers = Numbers::read(BYTES).unwrap();
        assert_eq!(numbers.length, BYTES.len() - 1);
        assert_eq!(numbers.get(1, 0), Some(0));
        assert_eq!(numbers.size(2, 0), Some(300));
        assert_eq!(numbers.get(5, 1), Some(-1));
        assert_eq!(numbers.size(5, 1), None);
        assert_eq!(numbers.get(5, 2), Some(1));
        assert_eq!(numbers.get(3, 0), None);
    }

    #[test]
    fn what_is_cut_off_or_endless_is_refused() {
        for length in 0..BYTES.len() - 1 {
            assert!(Numbers::read(&BYTES[..length]).is_none(), "{length}");
        }
        assert!(Numbers::read(&[0x1c; 100]).is_none());
        for kind in [0xf1, 0xf5, 0xfc] {
            let list = [0x19, kind, 0xff, 0xff, 0xff, 0xff, 0x0f, 0];
            assert!(Numbers::read(&list).is_none(), "{kind}");
        }
    }
}
