//! Entries as `row column value`, counted from 1.

use super::banner::{Banner, Symmetry};
use super::data_line;
use crate::compress::Triplets;
use crate::content::Content;
use crate::error::Fault;
use crate::nan::Nan;
use crate::text::{Lines, number, unsigned, word};

/// Entries that memory is reserved for on the word of the header.
const TRUSTED: usize = 1 << 16;

pub(super) fn read(
    mut lines: Lines<'_>,
    (banner, nan): (Banner, Nan),
    (rows, cols): (usize, usize),
    entries: usize,
) -> Result<Content, Fault> {
    if rows.max(cols) > i32::MAX as usize {
        let cause = format!("at most {} rows and columns are supported", i32::MAX);
        return Err(lines.fault(cause));
    }
    if banner.symmetry != Symmetry::General && rows != cols {
        return Err(lines.fault(format!("a symmetric matrix cannot be {rows} × {cols}")));
    }
    let mut triplets = Triplets::with_capacity(entries.min(TRUSTED));
    let mut found = 0;
    while let Some(line) = data_line(&mut lines)? {
        if found == entries {
            return Err(lines.fault(format!(
                "there are more entries than the {entries} promised by the line of sizes"
            )));
        }
        found += 1;
        match entry(line, (banner.pattern, nan), (rows, cols)) {
            Ok((row, col, value)) => {
                triplets.push(row, col, value);
                mirror(&mut triplets, banner.symmetry, (row, col, value))
                    .map_err(|cause| lines.fault(cause))?;
            }
            Err(cause) => return Err(lines.fault(cause)),
        }
    }
    if found < entries {
        return Err(Fault::line(
            lines.number(),
            format!("the file ends after {found} of {entries} entries; it may have been cut off"),
        ));
    }
    triplets.compress(rows, cols)
}

/// Row, column (counting from 0) and value of one line.
#[inline]
fn entry(
    mut line: &[u8],
    (pattern, nan): (bool, Nan),
    (rows, cols): (usize, usize),
) -> Result<(i32, i32, f64), String> {
    let row = index("row", word(&mut line), rows)?;
    let col = index("column", word(&mut line), cols)?;
    let value = if pattern {
        1.0
    } else {
        value(word(&mut line), nan)?
    };
    match word(&mut line) {
        None => Ok((row, col, value)),
        Some(extra) => Err(format!(
            "'{}' is one item too many; a line has a row, a column and at most one value",
            extra.escape_ascii()
        )),
    }
}

#[inline]
fn index(what: &str, word: Option<&[u8]>, count: usize) -> Result<i32, String> {
    let word = word.unwrap_or_default();
    match unsigned(word) {
        Some(index) if index >= 1 && index <= count as u64 => Ok((index - 1) as i32),
        _ => Err(format!(
            "{what} '{}' must be a whole number from 1 to {count}",
            word.escape_ascii()
        )),
    }
}

/// A finite value, or NaN where that is admitted.
#[inline]
pub(super) fn value(word: Option<&[u8]>, nan: Nan) -> Result<f64, String> {
    let word = word.ok_or("the value is missing")?;
    match number(word) {
        Some(value) if nan.admits(value) => Ok(value),
        Some(value) => Err(format!(
            "the value '{}' is not finite; remove or replace it{}",
            word.escape_ascii(),
            nan.or(value)
        )),
        None => Err(format!(
            "the value '{}' is not a number",
            word.escape_ascii()
        )),
    }
}

/// Adds the entry of the other triangle.
#[inline]
fn mirror(
    triplets: &mut Triplets,
    symmetry: Symmetry,
    (row, col, value): (i32, i32, f64),
) -> Result<(), &'static str> {
    match symmetry {
        Symmetry::General => {}
        Symmetry::Symmetric if row == col => {}
        Symmetry::Symmetric => triplets.push(col, row, value),
        Symmetry::Skew if row == col => {
            return Err("a skew-symmetric matrix has no entries on the diagonal");
        }
        Symmetry::Skew => triplets.push(col, row, -value),
    }
    Ok(())
}
