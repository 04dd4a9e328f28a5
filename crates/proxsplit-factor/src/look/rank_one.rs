//! Rank-one terms d·vᵀ that are fitted to R = Y − XA under the terms of both factors.
//!
//! Alternating minimization of −(dᵀRv − ½‖d‖²‖v‖²) + ψ₀(d) + Σψ(v_t): with v fixed the best d is P_η(Rv/‖v‖²) with η = 1/‖v‖², and
//! the other way round. The product depends on no scale s in (d/s)(s·v)ᵀ, but the terms do, and a penalty at a bad scale kills
//! every direction; so some scales are tried at each half.

use crate::codes::{TOUCH, Term};
use crate::plain;
use crate::problem::{Factors, Problem};
use crate::products::{Lanes, dot};
use proxsplit::Separable;
use proxsplit::linalg::vec::axpy;

/// Rounds of the power method before a search.
const POWER_ROUNDS: usize = 4;
/// Decades by which the scale is tried up and down at first, and the scales later.
const DECADES: i32 = 6;
const NEAR: [f64; 3] = [1.0, 0.25, 4.0];
/// A search ends when a round gains less than this fraction, and scales that differ by less count as equal.
const PROGRESS: f64 = 0.01;

/// R = Y − XA through the products of Y.
pub(super) struct Residual<'a, T: Lanes> {
    pub(super) problem: Problem<'a, T>,
    pub(super) factors: &'a Factors<T>,
}

impl<T: Lanes> Residual<'_, T> {
    /// About the leading right singular vector of R, and its singular value.
    pub(super) fn leading_codes(&self) -> (Vec<T>, f64) {
        // Golden sections: codes that are all alike are orthogonal to every misfit that is centred.
        let golden = |t: usize| 0.5 + (t as f64 * 0.618_033_988_749_895).fract();
        let mut codes: Vec<T> = (0..self.problem.data.cols())
            .map(|t| T::of(golden(t)))
            .collect();
        let mut atom = vec![T::ZERO; self.problem.data.rows()];
        let mut value = 0.0;
        for _ in 0..POWER_ROUNDS {
            self.with_rows(&mut atom, &codes);
            self.with_columns(&mut codes, &atom);
            let size = square_of(&codes).sqrt();
            let of_atom = square_of(&atom).sqrt();
            if size > 0.0 && size.is_finite() && of_atom > 0.0 {
                value = size / of_atom;
                multiply(&mut codes, 1.0 / size);
            }
        }
        (codes, value)
    }

    /// out ← Rv
    pub(super) fn with_rows(&self, out: &mut [T], v: &[T]) {
        let rank = self.problem.rank;
        if self.problem.data.missing() > 0 {
            return self.formed(out, v, false);
        }
        self.problem.data.with_rows(out, v, 0..v.len());
        let weights = combine(&self.factors.a, v, rank);
        for (out, row) in out.iter_mut().zip(self.factors.x.chunks_exact(rank)) {
            *out -= T::of(dot(row, &weights));
        }
    }

    /// out ← dᵀR
    pub(super) fn with_columns(&self, out: &mut [T], d: &[T]) {
        let rank = self.problem.rank;
        if self.problem.data.missing() > 0 {
            return self.formed(out, d, true);
        }
        self.problem.data.with_columns(out, d, 0..out.len());
        let weights = combine(&self.factors.x, d, rank);
        for (out, column) in out.iter_mut().zip(self.factors.a.chunks_exact(rank)) {
            *out -= T::of(dot(column, &weights));
        }
    }

    /// The same where entries are missing: the products of XA would have to leave them out.
    fn formed(&self, out: &mut [T], vector: &[T], of_features: bool) {
        let sums = plain::residual_with(self.problem.data, self.factors, vector, of_features);
        for (out, sum) in out.iter_mut().zip(sums) {
            *out = T::of(sum);
        }
    }
}

/// F·v for a factor F of K rows.
fn combine<T: Lanes>(factor: &[T], v: &[T], rank: usize) -> Vec<T> {
    let mut sum = vec![T::ZERO; rank];
    for (column, &weight) in factor.chunks_exact(rank).zip(v) {
        axpy(weight, column, &mut sum);
    }
    sum
}

fn square_of<T: Lanes>(values: &[T]) -> f64 {
    dot(values, values)
}

fn multiply<T: Lanes>(values: &mut [T], by: f64) {
    for value in values {
        *value *= T::of(by);
    }
}

/// A pair that was found.
pub(super) struct Pair<T> {
    /// −(dᵀRv − ½‖d‖²‖v‖²) + ψ₀(d) + Σψ(v_t)
    pub(super) value: f64,
    pub(super) atom: Vec<T>,
    pub(super) codes: Vec<T>,
}

/// Pairs in the place of one atom.
pub(super) struct Pairs<'a, T: Lanes> {
    residual: &'a Residual<'a, T>,
    place: usize,
    atoms: Term<'a, T>,
    codes: &'a dyn Separable<T>,
}

/// One half of a pair, whose other half is fixed but for its scale.
struct Half<'a, T> {
    /// half ← P_η(half)
    prox: &'a dyn Fn(&mut [T], T),
    cost: &'a dyn Fn(&[T]) -> f64,
    cost_of_other: &'a dyn Fn(&[T]) -> f64,
}

/// What a scale of the other half leads to.
#[derive(Clone, Copy)]
struct Trial {
    scale: f64,
    fit: f64,
    cost: f64,
}

impl Trial {
    fn value(&self) -> f64 {
        self.cost - self.fit
    }

    /// The best of some: of those that gain the one that gains most, else the one that costs least for what it fits, because
    /// there the least value would be that of a pair that vanishes. Of equal ones the scale that moves least.
    fn best(trials: &[Trial]) -> Option<Trial> {
        let gains = trials.iter().any(|trial| trial.value() < 0.0);
        let measure = |trial: &Trial| {
            if gains {
                trial.value()
            } else {
                trial.cost / trial.fit
            }
        };
        let least = trials.iter().map(measure).reduce(f64::min)?;
        let equal = least + PROGRESS * least.abs();
        let near = |trial: &&Trial| measure(trial) <= equal;
        let distance = |trial: &Trial| trial.scale.ln().abs();
        let nearest = trials.iter().filter(near);
        nearest
            .min_by(|a, b| distance(a).total_cmp(&distance(b)))
            .copied()
    }
}

impl<T: Lanes> Half<'_, T> {
    /// half ← the best one for s·other, whose product with R is s·product.
    fn fit(&self, half: &mut [T], product: &[T], (square, s): (f64, f64)) -> Option<f64> {
        let (share, step) = (T::of(1.0 / (s * square)), T::of(1.0 / (s * s * square)));
        if !(step > T::ZERO && step < T::INFINITY && share < T::INFINITY) {
            return None;
        }
        for (half, &product) in half.iter_mut().zip(product) {
            *half = product * share;
        }
        (self.prox)(half, step);
        let fit = s * dot(half, product) - 0.5 * s * s * square * square_of(half);
        (fit > 0.0).then_some(fit)
    }

    /// Makes the half anew for the other at the best of some scales; returns the value of the pair, `None` if nothing is left.
    fn improve(
        &self,
        half: &mut [T],
        other: &mut [T],
        product: &[T],
        scales: &[f64],
    ) -> Option<f64> {
        let square = square_of(other);
        let trials = scales.iter().filter_map(|&scale| {
            let mut scaled = other.to_vec();
            multiply(&mut scaled, scale);
            let fit = self.fit(half, product, (square, scale))?;
            let cost = (self.cost)(half) + (self.cost_of_other)(&scaled);
            cost.is_finite().then_some(Trial { scale, fit, cost })
        });
        let best = Trial::best(&trials.collect::<Vec<_>>())?;
        self.fit(half, product, (square, best.scale))?;
        multiply(other, best.scale);
        Some(best.value())
    }
}

impl<'a, T: Lanes> Pairs<'a, T> {
    /// `None` if the codes of an atom cannot be changed alone.
    pub(super) fn new(residual: &'a Residual<'a, T>, place: usize) -> Option<Self> {
        Some(Self {
            residual,
            place,
            atoms: residual.problem.terms().0,
            codes: residual.problem.codes.separable()?,
        })
    }

    /// Alternating minimization from codes of the norm `size`.
    pub(super) fn alternate(&self, mut codes: Vec<T>, size: f64, rounds: usize) -> Option<Pair<T>> {
        self.move_into_domain(&mut codes, size);
        let of_atom = |atom: &[T]| self.atoms.prox.value(atom);
        let of_codes = |codes: &[T]| self.cost_of_codes(codes);
        let for_atom = Half {
            prox: &|atom, step| self.atoms.prox.prox(atom, step),
            cost: &of_atom,
            cost_of_other: &of_codes,
        };
        let for_codes = Half {
            prox: &|codes, step| self.prox_of_codes(codes, step),
            cost: &of_codes,
            cost_of_other: &of_atom,
        };
        let wide: Vec<f64> = (-DECADES..=DECADES).map(|e| 10f64.powi(e)).collect();
        let mut atom = vec![T::ZERO; self.residual.problem.data.rows()];
        let (mut products, mut value) = ((atom.clone(), codes.clone()), f64::INFINITY);
        for round in 0..rounds {
            let scales = if round == 0 { &*wide } else { &NEAR };
            self.residual.with_rows(&mut products.0, &codes);
            for_atom.improve(&mut atom, &mut codes, &products.0, scales)?;
            self.residual.with_columns(&mut products.1, &atom);
            let now = for_codes.improve(&mut codes, &mut atom, &products.1, scales)?;
            let gained = value - now;
            value = now;
            if gained <= PROGRESS * value.abs() {
                break;
            }
        }
        Some(Pair { value, atom, codes })
    }

    /// Scales codes to a norm, and moves those that the term forbids to the nearest ones that it allows. If that is 0 for all, as
    /// for small numbers in {0, 1}, the largest is scaled to 1 first.
    fn move_into_domain(&self, codes: &mut [T], size: f64) {
        let start = codes.to_vec();
        let largest = start.iter().map(|v| v.f64().abs()).fold(0.0, f64::max);
        for scale in [size / square_of(&start).sqrt(), 1.0 / largest] {
            if !scale.is_finite() {
                continue;
            }
            for (code, &start) in codes.iter_mut().zip(&start) {
                let scaled = T::of(start.f64() * scale);
                let is_allowed = self.codes.value_at(self.place, scaled) < f64::INFINITY;
                *code = if is_allowed {
                    scaled
                } else {
                    let everywhere = (-T::INFINITY, T::INFINITY);
                    let step = T::of(TOUCH);
                    self.codes
                        .prox_between(self.place, scaled, step, everywhere)
                };
            }
            if codes.iter().any(|&v| v != T::ZERO) {
                break;
            }
        }
    }

    fn prox_of_codes(&self, codes: &mut [T], step: T) {
        let everywhere = (-T::INFINITY, T::INFINITY);
        for code in codes {
            *code = self.codes.prox_between(self.place, *code, step, everywhere);
        }
    }

    fn cost_of_codes(&self, codes: &[T]) -> f64 {
        codes
            .iter()
            .map(|&v| self.codes.value_at(self.place, v))
            .sum()
    }

    /// ψ₀(x_k) + Σψ(a_kt) of the atom as it is.
    pub(super) fn penalty_at(&self) -> f64 {
        let (rank, factors) = (self.residual.problem.rank, self.residual.factors);
        let row = |factor: &[T]| {
            let row = factor.iter().skip(self.place).step_by(rank);
            row.copied().collect::<Vec<T>>()
        };
        self.atoms.prox.value(&row(&factors.x)) + self.cost_of_codes(&row(&factors.a))
    }
}
