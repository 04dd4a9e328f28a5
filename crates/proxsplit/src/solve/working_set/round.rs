//! One round: the gradient, the set, the inner problem, and the check that it was worth it.

use super::WorkingSet;
use super::coordinates::{Limits, penalty};
use super::quadratic::ByGram;
use crate::Real;
use crate::ledger::Ledger;
use crate::linalg::vec;
use crate::solve::Progress;
use std::mem::take;

/// The part of a plain step's gain that a round must reach.
const ENOUGH: f64 = 0.1;
/// How far an inner problem is solved, as a part of the violation that it begins with.
pub(super) const PART: f64 = 1e-3;
/// An inner problem may cost as much as so many looks at the whole gradient.
const PASSES: f64 = 10.0;
/// Fewest blocks that a set begins with.
const FIRST: usize = 16;
/// Sparse sets begin with one of so many blocks, at most.
const SPARSE: usize = 6;
/// Largest Gram matrix, by its side.
const LARGEST: usize = 4096;
/// The same where it is formed again for every model.
const LARGEST_AGAIN: usize = 1024;

/// What a Gram matrix costs, in numbers that could be read in its place: its products are fast.
pub(super) fn cost(size: usize, rows: usize) -> f64 {
    (size as f64 * rows as f64) * (1.0 + size as f64 / 16.0)
}

impl<T: Real> WorkingSet<'_, T> {
    /// f(x), with ∇f(x) in its place; counted if it is new.
    pub(super) fn evaluate(&mut self) -> f64 {
        if let Some(value) = self.point.value {
            return value;
        }
        self.passes += 1.0;
        let value = self.point.evaluate();
        if self.iteration > 0 {
            let rounding = 64.0 * T::EPSILON.f64() * self.point.scale();
            let moved = vec::distance(&self.point.x, &self.last);
            let changed = vec::distance(&self.point.gradient, &self.last_gradient);
            self.seen.observe((moved, changed), rounding, || true);
        }
        value
    }

    /// P_η(x − η∇f(x))
    fn find_plain_step(&mut self) {
        let eta = T::of(self.step);
        let here = self.point.x.iter().zip(&self.point.gradient);
        for (p, (&x, &g)) in self.plain.iter_mut().zip(here) {
            *p = x - eta * g;
        }
        self.point.g.prox(&mut self.plain, eta);
    }

    /// Takes the worst blocks in, and all that are not 0; the residual of the plain step on the set, squared.
    fn grow(&mut self) -> f64 {
        let (x, plain, terms, step) = (&self.point.x, &self.plain, &self.terms, self.step);
        let violation = |block: usize| {
            let entries = terms.entries(block).iter();
            let squares = entries.map(|&i| {
                let moved = (x[i].f64() - plain[i].f64()) / step;
                moved * moved
            });
            squares.sum::<f64>()
        };
        let badness = |block: usize| {
            let is_zero = terms.entries(block).iter().all(|&i| x[i] == T::ZERO);
            if is_zero {
                violation(block)
            } else {
                f64::INFINITY
            }
        };
        // As many as are cheap beside a look at the whole gradient, which for dense ones is a matter of their Gram matrix.
        let root = (terms.count() as f64).sqrt() as usize;
        let first = if self.set.columns.dense().is_some() {
            FIRST.max(2 * root)
        } else {
            FIRST.max(2 * root).max(terms.count() / SPARSE)
        };
        let most = first
            .min(self.f.terms().max(FIRST))
            .max(self.set.blocks.len());
        self.set.grow(self.f, terms, most, badness);
        let set = self.set.blocks.iter();
        set.map(|&block| violation(block)).sum()
    }

    /// Whether the Gram matrix of the set pays.
    pub(super) fn uses_gram(&self) -> bool {
        let limit = if self.f.is_quadratic() {
            LARGEST
        } else {
            LARGEST_AGAIN
        };
        let limit = limit.min(2 * self.f.terms().max(FIRST));
        self.set.columns.dense().is_some() && self.set.len() <= limit
    }

    /// y ← x on the set.
    fn gather(&mut self) {
        let x = &self.point.x;
        self.at.y.clear();
        self.at
            .y
            .extend(self.set.places.iter().map(|&i| x[i].f64()));
        self.before.clone_from(&self.at.y);
        self.slopes.resize(self.set.len(), 0.0);
        self.image.resize(self.set.len(), 0.0);
    }

    /// x ← y on the set.
    fn scatter(&mut self) {
        for (&i, &y) in self.set.places.iter().zip(&self.at.y) {
            self.point.x[i] = T::of(y);
        }
        self.point.value = None;
    }

    pub(super) fn limits(&self, part: f64, enough: f64) -> Limits {
        Limits {
            part,
            enough,
            work: PASSES * 2.0 * self.f.stored() as f64,
            beyond: 1.0,
        }
    }

    /// Counts numbers that were read as parts of a pass, which reads every entry twice.
    pub(super) fn count(&mut self, work: f64) {
        self.passes += work / (2.0 * self.f.stored().max(1) as f64);
    }

    /// The largest curvature of each block by the Gram matrix: for a group the largest sum of a row, which bounds it.
    pub(super) fn curvatures_by_gram(&mut self) {
        self.at.curvature.clear();
        for b in 0..self.set.blocks.len() {
            let range = self.set.range(b);
            let of_row = |k: usize| -> f64 {
                let row = &self.gram.column(k)[range.clone()];
                row.iter().map(|entry| entry.abs()).sum()
            };
            let largest = range.clone().map(of_row).fold(0.0, f64::max);
            self.at.curvature.push(largest);
        }
        self.at.prepare(&self.set);
    }

    /// Minimizes a quadratic f + g over the set by its Gram matrix; how far Φ falls.
    fn solve_quadratic(&mut self) -> f64 {
        let rows = self.f.terms();
        self.f.bends(&self.rows.z, 0.0, &mut self.rows.bend);
        let Some(columns) = self.set.columns.dense() else {
            return 0.0;
        };
        let formed = cost(self.set.len(), rows) - cost(self.gram.size(), rows);
        self.gram.extend(columns, rows, &self.rows.bend);
        self.curvatures_by_gram();
        let gradient = &self.point.gradient;
        for (slope, &i) in self.slopes.iter_mut().zip(&self.set.places) {
            *slope = gradient[i].f64();
        }
        let start = penalty(&self.terms, &self.set, &self.at.y);
        let limits = self.limits(PART, 0.0);
        let mut q = ByGram {
            gram: &self.gram,
            slopes: &mut self.slopes,
            image: &mut self.image,
            work: formed,
        };
        let story = self.at.descend(&mut q, &self.terms, &self.set, &limits);
        // q(y) − q(y⁰) = ½⟨y − y⁰, ∇q(y) + ∇q(y⁰)⟩
        let places = self.at.y.iter().zip(&self.before).zip(&self.slopes);
        let change: f64 = places
            .zip(&self.set.places)
            .map(|(((y, before), slope), &i)| 0.5 * (y - before) * (slope + gradient[i].f64()))
            .sum();
        self.count(story.work);
        -(change + penalty(&self.terms, &self.set, &self.at.y) - start)
    }

    /// x ← P_η(x − η∇f(x)) if that lowers Φ, so far as rounding lets that be seen.
    fn fall_back(&mut self, before: f64, rounding: f64) {
        self.point.x.copy_from_slice(&self.last);
        self.passes += 1.0;
        let after = self.point.f.value(&self.plain) + self.point.g.value(&self.plain);
        if after <= before + rounding {
            self.point.x.copy_from_slice(&self.plain);
            self.point.value = None;
        } else {
            // Nothing is left but rounding, and the gradient is still that of x.
            self.point.value = Some(before - self.point.g.value(&self.point.x));
        }
    }
}

impl<T: Real> Iterator for WorkingSet<'_, T> {
    type Item = Progress;

    /// One round; `None` if f or its gradient is not finite, and then x stays where it was.
    fn next(&mut self) -> Option<Progress> {
        if take(&mut self.looked) {
            self.ledger = Ledger::default();
        }
        let passes = self.passes;
        let value = self.evaluate();
        let before = value + self.point.g.value(&self.point.x);
        if !before.is_finite() || !vec::is_finite(&self.point.gradient) {
            return None;
        }
        self.find_plain_step();
        let residual = self.grow();
        self.gather();
        self.last.copy_from_slice(&self.point.x);
        self.last_gradient.copy_from_slice(&self.point.gradient);
        let gain = if self.f.is_quadratic() && self.uses_gram() {
            self.solve_quadratic()
        } else {
            self.solve_by_models()
        };
        self.scatter();
        let is_finite = gain.is_finite() && vec::is_finite(&self.point.x);
        let rounding = 8.0 * T::EPSILON.f64() * before.abs();
        // Near a solution gains are squares of a small residual and drown in the rounding of Φ, while steps still shorten it.
        let is_seen = gain >= ENOUGH * self.step * residual - rounding;
        if !(is_finite && is_seen) || self.point.x == self.last {
            self.fall_back(before, rounding);
        }
        self.displacement = vec::distance(&self.point.x, &self.last);
        self.iteration += 1;
        if self.point.looks_beyond() {
            // The next round begins with it anyway.
            self.evaluate();
            self.find_plain_step();
            self.violation = Some(vec::distance(&self.point.x, &self.plain) / self.step);
        }
        // A round is a pass at least, so that limits are reached.
        self.passes = self.passes.max(passes + 1.0);
        Some(Progress {
            iteration: self.iteration,
            passes: self.passes,
            step: self.step,
            displacement: self.displacement,
            objective: None,
        })
    }
}
