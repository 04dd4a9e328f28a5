//! The first look at a large dense matrix reads it once for two answers: ‖A‖²_F, which tells whether all entries are finite, and the
//! sums Aᵀw where a run begins.

use super::by_columns::add_dots;
use super::design::{Design, FRONT, merge};
use super::{Rows, kernel};
use crate::data::dispatch;
use crate::parallel::prelude::*;
use crate::{Real, scratch};
use std::ops::Range;

impl<T: Real> Design<'_, T> {
    /// grad ← grad + Aᵀw, to the bits of a sweep, and the squares on the way.
    pub(crate) fn sums_at_first(&self, w: &[f64], grad: &mut [T]) {
        let total = match &self.columns {
            Some((columns, _)) if self.by_column && !self.is_small() => {
                self.column_after_column(&**columns, w, grad)
            }
            None if !self.is_sparse() && !self.by_column && !self.is_small() => {
                self.row_after_row(w, grad)
            }
            _ => {
                let origin = vec![T::ZERO; grad.len()];
                self.sweep(self.all(), &origin, Some(grad), |i, _| (0.0, w[i]));
                return;
            }
        };
        self.squares.get_or_init(|| total);
    }

    fn column_after_column(&self, columns: &dyn Rows<f64>, w: &[f64], grad: &mut [T]) -> f64 {
        let task = self.columns_of_a_task();
        let mut totals = vec![0.0; self.cols().div_ceil(task)];
        let tasks = grad.par_chunks_mut(task).zip(&mut totals).enumerate();
        tasks.each(&|(k, (grad, total))| {
            *total = self.squares_of_lines(k * task..k * task + grad.len(), self.rows());
            add_dots(columns, k * task, w, grad);
        });
        totals.iter().sum()
    }

    fn row_after_row(&self, w: &[f64], grad: &mut [T]) -> f64 {
        let panel = self.panel(self.all());
        let width = self.cols() + FRONT;
        let count = self.rows().div_ceil(panel);
        scratch::with(count * width, |partial: &mut [f64]| {
            let panels = partial.par_chunks_mut(width).with_max_len(1).enumerate();
            panels.each(&|(p, slot)| {
                slot.fill(0.0);
                let (total, sum) = slot.split_at_mut(FRONT);
                for part in self.all().part(p * panel, panel).parts(self.chunk) {
                    let rows = part.at(0)..part.at(0) + part.len();
                    total[0] += self.squares_of_lines(rows.clone(), self.cols());
                    self.source().add_wide(part, &w[rows], sum);
                }
            });
            merge(partial, width, grad);
            partial.chunks(width).map(|slot| slot[0]).sum()
        })
    }

    /// The sum of squares of neighbouring rows or columns, whichever stand one after the other.
    fn squares_of_lines(&self, lines: Range<usize>, len: usize) -> f64 {
        let entries = lines.start * len..lines.end * len;
        dispatch!(Elements: self.elements => values, kernel::squares(&values[entries]))
    }
}
