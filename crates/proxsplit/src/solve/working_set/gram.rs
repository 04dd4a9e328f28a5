//! G = DᵀWD of the columns of a working set, which grows with it.

use crate::linalg::dense::{View, multiply};
use crate::parallel::prelude::*;
use crate::{Real, scratch};

/// Columns of G that are one task.
const CHUNK: usize = 32;

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
        let stride = self.stride;
        let chunks = self.entries[from * stride..to * stride].par_chunks_mut(CHUNK * stride);
        chunks.enumerate().for_each(|(c, out)| {
            let first = from + c * CHUNK;
            let last = to.min(first + CHUNK);
            weighted_products(columns, (rows, weights), (first, last), |i, j, entry| {
                out[(j - first) * stride + i] = entry;
            });
        });
        self.mirror(from);
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

/// Calls `put(i, j, d_iᵀWd_j)` for columns j = first..last and all i < last.
fn weighted_products<T: Real>(
    columns: &[T],
    (rows, weights): (usize, &[f64]),
    (first, last): (usize, usize),
    mut put: impl FnMut(usize, usize, f64),
) {
    let width = last - first;
    scratch::with((rows + last) * width, |space: &mut [T]| {
        let (weighted, product) = space.split_at_mut(rows * width);
        let part = &columns[first * rows..last * rows];
        for (out, column) in weighted.chunks_exact_mut(rows).zip(part.chunks_exact(rows)) {
            for ((out, &d), &w) in out.iter_mut().zip(column).zip(weights) {
                *out = T::of(w * d.f64());
            }
        }
        let left = View::new(&columns[..last * rows], rows, last).t();
        multiply(product, left, View::new(weighted, rows, width), false);
        for (k, product) in product.chunks_exact(last).enumerate() {
            for (i, entry) in product.iter().enumerate() {
                put(i, first + k, entry.f64());
            }
        }
    });
}
