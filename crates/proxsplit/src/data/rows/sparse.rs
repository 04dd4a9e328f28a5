//! Row-compressed sparse matrices, borrowed, or copied from column-compressed ones.

use super::{Picked, Rows};
use crate::data::{Columns, Element, Index};
use crate::{Real, scratch};
use std::borrow::Cow;
use std::ops::Range;

/// Row i has the columns `indices[starts[i] .. starts[i + 1]]`.
pub(super) struct SparseRows<'a, I: Index, E: Element> {
    starts: Vec<usize>,
    indices: Cow<'a, [I]>,
    values: Cow<'a, [E]>,
}

impl<'a, I: Index, E: Element> SparseRows<'a, I, E> {
    pub(super) fn new<S: Index>(starts: &[S], indices: &'a [I], values: &'a [E]) -> Self {
        Self {
            starts: starts.iter().map(|start| start.at()).collect(),
            indices: Cow::Borrowed(indices),
            values: Cow::Borrowed(values),
        }
    }

    #[inline(always)]
    fn row(&self, i: usize) -> (&[I], &[E]) {
        let row = self.starts[i]..self.starts[i + 1];
        (&self.indices[row.clone()], &self.values[row])
    }

    fn add_rows<O: Real>(&self, rows: Picked<'_>, weights: &[f64], out: &mut [O]) {
        for (i, &weight) in rows.iter().zip(weights) {
            let (indices, values) = self.row(i);
            for (j, value) in indices.iter().zip(values) {
                out[j.at()] += O::of(weight * value.f64());
            }
        }
    }
}

/// The row-compressed copy of `rows` rows given by compressed columns, with column indices of type J.
pub(super) fn from_columns<S: Index, I: Index, J: Index, E: Element>(
    rows: usize,
    starts: &[S],
    indices: &[I],
    values: &[E],
) -> SparseRows<'static, J, E> {
    let mut next = vec![0_usize; rows + 1];
    for i in indices {
        next[i.at() + 1] += 1;
    }
    for i in 0..rows {
        next[i + 1] += next[i];
    }
    let row_starts = next.clone();
    let mut columns = vec![J::of(0); indices.len()];
    let mut copied = values.to_vec();
    for (j, column) in starts.windows(2).enumerate() {
        let entries = column[0].at()..column[1].at();
        for (i, &value) in indices[entries.clone()].iter().zip(&values[entries]) {
            let place = &mut next[i.at()];
            columns[*place] = J::of(j);
            copied[*place] = value;
            *place += 1;
        }
    }
    SparseRows {
        starts: row_starts,
        indices: Cow::Owned(columns),
        values: Cow::Owned(copied),
    }
}

/// Σ_k v_k x_{j_k}, in four partial sums to hide the latency of an addition.
#[inline(always)]
fn dot<I: Index, E: Element, T: Real>((indices, values): (&[I], &[E]), x: &[T]) -> f64 {
    let mut partial = [0.0; 4];
    let (index_fours, index_rest) = indices.as_chunks::<4>();
    let (value_fours, value_rest) = values.as_chunks::<4>();
    for (indices, values) in index_fours.iter().zip(value_fours) {
        for lane in 0..4 {
            partial[lane] += values[lane].f64() * x[indices[lane].at()].f64();
        }
    }
    for ((partial, j), value) in partial.iter_mut().zip(index_rest).zip(value_rest) {
        *partial += value.f64() * x[j.at()].f64();
    }
    (partial[0] + partial[1]) + (partial[2] + partial[3])
}

impl<T: Real, I: Index, E: Element> Rows<T> for SparseRows<'_, I, E> {
    fn stored(&self, rows: Picked<'_>) -> usize {
        match rows {
            Picked::Stretch { start, len } => self.starts[start + len] - self.starts[start],
            Picked::Listed(list) => list.iter().map(|&i| self.row(i).0.len()).sum(),
        }
    }

    fn dots(&self, rows: Picked<'_>, x: &[T], z: &mut [f64]) {
        for (z, i) in z.iter_mut().zip(rows.iter()) {
            *z = dot(self.row(i), x);
        }
    }

    fn add(&self, rows: Picked<'_>, weights: &[f64], out: &mut [T]) {
        self.add_rows(rows, weights, out);
    }

    fn add_wide(&self, rows: Picked<'_>, weights: &[f64], out: &mut [f64]) {
        self.add_rows(rows, weights, out);
    }

    fn norms_squared(&self, rows: Picked<'_>, out: &mut [f64]) {
        for (out, i) in out.iter_mut().zip(rows.iter()) {
            *out = self.row(i).1.iter().map(|v| v.f64() * v.f64()).sum();
        }
    }

    fn tile(&self, rows: Range<usize>, cols: Range<usize>, out: &mut [f64]) {
        out.fill(0.0);
        for (i, out) in rows.zip(out.chunks_exact_mut(cols.len())) {
            let (indices, values) = self.row(i);
            let first = indices.partition_point(|j| j.at() < cols.start);
            for (j, value) in indices[first..].iter().zip(&values[first..]) {
                if j.at() >= cols.end {
                    break;
                }
                out[j.at() - cols.start] = value.f64();
            }
        }
    }

    fn pack_rows(&self, rows: &[usize], into: &mut Columns<T>) {
        let lengths: Vec<usize> = rows.iter().map(|&i| self.row(i).0.len()).collect();
        let Some((places, indices, values)) = into.extend_sparse(&lengths) else {
            return;
        };
        for (&i, place) in rows.iter().zip(places) {
            let (positions, entries) = self.row(i);
            for (k, (j, value)) in positions.iter().zip(entries).enumerate() {
                (indices[place + k], values[place + k]) = (j.at() as u32, T::of(value.f64()));
            }
        }
    }

    fn pack(&self, cols: &[usize], into: &mut Columns<T>) {
        // One walk over all entries, whatever the number of columns; `slots` has the place of a column, counted from 1.
        let width = 1 + cols.iter().max().copied().unwrap_or(0);
        scratch::with(width, |slots: &mut [u32]| {
            slots.fill(0);
            for (slot, &j) in (1..).zip(cols) {
                slots[j] = slot;
            }
            let slot_of = |j: usize| slots.get(j).map_or(0, |slot| *slot as usize);
            let mut lengths = vec![0; cols.len() + 1];
            for j in self.indices.iter() {
                lengths[slot_of(j.at())] += 1;
            }
            let Some((mut places, indices, values)) = into.extend_sparse(&lengths[1..]) else {
                return;
            };
            for i in 0..self.starts.len() - 1 {
                let (columns, entries) = self.row(i);
                for (j, value) in columns.iter().zip(entries) {
                    if let Some(place) = slot_of(j.at()).checked_sub(1).map(|k| &mut places[k]) {
                        (indices[*place], values[*place]) = (i as u32, T::of(value.f64()));
                        *place += 1;
                    }
                }
            }
        });
    }
}
