//! What was found at one rank.

use serde::{Deserialize, Serialize};

/// A rank with its held-out error, its objective and the stability of its atoms.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RankRow {
    /// K
    pub rank: usize,
    /// The mean of the errors of the folds: Σ(y − z)² over held-out entries, as a share of the sum of squares that a fold has on average.
    pub error: f64,
    /// The standard error of that mean.
    pub standard_error: f64,
    /// The error of every fold, in order.
    pub errors: Vec<f64>,
    /// The least objective of the fits of all data.
    pub objective: Option<f64>,
    /// A lower bound for the objective of every factorization of this rank, by the singular values of the data.
    pub bound: Option<f64>,
    /// The mean cosine of matched atoms between fits of all data from different starts.
    pub cosine: Option<f64>,
    /// The cophenetic correlation of the consensus of these fits.
    pub cophenetic: Option<f64>,
    /// How many fits of this rank came to their tolerance …
    pub converged: usize,
    /// … of how many.
    pub fits: usize,
    /// Solving time of all fits.
    pub seconds: f64,
}

impl RankRow {
    /// By how much the error is above that of another rank, and the standard error of this difference. Both ranks have the same folds,
    /// so that what makes a fold hard for all ranks cancels.
    pub fn excess_over(&self, other: &RankRow) -> (f64, f64) {
        let pairs = self.errors.iter().zip(&other.errors);
        mean(&pairs.map(|(a, b)| a - b).collect::<Vec<_>>())
    }
}

/// The mean and its standard error.
pub(super) fn mean(values: &[f64]) -> (f64, f64) {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    // Squares of the deviations themselves may overflow.
    let largest = values
        .iter()
        .map(|value| (value - mean).abs())
        .fold(0.0, f64::max);
    if largest == 0.0 {
        return (mean, 0.0);
    }
    let squares: f64 = values
        .iter()
        .map(|value| ((value - mean) / largest).powi(2))
        .sum();
    (mean, largest * (squares / (count - 1.0) / count).sqrt())
}

#[cfg(test)]
mod tests {
    use super::mean;

    #[test]
    fn the_standard_error_is_that_of_the_mean() {
        let (mean, error) = mean(&[1.0, 2.0, 3.0, 6.0]);
        assert_eq!(mean, 3.0);
        assert!((error - (14.0_f64 / 3.0 / 4.0).sqrt()).abs() < 1e-15);
        assert_eq!(super::mean(&[1e200, 1e200]), (1e200, 0.0));
        assert_eq!(super::mean(&[0.0, 2e200]), (1e200, 1e200));
    }
}
