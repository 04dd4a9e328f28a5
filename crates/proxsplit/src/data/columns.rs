//! Some columns of a matrix side by side, copied out of whatever storage it has: what a working set reads.

use super::rows::kernel::sum;
use crate::linalg::vectorized::vectorized;
use crate::{Real, scratch};

/// Room for so many times the first sparse columns is set aside at once.
const GROWTH: usize = 4;

/// Columns of one matrix in the order in which they were asked for: dense ones as they are, sparse ones compressed.
#[derive(Debug)]
pub struct Columns<T> {
    rows: usize,
    kind: Kind<T>,
}

#[derive(Debug)]
enum Kind<T> {
    Dense(Vec<T>),
    /// Column k has the rows `indices[starts[k] .. starts[k + 1]]`.
    Sparse {
        starts: Vec<usize>,
        indices: Vec<u32>,
        values: Vec<T>,
    },
}

impl<T: Real> Columns<T> {
    /// No columns yet, of this many rows.
    pub(crate) fn new(rows: usize, is_sparse: bool) -> Self {
        let kind = if is_sparse {
            Kind::Sparse {
                starts: vec![0],
                indices: Vec::new(),
                values: Vec::new(),
            }
        } else {
            Kind::Dense(Vec::new())
        };
        Self { rows, kind }
    }

    /// The numbers of dense columns, one column after the other; `None` of sparse ones.
    pub(crate) fn dense(&self) -> Option<&[T]> {
        match &self.kind {
            Kind::Dense(values) => Some(values),
            Kind::Sparse { .. } => None,
        }
    }

    /// Room for more dense columns, to be filled one after the other; nothing if they are sparse.
    pub(crate) fn extend_dense(&mut self, count: usize) -> &mut [T] {
        match &mut self.kind {
            Kind::Dense(values) => {
                let end = values.len();
                values.resize(end + count * self.rows, T::ZERO);
                &mut values[end..]
            }
            Kind::Sparse { .. } => &mut [],
        }
    }

    /// A column of ones.
    pub(crate) fn push_ones(&mut self) {
        let rows = self.rows;
        self.extend_dense(1).fill(T::ONE);
        if let Some((places, indices, values)) = self.extend_sparse(&[rows]) {
            let place = places[0];
            values[place..].fill(T::ONE);
            for (i, index) in (0..).zip(&mut indices[place..]) {
                *index = i;
            }
        }
    }

    /// Room for more sparse columns of these lengths: where each begins, and all indices and values; `None` if they are dense.
    pub(crate) fn extend_sparse(
        &mut self,
        lengths: &[usize],
    ) -> Option<(Vec<usize>, &mut [u32], &mut [T])> {
        let Kind::Sparse {
            starts,
            indices,
            values,
        } = &mut self.kind
        else {
            return None;
        };
        let mut end = indices.len();
        let mut places = Vec::with_capacity(lengths.len());
        for length in lengths {
            places.push(end);
            end += length;
            starts.push(end);
        }
        if indices.is_empty() {
            // Sets double once or twice, and memory that moves is memory to be touched anew.
            indices.reserve(GROWTH * end);
            values.reserve(GROWTH * end);
        }
        indices.resize(end, 0);
        values.resize(end, T::ZERO);
        Some((places, indices, values))
    }

    /// How many entries of column k are stored.
    pub(crate) fn stored(&self, k: usize) -> usize {
        match &self.kind {
            Kind::Dense(_) => self.rows,
            Kind::Sparse { starts, .. } => starts[k + 1] - starts[k],
        }
    }

    #[inline(always)]
    fn column(&self, k: usize) -> Column<'_, T> {
        match &self.kind {
            Kind::Dense(values) => Column::Dense(&values[k * self.rows..(k + 1) * self.rows]),
            Kind::Sparse {
                starts,
                indices,
                values,
            } => {
                let part = starts[k]..starts[k + 1];
                Column::Sparse(&indices[part.clone()], &values[part])
            }
        }
    }

    /// ⟨d_k, r⟩
    #[inline]
    pub(crate) fn dot(&self, k: usize, r: &[f64]) -> f64 {
        match self.column(k) {
            Column::Dense(d) => vectorized(
                #[inline(always)]
                || sum(d, r, |d, r| d.f64() * r),
            ),
            Column::Sparse(indices, values) => gathered(indices, values, r),
        }
    }

    /// Σ_i w_i d_ik²
    pub(crate) fn square(&self, k: usize, weights: &[f64]) -> f64 {
        match self.column(k) {
            Column::Dense(d) => vectorized(
                #[inline(always)]
                || sum(d, weights, |d, w| w * d.f64() * d.f64()),
            ),
            Column::Sparse(indices, values) => {
                let terms = indices.iter().zip(values);
                terms
                    .map(|(&i, d)| weights[i as usize] * d.f64() * d.f64())
                    .sum()
            }
        }
    }

    /// into ← the entries of sparse columns, each multiplied by the number of its row; nothing for dense ones.
    pub(crate) fn scale_rows(&self, factors: &[f64], into: &mut Vec<f64>) {
        into.clear();
        if let Kind::Sparse {
            indices, values, ..
        } = &self.kind
        {
            into.reserve(indices.capacity());
            let entries = indices.iter().zip(values);
            into.extend(entries.map(|(&i, d)| factors[i as usize] * d.f64()));
        }
    }

    /// The rows of sparse column k, and what stands in `others` at the places of its values.
    #[inline(always)]
    pub(crate) fn sparse_with<'a>(&'a self, k: usize, others: &'a [f64]) -> (&'a [u32], &'a [f64]) {
        match &self.kind {
            Kind::Dense(_) => (&[], &[]),
            Kind::Sparse {
                starts, indices, ..
            } => {
                let part = starts[k]..starts[k + 1];
                (&indices[part.clone()], &others[part])
            }
        }
    }

    /// Σ_i w_i d_ik d_il
    pub(crate) fn product(&self, k: usize, l: usize, weights: &[f64]) -> f64 {
        scratch::with(self.rows, |dense: &mut [f64]| {
            dense.fill(0.0);
            self.add_weighted(l, 1.0, weights, dense);
            self.dot(k, dense)
        })
    }

    /// out ← out + c·d_k
    #[inline]
    pub(crate) fn add(&self, k: usize, c: f64, out: &mut [f64]) {
        match self.column(k) {
            Column::Dense(d) => vectorized(
                #[inline(always)]
                || {
                    for (out, d) in out.iter_mut().zip(d) {
                        *out += c * d.f64();
                    }
                },
            ),
            Column::Sparse(indices, values) => {
                for (&i, d) in indices.iter().zip(values) {
                    out[i as usize] += c * d.f64();
                }
            }
        }
    }

    /// out ← out + c·w∘d_k
    #[inline]
    pub(crate) fn add_weighted(&self, k: usize, c: f64, weights: &[f64], out: &mut [f64]) {
        match self.column(k) {
            Column::Dense(d) => vectorized(
                #[inline(always)]
                || {
                    for ((out, d), w) in out.iter_mut().zip(d).zip(weights) {
                        *out += c * w * d.f64();
                    }
                },
            ),
            Column::Sparse(indices, values) => {
                for (&i, d) in indices.iter().zip(values) {
                    out[i as usize] += c * weights[i as usize] * d.f64();
                }
            }
        }
    }
}

/// One column.
enum Column<'a, T> {
    Dense(&'a [T]),
    Sparse(&'a [u32], &'a [T]),
}

/// Σ_k v_k r(i_k), in four partial sums to hide the latency of an addition.
#[inline(always)]
pub(crate) fn gathered<T: Real>(indices: &[u32], values: &[T], r: &[f64]) -> f64 {
    let mut partial = [0.0; 4];
    let (index_fours, index_rest) = indices.as_chunks::<4>();
    let (value_fours, value_rest) = values.as_chunks::<4>();
    for (i, v) in index_fours.iter().zip(value_fours) {
        for lane in 0..4 {
            partial[lane] += v[lane].f64() * r[i[lane] as usize];
        }
    }
    for ((partial, &i), v) in partial.iter_mut().zip(index_rest).zip(value_rest) {
        *partial += v.f64() * r[i as usize];
    }
    (partial[0] + partial[1]) + (partial[2] + partial[3])
}
