//! What was taken for what, in words.

use crate::content::{Labels, some};

/// For a table.
pub(super) fn table(delimiter: u8, labels: &Labels) -> String {
    let columns = match &labels.columns {
        Some(names) => format!("column names in the first line ({})", some(names)),
        None => "no column names".to_owned(),
    };
    let rows = match &labels.rows {
        Some(names) => format!("row names in the first column ({})", some(names)),
        None => "no row names".to_owned(),
    };
    format!("cells between {}, {columns}, {rows}", sign(delimiter))
}

/// For a list of entries; `names` are those of its columns, if it has them.
pub(super) fn triples(delimiter: u8, names: Option<&[String]>) -> String {
    let columns = match names {
        Some([row, column, value]) => {
            format!("rows from '{row}', columns from '{column}', values from '{value}'")
        }
        Some([row, column, value, rest @ ..]) => format!(
            "rows from '{row}', columns from '{column}', values from '{value}', not used: {}",
            some(rest)
        ),
        _ => "row, column and value without a header".to_owned(),
    };
    format!("cells between {}, {columns}", sign(delimiter))
}

fn sign(delimiter: u8) -> String {
    match delimiter {
        b',' => "commas".to_owned(),
        b';' => "semicolons".to_owned(),
        b'\t' => "tabs".to_owned(),
        b' ' => "blanks".to_owned(),
        other => format!("'{}'", other.escape_ascii()),
    }
}
