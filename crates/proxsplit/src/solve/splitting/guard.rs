//! The check of [`Guarded`] steps at every look, and the way back where it fails.

use super::Splitting;
use crate::Real;
use crate::step::Guarded;

/// What a check needs to know, and where it leads back to.
#[derive(Default)]
pub(super) struct Guard<T> {
    moved: f64,      // Σ‖Δ‖²/η since the last look
    remembered: f64, // Σ_i 2⁻ⁱM_i, where M_i is that of the i-th look before it
    x: Vec<T>,       // the last point that has passed; none before the first look
    objective: f64,  // Φ there
}

impl<T: Real> Guard<T> {
    pub(super) fn note(&mut self, displacement: f64, step: f64) {
        self.moved += displacement * displacement / step;
    }

    /// Notes a point that was looked at; whether it has passed.
    fn passes(&mut self, x: &[T], objective: f64) -> bool {
        let rounding = 16.0 * T::EPSILON.f64() * self.objective.abs();
        let asked = Guarded::PART * self.moved - Guarded::REMEMBERED * self.remembered - rounding;
        let passed = self.x.is_empty() || self.objective - objective >= asked;
        if passed {
            self.x.clear();
            self.x.extend_from_slice(x);
            self.objective = objective;
            self.remembered = 0.5 * (self.remembered + self.moved);
            self.moved = 0.0;
        }
        passed
    }
}

impl<T: Real> Splitting<'_, T> {
    /// Checks the point that is about to be looked at, and goes back where it fails: only points that have passed are looked at.
    pub(super) fn check(&mut self) {
        let objective = self.point.evaluate() + self.point.g.value(&self.point.x);
        if self.guard.passes(&self.point.x, objective) {
            self.rule().checked(true);
        } else if self.take_back() {
            self.passes += 1.0;
        }
    }

    /// Goes back to the last point that has passed, with a shorter step; whether there is one.
    pub(super) fn take_back(&mut self) -> bool {
        if self.guard.x.is_empty() || !self.rule().is_guarded() {
            return false;
        }
        self.point.x.copy_from_slice(&self.guard.x);
        self.point.value = None;
        (self.guard.moved, self.guard.remembered) = (0.0, 0.0);
        if let Some(source) = &mut self.source {
            source.restart();
        }
        self.rule().checked(false);
        true
    }
}
