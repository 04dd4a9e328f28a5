//! Kullback–Leibler: Σ y log(y/z) − y + z with Z = XA, for counts and spectra.
//!
//! Only entries with y > 0 need z: Σ z over all entries is (Xᵀ1)ᵀ(A1). The problem of a column of A, and of a row of X, is convex and
//! is improved by coordinate Newton steps that never raise the objective.

mod counts;
mod sweep;
#[cfg(test)]
mod tests;

use super::{Grams, Misfit, Shares, Slopes};
use crate::codes::{Effort, Term};
use crate::problem::Factors;
use crate::products::{Data, Lanes, gram, in_order};
use counts::Lines;
use proxsplit::certificate::{Assumption, Standing};
use proxsplit::linalg::vec::{dot, norm};
use proxsplit::scratch;
use rayon::prelude::*;
use std::ops::Range;
use sweep::Line;

/// Sweeps of a visit: the other factor moves, too, and a sweep costs as much as two products.
const VISIT: usize = 4;
/// Sweeps of a look, which begins near its end: more would cost more than the passes between two looks.
const EXACT: Effort = Effort {
    sweeps: 100,
    tolerance: 1e-7,
};
/// An entry that runs ahead keeps at least this share of itself, so that no z vanishes where y does not.
const KEPT: f64 = 0.1;
/// Lines of which one task finds a part of a sum.
const PART: usize = 64;

pub(super) struct KullbackLeibler<T> {
    rank: usize,
    columns: Lines<T>,
    rows: Lines<T>,
    /// Σ y
    total: f64,
    /// Σ y of every column.
    totals: Vec<f64>,
    grams: Grams<T>,
}

impl<T: Lanes> KullbackLeibler<T> {
    pub(super) fn new(data: &Data<'_, T>, rank: usize) -> Self {
        let [columns, rows] = Lines::both(data);
        let sum = |line: usize| columns.line(line).1.iter().map(|y| y.f64()).sum::<f64>();
        let totals: Vec<f64> = (0..data.cols()).map(sum).collect();
        Self {
            rank,
            columns,
            rows,
            total: totals.iter().sum(),
            totals,
            grams: Grams::new(rank),
        }
    }

    /// Improves the lines from `first` on, whose own factor is `own` and the other `other`.
    fn improve(
        &self,
        (lines, first): (&Lines<T>, usize),
        (own, other): (&mut [T], &[T]),
        (psi, effort): (&Term<'_, T>, Effort),
    ) {
        let Some(term) = psi.elementary else { return };
        let rank = self.rank;
        scratch::with(rank, |slopes: &mut [T]| {
            with_sums(other, rank, |sums| {
                for (slope, sum) in slopes.iter_mut().zip(sums) {
                    *slope = T::of(sum + term.l1);
                }
            });
            let slopes = &*slopes;
            own.par_chunks_mut(rank)
                .enumerate()
                .with_min_len(8)
                .for_each(|(at, a)| {
                    let (indices, y) = lines.line(first + at);
                    scratch::with(rank * y.len(), |d: &mut [T]| {
                        gather(d, other, indices, rank);
                        sweep::solve(Line { y, d }, (a, slopes), (term, psi.first()), effort);
                    });
                });
        });
    }

    /// The slope of a factor: the sums of the other one less Σ (y/z)·f, and the size of the latter.
    fn slope(&self, lines: &Lines<T>, own: &[T], other: &[T]) -> (Vec<T>, f64) {
        let rank = self.rank;
        let all = with_sums(other, rank, <[f64]>::to_vec);
        let mut slope = vec![T::ZERO; own.len()];
        let mut pulls = slope.clone();
        slope
            .par_chunks_mut(rank)
            .zip(pulls.par_chunks_mut(rank))
            .enumerate()
            .with_min_len(8)
            .for_each(|(line, (slope, pulls))| {
                let a = &own[line * rank..][..rank];
                scratch::with(rank, |sum: &mut [f64]| {
                    sum.fill(0.0);
                    let (indices, y) = lines.line(line);
                    for (&i, y) in indices.iter().zip(y) {
                        let f = &other[i as usize * rank..][..rank];
                        let ratio = y.f64() / dot(a, f);
                        for (sum, f) in sum.iter_mut().zip(f) {
                            *sum += ratio * f.f64();
                        }
                    }
                    for (k, &sum) in sum.iter().enumerate() {
                        slope[k] = T::of(all[k] - sum);
                        pulls[k] = T::of(sum);
                    }
                });
            });
        let scale = norm(&pulls);
        (slope, scale)
    }

    /// Σ y log(y/z) − y + z.
    fn divergence(&self, x: &[T], a: &[T]) -> f64 {
        let rank = self.rank;
        let of_column = |(t, a): (usize, &[T])| {
            let (indices, y) = self.columns.line(t);
            let entries = indices.iter().zip(y).map(|(&i, y)| {
                let z = dot(&x[i as usize * rank..][..rank], a);
                of_entry(y.f64(), z) - z
            });
            entries.sum::<f64>()
        };
        let stored = in_order(a.par_chunks(rank * PART).enumerate().map(|(part, codes)| {
            let columns = (part * PART..).zip(codes.chunks_exact(rank));
            columns.map(of_column).sum()
        }));
        let sum = stored + self.whole(x, a);
        // Not `max`, which takes NaN for 0.
        if sum < 0.0 { 0.0 } else { sum }
    }

    /// Σ z over all entries.
    fn whole(&self, x: &[T], a: &[T]) -> f64 {
        with_sums(x, self.rank, |x| with_sums(a, self.rank, |a| dot(x, a)))
    }
}

/// y log(y/z) − y + z for y > 0, without cancellation where z is near y.
fn of_entry(y: f64, z: f64) -> f64 {
    let off = z / y - 1.0;
    y * (off - off.ln_1p())
}

/// Calls `look` with F·1 for a factor of K rows.
fn with_sums<T: Lanes, R>(factor: &[T], rank: usize, look: impl FnOnce(&[f64]) -> R) -> R {
    scratch::with(rank, |sums: &mut [f64]| {
        sums.fill(0.0);
        for column in factor.chunks_exact(rank) {
            for (sum, value) in sums.iter_mut().zip(column) {
                *sum += value.f64();
            }
        }
        look(sums)
    })
}

/// d (K rows) ← the columns of F at these places.
fn gather<T: Lanes>(d: &mut [T], f: &[T], indices: &[u32], rank: usize) {
    let n = indices.len();
    for (p, &i) in indices.iter().enumerate() {
        for (k, &value) in f[i as usize * rank..][..rank].iter().enumerate() {
            d[k * n + p] = value;
        }
    }
}

/// A few sweeps, however hard a quadratic would be worked on.
fn visit(effort: Effort) -> Effort {
    Effort {
        sweeps: effort.sweeps.min(VISIT),
        ..effort
    }
}

impl<T: Lanes> Misfit<T> for KullbackLeibler<T> {
    fn solve_codes(
        &mut self,
        x: &[T],
        codes: &mut [T],
        range: Range<usize>,
        (psi, effort): (&Term<'_, T>, Effort),
    ) {
        let how = (psi, visit(effort));
        self.improve((&self.columns, range.start), (codes, x), how);
    }

    fn solve_codes_exactly(&mut self, x: &[T], codes: &mut [T], psi: &Term<'_, T>) {
        self.improve((&self.columns, 0), (codes, x), (psi, EXACT));
    }

    fn see(&mut self, codes: &[T]) {
        gram(&mut self.grams.a, codes, self.rank);
    }

    fn solve_atoms(&mut self, x: &mut [T], codes: &[T], (psi, effort): (&Term<'_, T>, Effort)) {
        self.improve((&self.rows, 0), (x, codes), (psi, visit(effort)));
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
        let misfit = self.value(x, a);
        let (slope_x, scale_x) = self.slope(&self.rows, x, a);
        let (slope_a, scale_a) = self.slope(&self.columns, a, x);
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
            name: "no theorem that is known here covers kl",
            standing: Standing::Violated,
            text: "the slope of the misfit is Lipschitz continuous; that of kl is not where XA nears 0".into(),
        })
    }

    fn shares(&mut self) -> Option<&mut dyn Shares<T>> {
        None
    }
}
