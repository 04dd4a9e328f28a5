//! Similar samples have similar codes, and neighbouring features similar entries: ½Σ_ij w_ij‖f_i − f_j‖² over the columns of a factor.
//!
//! With S = W + Wᵀ and the degrees d_i = Σ_j s_ij it is ½tr(FLFᵀ), L = diag(d) − S, the penalty of D. Cai, X. He, J. Han, T. Huang,
//! Graph regularized nonnegative matrix factorization, 2011. L is at most 2·diag(d), and ‖L‖ at most max d_i + d_j over all edges (W. Anderson,
//! T. Morley, Eigenvalues of the Laplacian of a graph, 1985).

use crate::products::{Lanes, in_order};
use proxsplit::Error;
use proxsplit::data::{Matrix, StorageOrder};
use proxsplit::internal::linalg::vec::{axpy, distance_squared};
use proxsplit::internal::parallel::Each;
use proxsplit::internal::scratch;
use rayon::prelude::*;

/// Columns that one task handles.
const PART: usize = 256;
/// Steps towards the prox of a single row.
const STEPS: usize = 40;

/// Similarities of samples or of features: the weights w_ij ≥ 0 of ½Σ_ij w_ij‖f_i − f_j‖².
#[derive(Debug, Clone, PartialEq)]
pub struct Graph<T> {
    /// Where the neighbours of each node begin, and the end of the last.
    starts: Vec<usize>,
    neighbours: Vec<u32>,
    /// s_ij
    weights: Vec<T>,
    /// d_i
    degrees: Vec<T>,
    norm: f64,
}

impl<T: Lanes> Graph<T> {
    /// Every stored w_ij counts `weight` times, so that an edge that is stored in both directions counts twice. The diagonal is ignored.
    /// Refuses what is not square, and weights that are negative or not finite.
    pub fn new(similarities: Matrix<'_>, weight: f64) -> Result<Self, Error> {
        let is_positive = weight > 0.0 && weight.is_finite();
        proxsplit::error::require("weight of the graph", weight, is_positive, "above 0")?;
        let (rows, cols) = (similarities.rows(), similarities.cols());
        if rows != cols || u32::try_from(rows).is_err() {
            return Err(Error::Incompatible(format!(
                "the graph is {rows} × {cols}, but it needs a row and a column for every node"
            )));
        }
        let mut edges = edges(similarities, weight)?;
        edges.sort_unstable_by_key(|edge| (edge.0, edge.1));
        edges.dedup_by(|next, kept| {
            let is_same = (next.0, next.1) == (kept.0, kept.1);
            kept.2 += if is_same { next.2 } else { 0.0 };
            is_same
        });
        let mut degrees = vec![0.0; rows];
        let mut starts = vec![0; rows + 1];
        for &(i, _, s) in &edges {
            degrees[i as usize] += s;
            starts[i as usize + 1] += 1;
        }
        for i in 0..rows {
            starts[i + 1] += starts[i];
        }
        let sums = edges
            .iter()
            .map(|&(i, j, _)| degrees[i as usize] + degrees[j as usize]);
        let norm = sums.fold(0.0, f64::max);
        if !(T::of(norm)).is_finite() {
            return Err(Error::Incompatible(
                "the weights of the graph are too large for this precision".into(),
            ));
        }
        Ok(Self {
            starts,
            neighbours: edges.iter().map(|edge| edge.1).collect(),
            weights: edges.iter().map(|edge| T::of(edge.2)).collect(),
            degrees: degrees.into_iter().map(T::of).collect(),
            norm,
        })
    }

    /// How many samples or features it ties together.
    pub fn nodes(&self) -> usize {
        self.degrees.len()
    }

    /// d_i
    pub(crate) fn degree(&self, node: usize) -> T {
        self.degrees[node]
    }

    /// A bound on ‖L‖.
    pub(crate) fn norm(&self) -> f64 {
        self.norm
    }

    /// A hash (FNV-1a) of all edges, which tells another graph from this one.
    pub(crate) fn digest(&self) -> u64 {
        let ends = self.starts.iter().map(|&start| start as u64);
        let edges = self.neighbours.iter().zip(&self.weights);
        let edges = edges.flat_map(|(&j, s)| [u64::from(j), s.f64().to_bits()]);
        ends.chain(edges).fold(0xcbf2_9ce4_8422_2325, |hash, word| {
            (hash ^ word).wrapping_mul(0x0100_0000_01b3)
        })
    }

    fn of(&self, node: usize) -> impl Iterator<Item = (usize, T)> {
        let own = self.starts[node]..self.starts[node + 1];
        let neighbours = self.neighbours[own.clone()].iter().map(|&j| j as usize);
        neighbours.zip(self.weights[own].iter().copied())
    }

    /// out_i ← out_i + αd_i·f_i + βΣ_j s_ij·f_j for the columns of a K × n factor.
    pub(crate) fn add(&self, out: &mut [T], factor: &[T], rank: usize, (alpha, beta): (T, T)) {
        let parts = out.par_chunks_mut(rank * PART).enumerate();
        parts.each(&|(part, out)| {
            for (node, out) in (part * PART..).zip(out.chunks_exact_mut(rank)) {
                let column = |i: usize| &factor[i * rank..(i + 1) * rank];
                axpy(alpha * self.degrees[node], column(node), out);
                for (j, s) in self.of(node) {
                    axpy(beta * s, column(j), out);
                }
            }
        });
    }

    /// ½tr(FLFᵀ) over the rows of a K × n factor from `first` on, as a sum of squares.
    pub(crate) fn value(&self, factor: &[T], (rank, first): (usize, usize)) -> f64 {
        let parts = factor.par_chunks(rank * PART).enumerate();
        in_order(parts, &|(part, columns)| {
            let mut sum = 0.0;
            for (node, own) in (part * PART..).zip(columns.chunks_exact(rank)) {
                for (j, s) in self.of(node) {
                    let other = &factor[j * rank + first..(j + 1) * rank];
                    sum += s.f64() * distance_squared(&own[first..], other);
                }
            }
            // Every edge is met from both ends.
            0.25 * sum
        })
    }

    /// ½fᵀLf of row k.
    pub(crate) fn value_of_row(&self, factor: &[T], (rank, k): (usize, usize)) -> f64 {
        let at = |node: usize| factor[node * rank + k].f64();
        let of_node = |node: usize| -> f64 {
            let squares = self
                .of(node)
                .map(|(j, s)| s.f64() * (at(node) - at(j)).powi(2));
            squares.sum()
        };
        0.25 * (0..self.nodes()).map(of_node).sum::<f64>()
    }

    /// v ← about argmin ψ(v) + ½vᵀLv + ‖v − y‖²/(2η) for a single row, which is y before, by proximal gradients.
    pub(crate) fn prox(&self, v: &mut [T], step: T, psi: impl Fn(&mut [T], T)) {
        let eta = step / (T::ONE + step * T::of(self.norm));
        scratch::with(2 * v.len(), |buffer: &mut [T]| {
            let (y, slope) = buffer.split_at_mut(v.len());
            y.copy_from_slice(v);
            for _ in 0..STEPS {
                for ((slope, &v), &y) in slope.iter_mut().zip(&*v).zip(&*y) {
                    *slope = (v - y) / step;
                }
                self.add(slope, v, 1, (T::ONE, -T::ONE));
                axpy(-eta, slope, v);
                psi(v, eta);
            }
        });
    }
}

/// Every w_ij off the diagonal in both directions, times `weight`.
fn edges(matrix: Matrix<'_>, weight: f64) -> Result<Vec<(u32, u32, f64)>, Error> {
    let mut found = Vec::new();
    let mut add = |row: usize, column: usize, similarity: f64| {
        let scaled = weight * similarity;
        if !(similarity >= 0.0 && scaled.is_finite()) {
            return Err(Error::Incompatible(format!(
                "row {row}, column {column} of the graph (counting from 0) is {similarity}, but it must be a finite number that is at least 0"
            )));
        }
        if row != column && scaled > 0.0 {
            // The caller has seen that there are fewer than 2³² nodes.
            #[allow(clippy::cast_possible_truncation)]
            let (i, j) = (row as u32, column as u32);
            found.extend([(i, j, scaled), (j, i, scaled)]);
        }
        Ok(())
    };
    match matrix {
        Matrix::Dense(dense) => {
            for j in 0..dense.cols() {
                for i in 0..dense.rows() {
                    add(i, j, dense.get(i, j))?;
                }
            }
        }
        Matrix::Sparse(sparse) => {
            let (starts, indices, elements) =
                (sparse.starts(), sparse.indices(), sparse.elements());
            for line in 0..starts.len() - 1 {
                for at in starts.get(line)..starts.get(line + 1) {
                    let (i, j) = match sparse.order() {
                        StorageOrder::RowMajor => (line, indices.get(at)),
                        StorageOrder::ColumnMajor => (indices.get(at), line),
                    };
                    add(i, j, elements.get(at))?;
                }
            }
        }
    }
    Ok(found)
}
