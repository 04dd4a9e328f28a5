//! Every entry, column by column, or only the lower triangle of a symmetric matrix.

use super::banner::{Banner, Symmetry};
use super::coordinate::value;
use super::data_line;
use crate::content::Content;
use crate::error::Fault;
use crate::nan::Nan;
use crate::text::{Lines, word};
use crate::values::Values;
use proxsplit::data::StorageOrder;

pub(super) fn read(
    mut lines: Lines<'_>,
    (banner, nan): (Banner, Nan),
    (rows, cols): (usize, usize),
) -> Result<Content, Fault> {
    if banner.symmetry != Symmetry::General && rows != cols {
        return Err(lines.fault(format!("a symmetric matrix cannot be {rows} × {cols}")));
    }
    let all = rows.checked_mul(cols);
    let expected = match banner.symmetry {
        Symmetry::General => all,
        Symmetry::Symmetric => all.map(|all| all - (all - rows) / 2),
        Symmetry::Skew => all.map(|all| (all - rows) / 2),
    }
    .ok_or_else(|| lines.fault("the matrix is too large"))?;
    let values = numbers(&mut lines, expected, nan)?;
    let values = match banner.symmetry {
        Symmetry::General => values,
        Symmetry::Symmetric => unfold(rows, &values, 0, 1.0),
        Symmetry::Skew => unfold(rows, &values, 1, -1.0),
    };
    Ok(Content::dense(
        rows,
        cols,
        StorageOrder::ColumnMajor,
        Values::narrow(values),
    ))
}

/// As many numbers as expected, no more and no fewer; memory grows with what arrives.
fn numbers(lines: &mut Lines<'_>, expected: usize, nan: Nan) -> Result<Vec<f64>, Fault> {
    let mut values = Vec::new();
    while let Some(mut line) = data_line(lines)? {
        while let Some(word) = word(&mut line) {
            if values.len() == expected {
                return Err(lines.fault(format!(
                    "there are more values than the {expected} promised by the line of sizes"
                )));
            }
            match value(Some(word), nan) {
                Ok(value) => values.push(value),
                Err(cause) => return Err(lines.fault(cause)),
            }
        }
    }
    if values.len() < expected {
        let found = values.len();
        return Err(lines.fault(format!(
            "the file ends after {found} of {expected} values; it may have been cut off"
        )));
    }
    Ok(values)
}

/// The whole matrix from its columns below the diagonal (`skip` = 1) or from the diagonal on (`skip` = 0).
fn unfold(n: usize, values: &[f64], skip: usize, sign: f64) -> Vec<f64> {
    let mut whole = vec![0.0; n * n];
    let mut values = values.iter();
    for col in 0..n {
        for (row, &value) in (col + skip..n).zip(&mut values) {
            whole[col * n + row] = value;
            if row != col {
                whole[row * n + col] = sign * value;
            }
        }
    }
    whole
}
