//! Exact codes over a ≥ 0: the active-set method, started from the support that the sweeps found.
//!
//! Borrowed: C. Lawson, R. Hanson, Solving least squares problems, 1974, on the normal equations.

use super::Quadratic;
use crate::products::Lanes;
use proxsplit::Elementary;
use proxsplit::internal::linalg::vec::axpy;
use proxsplit::internal::scratch;
use proxsplit::simd;
use rayon::prelude::*;

/// A pivot below this fraction of its diagonal entry is rounding: the atom depends on those before it.
const DEPENDENT: f64 = 1e-13;
/// Roundings of G that are left in a G_t of a column with missing entries, at most.
const ROUNDINGS: f64 = 64.0;
/// By how much of its value an exact column may look worse than its start, because of rounding.
const SLACK: f64 = 1e-12;

/// Replaces every column by the exact minimizer of ½aᵀ(G + W₂)a − (c − W₁)ᵀa over a ≥ 0 (W₁ and W₂ divided by its weight), where the active set ends in one
/// that is no worse; other columns keep the answer of the sweeps. Returns whether there are no others.
pub(crate) fn polish<T: Lanes>(
    problem: Quadratic<'_, T>,
    codes: &mut [T],
    term: Elementary,
) -> bool {
    let rank = problem.rank;
    let shared: Vec<f64> = (0..rank * rank)
        .map(|at| problem.gram[at].f64() + ridge(at, rank, term))
        .collect();
    let shared_floor: Vec<f64> = (0..rank)
        .map(|k| DEPENDENT * shared[k * rank + k])
        .collect();
    codes
        .par_chunks_mut(rank)
        .zip(problem.linear.par_chunks(rank))
        .enumerate()
        .with_min_len(16)
        .map(|(column, (a, c))| match (problem.own, problem.weights) {
            (None, None) => polish_column((&shared, &shared_floor), (a, c), term),
            _ => scratch::with(rank * rank, |own_gram: &mut [T]| {
                let weight = problem.weight(column).f64();
                if weight == 0.0 {
                    a.fill(T::ZERO);
                    return true;
                }
                let term = Elementary {
                    l1: term.l1 / weight,
                    sql2: term.sql2 / weight,
                    ..term
                };
                match problem.own {
                    None => own_gram.copy_from_slice(problem.gram),
                    Some(own) => own.gram(own_gram, problem.gram, column),
                }
                scratch::with(rank * (rank + 1), |space: &mut [f64]| {
                    let (gram, floor) = space.split_at_mut(rank * rank);
                    for (at, (gram, own)) in gram.iter_mut().zip(&*own_gram).enumerate() {
                        *gram = own.f64() + ridge(at, rank, term);
                    }
                    let rounding = ROUNDINGS * T::EPSILON.f64();
                    for (k, floor) in floor.iter_mut().enumerate() {
                        let at = k * (rank + 1);
                        *floor = DEPENDENT * gram[at] + rounding * problem.gram[at].f64();
                    }
                    polish_column((gram, floor), (a, c), term)
                })
            }),
        })
        .reduce(|| true, |a, b| a && b)
}

/// W₂ on the diagonal.
fn ridge(at: usize, rank: usize, term: Elementary) -> f64 {
    if at.is_multiple_of(rank + 1) {
        term.sql2
    } else {
        0.0
    }
}

/// Returns whether the active set has ended.
fn polish_column<T: Lanes>(
    (gram, floor): (&[f64], &[f64]),
    (a, c): (&mut [T], &[T]),
    term: Elementary,
) -> bool {
    let rank = a.len();
    scratch::with(rank * rank + 5 * rank, |space: &mut [f64]| {
        let (factor, rest) = space.split_at_mut(rank * rank);
        let (linear, rest) = rest.split_at_mut(rank);
        let (exact, rest) = rest.split_at_mut(rank);
        let (target, rest) = rest.split_at_mut(rank);
        let (slope, done) = rest.split_at_mut(rank);
        for ((linear, exact), (c, a)) in linear.iter_mut().zip(&mut *exact).zip(c.iter().zip(&*a)) {
            (*linear, *exact) = (c.f64() - term.l1, a.f64());
        }
        let column = Column {
            gram,
            floor,
            linear,
            factor,
            target,
            slope,
            done,
        };
        simd::arch().dispatch(
            #[inline(always)]
            move || {
                // A closure that could be called again would be called through a function without the wide instructions.
                let mut column = column;
                let before = column.value(exact);
                let is_exact = column.solve(exact);
                // What rounding makes of an exact start may look worse by as much.
                if is_exact && column.value_at_end(exact) <= before + SLACK * before.abs() {
                    for (a, &exact) in a.iter_mut().zip(&*exact) {
                        *a = T::of(exact);
                    }
                }
                is_exact
            },
        )
    })
}

/// product ← Ga for a symmetric G, row after row: most entries of a are zero, and the others do not wait for each other.
#[inline(always)]
fn multiply(gram: &[f64], a: &[f64], product: &mut [f64]) {
    product.fill(0.0);
    for (row, &a) in gram.chunks_exact(a.len()).zip(a) {
        if a != 0.0 {
            axpy(a, row, product);
        }
    }
}

struct Column<'a> {
    gram: &'a [f64],
    /// Pivots up to here are rounding.
    floor: &'a [f64],
    linear: &'a [f64],
    factor: &'a mut [f64],
    target: &'a mut [f64],
    slope: &'a mut [f64],
    done: &'a mut [f64],
}

/// All of it is inlined where the wide instructions are.
impl Column<'_> {
    /// ½aᵀGa − cᵀa
    #[inline(always)]
    fn value(&mut self, a: &[f64]) -> f64 {
        multiply(self.gram, a, self.slope);
        let terms = a.iter().zip(self.linear).zip(&*self.slope);
        terms.map(|((a, c), product)| a * (0.5 * product - c)).sum()
    }

    /// The same by the slope c − Ga that `solve` has left.
    #[inline(always)]
    fn value_at_end(&self, a: &[f64]) -> f64 {
        let terms = a.iter().zip(self.linear).zip(&*self.slope);
        -0.5 * terms.map(|((a, c), slope)| a * (c + slope)).sum::<f64>()
    }

    /// `true` if `a` is optimal.
    #[inline(always)]
    fn solve(&mut self, a: &mut [f64]) -> bool {
        let rank = a.len();
        let mut passive: Vec<usize> = (0..rank).filter(|&k| a[k] > 0.0).collect();
        let scale = self.linear.iter().fold(0.0_f64, |s, c| s.max(c.abs()));
        for _ in 0..3 * rank + 10 {
            if let Err(dependent) = self.least_squares(&passive) {
                // The others can do without it; if they cannot, it comes back.
                a[passive.remove(dependent)] = 0.0;
                continue;
            }
            // As far as the passive solution as all entries stay positive.
            let mut share = 1.0_f64;
            for (at, &k) in passive.iter().enumerate() {
                if self.target[at] <= 0.0 {
                    share = share.min(a[k] / (a[k] - self.target[at]));
                }
            }
            for (at, &k) in passive.iter().enumerate() {
                a[k] += share * (self.target[at] - a[k]);
            }
            if share < 1.0 {
                let target = &*self.target;
                let mut at = 0;
                passive.retain(|&k| {
                    let leaves = target[at] <= 0.0
                        && a[k] <= 1e-14 * target[at].abs().max(f64::MIN_POSITIVE);
                    at += 1;
                    if leaves {
                        a[k] = 0.0;
                    }
                    !leaves
                });
                continue;
            }
            match self.steepest(a, 1e-12 * scale) {
                None => return true,
                Some(k) if passive.contains(&k) => return true,
                Some(k) => passive.push(k),
            }
        }
        false
    }

    /// The zero entry whose growth helps most, if any helps by more than rounding.
    #[inline(always)]
    fn steepest(&mut self, a: &[f64], tolerance: f64) -> Option<usize> {
        multiply(self.gram, a, self.slope);
        for (slope, linear) in self.slope.iter_mut().zip(self.linear) {
            *slope = linear - *slope;
        }
        let slope = &*self.slope;
        (0..a.len())
            .filter(|&k| a[k] == 0.0 && slope[k] > tolerance)
            .max_by(|&i, &j| slope[i].total_cmp(&slope[j]))
    }

    /// target ← the solution of G_PP z = c_P by Cholesky; `Err` with the place of an atom that depends on those before it.
    #[inline(always)]
    fn least_squares(&mut self, passive: &[usize]) -> Result<(), usize> {
        self.decompose(passive)?;
        let (n, rank) = (passive.len(), self.linear.len());
        let done = &mut self.done[..n];
        done.fill(0.0);
        for (i, row) in self.factor.chunks_exact(rank).take(n).enumerate() {
            let target = (self.linear[passive[i]] - done[i]) / row[i];
            self.target[i] = target;
            axpy(target, &row[i + 1..n], &mut done[i + 1..]);
        }
        for (i, row) in self.factor.chunks_exact(rank).take(n).enumerate().rev() {
            let known = row[i + 1..n].iter().zip(&self.target[i + 1..n]);
            let done: f64 = known.map(|(factor, target)| factor * target).sum();
            self.target[i] = (self.target[i] - done) / row[i];
        }
        Ok(())
    }

    /// factor ← U with G_PP = UᵀU. A row that is done is taken from those below it, whose entries do not wait for each other.
    #[inline(always)]
    fn decompose(&mut self, passive: &[usize]) -> Result<(), usize> {
        let (n, rank) = (passive.len(), self.linear.len());
        for (i, row) in self.factor.chunks_exact_mut(rank).take(n).enumerate() {
            let gram = &self.gram[passive[i] * rank..][..rank];
            for (entry, &k) in row[i..n].iter_mut().zip(&passive[i..]) {
                *entry = gram[k];
            }
        }
        for i in 0..n {
            let (done, below) = self.factor.split_at_mut((i + 1) * rank);
            let row = &mut done[i * rank..][..n];
            if row[i] <= self.floor[passive[i]] || row[i].is_nan() {
                return Err(i);
            }
            let pivot = row[i].sqrt();
            row[i] = pivot;
            for entry in &mut row[i + 1..] {
                *entry /= pivot;
            }
            for (j, other) in (i + 1..n).zip(below.chunks_exact_mut(rank)) {
                axpy(-row[j], &row[j..], &mut other[j..n]);
            }
        }
        Ok(())
    }
}
