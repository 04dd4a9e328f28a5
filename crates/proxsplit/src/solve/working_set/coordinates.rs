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
    is_moving: Vec<bool>,           // by block: whether the last sweep over all of them moved it
    memory: Anderson,
    trial: Vec<f64>,
}

/// When to stop.
pub(super) struct Limits {
    /// The part of the first sweep's moves that is small enough.
    pub(super) part: f64,
    /// Moves that are small enough in any case.
    pub(super) enough: f64,
    /// Numbers that may be read.
    pub(super) work: f64,
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
            let moved = self.sweep(q, terms, set, true);
            if cycle == 0 {
                first = moved;
            }
            let is_done = moved <= limits.enough.max(limits.part * first);
            if is_done || q.work() - begin > limits.work || !moved.is_finite() {
                break;
            }
            for _ in 1..DEPTH {
                self.memory.push(&self.y);
                self.sweep(q, terms, set, false);
            }
            self.memory.push(&self.y);
            self.extrapolate(q, terms, set);
        }
        Story {
            first,
            work: q.work(),
        }
    }

    /// One visit to all blocks, or to those that have moved in the last such sweep; √Σ(h_b‖Δy_b‖)².
    fn sweep<T: Real>(
        &mut self,
        q: &mut impl Quadratic,
        terms: &Terms<'_, T>,
        set: &Set<T>,
        all: bool,
    ) -> f64 {
        let mut total = 0.0;
        for b in 0..set.blocks.len() {
            if all || self.is_moving[b] {
                let moved = self.visit(q, terms, set, b);
                self.is_moving[b] |= moved > 0.0;
                if all {
                    self.is_moving[b] = moved > 0.0;
                }
                total += moved;
            }
        }
        total.sqrt()
    }

    /// y_b ← P_{1/h}(y_b − ∇_b q/h); (h‖Δy_b‖)².
    fn visit<T: Real>(
        &mut self,
        q: &mut impl Quadratic,
        terms: &Terms<'_, T>,
        set: &Set<T>,
        b: usize,
    ) -> f64 {
        let (range, h) = (set.range(b), self.curvature[b]);
        let trial = &mut self.trial[range.clone()];
        for (k, trial) in range.clone().zip(trial.iter_mut()) {
            *trial = self.y[k] - q.slope(k) / h;
        }
        terms.prox(set.blocks[b], trial, 1.0 / h);
        let mut moved = 0.0;
        for k in range {
            let delta = self.trial[k] - self.y[k];
            if delta != 0.0 && delta.is_finite() {
                q.shift(k, delta);
                self.y[k] = self.trial[k];
                moved += delta * delta;
            }
        }
        h * h * moved
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
