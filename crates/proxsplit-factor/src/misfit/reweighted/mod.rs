//! Σ w·ρ(y − z) where entries count each in its own way: squares with weights of single entries, and Huber's loss for outliers.
//!
//! Every line has a Gram matrix of its own, K² work an entry. Huber's loss is replaced by the weighted squares that touch it where a
//! solve begins and lie above it elsewhere, so that no solve raises it (iteratively reweighted least squares: P. Huber, Robust
//! statistics, 1981; as a majorization: D. Hunter, K. Lange, A tutorial on MM algorithms, 2004).

mod entries;
mod majorant;
#[cfg(test)]
mod tests;

use super::squared::exactly;
use super::{Grams, Misfit, Shares, Slopes};
use crate::codes::{Effort, Quadratic, Term};
use crate::look::reference_step;
use crate::loss::Loss;
use crate::plain::{self, Lines};
use crate::problem::Factors;
use crate::products::{Data, Lanes, distance_squared, gram, in_order};
use entries::Entries;
use majorant::Majorant;
use proxsplit::internal::linalg::vec::{dot, norm};
use rayon::prelude::*;
use std::ops::Range;

/// Lines of which one task finds a part of a sum.
const PART: usize = 64;
/// Majorants of a look at most, and the move, relative to the codes, after which another one would change nothing.
const MAJORANTS: usize = 50;
const SETTLED: f64 = 1e-10;

pub(super) struct Reweighted<'a, T: Lanes> {
    data: &'a Data<'a, T>,
    loss: Loss,
    rank: usize,
    columns: Entries<'a, T>,
    rows: Entries<'a, T>,
    /// Where the majorants of a solve touch, and their linear parts.
    touching: Vec<T>,
    linear: Vec<T>,
    grams: Grams<T>,
    /// The misfit of XA = 0.
    size: f64,
}

/// How a solve ends.
#[derive(Clone, Copy)]
enum Ending {
    After(Effort),
    Exact,
}

impl<'a, T: Lanes> Reweighted<'a, T> {
    pub(super) fn new(data: &'a Data<'a, T>, rank: usize, loss: Loss) -> Self {
        let [columns, rows] = Entries::both(data);
        let longest = rank * data.rows().max(data.cols());
        Self {
            data,
            loss,
            rank,
            columns,
            rows,
            touching: vec![T::ZERO; longest],
            linear: vec![T::ZERO; longest],
            grams: Grams::new(rank),
            size: Lines::of(data, loss).value_at_zero(),
        }
    }

    /// whole ← the curvature that no line exceeds.
    fn bound_curvature(&self, whole: &mut [T], factor: &[T]) {
        gram(whole, factor, self.rank);
        let largest = T::of(self.data.largest_weight());
        for value in whole {
            *value *= largest;
        }
    }

    /// Minimizes the majorants at the columns of `own`, which belong to the codes from `first` on, or to X if there is none.
    fn improve(
        &mut self,
        first: Option<usize>,
        (own, factor): (&mut [T], &[T]),
        (psi, ending): (&Term<'_, T>, Ending),
    ) {
        let mut whole = std::mem::take(match first {
            Some(_) => &mut self.grams.x,
            None => &mut self.grams.a,
        });
        self.bound_curvature(&mut whole, factor);
        let (touching, linear) = (
            &mut self.touching[..own.len()],
            &mut self.linear[..own.len()],
        );
        touching.copy_from_slice(own);
        let majorant = Majorant {
            entries: first.map_or(&self.rows, |_| &self.columns),
            factor,
            touching,
            first: first.unwrap_or(0),
            rank: self.rank,
            bound: self.loss.bound(),
        };
        majorant.linear(linear);
        let problem = Quadratic {
            gram: &whole,
            linear,
            rank: self.rank,
            own: Some(&majorant),
            weights: None,
        };
        match ending {
            Ending::After(effort) => psi.solve(problem, own, effort),
            Ending::Exact => exactly(problem, own, psi),
        }
        *match first {
            Some(_) => &mut self.grams.x,
            None => &mut self.grams.a,
        } = whole;
    }

    /// Calls `add` with w, y and z of every entry of some columns.
    fn for_each(&self, (x, codes): (&[T], &[T]), first: usize, mut add: impl FnMut(f64, f64, f64)) {
        for (t, code) in (first..).zip(codes.chunks_exact(self.rank)) {
            self.columns.with_line(t, |line| {
                for p in (0..line.y.len()).filter(|&p| line.weights[p] > T::ZERO) {
                    let z = dot(line.column(x, self.rank, p), code);
                    add(line.weights[p].f64(), line.y[p].f64(), z);
                }
            });
        }
    }

    /// ‖Σ w·ρ′(y)·f‖ over the lines of one side, the slope where the other side is 0: what cancels at a solution. Where Huber's bound is
    /// small, all slopes are, at any point, and would look so beside the data.
    fn scale(&mut self, of_codes: bool, factors: &Factors<T>) -> f64 {
        let (entries, own, factor) = if of_codes {
            (&self.columns, &factors.a, &factors.x)
        } else {
            (&self.rows, &factors.x, &factors.a)
        };
        let (touching, linear) = (
            &mut self.touching[..own.len()],
            &mut self.linear[..own.len()],
        );
        touching.fill(T::ZERO);
        let majorant = Majorant {
            entries,
            factor,
            touching,
            first: 0,
            rank: self.rank,
            bound: self.loss.bound(),
        };
        majorant.linear(linear);
        norm(linear)
    }
}

impl<T: Lanes> Misfit<T> for Reweighted<'_, T> {
    fn solve_codes(
        &mut self,
        x: &[T],
        codes: &mut [T],
        range: Range<usize>,
        (psi, effort): (&Term<'_, T>, Effort),
    ) {
        let how = (psi, Ending::After(effort));
        self.improve(Some(range.start), (codes, x), how);
    }

    fn solve_codes_exactly(&mut self, x: &[T], codes: &mut [T], psi: &Term<'_, T>) {
        let majorants = if self.loss == Loss::Squared {
            1
        } else {
            MAJORANTS
        };
        for _ in 0..majorants {
            self.improve(Some(0), (codes, x), (psi, Ending::Exact));
            let moved = distance_squared(codes, &self.touching[..codes.len()]).sqrt();
            if moved <= SETTLED * norm(codes) {
                break;
            }
        }
    }

    fn see(&mut self, codes: &[T]) {
        gram(&mut self.grams.a, codes, self.rank);
    }

    fn solve_atoms(&mut self, x: &mut [T], codes: &[T], (psi, effort): (&Term<'_, T>, Effort)) {
        self.improve(None, (x, codes), (psi, Ending::After(effort)));
    }

    fn value(&mut self, x: &[T], codes: &[T]) -> f64 {
        gram(&mut self.grams.x, x, self.rank);
        let loss = self.loss;
        let parts = codes.par_chunks(self.rank * PART).enumerate();
        in_order(parts, &|(part, codes)| {
            let mut sum = 0.0;
            self.for_each((x, codes), part * PART, |weight, y, z| {
                sum += weight * loss.of_residual(y - z);
            });
            sum
        })
    }

    fn parts(&self) -> f64 {
        self.size
    }

    fn size(&self) -> f64 {
        self.size
    }

    fn grams(&mut self) -> &mut Grams<T> {
        &mut self.grams
    }

    /// By plain sums.
    fn slopes(&mut self, factors: &Factors<T>) -> Slopes<T> {
        let found = plain::sums((self.data, self.loss), factors, true);
        let narrow = |slope: &[f64]| slope.iter().map(|&s| T::of(s)).collect();
        let scales = (self.scale(false, factors), self.scale(true, factors));
        let mut grams = std::mem::replace(&mut self.grams, Grams::new(0));
        self.bound_curvature(&mut grams.x, &factors.x);
        self.bound_curvature(&mut grams.a, &factors.a);
        let step = |gram: &[T]| reference_step(gram, self.rank, 1.0);
        let steps = (step(&grams.a), step(&grams.x));
        self.grams = grams;
        Slopes {
            misfit: found.misfit,
            x: narrow(&found.slope_x),
            a: narrow(&found.slope_a),
            scales,
            steps,
        }
    }

    fn orthant_gap(&self, _: usize, _: (f64, &[f64]), _: &[T], _: &[T]) -> f64 {
        f64::INFINITY
    }

    /// ⟨Y, XA⟩/‖XA‖² with the weights of entries, over the first columns.
    fn best_scale(&self, factors: &Factors<T>, length: usize) -> f64 {
        let count = self
            .columns
            .count()
            .min(4 * length.min(self.columns.count()));
        let codes = &factors.a[..count * self.rank];
        let (mut cross, mut square) = (0.0, 0.0);
        self.for_each((&factors.x, codes), 0, |weight, y, z| {
            cross += weight * y * z;
            square += weight * z * z;
        });
        cross / square
    }

    fn shares(&mut self) -> Option<&mut dyn Shares<T>> {
        None
    }
}
