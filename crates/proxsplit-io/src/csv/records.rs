//! The records of a table: a line each, or several where a quoted cell has line breaks.

use super::cells::{Broken, Cells};
use crate::error::Fault;
use crate::format::Text;
use crate::text::Lines;
use memchr::memchr;

/// A quoted cell that is longer than this was most likely never closed.
const LONGEST: usize = 1 << 20;
/// The same in lines. Every further line costs a look at all of the record.
const MOST_LINES: usize = 1 << 10;

pub(super) struct Records<'a> {
    lines: Lines<'a>,
    /// A record of several lines.
    joined: Vec<u8>,
    /// Where the last record begins.
    start: usize,
}

impl<'a> Records<'a> {
    pub(super) fn new(text: Text<'a>) -> Self {
        Self {
            lines: Lines::new(text),
            joined: Vec::new(),
            start: 0,
        }
    }

    /// The line on which the last record begins, from 1.
    pub(super) fn number(&self) -> usize {
        self.start
    }

    /// The first line, to find the delimiter by; it is given out again by `next`.
    pub(super) fn peek(&mut self) -> Result<Option<&[u8]>, Fault> {
        self.lines.peek()?;
        self.start = self.lines.number();
        Ok(Some(self.lines.current()).filter(|line| !line.is_empty()))
    }

    /// The next record. With `blank`, a line of nothing but delimiters is one.
    pub(super) fn next(&mut self, delimiter: u8, blank: bool) -> Result<Option<&[u8]>, Fault> {
        let found = if blank {
            self.lines.next_row(delimiter)?
        } else {
            self.lines.next()?
        };
        let Some(line) = found else { return Ok(None) };
        let whole = memchr(b'"', line).is_none() || !is_open(line, delimiter);
        self.start = self.lines.number();
        if whole {
            return Ok(Some(self.lines.current()));
        }
        self.join(delimiter)?;
        Ok(Some(&self.joined))
    }

    /// Puts lines together until the last quoted cell is closed.
    fn join(&mut self, delimiter: u8) -> Result<(), Fault> {
        self.joined.clear();
        self.joined.extend_from_slice(self.lines.current());
        let mut lines = 1;
        while is_open(&self.joined, delimiter) {
            if lines == MOST_LINES || self.joined.len() > LONGEST || !self.lines.advance()? {
                let cause = "a quoted cell that begins here is never closed; add the missing \"";
                return Err(Fault::line(self.start, cause));
            }
            lines += 1;
            self.joined.push(b'\n');
            self.joined.extend_from_slice(self.lines.current());
        }
        Ok(())
    }
}

/// Whether the last cell begins with a quote and has none at its end.
fn is_open(record: &[u8], delimiter: u8) -> bool {
    let mut cells = Cells::new(record, delimiter);
    cells.any(|cell| matches!(cell, Err(Broken::Open)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_breaks_inside_quotes_belong_to_the_cell() {
        let text = "a,\"b\r\n\n\"\"c\"\n\n5\" pipe,1\n";
        let mut records = Records::new(Box::new(text.as_bytes()));
        let first = records.next(b',', false).unwrap().unwrap();
        assert_eq!(first, b"a,\"b\n\n\"\"c\"");
        assert_eq!(records.number(), 1);
        let second = records.next(b',', false).unwrap().unwrap();
        assert_eq!(second, b"5\" pipe,1");
        assert_eq!(records.number(), 5);
        assert!(records.next(b',', false).unwrap().is_none());
    }

    #[test]
    fn a_quote_that_is_never_closed_is_found_where_it_opens() {
        for body in ["2,3\n".repeat(4), "\n".repeat(1 << 20)] {
            let text = format!("0,1\n\"{body}");
            let mut records = Records::new(Box::new(text.as_bytes()));
            records.next(b',', false).unwrap();
            let fault = records.next(b',', false).unwrap_err();
            let message = fault.of(std::path::Path::new("t")).to_string();
            assert!(message.contains("line 2: a quoted cell"), "{message}");
        }
    }
}
