//! The lines of a text stream, one after the other in one buffer.

use crate::error::Fault;
use crate::format::Text;
use std::io::Read;
use std::ops::Range;

/// Bytes asked for at a time.
const PIECE: usize = 1 << 18;
/// No row of a table is longer than this.
const LONGEST: usize = 1 << 28;

pub(crate) struct Lines<'a> {
    source: Text<'a>,
    buffer: Vec<u8>,
    /// The part of the buffer that was read but not yet given out.
    pending: Range<usize>,
    /// The line given out last.
    line: Range<usize>,
    number: usize,
    ended: bool,
    /// Whether the line given out last is to be given out once more.
    peeked: bool,
}

impl<'a> Lines<'a> {
    pub(crate) fn new(source: Text<'a>) -> Self {
        Self {
            source,
            buffer: vec![0; PIECE],
            pending: 0..0,
            line: 0..0,
            number: 0,
            ended: false,
            peeked: false,
        }
    }

    /// Number of the last line given out, from 1.
    pub(crate) fn number(&self) -> usize {
        self.number
    }

    /// A fault in the last line given out.
    pub(crate) fn fault(&self, cause: impl Into<String>) -> Fault {
        Fault::line(self.number, cause)
    }

    /// The line given out last.
    pub(crate) fn current(&self) -> &[u8] {
        &self.buffer[self.line.clone()]
    }

    /// The next line that is not blank, without giving it out.
    pub(crate) fn peek(&mut self) -> Result<Option<&[u8]>, Fault> {
        self.next()?;
        self.peeked = !self.line.is_empty();
        Ok(Some(self.current()).filter(|line| !line.is_empty()))
    }

    /// The next line that is not blank, without its end (LF or CRLF) and a byte-order mark.
    pub(crate) fn next(&mut self) -> Result<Option<&[u8]>, Fault> {
        self.next_where(|_| true)
    }

    /// The next line that is not blank or has a delimiter.
    pub(crate) fn next_row(&mut self, delimiter: u8) -> Result<Option<&[u8]>, Fault> {
        while self.advance()? {
            let line = &self.buffer[self.line.clone()];
            if line.contains(&delimiter) || !line.iter().all(u8::is_ascii_whitespace) {
                return Ok(Some(&self.buffer[self.line.clone()]));
            }
        }
        Ok(None)
    }

    /// The next line that is not blank and is wanted.
    #[inline]
    pub(crate) fn next_where(
        &mut self,
        wanted: impl Fn(&[u8]) -> bool,
    ) -> Result<Option<&[u8]>, Fault> {
        while self.advance()? {
            let line = &self.buffer[self.line.clone()];
            if !line.iter().all(u8::is_ascii_whitespace) && wanted(line) {
                // Taken again: a borrow from inside the loop would last for all of it.
                return Ok(Some(&self.buffer[self.line.clone()]));
            }
        }
        Ok(None)
    }

    /// Moves on by one line, blank or not; `false` at the end.
    pub(crate) fn advance(&mut self) -> Result<bool, Fault> {
        if std::mem::take(&mut self.peeked) {
            return Ok(true);
        }
        let mut searched = 0;
        loop {
            let Range { start, end } = self.pending;
            if let Some(at) = memchr::memchr(b'\n', &self.buffer[start + searched..end]) {
                let stop = start + searched + at;
                self.line = start..stop;
                self.pending.start = stop + 1;
                break;
            }
            if self.ended {
                self.line = start..end;
                self.pending.start = end;
                if start == end {
                    return Ok(false);
                }
                break;
            }
            searched = end - start;
            self.fill()?;
        }
        self.number += 1;
        let mark = b"\xef\xbb\xbf";
        if self.number == 1 && self.buffer[self.line.clone()].starts_with(mark) {
            self.line.start += mark.len();
        }
        if self.buffer[self.line.clone()].ends_with(b"\r") {
            self.line.end -= 1;
        }
        Ok(true)
    }

    /// Reads more text behind the part that is pending.
    fn fill(&mut self) -> Result<(), Fault> {
        self.buffer.copy_within(self.pending.clone(), 0);
        self.pending = 0..self.pending.len();
        if self.pending.end == self.buffer.len() {
            if self.buffer.len() >= LONGEST {
                let cause = format!("the line is longer than {LONGEST} bytes");
                return Err(Fault::line(self.number + 1, cause));
            }
            self.buffer.resize(2 * self.buffer.len(), 0);
        }
        let read = loop {
            match self.source.read(&mut self.buffer[self.pending.end..]) {
                Err(cause) if cause.kind() == std::io::ErrorKind::Interrupted => {}
                other => break other,
            }
        };
        let read = read.map_err(|cause| {
            let known = Fault::from(cause);
            known.after_line(self.number)
        })?;
        self.ended = read == 0;
        self.pending.end += read;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Gives out at most `step` bytes a call.
    struct Slow<'a>(&'a [u8], usize);

    impl Read for Slow<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
            let count = self.1.min(buffer.len()).min(self.0.len());
            let (now, later) = self.0.split_at(count);
            buffer[..count].copy_from_slice(now);
            self.0 = later;
            Ok(count)
        }
    }

    proptest! {
        #[test]
        fn agrees_with_the_standard_library(text in "[a \r\n]{0,40}", step in 1_usize..7) {
            let mut lines = Lines::new(Box::new(Slow(text.as_bytes(), step)));
            let expected = text.split('\n').enumerate();
            let expected = expected.map(|(i, line)| (i + 1, line.strip_suffix('\r').unwrap_or(line)));
            for (number, line) in expected.filter(|(_, line)| !line.trim().is_empty()) {
                prop_assert_eq!(lines.next().unwrap(), Some(line.as_bytes()));
                prop_assert_eq!(lines.number(), number);
            }
            prop_assert!(lines.next().unwrap().is_none());
        }
    }

    #[test]
    fn a_line_longer_than_the_buffer_is_whole() {
        let text = "x".repeat(3 * PIECE) + "\n" + &"y".repeat(PIECE);
        let mut lines = Lines::new(Box::new(text.as_bytes()));
        assert_eq!(lines.next().unwrap().unwrap().len(), 3 * PIECE);
        assert_eq!(lines.next().unwrap().unwrap().len(), PIECE);
    }
}
