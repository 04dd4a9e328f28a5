//! Inner problems by models: parabolas in place of the φ_i, descent on the model, then a line search on Φ itself.

use super::WorkingSet;
use super::coordinates::{Story, penalty};
use super::quadratic::{ByGram, ByRows};
use super::round::{PART, cost};
use crate::Real;
use crate::parallel::prelude::*;

/// Models in a round, at most.
const MODELS: usize = 30;
/// The least part of a model's violation that is left, where sweeps are cheap beside the Gram matrix, and where they are all the work.
const PART_BY_GRAM: f64 = 1e-2;
const PART_BY_ROWS: f64 = 0.1;
/// Up to so many columns the Gram matrix costs little, and is formed for every model.
const SMALL: usize = 64;
/// Old curvatures must shorten the violation to this part of it.
const SLOW: f64 = 0.5;
/// The part of the model's gain that Φ must fall by.
const ARMIJO: f64 = 1e-4;
/// The shortest step along the direction to the model's minimizer.
const SHORTEST: f64 = 1.0 / 64.0;

impl<T: Real> WorkingSet<'_, T> {
    /// Lowers Φ over the set by one model after the other; how far.
    pub(super) fn solve_by_models(&mut self) -> f64 {
        let read = self.set.apply(&self.at.y, &mut self.rows.z);
        self.count(read);
        let (mut total, mut work, mut enough, mut last) = (0.0, 0.0, 0.0, f64::INFINITY);
        let mut value = self.f.slopes(&self.rows.z, &mut self.rows.slope);
        for model in 0..MODELS {
            self.find_bends();
            self.before.clone_from(&self.at.y);
            let story = self.minimize_model(enough);
            work += story.work;
            if model == 0 {
                enough = PART * story.first;
            }
            match self.line_search(value) {
                Some((gain, there)) => {
                    total += gain;
                    value = there;
                }
                None if self.f.is_quadratic() || !self.trust.doubt() => break,
                None => {}
            }
            self.trust.keeps_bends &= story.first < SLOW * last;
            last = story.first;
            // Where a model costs as much as a look at the whole gradient, it is time for the latter.
            let is_dear = work > 2.0 * self.f.stored() as f64;
            if self.f.is_quadratic() || is_dear || story.first <= enough && model > 0 {
                break;
            }
        }
        total
    }

    /// The curvatures of the next model: those of the last one, where they serve and spare a Gram matrix.
    fn find_bends(&mut self) {
        self.trust.keeps_bends &= self.uses_gram() && self.set.len() > SMALL;
        if !self.trust.keeps_bends {
            let damping = self.trust.damping;
            self.f.bends(&self.rows.z, damping, &mut self.rows.bend);
            self.gram.forget();
        }
    }

    /// y ← the minimizer of the model, about.
    fn minimize_model(&mut self, enough: f64) -> Story {
        let part = if self.f.is_quadratic() {
            10.0 * PART
        } else if self.uses_gram() {
            self.trust.part(PART_BY_GRAM)
        } else {
            self.trust.part(PART_BY_ROWS)
        };
        let limits = self.limits(part, 0.1 * enough);
        let story = if self.uses_gram() {
            let formed = self.model_by_gram();
            let mut q = ByGram {
                gram: &self.gram,
                slopes: &mut self.slopes,
                image: &mut self.image,
                work: formed,
            };
            self.at.descend(&mut q, &self.terms, &self.set, &limits)
        } else {
            self.curvatures_by_rows();
            self.rows.r.clone_from(&self.rows.slope);
            let mut q = ByRows {
                set: &self.set,
                uniform: self.f.uniform_bend(),
                weights: &self.rows.bend,
                r: &mut self.rows.r,
                image: &mut self.rows.image,
                work: 0.0,
            };
            self.at.descend(&mut q, &self.terms, &self.set, &limits)
        };
        self.count(story.work);
        story
    }

    /// Forms what is missing of the Gram matrix; the numbers that were read.
    fn model_by_gram(&mut self) -> f64 {
        let rows = self.f.terms();
        let formed = cost(self.set.len(), rows) - cost(self.gram.size(), rows);
        if let Some(columns) = self.set.columns.dense() {
            self.gram.extend(columns, rows, &self.rows.bend);
        }
        self.curvatures_by_gram();
        let (columns, slope) = (&self.set.columns, &self.rows.slope);
        let products = self.slopes.par_iter_mut().enumerate();
        products.each(&|(k, product)| *product = columns.dot(k, slope));
        formed + (self.set.len() * rows) as f64
    }

    fn curvatures_by_rows(&mut self) {
        self.at.curvature.clear();
        let (columns, weights) = (&self.set.columns, &self.rows.bend[..]);
        for b in 0..self.set.blocks.len() {
            let range = self.set.range(b);
            let largest = if range.len() == 1 {
                columns.square(range.start, weights)
            } else {
                let of_row = |k: usize| -> f64 {
                    let row = range.clone().map(|l| columns.product(k, l, weights).abs());
                    row.sum()
                };
                range.clone().map(of_row).fold(0.0, f64::max)
            };
            self.at.curvature.push(largest);
        }
        self.at.prepare(&self.set);
    }

    /// y ← y⁰ + τ(y − y⁰) with the first τ = 1, ½, ¼, … that lowers Φ enough; how far, and f there, whose slopes are
    /// those of the next model. `None` if none does, and then y = y⁰.
    fn line_search(&mut self, value: f64) -> Option<(f64, f64)> {
        let moved = self.image.iter_mut().zip(&self.at.y).zip(&self.before);
        for ((image, y), before) in moved {
            *image = y - before;
        }
        let read = self.set.apply(&self.image, &mut self.rows.image);
        self.count(read);
        let rows = &mut self.rows;
        let parabolas = rows.slope.iter().zip(&rows.bend);
        let model = rows.image.iter().zip(parabolas);
        let model: f64 = model.map(|(u, (s, w))| u * (s + 0.5 * w * u)).sum();
        let mut there = penalty(&self.terms, &self.set, &self.at.y);
        let here = value + penalty(&self.terms, &self.set, &self.before);
        let predicted = (value + model + there - here).min(0.0);
        let rounding = 8.0 * f64::EPSILON * here.abs();
        let mut tau = 1.0;
        while tau >= SHORTEST {
            for ((trial, z), u) in rows.trial.iter_mut().zip(&rows.z).zip(&rows.image) {
                *trial = z + tau * u;
            }
            let trial = self.f.slopes(&rows.trial, &mut rows.trial_slope);
            let objective = trial + there;
            if objective <= here + ARMIJO * tau * predicted + rounding {
                std::mem::swap(&mut rows.z, &mut rows.trial);
                std::mem::swap(&mut rows.slope, &mut rows.trial_slope);
                // What a parabola falls by where it is left before its minimum.
                let promised = -tau * (2.0 - tau) * predicted;
                self.trust.compare(here - objective, promised, rounding);
                return Some((here - objective, trial));
            }
            tau *= 0.5;
            let shorter = self.at.y.iter_mut().zip(&self.before).zip(&self.image);
            for ((y, before), e) in shorter {
                *y = before + tau * e;
            }
            there = penalty(&self.terms, &self.set, &self.at.y);
        }
        self.at.y.clone_from(&self.before);
        None
    }
}
