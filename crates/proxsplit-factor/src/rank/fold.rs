//! Data that are too small for a fold: a row or a column of which it holds out everything.

use super::Speckle;
use crate::products::{Data, Lanes};
use proxsplit::Error;
use proxsplit::data::Matrix;

/// Complete rows of at least so many columns keep one for sure: for two folds the chance of the contrary is 2⁻⁶⁴.
const MANY: usize = 64;

/// Refuses a fold that would hold out all that was observed of a row or a column: nothing could be said of it. Of ratings, where most
/// columns have a few entries only, some may be lost: what is predicted there is the same for every rank.
pub(super) fn check<T: Lanes>(
    data: &Data<'_, T>,
    speckle: Speckle,
    folds: usize,
) -> Result<(), Error> {
    let (rows, columns) = (data.rows(), data.cols());
    let is_nan = |i: usize, t: usize| match data.matrix() {
        Matrix::Dense(dense) => dense.get(i, t).is_nan(),
        Matrix::Sparse(_) => false,
    };
    if data.missing() == 0 && columns >= MANY && rows > 1 || data.misses_unstored() {
        return Ok(());
    }
    let mut kept = Kept::new(rows, columns);
    for t in 0..columns {
        for i in (0..rows).filter(|&i| !is_nan(i, t)) {
            kept.count(i, t, !speckle.holds_out(i, t));
        }
    }
    match kept.first_lost() {
        None => Ok(()),
        Some((what, at)) => Err(Error::Incompatible(format!(
            "the data are too small for {folds} folds: one of them holds out every observed entry of {what} {at} (counting from 0); \
             use more folds, or leave out that {what}"
        ))),
    }
}

/// What is left of every line, if anything was there.
struct Kept {
    rows: Vec<Option<bool>>,
    columns: Vec<Option<bool>>,
}

impl Kept {
    fn new(rows: usize, columns: usize) -> Self {
        Self {
            rows: vec![None; rows],
            columns: vec![None; columns],
        }
    }

    fn count(&mut self, row: usize, column: usize, is_kept: bool) {
        for line in [&mut self.rows[row], &mut self.columns[column]] {
            *line = Some(line.unwrap_or(false) || is_kept);
        }
    }

    fn first_lost(&self) -> Option<(&'static str, usize)> {
        let lost = |lines: &[Option<bool>]| lines.iter().position(|line| *line == Some(false));
        let column = lost(&self.columns).map(|at| ("column", at));
        column.or_else(|| lost(&self.rows).map(|at| ("row", at)))
    }
}
