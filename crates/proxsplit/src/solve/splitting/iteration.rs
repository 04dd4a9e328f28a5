//! One iteration: gradient, step, trial point, and for rules of descent the search for a shorter step.

use super::Splitting;
use crate::Real;
use crate::ledger::{Ledger, Level, Source};
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
            if !self.point.f.is_exact() {
                let stated = self.point.error;
                let known = stated.is_finite() && stated >= 0.0;
                let level = if known {
                    Level::Bounded(stated)
                } else {
                    Level::Unknown
                };
                self.ledger.raise(Source::User, level);
            }
            return;
        };
        if self.point.value.is_some() {
            source.exact(&self.point.x, &self.point.gradient);
        }
        let mut level = source.estimate(&self.point.x, step, &mut self.estimate);
        self.passes += source.passes();
        let sampled = source.source() == Source::Sampling;
        if self.point.value.is_some() && level == Level::Unknown && !sampled {
            level = Level::Measured(vec::distance(&self.point.gradient, &self.estimate));
        }
        // A drift that was not measured in this pass is taken to be like those that were; a sample says nothing of the next.
        if level != Level::Unknown || sampled || self.ledger.get(source.source()).is_none() {
            self.ledger.raise(source.source(), level);
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

    /// Raises what is observed of L. Gradients of points close to each other differ by their rounding, which is no curvature.
    fn observe(&mut self, curvature: Option<Curvature>) {
        let seen = curvature.filter(|seen| seen.lipschitz() > self.seen.nearby());
        if let Some(Curvature { moved, changed, .. }) = seen {
            let previous = vec::norm(&self.previous);
            let rounding = 64.0 * T::EPSILON.f64() * self.point.scale().max(previous)
                + self.point.error
                + self.error_before;
            let mut seen = self.seen;
            seen.observe((moved.sqrt(), changed.sqrt()), rounding, || {
                self.stays_near()
            });
            self.seen = seen;
        }
    }

    /// Whether Φ was above its start neither at the last point nor is at this one.
    fn stays_near(&self) -> bool {
        let (point, last) = (&self.point, &self.trial);
        let here = point.value.map(|value| value + point.g.value(&point.x));
        here.is_some_and(|here| point.is_near(here))
            && point.is_near(self.value_before + point.g.value(last))
    }

    /// trial ← P_η(x − η·previous), where `previous` holds the direction of this iteration.
    fn try_step(&mut self, step: f64) {
        let eta = T::of(step);
        for ((trial, &x), &g) in self.trial.iter_mut().zip(&self.point.x).zip(&self.previous) {
            *trial = x - eta * g;
        }
        match self.point.g.prox_with_error(&mut self.trial, eta) {
            Some(0.0) => {}
            Some(error) => self
                .ledger
                .raise(Source::Prox, Level::Bounded(error / step)),
            None => self.ledger.raise(Source::Prox, Level::Unknown),
        }
    }

    /// Φ(xᵏ), for a rule that compares it with Φ(xᵏ⁺¹).
    fn objective_before(&mut self) -> f64 {
        if let Some(objective) = self.objective {
            return objective;
        }
        self.passes += if self.point.value.is_none() { 1.0 } else { 0.0 };
        let objective = self.point.evaluate() + self.point.g.value(&self.point.x);
        *self.objective.insert(objective)
    }

    /// Evaluates Φ at the new point for a rule that watches it; whether the point is kept.
    fn watch(&mut self, before: f64, finite: bool) -> bool {
        let mut after = f64::NAN;
        if finite {
            self.passes += 1.0;
            after = self.point.evaluate() + self.point.g.value(&self.point.x);
        }
        let kept = self.rule().keeps(before, after);
        self.objective = Some(if kept { after } else { before });
        kept
    }

    /// The record of an iteration that has been made.
    fn progress(&mut self, step: f64, displacement: f64) -> Progress {
        self.iteration += 1;
        Progress {
            iteration: self.iteration,
            passes: self.passes,
            step,
            displacement,
            objective: self.objective,
        }
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
                let (value, error) =
                    point
                        .f
                        .gradient_within(trial, point.accuracy, &mut point.gradient);
                point.error = error;
                *point.value.insert(value)
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
        if std::mem::take(&mut self.looked) {
            self.ledger = Ledger::default();
        }
        let iteration = self.iteration;
        let scheduled = self.rule().scheduled(iteration);
        let watches = self.rule().watches();
        let before = if watches {
            self.objective_before()
        } else {
            f64::NAN
        };
        self.find_gradient(scheduled.unwrap_or(self.step));
        let learns = self.source.is_none() || scheduled.is_none();
        let curvature = learns.then(|| self.curvature()).flatten();
        if self.source.is_none() {
            self.observe(curvature);
            self.value_before = self.point.value.unwrap_or(f64::NAN);
            self.error_before = self.point.error;
        }
        let proposed = scheduled.unwrap_or_else(|| self.rule().propose(curvature));
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
        if !(finite || watches && step > f64::MIN_POSITIVE) {
            self.point.value = None;
            let again = step > f64::MIN_POSITIVE && self.take_back();
            return again.then(|| self.progress(step, 0.0));
        }
        swap(&mut self.point.x, &mut self.trial);
        let kept = !watches || self.watch(before, finite);
        if !kept {
            swap(&mut self.point.x, &mut self.trial);
            self.point.value = None;
        }
        self.step = step;
        if kept {
            let (least, greatest) = self.steps.unwrap_or((step, step));
            self.steps = Some((least.min(step), greatest.max(step)));
        }
        let displacement = if kept { displacement } else { 0.0 };
        self.guard.note(displacement, step);
        Some(self.progress(step, displacement))
    }
}
