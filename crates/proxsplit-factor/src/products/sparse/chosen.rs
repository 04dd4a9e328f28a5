//! Some columns of a sparse matrix as a matrix of their own, and its Gram matrix.

use super::kernel;
use super::{Entries, Lines, Product, flip};
use crate::products::lanes::Lanes;
use proxsplit::data::{Element, Index};
use proxsplit::internal::dispatch;
use proxsplit::internal::parallel::Each;
use rayon::prelude::*;

/// Columns of a sparse matrix, times a number, by columns and by rows.
pub(crate) struct Chosen<T> {
    columns: Compressed<T>,
    rows: Compressed<T>,
}

/// Where lines begin, and the place and the value of their entries.
struct Compressed<T> {
    starts: Vec<usize>,
    indices: Vec<u32>,
    values: Vec<T>,
}

impl<T: Lanes> Compressed<T> {
    /// The entries of a line.
    fn line(&self, line: usize) -> impl Iterator<Item = (usize, T)> + '_ {
        let entries = self.starts[line]..self.starts[line + 1];
        let indices = self.indices[entries.clone()].iter();
        indices
            .map(|&index| index as usize)
            .zip(self.values[entries].iter().copied())
    }
}

impl<T: Lanes> Chosen<T> {
    /// `which` of the columns of a matrix with so many rows, multiplied by `weight`.
    pub(crate) fn new(columns: &Lines<'_, T>, which: &[usize], rows: usize, weight: T) -> Self {
        let mut chosen = Compressed {
            starts: vec![0],
            indices: Vec::new(),
            values: Vec::new(),
        };
        for &column in which {
            columns.append(column, &mut chosen);
            chosen.starts.push(chosen.indices.len());
        }
        for value in &mut chosen.values {
            *value *= weight;
        }
        let (starts, indices, values) = flip(
            &chosen.starts,
            &chosen.indices,
            &chosen.values,
            rows,
            |value| value,
        );
        Self {
            columns: chosen,
            rows: Compressed {
                starts,
                indices,
                values,
            },
        }
    }

    /// How many columns there are.
    pub(crate) fn count(&self) -> usize {
        self.columns.starts.len() - 1
    }

    /// ⟨y_s, y_t⟩ for all pairs of columns. Every column of the result belongs to one task, which adds in the order of the rows.
    pub(crate) fn gram(&self) -> Vec<T> {
        let count = self.count();
        let mut gram = vec![T::ZERO; count * count];
        gram.par_chunks_exact_mut(count.max(1))
            .enumerate()
            .each(&|(column, out)| {
                for (row, value) in self.columns.line(column) {
                    for (other, factor) in self.rows.line(row) {
                        out[other] += value * factor;
                    }
                }
            });
        gram
    }

    /// out (l × rows) ← F·Yᵀ for F with a column (l) for each of the columns.
    pub(crate) fn with_rows(&self, out: &mut [T], f: &[T]) {
        let product = Product {
            out,
            f,
            range: 0..self.rows.starts.len() - 1,
            weight: T::ONE,
        };
        let entries = (&*self.rows.indices, &*self.rows.values);
        kernel::gather(product, &self.rows.starts, entries);
    }
}

impl<T: Lanes> Lines<'_, T> {
    /// How many entries a line has.
    pub(crate) fn entries(&self, line: usize) -> usize {
        self.starts[line + 1] - self.starts[line]
    }

    /// Σ v² of every line.
    pub(crate) fn squares(&self) -> Vec<f64> {
        match &self.entries {
            Entries::Stored(_, elements) => dispatch!(Elements: *elements => values,
                self.squares_of(values, Element::f64)),
            Entries::Built(_, values) => self.squares_of(values, proxsplit::Real::f64),
            Entries::StoredOnes(..) | Entries::BuiltOnes(..) => {
                let ones = self.starts.windows(2);
                ones.map(|pair| (pair[1] - pair[0]) as f64).collect()
            }
        }
    }

    fn squares_of<E: Copy + Sync>(
        &self,
        values: &[E],
        number: impl Fn(E) -> f64 + Sync,
    ) -> Vec<f64> {
        let lines = self.starts.par_windows(2).with_min_len(1024);
        lines.map_to_vec(&|pair| {
            let line = values[pair[0]..pair[1]].iter();
            line.map(|&value| number(value).powi(2)).sum()
        })
    }

    /// Adds the entries of a line.
    fn append(&self, line: usize, to: &mut Compressed<T>) {
        let entries = self.starts[line]..self.starts[line + 1];
        let count = entries.len();
        match &self.entries {
            Entries::Stored(indices, elements) => {
                dispatch!(Indices: *indices => indices, to.indices.extend(indices[entries.clone()].iter().map(|i| i.at() as u32)));
                dispatch!(Elements: *elements => values, to.values.extend(values[entries].iter().map(|&v| T::widen(v))));
            }
            Entries::StoredOnes(indices, _) => {
                dispatch!(Indices: *indices => indices, to.indices.extend(indices[entries].iter().map(|i| i.at() as u32)));
                to.values.extend(std::iter::repeat_n(T::ONE, count));
            }
            Entries::Built(indices, values) => {
                to.indices.extend_from_slice(&indices[entries.clone()]);
                to.values.extend_from_slice(&values[entries]);
            }
            Entries::BuiltOnes(indices, _) => {
                to.indices.extend_from_slice(&indices[entries]);
                to.values.extend(std::iter::repeat_n(T::ONE, count));
            }
        }
    }
}
