//! Does a table begin with column names, and its lines with row names?
//!
//! The first two lines decide. A cell is a name if it is neither a number nor a mark of a missing value. Where names look
//! like numbers this cannot be seen, except for the empty corner that pandas and R write.

use crate::nan::Nan;
use crate::text::{number, unsigned};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Layout {
    /// The first line has the column names.
    pub(super) header: bool,
    /// The first cell of each line is the row's name.
    pub(super) labelled: bool,
}

impl Layout {
    /// From the cells of the first two lines.
    pub(super) fn detect(first: &[String], second: Option<&[String]>, nan: Nan) -> Self {
        let header = match first {
            [only] => is_name(only),
            [corner, others @ ..] => {
                // A corner is told from a missing number by the names behind it, also if they only count the columns.
                let corner = corner.is_empty() && (nan != Nan::Missing || is_count(others));
                corner || others.iter().any(|cell| is_name(cell))
            }
            [] => false,
        };
        let body = if header { second } else { Some(first) };
        let labelled = body.is_some_and(|body| {
            // Without a corner: R's write.table; with an empty one: R's write.csv and pandas.
            let corner = header && (first.len() + 1 == body.len() || first[0].is_empty());
            body.len() > 1 && (corner || is_name(&body[0]))
        });
        Self { header, labelled }
    }
}

/// Marks that programs write for a missing value.
pub(super) fn is_missing(cell: &[u8]) -> bool {
    let marks = ["", "na", "n/a", "nan", "null", "none", "?", "-"];
    marks
        .iter()
        .any(|mark| cell.eq_ignore_ascii_case(mark.as_bytes()))
}

/// Whether the cells are whole numbers that go up by one.
fn is_count(cells: &[String]) -> bool {
    let numbers: Option<Vec<u64>> = cells.iter().map(|cell| unsigned(cell.as_bytes())).collect();
    numbers.is_some_and(|numbers| numbers.windows(2).all(|pair| pair[1] == pair[0] + 1))
}

fn is_name(cell: &str) -> bool {
    !is_missing(cell.as_bytes()) && number(cell.as_bytes()).is_none()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn detect(first: &str, second: &str) -> (bool, bool) {
        detect_with(first, second, Nan::REFUSED)
    }

    fn detect_with(first: &str, second: &str, nan: Nan) -> (bool, bool) {
        let cells = |line: &str| line.split(',').map(str::to_owned).collect::<Vec<_>>();
        let layout = Layout::detect(&cells(first), Some(&cells(second)), nan);
        (layout.header, layout.labelled)
    }

    #[test]
    fn names_are_told_from_numbers() {
        assert_eq!(detect("1,2", "3,4"), (false, false));
        assert_eq!(detect("a,b", "3,4"), (true, false));
        assert_eq!(detect("id,b", "x,4"), (true, true));
        assert_eq!(detect("x,1", "y,4"), (false, true));
        assert_eq!(detect(",0,1", "0,3,4"), (true, true));
        assert_eq!(detect("a,b", "x,3,4"), (true, true));
        assert_eq!(detect("value", "3"), (true, false));
        assert_eq!(detect("1,NA", "3,4"), (false, false));
    }

    #[test]
    fn a_corner_is_told_from_a_missing_number() {
        let detect = |first, second| detect_with(first, second, Nan::Missing);
        assert_eq!(detect(",0.5,1", "2,,4"), (false, false));
        assert_eq!(detect(",0,1", "0,3,4"), (true, true));
        assert_eq!(detect(",a,b", "x,,4"), (true, true));
    }
}
