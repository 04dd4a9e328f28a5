//! Kullback–Leibler: Σ y log(y/z) − y + z with Z = XA, for counts and spectra.
//!
//! Only entries with y > 0 need z: Σ z over all entries is (Xᵀ1)ᵀ(A1). The problem of a column of A, and of a row of X, is convex and
//! is improved by coordinate Newton steps that never raise the objective.

mod counts;
mod line;
mod simplex;
mod sums;
mod sweep;
#[cfg(test)]
mod tests;

use super::{Grams, Misfit, Shares, Slopes};
use crate::codes::{Effort, Term};
use crate::look::is_lost;
use crate::loss::simplex_radius;
use crate::plain;
use crate::problem::Factors;
use crate::products::{Data, Lanes, gram, in_order};
use counts::Lines;
use proxsplit::certificate::{Assumption, Standing};
use proxsplit::internal::linalg::vec::{dot, norm};
use proxsplit::internal::parallel::Each;
use proxsplit::internal::scratch;
use proxsplit::{Elementary, simd};
use rayon::prelude::*;
use std::ops::Range;
use sums::Sums;
use sweep::Rounds;

/// Sweeps of a visit: the other factor moves, too.
const VISIT: usize = 4;
/// Rounds of a look. It is about the pair that it finds, however exact its codes are: far from the end it may be content with less.
const LOOK: Rounds = Rounds {
    count: 12,
    sweeps: Effort {
        sweeps: VISIT,
        tolerance: 1e-2,
    },
    gain: 1e-15,
    share: 1e-6,
};
/// What a look costs, in passes.
const LOOK_COST: f64 = 2.0;
/// Until nothing can be gained.
const EXACT: Rounds = Rounds {
    count: 200,
    sweeps: Effort {
        sweeps: 8,
        tolerance: 1e-2,
    },
    gain: 1e-15,
    share: 0.0,
};
/// An entry that runs ahead keeps at least this share of itself, so that no z vanishes where y does not.
const KEPT: f64 = 0.1;
/// Lines of which one task finds a part of a sum.
const PART: usize = 64;

pub(super) struct KullbackLeibler<'a, T: Lanes> {
    data: &'a Data<'a, T>,
    rank: usize,
    columns: Lines<T>,
    rows: Lines<T>,
    /// Σ y
    total: f64,
    /// Σ y of every column.
    totals: Vec<f64>,
    grams: Grams<T>,
}

impl<'a, T: Lanes> KullbackLeibler<'a, T> {
    pub(super) fn new(data: &'a Data<'a, T>, rank: usize) -> Self {
        let [columns, rows] = Lines::both(data);
        let sum = |line: usize| columns.line(line).1.iter().map(|y| y.f64()).sum::<f64>();
        let totals: Vec<f64> = (0..data.cols()).map(sum).collect();
        Self {
            data,
            rank,
            columns,
            rows,
            total: totals.iter().sum(),
            totals,
            grams: Grams::new(rank),
        }
    }

    /// Calls `work` with the sums of X over the observed entries of the columns of a range.
    fn over_columns<R>(
        &self,
        x: &[T],
        range: &Range<usize>,
        work: impl FnOnce(&Sums<'_, T>) -> R,
    ) -> R {
        let own = self.data.gaps().map(|gaps| gaps.of_columns(x, range));
        Sums::with(x, self.rank, own, work)
    }

    /// Calls `work` with the sums of A over the observed entries of the rows.
    fn over_rows<R>(&self, a: &[T], work: impl FnOnce(&Sums<'_, T>) -> R) -> R {
        let gaps = self.data.gaps();
        let own = gaps.map(|gaps| gaps.of_rows(a, self.all()));
        Sums::with(a, self.rank, own, work)
    }

    fn all(&self) -> Range<usize> {
        0..self.data.cols()
    }

    /// Improves the codes of a range of columns.
    fn improve_codes(
        &self,
        x: &[T],
        codes: &mut [T],
        range: &Range<usize>,
        how: (&Term<'_, T>, Rounds),
    ) {
        self.over_columns(x, range, |sums| {
            self.improve((&self.columns, range.start), (codes, sums), how);
        });
    }

    /// Improves the lines from `first` on, whose own factor is `own` and the other that of the sums.
    fn improve(
        &self,
        (lines, first): (&Lines<T>, usize),
        (own, sums): (&mut [T], &Sums<'_, T>),
        (psi, rounds): (&Term<'_, T>, Rounds),
    ) {
        let rank = self.rank;
        // What is no simplex has been refused.
        let (term, radius) = match psi.elementary {
            Some(term) => (term, None),
            None => (Elementary::ZERO, simplex_radius(psi.prox)),
        };
        own.par_chunks_mut(rank)
            .enumerate()
            .with_min_len(8)
            .each(&|(at, a)| {
                let line = lines.line_with(first + at, sums.factor);
                scratch::with(rank, |slopes: &mut [T]| {
                    sums.of(at, |sums| {
                        for (slope, sum) in slopes.iter_mut().zip(sums) {
                            *slope = T::of(sum + term.l1);
                        }
                    });
                    match radius {
                        None => sweep::solve(line, (a, slopes), (term, psi.first()), rounds),
                        Some(radius) => simplex::solve(line, (a, slopes), radius, rounds),
                    }
                });
            });
    }

    /// The slope of a factor: the sums of the other one less Σ (y/z)·f, and the size of the latter.
    fn slope(&self, lines: &Lines<T>, own: &[T], sums: &Sums<'_, T>) -> (Vec<T>, f64) {
        let rank = self.rank;
        let mut slope = vec![T::ZERO; own.len()];
        let mut pulls = slope.clone();
        slope
            .par_chunks_mut(rank)
            .zip(pulls.par_chunks_mut(rank))
            .enumerate()
            .with_min_len(8)
            .each(&|(at, (slope, pulls))| {
                let line = lines.line_with(at, sums.factor);
                scratch::with(rank, |pull: &mut [f64]| {
                    let a = &own[at * rank..][..rank];
                    simd::arch().dispatch(
                        #[inline(always)]
                        || line.exact_pulls(a, pull),
                    );
                    sums.of(at, |sums| {
                        for k in 0..rank {
                            slope[k] = T::of(sums[k] - pull[k]);
                            pulls[k] = T::of(pull[k]);
                        }
                    });
                });
            });
        let scale = norm(&pulls);
        (slope, scale)
    }

    /// The slope of X over a range of columns, whose codes are those of the sums.
    fn slope_over(&self, (x, sums): (&[T], &Sums<'_, T>), range: &Range<usize>, slope: &mut [T]) {
        let rank = self.rank;
        slope
            .par_chunks_mut(rank)
            .enumerate()
            .with_min_len(8)
            .each(&|(row, slope)| {
                let (indices, y) = self.rows.line(row);
                let x = &x[row * rank..][..rank];
                scratch::with(rank, |pulls: &mut [f64]| {
                    pulls.fill(0.0);
                    for (&t, y) in indices.iter().zip(y) {
                        if range.contains(&(t as usize)) {
                            let a = &sums.factor[(t as usize - range.start) * rank..][..rank];
                            let ratio = y.f64() / dot(x, a);
                            for (pull, a) in pulls.iter_mut().zip(a) {
                                *pull += ratio * a.f64();
                            }
                        }
                    }
                    sums.of(row, |sums| {
                        for k in 0..rank {
                            slope[k] = T::of(sums[k] - pulls[k]);
                        }
                    });
                });
            });
    }

    /// Σ y log(y/z) − y + z.
    fn divergence(&self, x: &[T], a: &[T]) -> f64 {
        self.divergence_over(x, a, self.all())
    }

    /// The same over a range of columns, whose codes are given.
    fn divergence_over(&self, x: &[T], a: &[T], range: Range<usize>) -> f64 {
        let (rank, first) = (self.rank, range.start);
        let stored = in_order(a.par_chunks(rank * PART).enumerate(), &|(part, codes)| {
            simd::arch().dispatch(
                #[inline(always)]
                || {
                    let columns = (first + part * PART..).zip(codes.chunks_exact(rank));
                    let of_column = |(t, a)| self.columns.line_with(t, x).divergence(a);
                    columns.map(of_column).sum()
                },
            )
        });
        let sum = stored + self.over_columns(x, &range, |sums| sums.product(a));
        // Not `max`, which takes NaN for 0.
        if sum < 0.0 { 0.0 } else { sum }
    }

    /// Σ z over all observed entries.
    fn whole(&self, x: &[T], a: &[T]) -> f64 {
        self.over_columns(x, &self.all(), |sums| sums.product(a))
    }
}

/// A few sweeps, however hard a quadratic would be worked on.
fn visit(effort: Effort) -> Rounds {
    Rounds {
        count: 1,
        sweeps: Effort {
            sweeps: effort.sweeps.min(VISIT),
            ..effort
        },
        gain: 0.0,
        share: 0.0,
    }
}

impl<T: Lanes> Misfit<T> for KullbackLeibler<'_, T> {
    fn solve_codes(
        &mut self,
        x: &[T],
        codes: &mut [T],
        range: Range<usize>,
        (psi, effort): (&Term<'_, T>, Effort),
    ) {
        self.improve_codes(x, codes, &range, (psi, visit(effort)));
    }

    fn solve_codes_exactly(&mut self, x: &[T], codes: &mut [T], psi: &Term<'_, T>) {
        // Squares of rounding errors.
        let least = (8.0 * T::EPSILON.f64()).powi(2);
        let exact = Rounds {
            gain: EXACT.gain.max(least),
            ..EXACT
        };
        self.improve_codes(x, codes, &self.all(), (psi, exact));
    }

    fn refine_codes(&mut self, x: &[T], codes: &mut [T], psi: &Term<'_, T>) {
        self.improve_codes(x, codes, &self.all(), (psi, LOOK));
    }

    fn look_cost(&self) -> f64 {
        LOOK_COST
    }

    fn see(&mut self, codes: &[T]) {
        gram(&mut self.grams.a, codes, self.rank);
    }

    fn solve_atoms(&mut self, x: &mut [T], codes: &[T], (psi, effort): (&Term<'_, T>, Effort)) {
        self.over_rows(codes, |sums| {
            self.improve((&self.rows, 0), (x, sums), (psi, visit(effort)));
        });
    }

    fn value(&mut self, x: &[T], codes: &[T]) -> f64 {
        gram(&mut self.grams.x, x, self.rank);
        self.divergence(x, codes)
    }

    fn parts(&self) -> f64 {
        self.total
    }

    fn size(&self) -> f64 {
        self.total
    }

    fn grams(&mut self) -> &mut Grams<T> {
        &mut self.grams
    }

    /// There is no Lipschitz constant. The steps are those of a multiplicative update, a/σ, for entries of a typical size.
    fn slopes(&mut self, factors: &Factors<T>) -> Slopes<T> {
        let (x, a) = (&factors.x, &factors.a);
        self.see(a);
        let misfit = match self.value(x, a) {
            // The sums of z and of y cancel.
            lost if is_lost::<T>(lost, self.total) => {
                plain::counts::divergence(self.data, factors).0.misfit
            }
            value => value,
        };
        let (slope_x, scale_x) = self.over_rows(a, |sums| self.slope(&self.rows, x, sums));
        let (slope_a, scale_a) =
            self.over_columns(x, &self.all(), |sums| self.slope(&self.columns, a, sums));
        let step = |factor: &[T], scale: f64| {
            let step = norm(factor) / scale;
            if step.is_finite() && step > 0.0 {
                step
            } else {
                1.0
            }
        };
        Slopes {
            misfit,
            x: slope_x,
            a: slope_a,
            scales: (scale_x, scale_a),
            steps: (step(x, scale_x), step(a, scale_a)),
        }
    }

    /// θ = α·y/z with the largest α for which Xᵀθ ≤ σ + W is a dual point: the gap is (σ + W)ᵀa − Σy·(1 + log α).
    fn orthant_gap(
        &self,
        column: usize,
        (weight, sums): (f64, &[f64]),
        a: &[T],
        slope: &[T],
    ) -> f64 {
        let (mut alpha, mut linear) = (f64::INFINITY, 0.0);
        for ((&sum, slope), a) in sums.iter().zip(slope).zip(a) {
            let (limit, pull) = (sum + weight, sum - slope.f64());
            linear += limit * a.f64();
            if pull > 0.0 {
                alpha = alpha.min(limit / pull);
            }
        }
        let total = self.totals[column];
        if total == 0.0 {
            return linear;
        }
        if alpha == f64::INFINITY {
            // No code makes z positive where y is.
            return f64::INFINITY;
        }
        (linear - total * (1.0 + alpha.ln())).max(0.0)
    }

    fn best_scale(&self, factors: &Factors<T>, _: usize) -> f64 {
        self.total / self.whole(&factors.x, &factors.a)
    }

    fn stay_inside(&self, ahead: &mut [T], new: &[T]) {
        let kept = T::of(KEPT);
        for (ahead, &new) in ahead.iter_mut().zip(new) {
            *ahead = ahead.max(kept * new);
        }
    }

    fn admits(&mut self, factors: &Factors<T>) -> bool {
        self.divergence(&factors.x, &factors.a).is_finite()
    }

    fn assumption(&self) -> Option<Assumption> {
        Some(Assumption {
            name: "the gradient of kl is not Lipschitz continuous",
            standing: Standing::Violated,
            text: "the gradient of the misfit is Lipschitz continuous; that of kl is not where XA approaches 0".into(),
        })
    }

    fn slope_of(&mut self, x: &[T], codes: &[T], range: Range<usize>, slope: &mut [T]) -> f64 {
        let gaps = self.data.gaps();
        let own = gaps.map(|gaps| gaps.of_rows(codes, range.clone()));
        Sums::with(codes, self.rank, own, |sums| {
            self.slope_over((x, sums), &range, slope);
        });
        self.divergence_over(x, codes, range)
    }

    fn shares(&mut self) -> Option<&mut dyn Shares<T>> {
        None
    }
}
