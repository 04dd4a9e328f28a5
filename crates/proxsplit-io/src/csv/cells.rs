//! The cells of a record, plain or between quotes ("" inside quotes is one quote).

use std::borrow::Cow;

/// A quoted cell that is not well formed.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Broken {
    /// The closing quote is missing.
    Open,
    /// Something stands between the closing quote and the delimiter.
    Behind(String),
}

impl From<Broken> for String {
    fn from(broken: Broken) -> Self {
        match broken {
            Broken::Open => "a quoted cell is not closed; add the missing \"".to_owned(),
            Broken::Behind(text) => format!("'{text}' follows a closing quote"),
        }
    }
}

pub(super) struct Cells<'a> {
    /// What follows the last delimiter; none after the last cell.
    rest: Option<&'a [u8]>,
    delimiter: u8,
}

impl<'a> Cells<'a> {
    pub(super) fn new(line: &'a [u8], delimiter: u8) -> Self {
        let rest = Some(line);
        Self { rest, delimiter }
    }

    /// Reads a cell whose opening quote was taken off.
    fn quoted(&mut self, mut inner: &'a [u8]) -> Result<Cow<'a, [u8]>, Broken> {
        let mut text = Vec::new();
        loop {
            let Some(end) = memchr::memchr(b'"', inner) else {
                self.rest = None;
                return Err(Broken::Open);
            };
            text.extend_from_slice(&inner[..end]);
            inner = &inner[end + 1..];
            match inner.strip_prefix(b"\"") {
                Some(after) => {
                    text.push(b'"');
                    inner = after;
                }
                None => break,
            }
        }
        let (behind, rest) = split(inner, self.delimiter);
        self.rest = rest;
        if behind.trim_ascii().is_empty() {
            Ok(Cow::Owned(text.trim_ascii().to_vec()))
        } else {
            Err(Broken::Behind(behind.escape_ascii().to_string()))
        }
    }
}

impl<'a> Iterator for Cells<'a> {
    type Item = Result<Cow<'a, [u8]>, Broken>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        let rest = self.rest?;
        if let Some(inner) = rest.trim_ascii_start().strip_prefix(b"\"") {
            return Some(self.quoted(inner));
        }
        let (cell, rest) = split(rest, self.delimiter);
        self.rest = rest;
        Some(Ok(Cow::Borrowed(cell.trim_ascii())))
    }
}

/// What stands before the first delimiter, and behind it if there is one.
#[inline]
fn split(text: &[u8], delimiter: u8) -> (&[u8], Option<&[u8]>) {
    match memchr::memchr(delimiter, text) {
        Some(at) => (&text[..at], Some(&text[at + 1..])),
        None => (text, None),
    }
}

/// All cells of a record as text.
pub(super) fn texts(line: &[u8], delimiter: u8) -> Result<Vec<String>, String> {
    Cells::new(line, delimiter)
        .map(|cell| Ok(String::from_utf8_lossy(&cell?).into_owned()))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_hide_delimiters_and_double_for_themselves() {
        let cells = |line: &str| texts(line.as_bytes(), b',');
        assert_eq!(
            cells(r#"a, "b,""c""" ,,3"#).unwrap(),
            ["a", "b,\"c\"", "", "3"]
        );
        assert_eq!(cells("").unwrap(), [""]);
        assert!(cells(r#"1,"2"#).unwrap_err().contains("not closed"));
        assert!(cells(r#""1"2,3"#).unwrap_err().contains("follows"));
    }
}
