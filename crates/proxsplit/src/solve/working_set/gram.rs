//! G = DᵀWD of the columns of a working set, which grows with it.

use crate::linalg::dense::{View, multiply};
use crate::parallel::prelude::*;
use crate::{Real, scratch};
use std::ops::Range;

/// Columns of G that are one task.
const CHUNK: usize = 64;
/// So many tasks keep all threads busy; where there are fewer, each is cut in stretches of rows,
const TASKS: usize = 16;
/// which are not shorter than this.
const STRETCH: usize = 1024;

/// A symmetric matrix with room to grow.
#[derive(Default)]
pub(super) struct Gram {
    size: usize,
    stride: usize,
    entries: Vec<f64>,
}

impl Gram {
    pub(super) fn column(&self, k: usize) -> &[f64] {
        &self.entries[k * self.stride..k * self.stride + self.size]
    }

    pub(super) fn size(&self) -> usize {
        self.size
    }

    /// Everything must be formed again, with other weights.
    pub(super) fn forget(&mut self) {
        self.size = 0;
    }

    /// Forms what is missing for these dense columns of `rows` numbers. Tasks depend on the sizes alone: the same bits for any
    /// number of threads.
    pub(super) fn extend<T: Real>(&mut self, columns: &[T], rows: usize, weights: &[f64]) {
        let (from, to) = (self.size, columns.len() / rows);
        if from == to {
            return;
        }
        self.reserve(to);
        self.size = to;
        let chunks = (to - from).div_ceil(CHUNK);
        let parts = (TASKS / chunks).clamp(1, rows.div_ceil(STRETCH));
        if parts == 1 {
            self.extend_whole(columns, (rows, weights), from);
        } else {
            self.extend_in_parts(columns, (rows, weights), (from, parts));
        }
        self.mirror(from);
    }

    fn extend_whole<T: Real>(
        &mut self,
        columns: &[T],
        (rows, weights): (usize, &[f64]),
        from: usize,
    ) {
        let (stride, to) = (self.stride, self.size);
        let chunks = self.entries[from * stride..to * stride].par_chunks_mut(CHUNK * stride);
        chunks.enumerate().each(&|(c, out)| {
            let (first, last) = chunk(c, from, to);
            let all = (rows, 0..rows, weights);
            weighted_products(columns, all, (first, last), |i, j, entry| {
                out[(j - first) * stride + i] = entry;
            });
        });
    }

    fn extend_in_parts<T: Real>(
        &mut self,
        columns: &[T],
        (rows, weights): (usize, &[f64]),
        (from, parts): (usize, usize),
    ) {
        let (stride, to) = (self.stride, self.size);
        let (stretch, room) = (rows.div_ceil(parts), CHUNK * to);
        let tasks = (to - from).div_ceil(CHUNK) * parts;
        scratch::with(tasks * room, |sums: &mut [f64]| {
            let each = sums.par_chunks_mut(room).enumerate();
            each.each(&|(task, sums)| {
                let (first, last) = chunk(task / parts, from, to);
                let start = rows.min(task % parts * stretch);
                let part = (rows, start..rows.min(start + stretch), weights);
                weighted_products(columns, part, (first, last), |i, j, entry| {
                    sums[(j - first) * to + i] = entry;
                });
            });
            let chunks = self.entries[from * stride..to * stride].par_chunks_mut(CHUNK * stride);
            let chunks = chunks.zip(sums.par_chunks(parts * room)).enumerate();
            chunks.each(&|(c, (out, sums))| {
                let (first, last) = chunk(c, from, to);
                for (k, out) in out.chunks_mut(stride).enumerate().take(last - first) {
                    out[..last].fill(0.0);
                    for part in sums.chunks(room) {
                        let terms = out.iter_mut().zip(&part[k * to..k * to + last]);
                        terms.for_each(|(out, term)| *out += term);
                    }
                }
            });
        });
    }

    fn reserve(&mut self, size: usize) {
        if size <= self.stride {
            return;
        }
        let stride = size.max(2 * self.stride);
        let mut entries = vec![0.0; stride * stride];
        for k in 0..self.size {
            entries[k * stride..k * stride + self.size].copy_from_slice(self.column(k));
        }
        (self.stride, self.entries) = (stride, entries);
    }

    /// Tasks have formed the entries above and beside the diagonal; the others are the same.
    fn mirror(&mut self, from: usize) {
        for j in from..self.size {
            let first = from + (j - from) / CHUNK * CHUNK;
            for i in 0..first {
                self.entries[i * self.stride + j] = self.entries[j * self.stride + i];
            }
        }
    }
}

/// The columns of a task.
fn chunk(c: usize, from: usize, to: usize) -> (usize, usize) {
    (from + c * CHUNK, to.min(from + (c + 1) * CHUNK))
}

/// Calls `put(i, j, d_iᵀWd_j)` for columns j = first..last and all i < last, over a part of the rows.
fn weighted_products<T: Real>(
    columns: &[T],
    (rows, part, weights): (usize, Range<usize>, &[f64]),
    (first, last): (usize, usize),
    mut put: impl FnMut(usize, usize, f64),
) {
    let (width, height) = (last - first, part.len());
    scratch::with((height + last) * width, |space: &mut [T]| {
        let (weighted, product) = space.split_at_mut(height * width);
        let right = columns[first * rows..last * rows].chunks_exact(rows);
        for (out, column) in weighted.chunks_exact_mut(height).zip(right) {
            let pairs = column[part.clone()].iter().zip(&weights[part.clone()]);
            for (out, (d, w)) in out.iter_mut().zip(pairs) {
                *out = T::of(w * d.f64());
            }
        }
        let left = View::new(&columns[..last * rows], rows, last);
        let left = left.rows(part.start, height).t();
        multiply(product, left, View::new(weighted, height, width), false);
        for (k, product) in product.chunks_exact(last).enumerate() {
            for (i, entry) in product.iter().enumerate() {
                put(i, first + k, entry.f64());
            }
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By columns and in stretches of rows, at once and column after column.
    #[test]
    fn a_gram_matrix_is_that_of_its_columns_however_it_grows() {
        let entry = |k: usize| ((k * 7919) % 251) as f64 / 64.0 - 2.0;
        for (rows, count) in [(3, 5), (2500, 7), (40, 130), (1500, 70)] {
            let columns: Vec<f64> = (0..rows * count).map(entry).collect();
            let weights: Vec<f64> = (0..rows).map(|i| 1.0 + (i % 3) as f64).collect();
            for first in [count, 1, count / 2] {
                let mut gram = Gram::default();
                gram.extend(&columns[..first * rows], rows, &weights);
                gram.extend(&columns, rows, &weights);
                for (i, left) in columns.chunks(rows).enumerate() {
                    for (j, right) in columns.chunks(rows).enumerate() {
                        let terms = left.iter().zip(right).zip(&weights);
                        let plain: f64 = terms.map(|((a, b), w)| a * b * w).sum();
                        let error = (gram.column(i)[j] - plain).abs();
                        assert!(error <= 1e-9 * rows as f64, "{rows}x{count} from {first}");
                    }
                }
            }
        }
    }
}
