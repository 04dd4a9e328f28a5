//! The numbers and names of a table, record by record.

use super::cells::Cells;
use super::layout::Layout;
use super::style::{Style, is_missing};
use crate::nan::Nan;

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
    style: Style,
}

impl Table {
    pub(super) fn new(layout: Layout, first: Vec<String>, style: Style) -> Self {
        Self {
            layout,
            header: if layout.header { first } else { Vec::new() },
            width: 0,
            rows: 0,
            names: Vec::new(),
            values: Vec::new(),
            style,
        }
    }

    /// Adds a row.
    pub(super) fn row(&mut self, mut cells: Cells<'_>) -> Result<(), String> {
        if self.layout.labelled {
            let name = cells.next().transpose()?.unwrap_or_default();
            self.label(&name)?;
        }
        let before = self.values.len();
        for cell in cells {
            let cell = cell?;
            let missing = self.style.nan == Nan::Missing;
            match self.style.number(&cell) {
                Some(value) if value.is_finite() => self.values.push(value),
                _ if missing && is_missing(&cell) => self.values.push(f64::NAN),
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

    fn label(&mut self, name: &[u8]) -> Result<(), String> {
        let text = String::from_utf8_lossy(name).into_owned();
        if self.layout.labels_guessed && self.style.number(name).is_some() && !is_missing(name) {
            let before = self.names.last().map_or("", String::as_str);
            return Err(format!(
                "the first column has both a name ('{before}') and a number ('{text}'); use --labels yes if it holds the row names, or correct the cell"
            ));
        }
        self.names.push(text);
        Ok(())
    }

    /// Why a cell is no number.
    fn refuse(&self, cell: &[u8], column: usize) -> String {
        let row = match self.names.last() {
            Some(name) => format!("row {} ('{name}')", self.rows + 1),
            None => format!("row {}", self.rows + 1),
        };
        let corner = usize::from(self.layout.labelled && self.has_corner());
        let place = match self.header.get(column + corner) {
            Some(name) => format!("{row}, column {} ('{name}')", column + 1),
            None => format!("{row}, column {}", column + 1),
        };
        let text = String::from_utf8_lossy(cell);
        if is_missing(cell) {
            let or = self.style.nan.or(f64::NAN);
            return format!(
                "{place} is missing ('{text}'); fill it or leave out the row or column{or}"
            );
        }
        let remedy = if self.style.is_foreign(cell) {
            format!("; read it with {}", self.style.other_decimal())
        } else if let Some(sign) = self.delimiter_inside(&text) {
            format!("; use --delimiter '{sign}' if that separates the cells")
        } else if column == 0 && !self.layout.labelled && self.style.options.labels.is_none() {
            "; if the first column holds the row names, use --labels yes".to_owned()
        } else {
            String::new()
        };
        format!("{place}: '{text}' is not a finite number{remedy}")
    }

    /// The sign that would part a cell into numbers.
    fn delimiter_inside(&self, text: &str) -> Option<char> {
        let parts = |sign: &char| {
            let mut cells = text.split(*sign);
            text.contains(*sign)
                && cells.all(|cell| self.style.number(cell.trim().as_bytes()).is_some())
        };
        [' ', ';', '|', ':', ','].into_iter().find(parts)
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
        let names = self.header.get(corner..).unwrap_or_default();
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
