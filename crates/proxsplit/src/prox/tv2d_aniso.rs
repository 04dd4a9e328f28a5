//! g(x) = W Σ_pixels |d₁| + |d₂| with forward differences d₁ down and d₂ across, none over the border.
//!
//! The sum of a term for columns and one for rows, each with an exact prox in linear time. The dual, the least distance of y
//! from the sum of two polytopes, is solved by accelerated alternating projection. Á. Barbero, S. Sra, "Modular proximal
//! optimization for multidimensional total-variation regularization", 2018, study this splitting.

use super::grid::{Accuracy, Grid, Momentum, distance_bound, in_double, rounding};
use super::tv1d::variation;
use super::variation::reduce_variation;
use crate::error::{Error, nonnegative};
use crate::{Form, Prox, Real, scratch};

/// `tv2d-aniso:W,RxC`, anisotropic total variation of a picture, column by column. Convex.
///
/// The prox is iterative: it stops at ‖x − prox(y)‖ ≤ 1e-7·‖y − mean y‖, or after 1000 rounds, and
/// [`prox_with_error`](Prox::prox_with_error) returns a proved bound on the distance.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tv2dAniso {
    weight: f64,
    grid: Grid,
    accuracy: Accuracy,
}

impl Tv2dAniso {
    /// W Σ |d₁| + |d₂| on rows × cols pixels, with W ≥ 0.
    pub fn new(weight: f64, rows: usize, cols: usize) -> Result<Self, Error> {
        Ok(Self {
            weight: nonnegative("weight", weight)?,
            grid: Grid::new(rows, cols)?,
            accuracy: Accuracy::new(1e-7, 1000)?,
        })
    }

    /// Another tolerance and limit of rounds for the prox.
    pub fn with_accuracy(self, tolerance: f64, rounds: usize) -> Result<Self, Error> {
        let accuracy = Accuracy::new(tolerance, rounds)?;
        Ok(Self { accuracy, ..self })
    }

    /// W
    pub fn weight(&self) -> f64 {
        self.weight
    }

    /// Rows and columns of the picture.
    pub fn shape(&self) -> (usize, usize) {
        (self.grid.rows, self.grid.cols)
    }

    /// x ← argmin_z ½‖z − y‖² + radius·(Σ|d₁| + |d₂|); returns a bound on the error.
    ///
    /// a and b = y − a − x are the parts of y − x that the rows and the columns take away; a is extrapolated.
    fn solve(&self, x: &mut [f64], y: &[f64], radius: f64) -> f64 {
        let n = self.grid.len();
        let target = self.accuracy.target(y);
        scratch::with(3 * n, |buffers: &mut [f64]| {
            let (ahead, buffers) = buffers.split_at_mut(n);
            let (a, b) = buffers.split_at_mut(n);
            ahead.fill(0.0);
            a.fill(0.0);
            let mut momentum = Momentum::default();
            let mut bound = f64::INFINITY;
            for _ in 0..self.accuracy.rounds {
                for i in 0..n {
                    x[i] = y[i] - ahead[i];
                }
                self.prox_columns(x, radius);
                for i in 0..n {
                    b[i] = y[i] - ahead[i] - x[i];
                    x[i] = y[i] - b[i];
                }
                self.prox_rows(x, radius);
                let (gap, size) = self.gap(x, b, radius);
                bound = distance_bound(gap, size);
                if bound <= target || gap <= rounding(size) {
                    break;
                }
                extrapolate(ahead, a, |i| y[i] - b[i] - x[i], &mut momentum);
            }
            bound
        })
    }

    fn prox_columns(&self, x: &mut [f64], radius: f64) {
        for column in x.chunks_mut(self.grid.rows) {
            reduce_variation(column, radius);
        }
    }

    fn prox_rows(&self, x: &mut [f64], radius: f64) {
        let Grid { rows, cols } = self.grid;
        scratch::with(cols, |row: &mut [f64]| {
            for i in 0..rows {
                for (j, r) in row.iter_mut().enumerate() {
                    *r = x[i + rows * j];
                }
                reduce_variation(row, radius);
                for (j, r) in row.iter().enumerate() {
                    x[i + rows * j] = *r;
                }
            }
        });
    }

    /// radius·Σ|d₁| − ⟨b, x⟩ term by term, each ≥ 0, and the size of the terms; the part of the rows is 0.
    fn gap(&self, x: &[f64], b: &[f64], radius: f64) -> (f64, f64) {
        let (mut gap, mut size) = (0.0, 0.0);
        for (x, b) in x.chunks(self.grid.rows).zip(b.chunks(self.grid.rows)) {
            let mut dual = 0.0;
            for i in 1..x.len() {
                dual -= b[i - 1];
                let difference = x[i] - x[i - 1];
                gap += (radius * difference.abs() - dual * difference).max(0.0);
                size += radius * difference.abs();
            }
        }
        (gap, size)
    }
}

/// a ← the new point, ahead ← beyond it by the momentum.
fn extrapolate(
    ahead: &mut [f64],
    a: &mut [f64],
    new: impl Fn(usize) -> f64,
    momentum: &mut Momentum,
) {
    let uphill: f64 = (0..a.len())
        .map(|i| (ahead[i] - new(i)) * (new(i) - a[i]))
        .sum();
    let beyond = momentum.next(uphill > 0.0);
    for i in 0..a.len() {
        let point = new(i);
        ahead[i] = point + beyond * (point - a[i]);
        a[i] = point;
    }
}

impl<T: Real> Prox<T> for Tv2dAniso {
    fn value(&self, x: &[T]) -> f64 {
        let rows = self.grid.rows;
        let down: f64 = x.chunks(rows).map(variation).sum();
        let across: f64 = x
            .iter()
            .zip(&x[rows.min(x.len())..])
            .map(|(a, b)| (b.f64() - a.f64()).abs())
            .sum();
        self.weight * (down + across)
    }

    fn prox(&self, x: &mut [T], step: T) {
        self.prox_with_error(x, step);
    }

    fn prox_with_error(&self, x: &mut [T], step: T) -> Option<f64> {
        let radius = self.weight * step.f64();
        let solve = |x: &mut [f64], y: &[f64], radius| self.solve(x, y, radius);
        Some(in_double(x, radius, solve))
    }

    fn fits(&self, len: usize) -> Result<(), Error> {
        self.grid.fits(len)
    }

    fn form(&self) -> Form {
        Form::default().homogeneous().ordered()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::{contract, extremes};

    #[test]
    fn keeps_the_contract() {
        for (weight, rows, cols) in [
            (0.3, 3, 4),
            (0.0, 2, 2),
            (1.0, 1, 5),
            (1.0, 5, 1),
            (2.0, 2, 3),
        ] {
            let g = Tv2dAniso::new(weight, rows, cols).unwrap();
            contract(&g, rows * cols);
            extremes(&g, rows * cols);
        }
    }

    #[test]
    fn refuses_bad_parameters() {
        assert!(Tv2dAniso::new(-1.0, 2, 2).is_err());
        assert!(Tv2dAniso::new(1.0, 0, 2).is_err());
        assert!(Prox::<f32>::fits(&Tv2dAniso::new(1.0, 2, 2).unwrap(), 5).is_err());
    }
}
