//! `row,column,value`: ratings and the like, one entry of a sparse matrix a line.
//!
//! Rows and columns are numbered in the order in which their names first appear. Cells behind the third are not used:
//! ratings often come with a time.

use super::cells::{Cells, texts};
use super::records::Records;
use super::style::{Kind, Style, is_missing};
use super::taken;
use crate::compress::Triplets;
use crate::content::{Content, Labels};
use crate::error::Fault;
use crate::nan::Nan;
use std::collections::{HashMap, HashSet};

pub(super) fn read(
    mut records: Records<'_>,
    delimiter: u8,
    style: &Style,
) -> Result<Content, Fault> {
    let header = header(&mut records, delimiter, style)?;
    let (mut rows, mut columns) = (Names::default(), Names::default());
    let mut entries = Triplets::default();
    while let Some(record) = records.next(delimiter, false)? {
        let entry = entry(Cells::new(record, delimiter), style).and_then(|(row, column, value)| {
            entries.push(rows.index(&row)?, columns.index(&column)?, value);
            Ok(())
        });
        entry.map_err(|cause| Fault::line(records.number(), cause))?;
    }
    let (rows, columns) = (rows.list, columns.list);
    refuse_repeated(&entries, &rows, &columns)?;
    let content = entries.compress(rows.len(), columns.len())?;
    Ok(Content {
        taken: taken::triples(delimiter, header.as_deref()),
        labels: Labels {
            rows: Some(rows),
            columns: Some(columns),
        },
        ..content
    })
}

/// The names of the columns of the list, taken off if it has them: a value that is no number is one.
fn header(
    records: &mut Records<'_>,
    delimiter: u8,
    style: &Style,
) -> Result<Option<Vec<String>>, Fault> {
    let first = records.peek()?.unwrap_or_default();
    let cells = texts(first, delimiter).map_err(|cause| Fault::line(1, cause))?;
    let kind = cells.get(2).map(|cell| style.kind(cell));
    let header = match (style.options.header, kind) {
        (Some(header), _) => header,
        (None, Some(Kind::Foreign)) => {
            let cause = format!(
                "the value '{}' looks like a number with a decimal comma; use --decimal ,",
                cells[2]
            );
            return Err(Fault::line(1, cause));
        }
        (None, kind) => kind == Some(Kind::Name),
    };
    if header {
        records.next(delimiter, false)?;
    }
    Ok(header.then_some(cells))
}

type Entry<'a> = (std::borrow::Cow<'a, [u8]>, std::borrow::Cow<'a, [u8]>, f64);

fn entry<'a>(mut cells: Cells<'a>, style: &Style) -> Result<Entry<'a>, String> {
    let mut next = || match cells.next() {
        Some(cell) => cell.map_err(String::from),
        None => Err("a line must have three cells: a row, a column and a value".to_owned()),
    };
    let (row, column, value) = (next()?, next()?, next()?);
    if row.is_empty() || column.is_empty() {
        return Err(
            "the name of the row or of the column is empty; fill it in or leave out the line"
                .to_owned(),
        );
    }
    match style.number(&value) {
        Some(number) if number.is_finite() => Ok((row, column, number)),
        _ if style.nan == Nan::Missing && is_missing(&value) => Ok((row, column, f64::NAN)),
        _ => {
            let text = String::from_utf8_lossy(&value);
            let remedy = if style.is_foreign(&value) {
                format!("; read it with {}", style.other_decimal())
            } else {
                String::new()
            };
            Err(format!("the value '{text}' is not a finite number{remedy}"))
        }
    }
}

/// Names with their numbers.
#[derive(Default)]
struct Names {
    list: Vec<String>,
    index: HashMap<Vec<u8>, i32>,
}

impl Names {
    fn index(&mut self, name: &[u8]) -> Result<i32, String> {
        if let Some(&index) = self.index.get(name) {
            return Ok(index);
        }
        let index =
            i32::try_from(self.list.len()).map_err(|_| "there are too many distinct names")?;
        self.list.push(String::from_utf8_lossy(name).into_owned());
        self.index.insert(name.to_vec(), index);
        Ok(index)
    }
}

/// Two values of one place would have to be summed, averaged or dropped: that is not ours to choose.
fn refuse_repeated(entries: &Triplets, rows: &[String], columns: &[String]) -> Result<(), Fault> {
    let mut seen = HashSet::with_capacity(entries.row.len());
    let mut places = entries.row.iter().zip(&entries.col);
    match places.find(|place| !seen.insert(*place)) {
        Some((&row, &column)) => Err(Fault::whole(format!(
            "row '{}', column '{}' has more than one value; keep one of them",
            rows[row as usize], columns[column as usize]
        ))),
        None => Ok(()),
    }
}
