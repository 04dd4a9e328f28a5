//! A sweep over all rows of a matrix that stands by columns, where few entries of x are not 0.

use super::design::{CACHED, CHUNK, Design, FRONT, Visit, sum};
use super::{Picked, Rows};
use crate::parallel::prelude::*;
use crate::{Real, scratch};

/// A product of compressed columns is summed in so many parts.
const PARTS: usize = 4;

/// A product z = Ax.
#[derive(Default)]
pub(super) struct Product<T> {
    x: Vec<T>,
    z: Vec<f64>,
}

impl<T: Real> Design<'_, T> {
    /// Columns with x_j ≠ 0 for the products, then all of them for the sums, each read from end to end.
    pub(super) fn by_columns(
        &self,
        columns: &dyn Rows<f64>,
        x: &[T],
        grad: Option<&mut [T]>,
        visit: &Visit<'_>,
    ) -> (f64, f64) {
        let parts = self.rows().div_ceil(CHUNK);
        scratch::with(self.rows() + FRONT * parts, |space: &mut [f64]| {
            let (z, totals) = space.split_at_mut(self.rows());
            if !self.by_column {
                self.products(columns, x, z);
            }
            let one = |(k, (z, totals)): (usize, (&mut [f64], &mut [f64]))| {
                let rows = self.all().part(k * CHUNK, CHUNK);
                if self.by_column {
                    self.source().dots(rows, x, z);
                }
                let mut sums = (0.0, 0.0);
                visit(rows, z, &mut sums);
                (totals[0], totals[1]) = sums;
            };
            if self.is_small() {
                let parts = z.chunks_mut(CHUNK).zip(totals.chunks_mut(FRONT));
                parts.enumerate().for_each(one);
            } else {
                let parts = z.par_chunks_mut(CHUNK).zip(totals.par_chunks_mut(FRONT));
                parts.enumerate().each(&one);
            }
            if let Some(grad) = grad {
                self.add_columns(columns, z, grad);
            }
            sum(totals.chunks(FRONT).map(|part| (part[0], part[1])))
        })
    }

    /// z ← Ax of compressed columns. A look asks for it twice, so the last one is kept.
    fn products(&self, columns: &dyn Rows<f64>, x: &[T], z: &mut [f64]) {
        // Whoever would have to wait computes it.
        let mut latest = self.latest.try_lock().ok();
        if let Some(latest) = latest.as_deref().filter(|latest| latest.x == x) {
            z.copy_from_slice(&latest.z);
            return;
        }
        z.fill(0.0);
        // Sums on the side must not cost more than what they are for.
        if self.is_small() || self.stored() < 4 * PARTS * self.rows() {
            add_products(columns, x.iter().enumerate(), z);
        } else {
            self.products_in_parts(columns, x, z);
        }
        if let Some(latest) = latest.as_deref_mut() {
            latest.x.clear();
            latest.x.extend_from_slice(x);
            latest.z.clear();
            latest.z.extend_from_slice(z);
        }
    }

    /// Each part takes every so many-th column: neighbours are often alike in length.
    fn products_in_parts(&self, columns: &dyn Rows<f64>, x: &[T], z: &mut [f64]) {
        scratch::with(PARTS * z.len(), |sums: &mut [f64]| {
            let parts = sums.par_chunks_mut(self.rows()).with_max_len(1);
            parts.enumerate().each(&|(part, sum)| {
                sum.fill(0.0);
                let mine = x.iter().enumerate().skip(part).step_by(PARTS);
                add_products(columns, mine, sum);
            });
            for sum in sums.chunks(z.len()) {
                z.iter_mut().zip(sum).for_each(|(z, sum)| *z += sum);
            }
        });
    }

    /// grad ← grad + Aᵀw
    fn add_columns(&self, columns: &dyn Rows<f64>, w: &[f64], grad: &mut [T]) {
        let task = self.columns_of_a_task();
        let one = |(k, grad): (usize, &mut [T])| add_dots(columns, k * task, w, grad);
        if self.is_small() {
            grad.chunks_mut(task).enumerate().for_each(one);
        } else {
            grad.par_chunks_mut(task).enumerate().each(&one);
        }
    }

    /// How many columns a task takes.
    pub(super) fn columns_of_a_task(&self) -> usize {
        let column_entries = (self.elements.len() / self.cols()).max(1);
        (CACHED / column_entries).clamp(2, CHUNK) & !1
    }
}

/// z ← z + Σ_j x_j a_j
fn add_products<'x, T: Real>(
    columns: &dyn Rows<f64>,
    entries: impl Iterator<Item = (usize, &'x T)>,
    z: &mut [f64],
) {
    for (j, x) in entries.filter(|(_, x)| **x != T::ZERO) {
        columns.add_wide(Picked::Listed(&[j]), &[x.f64()], z);
    }
}

/// grad_j ← grad_j + ⟨a_j, w⟩ for the columns from `start` on, not more than a task takes.
pub(super) fn add_dots<T: Real>(columns: &dyn Rows<f64>, start: usize, w: &[f64], grad: &mut [T]) {
    let mut sums = [0.0; CHUNK];
    let sums = &mut sums[..grad.len()];
    let len = grad.len();
    columns.dots(Picked::Stretch { start, len }, w, sums);
    for (grad, &sum) in grad.iter_mut().zip(&*sums) {
        *grad += T::of(sum);
    }
}
