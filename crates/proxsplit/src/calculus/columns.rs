//! g(X) = Σ_j h(x_j) over the columns of a matrix.

use super::join_errors;
use crate::error::{Error, require};
use crate::parallel::prelude::*;
use crate::{Class, Form, Prox, Real};

/// Tasks hold about this many numbers, so that their overhead vanishes and the split does not depend on the threads.
pub(super) const TASK: usize = 1 << 15;

/// One operator on every column of a column-major matrix; in parallel if the matrix is large.
///
/// Columns do not depend on each other and sums run in the order of the columns, so that the result has the same bits for
/// every number of threads.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Columns<P> {
    rows: usize,
    of: P,
}

impl<P> Columns<P> {
    /// `of` on each column of a matrix with this many rows.
    pub fn new(rows: usize, of: P) -> Result<Self, Error> {
        require("rows", rows as f64, rows > 0, "at least 1")?;
        Ok(Self { rows, of })
    }

    /// Numbers in a task: whole columns.
    fn task(&self) -> usize {
        self.rows * (TASK / self.rows).max(1)
    }
}

impl<T: Real, P: Prox<T>> Prox<T> for Columns<P> {
    fn value(&self, x: &[T]) -> f64 {
        x.chunks(self.rows).map(|x| self.of.value(x)).sum()
    }

    fn prox(&self, x: &mut [T], step: T) {
        let columns = |x: &mut [T]| {
            for x in x.chunks_mut(self.rows) {
                self.of.prox(x, step);
            }
        };
        if x.len() <= self.task() {
            columns(x);
        } else {
            x.par_chunks_mut(self.task()).each(&columns);
        }
    }

    fn prox_with_error(&self, x: &mut [T], step: T) -> Option<f64> {
        let columns = |x: &mut [T]| {
            let columns = x.chunks_mut(self.rows);
            let errors = columns.map(|x| self.of.prox_with_error(x, step));
            errors.fold(Some(0.0), join_errors)
        };
        if x.len() <= self.task() {
            return columns(x);
        }
        let tasks: Vec<Option<f64>> = x.par_chunks_mut(self.task()).map_to_vec(&columns);
        tasks.into_iter().fold(Some(0.0), join_errors)
    }

    fn conjugate(&self, s: &[T]) -> Option<f64> {
        s.chunks(self.rows).map(|s| self.of.conjugate(s)).sum()
    }

    fn polar(&self, s: &[T]) -> Option<f64> {
        let mut columns = s.chunks(self.rows);
        columns.try_fold(0.0f64, |largest, s| Some(largest.max(self.of.polar(s)?)))
    }

    fn class(&self) -> Class {
        self.of.class()
    }

    fn fits(&self, len: usize) -> Result<(), Error> {
        whole("columns", self.rows, len)?;
        self.of.fits(self.rows)
    }

    fn form(&self) -> Form {
        Form {
            symmetric: false,
            kind: super::scaled::alike(self.of.form().kind),
            ..self.of.form()
        }
    }
}

/// `Ok` if `len` numbers make whole rows or columns of a matrix with this many rows.
pub(super) fn whole(what: &str, rows: usize, len: usize) -> Result<(), Error> {
    if len.is_multiple_of(rows) {
        return Ok(());
    }
    Err(Error::Incompatible(format!(
        "x has length {len}, which is not a multiple of {rows}: its entries do not form whole {what}"
    )))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prox::L1;
    use crate::{calculus::Blocks, check::contract};

    #[test]
    fn keeps_the_contract() {
        contract(&Columns::new(3, L1::new(0.5).unwrap()).unwrap(), 6);
    }

    #[test]
    fn equals_blocks_for_any_number_of_threads() {
        let (rows, cols) = (700, 150);
        let x: Vec<f64> = (0..rows * cols).map(|i| (i as f64).sin()).collect();
        // The prox of a column depends on all of it: P(x) = x − mean(x).
        let centre = super::super::closure::tests::sums_to_zero();
        let mut expected = x.clone();
        Blocks::new((0..cols).map(|_| (&centre, rows))).prox(&mut expected, 1.0);
        for threads in [1, 2, 3] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
            let mut found = x.clone();
            pool.build().unwrap().install(|| {
                Columns::new(rows, &centre).unwrap().prox(&mut found, 1.0);
            });
            assert_eq!(found, expected);
        }
    }

    #[test]
    fn refuses_a_broken_column() {
        let g = Columns::new(3, L1::new(0.5).unwrap()).unwrap();
        assert!(Prox::<f64>::fits(&g, 7).is_err());
        assert!(Columns::new(0, g).is_err());
    }
}
