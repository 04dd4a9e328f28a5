//! One half of a rank-one term d·vᵀ that is fitted to R = Y − XA under the terms of both factors.
//!
//! −(dᵀRv − ½‖d‖²‖v‖²) + ψ₀(d) + Σψ(v_t) is least for fixed v at d = P_η(Rv/‖v‖²) with η = 1/‖v‖², and for fixed d in the same way. The
//! product depends on no scale s in (d/s)(s·v)ᵀ, but the terms do, and a penalty at a bad scale kills every direction; so some
//! scales are tried.

use crate::products::{Lanes, dot};

/// Scales that differ by less than this fraction count as equal.
const EQUAL: f64 = 0.01;
/// Bisections, in log s, for the border between a scale that is feasible and one that is not.
const BISECTIONS: usize = 24;

pub(super) fn square_of<T: Lanes>(values: &[T]) -> f64 {
    dot(values, values)
}

pub(super) fn multiply<T: Lanes>(values: &mut [T], by: f64) {
    for value in values {
        *value *= T::of(by);
    }
}

/// One half of a pair, whose other half is fixed but for its scale.
pub(super) struct Half<'a, T> {
    /// half ← P_η(half)
    pub(super) prox: &'a dyn Fn(&mut [T], T),
    pub(super) cost: &'a dyn Fn(&[T]) -> f64,
    /// What ‖d‖²‖v‖² is multiplied by: the largest weight of an entry.
    pub(super) curvature: f64,
    pub(super) cost_of_other: &'a dyn Fn(&[T]) -> f64,
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
        let equal = least + EQUAL * least.abs();
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

    /// The scales at which the other half costs a finite amount, among some in increasing order, and the last such ones next to
    /// those where it does not: a bounded set is often used best at its border.
    fn feasible(&self, other: &[T], scales: &[f64]) -> Vec<f64> {
        let is_feasible = |scale: f64| {
            let mut scaled = other.to_vec();
            multiply(&mut scaled, scale);
            (self.cost_of_other)(&scaled).is_finite()
        };
        let tried: Vec<(f64, bool)> = scales.iter().map(|&s| (s, is_feasible(s))).collect();
        let inside = tried.iter().filter(|(_, feasible)| *feasible);
        let mut found: Vec<f64> = inside.map(|(scale, _)| *scale).collect();
        for pair in tried.windows(2).filter(|pair| pair[0].1 != pair[1].1) {
            let (mut inside, mut outside) = (pair[0].0, pair[1].0);
            if pair[1].1 {
                std::mem::swap(&mut inside, &mut outside);
            }
            for _ in 0..BISECTIONS {
                let middle = (inside * outside).sqrt();
                if is_feasible(middle) {
                    inside = middle;
                } else {
                    outside = middle;
                }
            }
            found.push(inside);
        }
        found
    }

    /// Makes the half anew for the other at the best of some scales, given in increasing order; returns the value of the pair,
    /// `None` if nothing is left.
    pub(super) fn improve(
        &self,
        half: &mut [T],
        other: &mut [T],
        product: &[T],
        scales: &[f64],
    ) -> Option<f64> {
        let square = self.curvature * square_of(other);
        let scales = self.feasible(other, scales);
        let trials = scales.into_iter().filter_map(|scale| {
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
