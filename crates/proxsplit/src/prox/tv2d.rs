//! g(x) = W Σ_pixels √(d₁² + d₂²) with forward differences d₁ down and d₂ across, none over the border.

use super::grid::{Accuracy, Grid, in_double};
use super::tv2d_dual::Dual;
use crate::error::{Error, nonnegative};
use crate::{Form, Prox, Real};

/// `tv2d:W,RxC`, isotropic total variation of a picture, column by column. Convex.
///
/// The prox is iterative: it stops at ‖x − prox(y)‖ ≤ 1e-5·‖y − mean y‖, or after 5000 rounds, and
/// [`prox_with_error`](Prox::prox_with_error) returns a proved bound on the distance.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tv2d {
    weight: f64,
    grid: Grid,
    accuracy: Accuracy,
}

impl Tv2d {
    /// W Σ √(d₁² + d₂²) on rows × cols pixels, with W ≥ 0.
    pub fn new(weight: f64, rows: usize, cols: usize) -> Result<Self, Error> {
        Ok(Self {
            weight: nonnegative("weight", weight)?,
            grid: Grid::new(rows, cols)?,
            accuracy: Accuracy::new(1e-5, 5000)?,
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
}

impl<T: Real> Prox<T> for Tv2d {
    fn value(&self, x: &[T]) -> f64 {
        let Grid { rows, cols } = self.grid;
        let mut total = 0.0;
        for (k, &pixel) in x.iter().enumerate() {
            let down = if k % rows + 1 < rows { x[k + 1] } else { pixel };
            let across = if k / rows + 1 < cols {
                x[k + rows]
            } else {
                pixel
            };
            total += (down.f64() - pixel.f64()).hypot(across.f64() - pixel.f64());
        }
        self.weight * total
    }

    fn prox(&self, x: &mut [T], step: T) {
        self.prox_with_error(x, step);
    }

    fn prox_with_error(&self, x: &mut [T], step: T) -> Option<f64> {
        let radius = self.weight * step.f64();
        Some(in_double(x, radius, |x, y, radius| {
            let dual = Dual {
                grid: self.grid,
                radius,
            };
            dual.solve(x, y, self.accuracy)
        }))
    }

    fn fits(&self, len: usize) -> Result<(), Error> {
        self.grid.fits(len)
    }

    fn form(&self) -> Form {
        Form::default().homogeneous()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::{contract, extremes};

    #[test]
    fn keeps_the_contract() {
        for (weight, rows, cols) in [(0.3, 3, 3), (0.0, 2, 2), (1.0, 1, 3), (2.0, 2, 2)] {
            let g = Tv2d::new(weight, rows, cols).unwrap();
            contract(&g.with_accuracy(1e-7, 1000).unwrap(), rows * cols);
            extremes(&g, rows * cols);
        }
    }

    #[test]
    fn refuses_bad_parameters() {
        assert!(Tv2d::new(-1.0, 2, 2).is_err());
        assert!(Tv2d::new(1.0, 0, 2).is_err());
        assert!(Prox::<f32>::fits(&Tv2d::new(1.0, 2, 2).unwrap(), 5).is_err());
    }
}
