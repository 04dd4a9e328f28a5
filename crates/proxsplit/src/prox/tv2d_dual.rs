//! The dual of isotropic total variation: min_p ½‖y − Dᵀp‖² over fields p of vectors with |p_pixel| ≤ λ, x = y − Dᵀp.
//!
//! A. Beck, M. Teboulle, "Fast gradient-based algorithms for constrained total variation image denoising and deblurring",
//! 2009, with adaptive restart. ‖D‖² ≤ 8, so the step is 1/8.

use super::grid::{Accuracy, Grid, Momentum, distance_bound, rounding};
use crate::scratch;

/// The gap costs as much as a round, so it is looked at this often.
const CHECK_EVERY: usize = 10;

const LANES: usize = 4;

pub(crate) struct Dual {
    pub(crate) grid: Grid,
    pub(crate) radius: f64,
}

/// The two components of a field: down and across. Those over the border are always 0.
struct Field<'a> {
    down: &'a mut [f64],
    across: &'a mut [f64],
}

impl<'a> Field<'a> {
    fn zeros(buffer: &'a mut [f64]) -> Self {
        buffer.fill(0.0);
        let (down, across) = buffer.split_at_mut(buffer.len() / 2);
        Self { down, across }
    }
}

/// One column of the field ahead, and of the last one.
struct Column<'a> {
    down: &'a mut [f64],
    across: &'a mut [f64],
    p_down: &'a [f64],
    p_across: &'a [f64],
}

impl Column<'_> {
    /// ahead ← the projection of ahead + ∇x/8; returns ⟨ahead − new, new − p⟩, in lanes so that it vectorizes.
    fn step(&mut self, x: &[f64], right: &[f64], radius: f64) -> f64 {
        let last = x.len() - 1;
        let mut uphill = [0.0; LANES];
        let blocks = last / LANES;
        for block in 0..blocks {
            let here = LANES * block;
            let below: &[f64] = &x[here + 1..][..LANES];
            for (lane, sum) in uphill.iter_mut().enumerate() {
                *sum += self.move_one(here + lane, below[lane] - x[here + lane], right, x, radius);
            }
        }
        for i in LANES * blocks..=last {
            let below = x[(i + 1).min(last)];
            uphill[0] += self.move_one(i, below - x[i], right, x, radius);
        }
        uphill.iter().sum()
    }

    #[inline(always)]
    fn move_one(
        &mut self,
        i: usize,
        difference: f64,
        right: &[f64],
        x: &[f64],
        radius: f64,
    ) -> f64 {
        let d = self.down[i] + 0.125 * difference;
        let a = self.across[i] + 0.125 * (right[i] - x[i]);
        let size = (d * d + a * a).sqrt();
        let shrink = radius / if size > radius { size } else { radius };
        let (d, a) = (shrink * d, shrink * a);
        let uphill = (self.down[i] - d) * (d - self.p_down[i])
            + (self.across[i] - a) * (a - self.p_across[i]);
        (self.down[i], self.across[i]) = (d, a);
        uphill
    }
}

impl Dual {
    /// x ← y − Dᵀp for the best p found; returns a bound on ‖x − x*‖.
    pub(crate) fn solve(&self, x: &mut [f64], y: &[f64], accuracy: Accuracy) -> f64 {
        let n = self.grid.len();
        let target = accuracy.target(y);
        scratch::with(4 * n, |buffer: &mut [f64]| {
            let (p, ahead) = buffer.split_at_mut(2 * n);
            let (mut p, mut ahead) = (Field::zeros(p), Field::zeros(ahead));
            let mut momentum = Momentum::default();
            let mut bound = f64::INFINITY;
            for round in 1..=accuracy.rounds {
                self.primal(x, y, &ahead);
                self.advance(x, &mut p, &mut ahead, &mut momentum);
                if round % CHECK_EVERY == 0 || round == accuracy.rounds {
                    self.primal(x, y, &p);
                    let (gap, size) = self.gap(x, &p);
                    bound = distance_bound(gap, size);
                    if bound <= target || gap <= rounding(size) {
                        break;
                    }
                }
            }
            bound
        })
    }

    /// x ← y − Dᵀp
    fn primal(&self, x: &mut [f64], y: &[f64], p: &Field) {
        let rows = self.grid.rows;
        for (j, (x, y)) in x.chunks_mut(rows).zip(y.chunks(rows)).enumerate() {
            let down = &p.down[rows * j..][..rows];
            let across = &p.across[rows * j..][..rows];
            for i in 0..rows {
                x[i] = y[i] + down[i] + across[i];
            }
            for i in 1..rows {
                x[i] -= down[i - 1];
            }
            if j > 0 {
                let left = &p.across[rows * (j - 1)..][..rows];
                for i in 0..rows {
                    x[i] -= left[i];
                }
            }
        }
    }
    /// A projected gradient step from `ahead`, and the next `ahead` beyond it.
    fn advance(&self, x: &[f64], p: &mut Field, ahead: &mut Field, momentum: &mut Momentum) {
        let (rows, radius) = (self.grid.rows, self.radius);
        let mut uphill = 0.0;
        self.for_columns(x, |j, x, right| {
            let column = rows * j..rows * (j + 1);
            let mut point = Column {
                down: &mut ahead.down[column.clone()],
                across: &mut ahead.across[column.clone()],
                p_down: &p.down[column.clone()],
                p_across: &p.across[column],
            };
            uphill += point.step(x, right, radius);
        });
        let beyond = momentum.next(uphill > 0.0);
        for (p, ahead) in [
            (&mut *p.down, &mut *ahead.down),
            (&mut *p.across, &mut *ahead.across),
        ] {
            for (p, ahead) in p.iter_mut().zip(ahead) {
                let new = *ahead;
                *ahead = new + beyond * (new - *p);
                *p = new;
            }
        }
    }

    /// Σ λ|∇x| − p·∇x, each term ≥ 0, and Σ λ|∇x|.
    fn gap(&self, x: &[f64], p: &Field) -> (f64, f64) {
        let rows = self.grid.rows;
        let (mut gap, mut size) = (0.0, 0.0);
        self.for_columns(x, |j, x, right| {
            for i in 0..rows {
                let below = if i + 1 < rows { x[i + 1] } else { x[i] };
                let (d, a) = (below - x[i], right[i] - x[i]);
                let inner = p.down[rows * j + i] * d + p.across[rows * j + i] * a;
                let steep = self.radius * (d * d + a * a).sqrt();
                gap += (steep - inner).max(0.0);
                size += steep;
            }
        });
        (gap, size)
    }

    /// Calls `visit(j, column j, column j + 1)`; the last column is its own right neighbour, so that its difference is 0.
    fn for_columns(&self, x: &[f64], mut visit: impl FnMut(usize, &[f64], &[f64])) {
        let Grid { rows, cols } = self.grid;
        for j in 0..cols {
            let next = (j + 1).min(cols - 1);
            visit(j, &x[rows * j..][..rows], &x[rows * next..][..rows]);
        }
    }
}
