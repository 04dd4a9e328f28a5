//! The dual of isotropic total variation: min_p ½‖y − Dᵀp‖² over fields p of vectors with |p_pixel| ≤ λ, x = y − Dᵀp.
//!
//! A. Beck, M. Teboulle, "Fast gradient-based algorithms for constrained total variation image denoising and deblurring",
//! 2009, with adaptive restart. ‖D‖² ≤ 8, so the step is 1/8. A round goes over the picture once, column by column: what it needs of x
//! are two columns, which never leave the cache.

use super::grid::{Accuracy, Grid, Momentum, distance_bound, rounding};
use crate::linalg::vectorized::vectorized;
use crate::scratch;

/// The gap costs as much as a round, so it is looked at this often.
const CHECK_EVERY: usize = 10;

/// Pixels that are moved at once, and partial sums, whatever the width of a register.
const LANES: usize = 8;

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

    /// One column of it.
    fn column(&mut self, rows: usize, j: usize) -> Field<'_> {
        let range = rows * j..rows * (j + 1);
        Field {
            down: &mut self.down[range.clone()],
            across: &mut self.across[range],
        }
    }
}

/// What a round does to every pixel.
#[derive(Clone, Copy)]
struct Move {
    radius: f64,
    /// How far the point ahead goes beyond the new one.
    beyond: f64,
}

/// The dual vector of a pixel: down and across.
type Pair = [f64; 2];

impl Move {
    /// From the point ahead, the last point and the differences of x: the next ones of both, and ⟨ahead − new, new − last⟩.
    #[inline(always)]
    fn pixel(self, ahead: Pair, last: Pair, difference: Pair) -> (Pair, Pair, f64) {
        let d = ahead[0] + 0.125 * difference[0];
        let a = ahead[1] + 0.125 * difference[1];
        let size = (d * d + a * a).sqrt();
        let shrink = self.radius
            / if size > self.radius {
                size
            } else {
                self.radius
            };
        let new = [shrink * d, shrink * a];
        let moved = [new[0] - last[0], new[1] - last[1]];
        let uphill = (ahead[0] - new[0]) * moved[0] + (ahead[1] - new[1]) * moved[1];
        let next = [
            new[0] + self.beyond * moved[0],
            new[1] + self.beyond * moved[1],
        ];
        (next, new, uphill)
    }

    /// All pixels of a column. `x` has one entry more, which repeats its last pixel; `right` is the column to the right.
    #[inline(always)]
    fn column(self, ahead: &mut Field, last: &mut Field, x: &[f64], right: &[f64]) -> f64 {
        let (below, right) = (&x[1..], &right[..x.len() - 1]);
        let (qd, qd_rest) = ahead.down.as_chunks_mut::<LANES>();
        let (qa, qa_rest) = ahead.across.as_chunks_mut::<LANES>();
        let (pd, pd_rest) = last.down.as_chunks_mut::<LANES>();
        let (pa, pa_rest) = last.across.as_chunks_mut::<LANES>();
        let (x, x_rest) = x[..right.len()].as_chunks::<LANES>();
        let (below, below_rest) = below.as_chunks::<LANES>();
        let (right, right_rest) = right.as_chunks::<LANES>();
        let mut uphill = [0.0; LANES];
        for (b, x) in x.iter().enumerate() {
            let (qd, qa, pd, pa) = (&mut qd[b], &mut qa[b], &mut pd[b], &mut pa[b]);
            let (below, right) = (&below[b], &right[b]);
            for l in 0..LANES {
                let difference = [below[l] - x[l], right[l] - x[l]];
                let (next, new, up) = self.pixel([qd[l], qa[l]], [pd[l], pa[l]], difference);
                ([qd[l], qa[l]], [pd[l], pa[l]]) = (next, new);
                uphill[l] += up;
            }
        }
        for (i, x) in x_rest.iter().enumerate() {
            let difference = [below_rest[i] - x, right_rest[i] - x];
            let (ahead, last) = ([qd_rest[i], qa_rest[i]], [pd_rest[i], pa_rest[i]]);
            let (next, new, up) = self.pixel(ahead, last, difference);
            ([qd_rest[i], qa_rest[i]], [pd_rest[i], pa_rest[i]]) = (next, new);
            uphill[0] += up;
        }
        uphill.iter().sum()
    }
}

impl Dual {
    /// x ← y − Dᵀp for the best p found; returns a bound on ‖x − x*‖.
    pub(crate) fn solve(&self, x: &mut [f64], y: &[f64], accuracy: Accuracy) -> f64 {
        let (n, rows) = (self.grid.len(), self.grid.rows);
        let target = accuracy.target(y);
        scratch::with(4 * n + 2 * (rows + 1), |buffer: &mut [f64]| {
            let (columns, fields) = buffer.split_at_mut(2 * (rows + 1));
            let (p, ahead) = fields.split_at_mut(2 * n);
            let (mut p, mut ahead) = (Field::zeros(p), Field::zeros(ahead));
            let mut momentum = Momentum::default();
            let mut uphill = 0.0;
            let mut bound = f64::INFINITY;
            for round in 1..=accuracy.rounds {
                // Whether the last round went uphill is known too late for that round, so that its momentum ends one later.
                let beyond = momentum.next(uphill > 0.0);
                uphill = self.round(y, &mut p, &mut ahead, (beyond, columns));
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

    /// p ← the projection of ahead + ∇x/8 at x = y − Dᵀahead, and the next point ahead; returns ⟨ahead − new p, new p − p⟩.
    fn round(
        &self,
        y: &[f64],
        p: &mut Field,
        ahead: &mut Field,
        (beyond, columns): (f64, &mut [f64]),
    ) -> f64 {
        let Grid { rows, cols } = self.grid;
        let step = Move {
            radius: self.radius,
            beyond,
        };
        let (mut x, mut right) = columns.split_at_mut(rows + 1);
        vectorized(
            #[inline(always)]
            || {
                let mut uphill = 0.0;
                self.primal_column(x, y, ahead, 0);
                for j in 0..cols {
                    if j + 1 < cols {
                        // It reads column j of `ahead`, which is moved only then.
                        self.primal_column(right, y, ahead, j + 1);
                    } else {
                        right.copy_from_slice(x);
                    }
                    let (mut ahead, mut last) = (ahead.column(rows, j), p.column(rows, j));
                    uphill += step.column(&mut ahead, &mut last, x, right);
                    std::mem::swap(&mut x, &mut right);
                }
                uphill
            },
        )
    }

    /// Column j of y − Dᵀp. One more entry, if there is room, repeats the last.
    #[inline(always)]
    fn primal_column(&self, x: &mut [f64], y: &[f64], p: &Field, j: usize) {
        let rows = self.grid.rows;
        let here = rows * j..rows * (j + 1);
        let (y, down, across) = (&y[here.clone()], &p.down[here.clone()], &p.across[here]);
        for (((x, y), d), a) in x.iter_mut().zip(y).zip(down).zip(across) {
            *x = y + d + a;
        }
        for (x, d) in x[1..rows].iter_mut().zip(down) {
            *x -= d;
        }
        if j > 0 {
            let left = &p.across[rows * (j - 1)..rows * j];
            for (x, left) in x.iter_mut().zip(left) {
                *x -= left;
            }
        }
        if x.len() > rows {
            x[rows] = x[rows - 1];
        }
    }

    /// x ← y − Dᵀp
    fn primal(&self, x: &mut [f64], y: &[f64], p: &Field) {
        vectorized(
            #[inline(always)]
            || {
                for (j, x) in x.chunks_mut(self.grid.rows).enumerate() {
                    self.primal_column(x, y, p, j);
                }
            },
        );
    }

    /// Σ λ|∇x| − p·∇x, each term ≥ 0, and Σ λ|∇x|.
    fn gap(&self, x: &[f64], p: &Field) -> (f64, f64) {
        let Grid { rows, cols } = self.grid;
        let (mut gap, mut size) = (0.0, 0.0);
        for j in 0..cols {
            // The last column is its own right neighbour, so that its difference is 0.
            let next = (j + 1).min(cols - 1);
            let (x, right) = (&x[rows * j..][..rows], &x[rows * next..][..rows]);
            for i in 0..rows {
                let below = if i + 1 < rows { x[i + 1] } else { x[i] };
                let (d, a) = (below - x[i], right[i] - x[i]);
                let inner = p.down[rows * j + i] * d + p.across[rows * j + i] * a;
                let steep = self.radius * (d * d + a * a).sqrt();
                gap += (steep - inner).max(0.0);
                size += steep;
            }
        }
        (gap, size)
    }
}
