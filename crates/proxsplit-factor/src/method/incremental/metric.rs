//! Norms in the metric H of a pass, through its Cholesky factor.

use crate::look::largest_eigenvalue;
use crate::products::Lanes;

/// H = LLᵀ with its largest eigenvalue.
pub(super) struct Metric {
    factor: Vec<f64>,
    rank: usize,
    pub(super) largest: f64,
}

impl Metric {
    /// `None` if H is singular to working precision.
    pub(super) fn new<T: Lanes>(metric: &[T], rank: usize) -> Option<Self> {
        let mut factor = vec![0.0; rank * rank];
        for i in 0..rank {
            for j in 0..=i {
                let mut sum = metric[i * rank + j].f64();
                for p in 0..j {
                    sum -= factor[i * rank + p] * factor[j * rank + p];
                }
                if i != j {
                    factor[i * rank + j] = sum / factor[j * rank + j];
                } else if sum > 0.0 && sum.is_finite() {
                    factor[i * rank + i] = sum.sqrt();
                } else {
                    return None;
                }
            }
        }
        Some(Self {
            factor,
            rank,
            largest: largest_eigenvalue(metric, rank),
        })
    }

    /// column ← L⁻¹·column
    fn solve(&self, column: &mut [f64]) {
        for i in 0..self.rank {
            let row = &self.factor[i * self.rank..=i * self.rank + i];
            let sum: f64 = row[..i].iter().zip(&*column).map(|(l, c)| l * c).sum();
            column[i] = (column[i] - sum) / row[i];
        }
    }

    /// ‖E‖_{H⁻¹} = ‖L⁻¹E‖ for a K × m matrix.
    pub(super) fn dual_norm<T: Lanes>(&self, matrix: &[T]) -> f64 {
        let mut column = vec![0.0; self.rank];
        let mut square = 0.0;
        for values in matrix.chunks_exact(self.rank) {
            for (to, from) in column.iter_mut().zip(values) {
                *to = from.f64();
            }
            self.solve(&mut column);
            square += column.iter().map(|c| c * c).sum::<f64>();
        }
        square.sqrt()
    }

    /// The largest eigenvalue of H⁻¹S, which is that of L⁻¹SL⁻ᵀ, for a symmetric S; `None` if it is not finite.
    pub(super) fn largest_ratio<T: Lanes>(&self, symmetric: &[T]) -> Option<f64> {
        let rank = self.rank;
        let mut half: Vec<f64> = symmetric.iter().map(|s| s.f64()).collect();
        for row in half.chunks_exact_mut(rank) {
            self.solve(row);
        }
        // L⁻¹S is the transposed of what was found, row by row; once more from the other side.
        let mut whole = vec![0.0; rank * rank];
        for (i, row) in whole.chunks_exact_mut(rank).enumerate() {
            for (j, value) in row.iter_mut().enumerate() {
                *value = half[j * rank + i];
            }
            self.solve(row);
        }
        let largest = largest_eigenvalue(&whole, rank);
        largest.is_finite().then_some(largest)
    }
}

#[cfg(test)]
mod tests {
    use super::Metric;

    #[test]
    fn ratios_and_norms_of_a_small_metric() {
        let metric = Metric::new(&[4.0, 2.0, 2.0, 3.0], 2).unwrap();
        // H⁻¹S for S = 2H has the eigenvalue 2 twice.
        let twice = metric.largest_ratio(&[8.0, 4.0, 4.0, 6.0]).unwrap();
        assert!((twice - 2.0).abs() < 1e-6, "{twice}");
        // eᵀH⁻¹e for e = (1, 0) is H₂₂/det = 3/8.
        assert!((metric.dual_norm(&[1.0, 0.0]) - (3.0_f64 / 8.0).sqrt()).abs() < 1e-12);
        assert!(Metric::new(&[1.0, 1.0, 1.0, 1.0], 2).is_none());
    }
}
