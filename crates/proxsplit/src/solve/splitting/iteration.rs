//! One iteration: gradient, step, trial point, and for rules of descent the search for a shorter step.

use super::Splitting;
use crate::Real;
use crate::ledger::{Level, Source};
use crate::linalg::vec;
use crate::solve::{Method, Progress};
use crate::step::{Curvature, Trial};
use std::mem::swap;

impl<T: Real> Splitting<'_, T> {
    /// Puts ∇̃f(x) in its place.
    pub(super) fn find_gradient(&mut self, step: f64) {
        let Some(source) = &mut self.source else {
            self.passes += if self.point.value.is_none() { 1.0 } else { 0.0 };
            self.point.evaluate();
            return;
        };
        let mut level = source.estimate(&self.point.x, step, &mut self.estimate);
        self.passes += source.passes();
        if self.point.value.is_some() && level == Level::Unknown {
            level = Level::Measured(vec::distance(&self.point.gradient, &self.estimate));
        }
        if level != Level::Unknown {
            self.ledger.set(source.source(), level);
        }
    }

    /// ∇̃f(x)
    fn current(&mut self) -> &mut Vec<T> {
        if self.source.is_none() {
            &mut self.point.gradient
        } else {
            &mut self.estimate
        }
    }

    /// What the last move has shown, once there was one.
    fn curvature(&self) -> Option<Curvature> {
        let (x, last) = (&self.point.x, &self.trial);
        let current = if self.source.is_none() {
            &self.point.gradient
        } else {
            &self.estimate
        };
        (self.iteration > 0).then(|| Curvature {
            moved: vec::distance_squared(x, last),
            changed: vec::distance_squared(current, &self.previous),
            product: vec::dot_of_differences((x, last), (current, &self.previous)),
        })
    }

    /// trial ← P_η(x − η·previous), where `previous` holds the direction of this iteration.
    fn try_step(&mut self, step: f64) {
        let eta = T::of(step);
        for ((trial, &x), &g) in self.trial.iter_mut().zip(&self.point.x).zip(&self.previous) {
            *trial = x - eta * g;
        }
        let error = self.point.g.prox_with_error(&mut self.trial, eta);
        let error = error.unwrap_or(f64::INFINITY);
        if error > 0.0 {
            self.ledger.set(Source::Prox, Level::Bounded(error / step));
        }
    }

    /// Evaluates Φ at the new point for a rule that watches it; whether the point is kept.
    fn watch(&mut self, finite: bool) -> bool {
        let mut objective = f64::NAN;
        if finite {
            self.passes += 1.0;
            objective = self.point.evaluate() + self.point.g.value(&self.point.x);
        }
        self.rule().keeps(objective)
    }

    /// Shortens the step until the rule is content with the trial point, whose f, and ∇f if it is exact, it leaves in
    /// the point.
    fn search(&mut self, mut step: f64) -> f64 {
        let point = &self.point;
        let before =
            point.value.unwrap_or_else(|| point.f.value(&point.x)) + point.g.value(&point.x);
        let rounding = 8.0 * T::EPSILON.f64() * before.abs();
        loop {
            self.try_step(step);
            let (point, trial) = (&mut self.point, &self.trial);
            let value = if self.source.is_none() {
                self.passes += 1.0;
                *point
                    .value
                    .insert(point.f.gradient(trial, &mut point.gradient))
            } else {
                point.value = None;
                point.f.value(trial)
            };
            let after = value + point.g.value(trial);
            let after = if after.is_nan() { f64::INFINITY } else { after };
            let moved = vec::distance_squared(trial, &point.x);
            let product = self.source.is_none().then(|| {
                vec::dot_of_differences((trial, &point.x), (&point.gradient, &self.previous))
            });
            match self.rule().judge(&Trial {
                step,
                before,
                after,
                moved,
                product,
                rounding,
            }) {
                Some(shorter) if shorter > f64::MIN_POSITIVE => step = shorter,
                _ => return step,
            }
        }
    }
}

impl<T: Real> Iterator for Splitting<'_, T> {
    type Item = Progress;

    /// One iteration; `None` if the next point is not finite, and then x stays the last finite one.
    fn next(&mut self) -> Option<Progress> {
        let iteration = self.iteration;
        let scheduled = self.rule().scheduled(iteration);
        self.find_gradient(scheduled.unwrap_or(self.step));
        let proposed = scheduled.unwrap_or_else(|| {
            let curvature = self.curvature();
            self.rule().propose(curvature)
        });
        let mut step = proposed.min(0.99 * self.point.g.class().step_limit());
        // From here on `previous` is the direction at x, and the place of ∇̃f(x) is free for that of the next point.
        let mut direction = std::mem::take(&mut self.previous);
        swap(self.current(), &mut direction);
        self.previous = direction;
        if self.rule().method() == Method::Descent {
            step = self.search(step);
        } else {
            self.point.value = None;
            self.try_step(step);
        }
        let displacement = vec::distance(&self.point.x, &self.trial);
        let finite = displacement.is_finite();
        if !(finite || self.rule().watches() && step > f64::MIN_POSITIVE) {
            self.point.value = None;
            return None;
        }
        swap(&mut self.point.x, &mut self.trial);
        let kept = !self.rule().watches() || self.watch(finite);
        if !kept {
            swap(&mut self.point.x, &mut self.trial);
            self.point.value = None;
        }
        self.step = step;
        self.iteration += 1;
        Some(Progress {
            iteration: self.iteration,
            passes: self.passes,
            step,
            displacement: if kept { displacement } else { 0.0 },
        })
    }
}
