//! One model: parabolas in place of the φ_i, and descent on it, in the way that suits the columns.

use super::WorkingSet;
use super::coordinates::{Limits, Story};
use super::quadratic::{ByGram, ByRows, ByScaledRows};
use super::round::{PART, cost};
use crate::Real;
use crate::parallel::prelude::*;

/// The least part of a model's violation that is left, where sweeps are cheap beside the Gram matrix, and where they are all the work.
const PART_BY_GRAM: f64 = 1e-2;
const PART_BY_ROWS: f64 = 0.1;
/// How far sweeps by rows go, as a part of the way to the minimum along a coordinate.
const BEYOND: f64 = 1.5;
/// A model by rows may cost as much as so many looks at the whole gradient: beyond that, a look tells more than another sweep.
const LONGEST: f64 = 2.0;
/// Up to so many columns the Gram matrix costs little, and is formed for every model.
const SMALL: usize = 64;
/// Fewest numbers whose products are worth another thread.
const TASK: usize = 1 << 16;

impl<T: Real> WorkingSet<'_, T> {
    /// The curvatures of the next model: those of the last one, where they serve and spare a Gram matrix.
    pub(super) fn find_bends(&mut self) {
        self.trust.keeps_bends &= self.uses_gram() && self.set.len() > SMALL;
        if !self.trust.keeps_bends {
            let damping = self.trust.damping;
            self.f.bends(&self.rows.z, damping, &mut self.rows.bend);
            self.gram.forget();
        }
    }

    /// y ← the minimizer of the model, about.
    pub(super) fn minimize_model(&mut self, enough: f64) -> Story {
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
        } else if self.scale_columns() {
            self.minimize_by_scaled_rows(limits)
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
        let product = |(k, product): (usize, &mut f64)| *product = columns.dot(k, slope);
        if self.slopes.len() * rows < TASK {
            self.slopes.iter_mut().enumerate().for_each(product);
        } else {
            self.slopes.par_iter_mut().enumerate().each(&product);
        }
        formed + (self.set.len() * rows) as f64
    }

    /// The numbers of a model by scaled rows; false where other ways are better: for dense columns, for groups, and without weights.
    fn scale_columns(&mut self) -> bool {
        let is_dense = self.set.columns.dense().is_some();
        let has_groups = self.set.len() != self.set.blocks.len();
        if is_dense || has_groups || self.f.uniform_bend().is_some() {
            return false;
        }
        let rows = &mut self.rows;
        rows.roots.clear();
        rows.roots.extend(rows.bend.iter().map(|w| w.sqrt()));
        self.set.columns.scale_rows(&rows.roots, &mut self.scaled);
        for ((r, s), root) in rows.r.iter_mut().zip(&rows.slope).zip(&rows.roots) {
            // Rows that do not count have neither.
            *r = if *root > 0.0 { s / root } else { 0.0 };
        }
        self.at.curvature.clear();
        for k in 0..self.set.len() {
            let (_, values) = self.set.columns.sparse_with(k, &self.scaled);
            self.at.curvature.push(values.iter().map(|d| d * d).sum());
        }
        self.at.prepare(&self.set);
        true
    }

    /// Sparse columns are many, and their sweeps slow: where all blocks are visited again for the next model, they go beyond minima,
    /// and end as soon as the model is not worth more.
    fn minimize_by_scaled_rows(&mut self, mut limits: Limits) -> Story {
        if !self.f.is_quadratic() && self.terms.elementary(0).is_some() {
            limits.beyond = BEYOND;
            limits.work = LONGEST * 2.0 * self.f.stored() as f64;
        }
        let mut q = ByScaledRows {
            set: &self.set,
            roots: &self.rows.roots,
            scaled: &self.scaled,
            r: &mut self.rows.r,
            image: &mut self.rows.image,
            work: 0.0,
        };
        self.at.descend(&mut q, &self.terms, &self.set, &limits)
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
}
