//! The numbers and names of a table, line by line.

use super::cells::Cells;
use super::layout::{Layout, is_missing};
use crate::nan::Nan;
use crate::text::number;

pub(super) struct Table {
    pub(super) layout: Layout,
    /// The cells of the first line, if it has the column names.
    header: Vec<String>,
    /// Number of columns, from the first row on.
    pub(super) width: usize,
    pub(super) rows: usize,
    pub(super) names: Vec<String>,
    /// Row by row.
    pub(super) values: Vec<f64>,
    nan: Nan,
}

impl Table {
    pub(super) fn new(layout: Layout, first: Vec<String>, nan: Nan) -> Self {
        Self {
            layout,
            header: if layout.header { first } else { Vec::new() },
            width: 0,
            rows: 0,
            names: Vec::new(),
            values: Vec::new(),
            nan,
        }
    }

    /// Adds a row.
    pub(super) fn row(&mut self, mut cells: Cells<'_>) -> Result<(), String> {
        if self.layout.labelled {
            let name = cells.next().transpose()?.unwrap_or_default();
            self.names.push(String::from_utf8_lossy(&name).into_owned());
        }
        let before = self.values.len();
        for cell in cells {
            let cell = cell?;
            match number(&cell) {
                Some(value) if value.is_finite() => self.values.push(value),
                _ if self.nan == Nan::Missing && is_missing(&cell) => self.values.push(f64::NAN),
                _ => return Err(self.refuse(&cell, self.values.len() - before)),
            }
        }
        let found = self.values.len() - before;
        if self.rows == 0 {
            self.width = found;
        }
        self.rows += 1;
        if found == self.width {
            Ok(())
        } else {
            Err(format!(
                "this line has {found} numbers but the ones before have {}; every line needs the same number",
                self.width
            ))
        }
    }

    /// Why a cell is no number.
    fn refuse(&self, cell: &[u8], column: usize) -> String {
        let row = match self.names.last() {
            Some(name) => format!("row {} ('{name}')", self.rows + 1),
            None => format!("row {}", self.rows + 1),
        };
        let corner = usize::from(self.layout.labelled && self.has_corner());
        let column = match self.header.get(column + corner) {
            Some(name) => format!("column {} ('{name}')", column + 1),
            None => format!("column {}", column + 1),
        };
        let text = String::from_utf8_lossy(cell);
        if is_missing(cell) {
            let or = self.nan.or(f64::NAN);
            format!(
                "{row}, {column} is missing ('{text}'); fill it or leave out the row or column{or}"
            )
        } else {
            format!("{row}, {column}: '{text}' is not a finite number")
        }
    }

    /// Whether the header has a cell above the row names. Before the first row is complete the width is not known.
    fn has_corner(&self) -> bool {
        self.rows == 0 || self.header.len() == self.width + 1
    }

    /// The column names, one a column.
    pub(super) fn columns(&self) -> Result<Option<Vec<String>>, String> {
        if !self.layout.header {
            return Ok(None);
        }
        let corner = usize::from(self.layout.labelled && self.has_corner());
        let names = &self.header[corner..];
        if names.len() == self.width {
            Ok(Some(names.to_vec()))
        } else {
            Err(format!(
                "there are {} column names for {} columns of numbers",
                names.len(),
                self.width
            ))
        }
    }
}
