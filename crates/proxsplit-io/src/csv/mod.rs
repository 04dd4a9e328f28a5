//! `.csv` and `.tsv`: a table of numbers, with or without a line of column names and a column of row names.

mod cells;
mod layout;
mod table;

use crate::content::{Content, Labels};
use crate::error::Fault;
use crate::format::{Format, Text};
use crate::nan::Nan;
use crate::text::Lines;
use crate::values::Values;
use cells::{Cells, texts};
use layout::Layout;
use proxsplit::data::Order;
use table::Table;

/// Reads a table from text.
pub(crate) fn read(text: Text<'_>, format: Format, nan: Nan) -> Result<Content, Fault> {
    let mut lines = Lines::new(text);
    let first = lines
        .next()?
        .ok_or_else(|| Fault::whole("the file is empty"))?
        .to_vec();
    let delimiter = match format {
        Format::Tsv => b'\t',
        _ => delimiter(&first),
    };
    let start = texts(&first, delimiter).map_err(|cause| lines.fault(cause))?;
    let first_number = lines.number();
    let second = row(&mut lines, delimiter, nan)?.map(<[u8]>::to_vec);
    let follow = match &second {
        None => None,
        Some(line) => Some(texts(line, delimiter).map_err(|cause| lines.fault(cause))?),
    };
    let layout = Layout::detect(&start, follow.as_deref(), nan);
    let mut table = Table::new(layout, start, nan);
    if !layout.header {
        let fault = |cause| Fault::line(first_number, cause);
        table.row(Cells::new(&first, delimiter)).map_err(fault)?;
    }
    if let Some(line) = second {
        let fault = |cause| lines.fault(cause);
        table.row(Cells::new(&line, delimiter)).map_err(fault)?;
    }
    while let Some(line) = row(&mut lines, delimiter, nan)? {
        if let Err(cause) = table.row(Cells::new(line, delimiter)) {
            return Err(lines.fault(cause));
        }
    }
    content(table)
}

/// The next row. Where cells may be missing, a line of nothing but tabulators is one.
fn row<'l>(lines: &'l mut Lines<'_>, delimiter: u8, nan: Nan) -> Result<Option<&'l [u8]>, Fault> {
    match nan {
        Nan::Missing => lines.next_row(delimiter),
        Nan::Refused { .. } => lines.next(),
    }
}

/// The separator of a `.csv`: a comma, unless the first line has none but a semicolon or a tabulator.
fn delimiter(line: &[u8]) -> u8 {
    *b",;\t"
        .iter()
        .find(|delimiter| line.contains(delimiter))
        .unwrap_or(&b',')
}

fn content(table: Table) -> Result<Content, Fault> {
    if table.rows == 0 {
        return Err(Fault::whole("there is a line of column names but no data"));
    }
    let columns = table.columns().map_err(|cause| Fault::line(1, cause))?;
    let labels = Labels {
        rows: table.layout.labelled.then_some(table.names),
        columns,
    };
    Ok(Content {
        labels,
        ..Content::dense(
            table.rows,
            table.width,
            Order::RowMajor,
            Values::narrow(table.values),
        )
    })
}
