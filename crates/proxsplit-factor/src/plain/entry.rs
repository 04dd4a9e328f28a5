//! What one entry adds to the misfit, w·ρ(y − z), and how it pulls, w·ρ′(y − z): from the definition.

use super::lines::entries;
use crate::loss::Loss;
use crate::products::{Data, Lanes};
use proxsplit::data::{Matrix, StorageOrder};

/// The loss of entries with their weights, line by line in the order in which the data are stored.
pub(super) struct EntryLoss<'a> {
    /// Weights of whole lines.
    of_lines: Option<Vec<f64>>,
    /// Weights along every line.
    along: Option<Vec<f64>>,
    /// Weights of single entries.
    entries: Option<Matrix<'a>>,
    by_columns: bool,
    loss: Loss,
}

impl<'a> EntryLoss<'a> {
    pub(super) fn new<T: Lanes>(data: &Data<'a, T>, loss: Loss, by_columns: bool) -> Self {
        let weights = data.weights();
        let wide = |weights: &crate::weights::LineWeights<T>| {
            weights.weights.iter().map(|w| w.f64()).collect::<Vec<_>>()
        };
        let (u, v) = (
            weights.features.as_ref().map(wide),
            weights.samples.as_ref().map(wide),
        );
        let (of_lines, along) = if by_columns { (v, u) } else { (u, v) };
        Self {
            of_lines,
            along,
            entries: weights.entries,
            by_columns,
            loss,
        }
    }

    /// Whether it is ½r² for every entry.
    pub(super) fn is_plain(&self) -> bool {
        self.loss == Loss::Squared && !self.is_weighted()
    }

    fn is_weighted(&self) -> bool {
        self.of_lines.is_some() || self.along.is_some() || self.entries.is_some()
    }

    /// The weight of a whole line.
    pub(super) fn of_line(&self, line: usize) -> f64 {
        self.of_lines.as_ref().map_or(1.0, |weights| weights[line])
    }

    /// The weight of a place in every line.
    pub(super) fn along(&self, at: usize) -> f64 {
        self.along.as_ref().map_or(1.0, |weights| weights[at])
    }

    /// The weights of the entries of a line that are stored in an array of any order.
    fn dense_weights(&self, line: usize, width: usize) -> Vec<f64> {
        let Some(Matrix::Dense(dense)) = self.entries else {
            return vec![1.0; width];
        };
        let is_along = (dense.order() == StorageOrder::ColumnMajor) == self.by_columns;
        let (start, stride) = if is_along {
            (line * width, 1)
        } else {
            (line, dense.elements().len() / width)
        };
        let of_entry = |i| dense.elements().get(start + i * stride);
        (0..width).map(of_entry).collect()
    }

    /// The weights of a line.
    pub(super) fn weights(&self, line: usize, width: usize) -> Vec<f64> {
        let mut weights = match self.entries {
            None => vec![1.0; width],
            Some(Matrix::Dense(_)) => self.dense_weights(line, width),
            Some(Matrix::Sparse(sparse)) => {
                let mut weights = vec![0.0; width];
                for (index, weight) in entries(sparse, line) {
                    weights[index] = weight;
                }
                weights
            }
        };
        for (at, weight) in weights.iter_mut().enumerate() {
            *weight *= self.of_line(line) * self.along(at);
        }
        weights
    }

    /// residual ← how it pulls; returns what the line adds to the misfit.
    pub(super) fn pull(&self, line: usize, residual: &mut [f64]) -> f64 {
        let weights = if self.is_weighted() {
            self.weights(line, residual.len())
        } else {
            vec![1.0; residual.len()]
        };
        let (mut value, bound) = (0.0, self.loss.bound());
        for (r, weight) in residual.iter_mut().zip(weights) {
            value += weight * self.loss.of_residual(*r);
            *r = weight * r.clamp(-bound, bound);
        }
        value
    }

    /// What stored numbers of a line would add to the misfit if XA were 0.
    pub(super) fn of_stored(&self, line: usize, numbers: &[(usize, f64)]) -> f64 {
        let sum = numbers
            .iter()
            .zip(self.weights_of_stored(line, numbers))
            .map(|(&(_, y), weight)| weight * self.loss.of_residual(y));
        self.of_line(line) * sum.sum::<f64>()
    }

    /// The largest weight of the stored numbers of a line that are not missing.
    pub(super) fn largest_of_stored(&self, line: usize, numbers: &[(usize, f64)]) -> f64 {
        let weights = self.weights_of_stored(line, numbers).into_iter();
        let counted = weights
            .zip(numbers)
            .filter(|(_, (_, y))| !y.is_nan())
            .map(|(weight, _)| weight);
        self.of_line(line) * counted.fold(0.0, f64::max)
    }

    /// The weights of the stored numbers of a line, without that of the line.
    fn weights_of_stored(&self, line: usize, numbers: &[(usize, f64)]) -> Vec<f64> {
        let width = numbers.len();
        let mut weights: Vec<f64> = match self.entries {
            Some(Matrix::Sparse(sparse)) => entries(sparse, line).map(|(_, w)| w).collect(),
            Some(Matrix::Dense(_)) => self.dense_weights(line, width),
            None => vec![1.0; width],
        };
        for (weight, &(at, _)) in weights.iter_mut().zip(numbers) {
            *weight *= self.along(at);
        }
        weights
    }
}
