//! g(X) = Σ_i h(row i of X) over the rows of a matrix.

use super::columns::{TASK, whole};
use crate::error::{Error, require};
use crate::linalg::vec::norm;
use crate::parallel::prelude::*;
use crate::{Class, Form, Prox, Real, scratch};

/// Rows that are gathered together, and columns that are scattered together: one or two cache lines.
const TILE: usize = 16;

/// One operator on every row of a column-major matrix; in parallel if the matrix is large.
///
/// Rows are gathered tile by tile, worked on, and scattered back. The result has the same bits for every number of threads.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rows<P> {
    rows: usize,
    of: P,
}

impl<P> Rows<P> {
    /// `of` on each row of a matrix with this many rows.
    pub fn new(rows: usize, of: P) -> Result<Self, Error> {
        require("rows", rows as f64, rows > 0, "at least 1")?;
        Ok(Self { rows, of })
    }
}

/// tile ← rows first.. of the column-major x, one row after the other.
fn gather<T: Real>(x: &[T], rows: usize, first: usize, tile: &mut [T]) {
    let cols = x.len() / rows;
    let count = tile.len() / cols;
    for (j, column) in x.chunks_exact(rows).enumerate() {
        for (i, &entry) in column[first..first + count].iter().enumerate() {
            tile[i * cols + j] = entry;
        }
    }
}

/// Some columns of x, the first of them `first`, ← the row-major matrix.
fn scatter<T: Real>(matrix: &[T], (rows, cols): (usize, usize), first: usize, x: &mut [T]) {
    let count = x.len() / rows;
    for (i, row) in matrix.chunks_exact(cols).enumerate() {
        for (j, &entry) in row[first..first + count].iter().enumerate() {
            x[j * rows + i] = entry;
        }
    }
}

impl<P> Rows<P> {
    /// Applies `work` to every row and scatters the rows back. `work` returns a number for each; the result is their norm.
    fn each<T: Real>(&self, x: &mut [T], work: impl Fn(&mut [T]) -> f64 + Sync) -> f64 {
        let (rows, cols) = (self.rows, x.len() / self.rows);
        if cols == 0 {
            return 0.0;
        }
        let parallel = x.len() > TASK;
        scratch::with(x.len(), |matrix: &mut [T]| {
            let size = scratch::with(rows, |numbers: &mut [f64]| {
                let source = &*x;
                let tile = |(index, (tile, numbers)): (usize, (&mut [T], &mut [f64]))| {
                    gather(source, rows, index * TILE, tile);
                    for (row, number) in tile.chunks_exact_mut(cols).zip(numbers) {
                        *number = work(row);
                    }
                };
                if parallel {
                    let tiles = matrix.par_chunks_mut(TILE * cols);
                    let numbers = numbers.par_chunks_mut(TILE);
                    tiles.zip(numbers).enumerate().each(&tile);
                } else {
                    let tiles = matrix.chunks_mut(TILE * cols);
                    let numbers = numbers.chunks_mut(TILE);
                    tiles.zip(numbers).enumerate().for_each(tile);
                }
                norm(numbers)
            });
            let block = |(index, x): (usize, &mut [T])| {
                scatter(matrix, (rows, cols), index * TILE, x);
            };
            if parallel {
                x.par_chunks_mut(TILE * rows).enumerate().each(&block);
            } else {
                x.chunks_mut(TILE * rows).enumerate().for_each(block);
            }
            size
        })
    }
}

impl<P> Rows<P> {
    /// Calls `look` with every row in turn.
    fn visit<T: Real>(&self, x: &[T], mut look: impl FnMut(&[T])) {
        let cols = x.len() / self.rows;
        scratch::with(TILE * cols, |tile: &mut [T]| {
            for first in (0..self.rows).step_by(TILE) {
                let count = TILE.min(self.rows - first);
                let tile = &mut tile[..count * cols];
                if cols > 0 {
                    gather(x, self.rows, first, tile);
                }
                (0..count).for_each(|i| look(&tile[i * cols..(i + 1) * cols]));
            }
        });
    }
}

impl<T: Real, P: Prox<T>> Prox<T> for Rows<P> {
    fn value(&self, x: &[T]) -> f64 {
        let mut total = 0.0;
        self.visit(x, |row| total += self.of.value(row));
        total
    }

    fn prox(&self, x: &mut [T], step: T) {
        self.each(x, |row| {
            self.of.prox(row, step);
            0.0
        });
    }

    fn prox_with_error(&self, x: &mut [T], step: T) -> Option<f64> {
        let unknown = f64::INFINITY;
        let error = self.each(x, |row| {
            self.of.prox_with_error(row, step).unwrap_or(unknown)
        });
        error.is_finite().then_some(error)
    }

    fn conjugate(&self, s: &[T]) -> Option<f64> {
        let mut total = Some(0.0);
        self.visit(s, |row| {
            total = total.and_then(|total| Some(total + self.of.conjugate(row)?));
        });
        total
    }

    fn polar(&self, s: &[T]) -> Option<f64> {
        let mut largest = Some(0.0f64);
        self.visit(s, |row| {
            largest = largest.and_then(|largest| Some(largest.max(self.of.polar(row)?)));
        });
        largest
    }

    fn class(&self) -> Class {
        self.of.class()
    }

    fn fits(&self, len: usize) -> Result<(), Error> {
        whole("rows", self.rows, len)?;
        self.of.fits(len / self.rows)
    }

    fn form(&self) -> Form {
        Form {
            symmetric: false,
            kind: super::scaled::alike(self.of.form().kind),
            ..self.of.form()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{calculus::Columns, check::contract, prox::L1};

    #[test]
    fn keeps_the_contract() {
        contract(&Rows::new(3, L1::new(0.5).unwrap()).unwrap(), 6);
    }

    #[test]
    fn equals_the_columns_of_the_transposed_matrix() {
        let centre = super::super::closure::tests::sums_to_zero();
        for (rows, cols) in [(3, 5), (40, 17), (1, 1), (517, 203), (7, 0)] {
            let entry = |i: usize, j: usize| ((i * 31 + j * 7) as f64).sin();
            let transposed = |i: usize| entry(i / cols.max(1), i % cols.max(1));
            let mut found: Vec<f64> = (0..rows * cols)
                .map(|k| entry(k % rows, k / rows))
                .collect();
            let mut expected: Vec<f64> = (0..rows * cols).map(transposed).collect();
            let g = Rows::new(rows, &centre).unwrap();
            let h = Columns::new(cols.max(1), &centre).unwrap();
            g.prox(&mut found, 1.0);
            h.prox(&mut expected, 1.0);
            for (k, &x) in found.iter().enumerate() {
                assert_eq!(x, expected[(k % rows) * cols + k / rows]);
            }
            assert_eq!(g.value(&found), 0.0);
        }
    }
}
