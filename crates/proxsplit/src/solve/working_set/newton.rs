//! Inner problems by models: parabolas in place of the φ_i, descent on the model, then a line search on Φ itself.

use super::WorkingSet;
use super::coordinates::penalty;
use super::round::PART;
use crate::Real;

/// Models in a round, at most.
const MODELS: usize = 30;
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
