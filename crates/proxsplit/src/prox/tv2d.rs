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

    fn prox_with_error(&self, x: &mut [T], step: T) -> f64 {
        let radius = self.weight * step.f64();
        in_double(x, radius, |x, y, radius| {
            let dual = Dual {
                grid: self.grid,
                radius,
            };
            dual.solve(x, y, self.accuracy)
        })
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
    use crate::linalg::vec::distance;

    #[test]
    fn keeps_the_contract() {
        for (weight, rows, cols) in [(0.3, 3, 3), (0.0, 2, 2), (1.0, 1, 3), (2.0, 2, 2)] {
            let g = Tv2d::new(weight, rows, cols).unwrap();
            contract(&g.with_accuracy(1e-7, 1000).unwrap(), rows * cols);
            extremes(&g, rows * cols);
        }
    }

    fn picture(rows: usize, cols: usize) -> Vec<f64> {
        let pixel = |k: usize| ((k * 7919) % 101) as f64 / 50.0 + (k % rows) as f64 / 4.0;
        (0..rows * cols).map(pixel).collect()
    }

    /// One row or one column is total variation of a signal, which has an exact prox.
    #[test]
    fn a_single_line_is_tv1d() {
        let y = picture(1, 30);
        let mut exact = y.clone();
        super::super::Tv1d::new(0.4).unwrap().prox(&mut exact, 1.0);
        for (rows, cols) in [(1, 30), (30, 1)] {
            let mut x = y.clone();
            let g = Tv2d::new(0.4, rows, cols).unwrap();
            let bound = g
                .with_accuracy(1e-7, 100_000)
                .unwrap()
                .prox_with_error(&mut x, 1.0);
            assert!(distance(&x, &exact) <= bound.max(1e-12) && bound < 1e-5);
        }
    }

    /// The dual by projected coordinate-wise gradient steps, an independent way: x = y − Dᵀp.
    #[test]
    fn equals_plain_projected_gradient() {
        let (rows, cols, radius) = (4, 3, 0.5);
        let y = picture(rows, cols);
        let edges: Vec<[Option<(usize, usize)>; 2]> = (0..y.len())
            .map(|k| {
                let down = (k % rows + 1 < rows).then_some((k, k + 1));
                let across = (k / rows + 1 < cols).then_some((k, k + rows));
                [down, across]
            })
            .collect();
        let mut p = vec![[0.0f64; 2]; y.len()];
        let primal = |p: &[[f64; 2]]| {
            let mut x = y.clone();
            for (edges, p) in edges.iter().zip(p) {
                for (edge, p) in edges.iter().zip(p) {
                    if let Some((from, to)) = edge {
                        x[*from] += p;
                        x[*to] -= p;
                    }
                }
            }
            x
        };
        for _ in 0..20_000 {
            let x = primal(&p);
            for (edges, p) in edges.iter().zip(&mut p) {
                for (edge, p) in edges.iter().zip(p.iter_mut()) {
                    if let Some((from, to)) = edge {
                        *p += 0.1 * (x[*to] - x[*from]);
                    }
                }
                let size = p[0].hypot(p[1]).max(radius);
                *p = p.map(|p| p * radius / size);
            }
        }
        let mut x = y.clone();
        Tv2d::new(radius, rows, cols)
            .unwrap()
            .with_accuracy(1e-8, 20_000)
            .unwrap()
            .prox(&mut x, 1.0);
        assert!(
            distance(&x, &primal(&p)) < 1e-6,
            "{x:?} is not {:?}",
            primal(&p)
        );
    }

    #[test]
    fn the_bound_on_the_error_holds() {
        let y = picture(9, 7);
        let g = Tv2d::new(0.4, 9, 7).unwrap();
        let mut exact = y.clone();
        assert!(
            g.with_accuracy(1e-8, 100_000)
                .unwrap()
                .prox_with_error(&mut exact, 1.0)
                < 1e-6
        );
        for rounds in [1, 10, 20, 50] {
            let mut x = y.clone();
            let bound = g
                .with_accuracy(1e-12, rounds)
                .unwrap()
                .prox_with_error(&mut x, 1.0);
            assert!(distance(&x, &exact) <= bound + 1e-6, "{rounds}: {bound}");
        }
        let mut x = y.clone();
        let bound = g.prox_with_error(&mut x, 1.0);
        assert!(bound <= 1e-5 * distance(&y, &vec![crate::linalg::vec::sum(&y) / 63.0; 63]));
    }

    #[test]
    fn refuses_bad_parameters() {
        assert!(Tv2d::new(-1.0, 2, 2).is_err());
        assert!(Tv2d::new(1.0, 0, 2).is_err());
        assert!(Prox::<f32>::fits(&Tv2d::new(1.0, 2, 2).unwrap(), 5).is_err());
    }
}
