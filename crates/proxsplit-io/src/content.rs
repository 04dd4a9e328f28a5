//! What a reader returns: a matrix with its owner, and its labels.

use crate::error::Fault;
use crate::values::Values;
use proxsplit::data::{Dense, Indices, Matrix, Sparse, StorageOrder};

/// Names of rows and columns, where the file has them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Labels {
    /// One name a row.
    pub rows: Option<Vec<String>>,
    /// One name a column.
    pub columns: Option<Vec<String>>,
}

/// A matrix that owns its numbers.
#[derive(Debug)]
pub(crate) struct Content {
    pub(crate) rows: usize,
    pub(crate) cols: usize,
    pub(crate) order: StorageOrder,
    /// Line starts and indices of a sparse matrix; none for a dense one.
    pub(crate) pattern: Option<Pattern>,
    pub(crate) values: Values,
    pub(crate) labels: Labels,
    /// What was taken for what, where a file does not say it itself; else empty.
    pub(crate) taken: String,
    /// Height and width, where every column is a picture.
    pub(crate) image: Option<(usize, usize)>,
}

/// Where the entries of a compressed sparse matrix stand.
#[derive(Debug)]
pub(crate) struct Pattern {
    pub(crate) starts: Vec<i64>,
    pub(crate) indices: Vec<i32>,
}

impl Content {
    pub(crate) fn dense(rows: usize, cols: usize, order: StorageOrder, values: Values) -> Self {
        Self {
            rows,
            cols,
            order,
            pattern: None,
            values,
            labels: Labels::default(),
            taken: String::new(),
            image: None,
        }
    }

    pub(crate) fn view(&self) -> Result<Matrix<'_>, proxsplit::Error> {
        let elements = self.values.elements();
        Ok(match &self.pattern {
            None => Dense::new(self.rows, self.cols, self.order, elements)?.into(),
            Some(Pattern { starts, indices }) => Sparse::new(
                (self.rows, self.cols),
                self.order,
                Indices::I64(starts),
                Indices::I32(indices),
                elements,
            )?
            .into(),
        })
    }

    /// `Ok` if it is a matrix with at least one row and column, all sizes fit together.
    pub(crate) fn check(&self) -> Result<(), Fault> {
        if self.rows == 0 || self.cols == 0 {
            return Err(Fault::whole(format!(
                "the matrix is empty ({} × {}); it needs at least one row and one column",
                self.rows, self.cols
            )));
        }
        self.view()?;
        check_labels("row", self.labels.rows.as_deref(), self.rows)?;
        check_labels("column", self.labels.columns.as_deref(), self.cols)
    }

    /// Row and column of stored number `at`.
    pub(crate) fn position(&self, at: usize) -> (usize, usize) {
        let (line, index) = if let Some(Pattern { starts, indices }) = &self.pattern {
            let line = starts.partition_point(|&start| start as usize <= at) - 1;
            (line, indices[at] as usize)
        } else {
            let length = match self.order {
                StorageOrder::RowMajor => self.cols,
                StorageOrder::ColumnMajor => self.rows,
            };
            (at / length, at % length)
        };
        match self.order {
            StorageOrder::RowMajor => (line, index),
            StorageOrder::ColumnMajor => (index, line),
        }
    }
}

fn check_labels(what: &str, labels: Option<&[String]>, expected: usize) -> Result<(), Fault> {
    match labels {
        Some(labels) if labels.len() != expected => Err(Fault::whole(format!(
            "there are {} {what} labels for {expected} {what}s; the files do not belong together",
            labels.len()
        ))),
        _ => Ok(()),
    }
}

/// The first names, each cut to a readable length.
pub(crate) fn some(names: &[String]) -> String {
    let short = |name: &String| -> String {
        let line = name.replace(char::is_control, " ");
        let mut shown: String = line.chars().take(16).collect();
        if shown.len() < line.len() {
            shown.push('…');
        }
        shown
    };
    let mut shown: Vec<String> = names.iter().take(2).map(short).collect();
    if names.len() > 2 {
        shown.push("…".to_owned());
    }
    shown.join(", ")
}
