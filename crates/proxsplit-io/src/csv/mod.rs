//! `.csv` and `.tsv`: a table of numbers, with or without a line of column names and a column of row names.

mod cells;
mod delimiter;
mod layout;
mod records;
mod style;
mod table;
mod taken;
mod triples;

use crate::content::{Content, Labels};
use crate::error::Fault;
use crate::format::{Format, Text};
use crate::nan::Nan;
use crate::reading::Reading;
use crate::values::Values;
use cells::{Cells, texts};
use layout::Layout;
use proxsplit::data::StorageOrder;
use records::Records;
use style::Style;
use table::Table;

/// Reads a table from text.
pub(crate) fn read(text: Text<'_>, format: Format, reading: &Reading) -> Result<Content, Fault> {
    let style = Style {
        options: reading.csv,
        nan: reading.nan,
    };
    style.options.check().map_err(Fault::whole)?;
    let mut records = Records::new(text);
    let delimiter = match records.peek()? {
        Some(first) => delimiter::of(first, format, style.options),
        None => {
            return Err(Fault::whole(
                "the file is empty; it needs at least one row of numbers",
            ));
        }
    };
    let delimiter = delimiter.map_err(|cause| Fault::line(records.number(), cause))?;
    if style.options.triples {
        triples::read(records, delimiter, &style)
    } else {
        table(records, delimiter, style)
    }
}

fn table(mut records: Records<'_>, delimiter: u8, style: Style) -> Result<Content, Fault> {
    let blank = style.nan == Nan::Missing;
    let first = copy(&mut records, delimiter, false)?.unwrap_or_default();
    let second = copy(&mut records, delimiter, blank)?;
    let fault = |cause| Fault::line(first.line, cause);
    let follow = second.as_ref().map(|record| &record.cells[..]);
    let layout = Layout::detect(&first.cells, follow, &style).map_err(fault)?;
    let mut table = Table::new(layout, first.cells, style);
    let held = [
        (!layout.header).then_some(first.text),
        second.map(|it| it.text),
    ];
    let lines = [first.line, records.number()];
    for (record, line) in held.into_iter().zip(lines) {
        if let Some(record) = record {
            let row = table.row(Cells::new(&record, delimiter));
            row.map_err(|cause| Fault::line(line, cause))?;
        }
    }
    while let Some(record) = records.next(delimiter, blank)? {
        if let Err(cause) = table.row(Cells::new(record, delimiter)) {
            return Err(Fault::line(records.number(), cause));
        }
    }
    content(table, delimiter)
}

/// A record that is looked at before it is read.
#[derive(Default)]
struct Held {
    text: Vec<u8>,
    cells: Vec<String>,
    line: usize,
}

/// A copy of the next record.
fn copy(records: &mut Records<'_>, delimiter: u8, blank: bool) -> Result<Option<Held>, Fault> {
    let Some(record) = records.next(delimiter, blank)? else {
        return Ok(None);
    };
    let text = record.to_vec();
    let line = records.number();
    let cells = texts(&text, delimiter).map_err(|cause| Fault::line(line, cause))?;
    Ok(Some(Held { text, cells, line }))
}

fn content(table: Table, delimiter: u8) -> Result<Content, Fault> {
    if table.rows == 0 {
        return Err(Fault::whole(
            "the file has a line of column names but no data; add rows of numbers, or use --header no if that line is data",
        ));
    }
    let columns = table.columns().map_err(|cause| Fault::line(1, cause))?;
    let labels = Labels {
        rows: table.layout.labelled.then_some(table.names),
        columns,
    };
    Ok(Content {
        taken: taken::table(delimiter, &labels),
        labels,
        ..Content::dense(
            table.rows,
            table.width,
            StorageOrder::RowMajor,
            Values::narrow(table.values),
        )
    })
}
