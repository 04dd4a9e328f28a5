//! PGM, the grey pictures of Netpbm: `P5` with bytes or big-endian pairs, `P2` with numbers as text.

use super::Picture;
use crate::error::{Fault, Place};
use crate::values::Values;

pub(super) fn read(bytes: &[u8]) -> Result<Picture, Fault> {
    let mut header = Words { bytes, at: 2 };
    let cols = header.number("the width")?;
    let rows = header.number("the height")?;
    let white = header.number("the maximum grey value")?;
    if !(1..=65535).contains(&white) {
        return Err(header.wrong(format!(
            "the maximum grey value is {white}; it must be 1 to 65535"
        )));
    }
    let count = rows.checked_mul(cols).filter(|&count| count <= bytes.len());
    let Some(count) = count else {
        return Err(header.wrong(format!(
            "{} bytes cannot hold {cols} × {rows} pixels; the file was cut off",
            bytes.len()
        )));
    };
    let greys = if bytes[1] == b'2' {
        header.numbers(count)?
    } else {
        header.raw(count, if white < 256 { 1 } else { 2 })?
    };
    if let Some(grey) = greys.iter().find(|&&grey| grey as usize > white) {
        return Err(Fault::whole(format!(
            "a pixel is {grey}, but the maximum grey value is {white}"
        )));
    }
    let values = if white < 256 {
        Values::U8(greys.into_iter().map(|grey| grey as u8).collect())
    } else {
        Values::I32(greys.into_iter().map(|grey| grey as i32).collect())
    };
    Picture::new(rows, cols, values)
}

/// Numbers between blanks and comments.
struct Words<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Words<'_> {
    fn number(&mut self, what: &str) -> Result<usize, Fault> {
        self.skip();
        let from = self.at;
        let mut value = 0_usize;
        while let Some(digit) = self.bytes.get(self.at).filter(|byte| byte.is_ascii_digit()) {
            value = value
                .saturating_mul(10)
                .saturating_add(usize::from(digit - b'0'));
            self.at += 1;
        }
        if self.at == from {
            return Err(self.wrong(format!(
                "{what} of the picture is missing; the file may have been cut off"
            )));
        }
        Ok(value)
    }

    /// Goes on behind blanks and comments, which run from `#` to the end of the line.
    fn skip(&mut self) {
        while let Some(byte) = self.bytes.get(self.at) {
            match byte {
                b'#' => {
                    let rest = &self.bytes[self.at..];
                    self.at += memchr::memchr(b'\n', rest).unwrap_or(rest.len());
                }
                byte if byte.is_ascii_whitespace() => self.at += 1,
                _ => return,
            }
        }
    }

    fn numbers(&mut self, count: usize) -> Result<Vec<u32>, Fault> {
        let mut numbers = Vec::new();
        for _ in 0..count {
            let number = self.number("a pixel")?;
            numbers.push(u32::try_from(number).unwrap_or(u32::MAX));
        }
        self.skip();
        self.end()?;
        Ok(numbers)
    }

    /// Numbers of `size` bytes each, behind the one blank that ends the header.
    fn raw(&mut self, count: usize, size: usize) -> Result<Vec<u32>, Fault> {
        let from = (self.at + 1).min(self.bytes.len());
        let rest = &self.bytes[from..];
        let Some(pixels) = rest.get(..count * size) else {
            return Err(self.wrong(format!(
                "the file has {} bytes of pixels but needs {}; it was cut off",
                rest.len(),
                count * size
            )));
        };
        self.at = from + pixels.len();
        self.end()?;
        let number = |bytes: &[u8]| {
            bytes
                .iter()
                .fold(0, |sum, &byte| 256 * sum + u32::from(byte))
        };
        Ok(pixels.chunks_exact(size).map(number).collect())
    }

    fn end(&self) -> Result<(), Fault> {
        if self.at == self.bytes.len() {
            return Ok(());
        }
        Err(self
            .wrong("there is more data after the picture; keep one picture per file".to_owned()))
    }

    fn wrong(&self, cause: String) -> Fault {
        Fault::new(Place::Byte(self.at as u64), cause)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pixels(bytes: &[u8]) -> Option<(usize, usize, Vec<f64>)> {
        let picture = read(bytes).ok()?;
        Some((picture.rows, picture.cols, picture.pixels.to_f64()))
    }

    #[test]
    fn text_bytes_and_pairs() {
        let plain = b"P2\n# made by hand\n3 2 9\n1 2 3\n4 5 6\n";
        let expected = (2, 3, vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
        assert_eq!(pixels(plain), Some(expected.clone()));
        assert_eq!(
            pixels(b"P5 3 2 255\n\x01\x02\x03\x04\x05\x06"),
            Some(expected)
        );
        let pairs = b"P5 2 1 65535\n\x01\x00\x00\x07";
        assert_eq!(pixels(pairs), Some((1, 2, vec![256.0, 7.0])));
    }

    #[test]
    fn damaged_headers_and_pixels_are_refused() {
        for bytes in [
            &b"P5"[..],
            b"P5 3",
            b"P5 3 2 0\n123456",
            b"P5 3 2 70000\n123456",
            b"P5 3 2 255\n12345",
            b"P5 3 2 255\n1234567",
            b"P5 3 2 9\n\x00\x00\x00\x00\x00\x0a",
            b"P5 99999999999999999999 99999999999999999999 255\n1",
            b"P2 2 1 9\n1 x",
            b"P2 2 1 9\n1 10",
            b"P2 1 1 9\n1 2",
        ] {
            assert_eq!(pixels(bytes), None, "{}", String::from_utf8_lossy(bytes));
        }
    }
}
