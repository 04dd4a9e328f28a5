//! Coordinate descent on the inner problem min_y q(y) + g(y), block by block, with Anderson extrapolation.

use super::anderson::{Anderson, DEPTH};
use super::quadratic::Quadratic;
use super::set::Set;
use super::terms::Terms;
use crate::Real;

/// A block that q does not depend on has this part of the largest curvature.
const FLAT: f64 = 1e-20;
/// Rounds of sweeps, at most.
const CYCLES: usize = 500;

/// y and what is known of its blocks.
#[derive(Default)]
pub(super) struct Coordinates {
    pub(super) y: Vec<f64>,
    pub(super) curvature: Vec<f64>, // by block: an upper bound
    pub(super) steps: Vec<f64>,     // by block: the reciprocal of that
    is_moving: Vec<bool>,           // by block: whether the last sweep over all of them moved it
    memory: Anderson,
    pub(super) trial: Vec<f64>,
}

/// When to stop.
pub(super) struct Limits {
    /// The part of the first sweep's moves that is small enough.
    pub(super) part: f64,
    /// Moves that are small enough in any case.
    pub(super) enough: f64,
    /// Numbers that may be read.
    pub(super) work: f64,
    /// How far sweeps over the blocks that move go, as a part of the way to the minimum: 1, and then points are extrapolated, or between
    /// 1 and 2, and then such a sweep may be the last, where all blocks are visited again soon.
    pub(super) beyond: f64,
}

/// How it went.
pub(super) struct Story {
    /// √Σ(h_b‖Δy_b‖)² of the first sweep: how far from stationary y was.
    pub(super) first: f64,
    pub(super) work: f64,
}

impl Coordinates {
    /// Makes room for the blocks of the set, and makes flat blocks a little less so.
    pub(super) fn prepare<T: Real>(&mut self, set: &Set<T>) {
        self.is_moving.resize(set.blocks.len(), true);
        self.trial.resize(set.len(), 0.0);
        let largest = self.curvature.iter().fold(0.0, |a: f64, b| a.max(*b));
        let least = if largest > 0.0 { FLAT * largest } else { FLAT };
        for curvature in &mut self.curvature {
            *curvature = curvature.max(least);
        }
        self.steps.clear();
        self.steps.extend(self.curvature.iter().map(|h| 1.0 / h));
    }

    /// Descends until sweeps move little.
    pub(super) fn descend<T: Real>(
        &mut self,
        q: &mut impl Quadratic,
        terms: &Terms<'_, T>,
        set: &Set<T>,
        limits: &Limits,
    ) -> Story {
        let (mut first, begin) = (0.0, q.work());
        for cycle in 0..CYCLES {
            self.memory.restart(&self.y);
            let moved = self.sweep(q, terms, set);
            if cycle == 0 {
                first = moved;
            }
            let enough = limits.enough.max(limits.part * first);
            if moved <= enough || q.work() - begin > limits.work || !moved.is_finite() {
                break;
            }
            if limits.beyond > 1.0 {
                let mut sweeps =
                    (1..DEPTH).map(|_| self.sweep_moving(q, terms, set, limits.beyond));
                if sweeps.any(|moved| moved <= enough) {
                    break;
                }
                continue;
            }
            for _ in 1..DEPTH {
                self.memory.push(&self.y);
                self.sweep_moving(q, terms, set, 1.0);
            }
            self.memory.push(&self.y);
            self.extrapolate(q, terms, set);
        }
        Story {
            first,
            work: q.work(),
        }
    }

    /// One visit to all blocks; √Σ(h_b‖Δy_b‖)².
    fn sweep<T: Real>(
        &mut self,
        q: &mut impl Quadratic,
        terms: &Terms<'_, T>,
        set: &Set<T>,
    ) -> f64 {
        let mut total = 0.0;
        for b in 0..set.blocks.len() {
            let moved = self.visit(q, terms, set, (b, 1.0));
            self.is_moving[b] = moved > 0.0;
            total += moved;
        }
        total.sqrt()
    }

    /// One visit to those that have moved in the last sweep over all.
    fn sweep_moving<T: Real>(
        &mut self,
        q: &mut impl Quadratic,
        terms: &Terms<'_, T>,
        set: &Set<T>,
        beyond: f64,
    ) -> f64 {
        let mut total = 0.0;
        for b in 0..set.blocks.len() {
            if self.is_moving[b] {
                total += self.visit(q, terms, set, (b, beyond));
            }
        }
        total.sqrt()
    }

    /// Goes to the extrapolated point if the objective is lower there.
    fn extrapolate<T: Real>(&mut self, q: &mut impl Quadratic, terms: &Terms<'_, T>, set: &Set<T>) {
        if !self.memory.extrapolate(&mut self.trial) {
            return;
        }
        for (b, &block) in set.blocks.iter().enumerate() {
            terms.inside(block, &mut self.trial[set.range(b)]);
        }
        let penalty_change = penalty(terms, set, &self.trial) - penalty(terms, set, &self.y);
        for (trial, y) in self.trial.iter_mut().zip(&self.y) {
            *trial -= y;
        }
        if penalty_change.is_finite() && q.change(&self.trial) + penalty_change < 0.0 {
            q.accept();
            for (y, e) in self.y.iter_mut().zip(&self.trial) {
                *y += e;
            }
            // The sum may be rounded across a bound.
            for (b, &block) in set.blocks.iter().enumerate() {
                terms.inside(block, &mut self.y[set.range(b)]);
            }
        }
    }
}

/// g(y)
pub(super) fn penalty<T: Real>(terms: &Terms<'_, T>, set: &Set<T>, y: &[f64]) -> f64 {
    let blocks = set.blocks.iter().enumerate();
    blocks
        .map(|(b, &block)| terms.value(block, &y[set.range(b)]))
        .sum()
}
