//! One step: the envelope, the check of γ, and the search along the direction.

use super::direction::Here;
use super::{ALPHA, BETA, CHECK, Panoc};
use crate::Real;
use crate::ledger::{Ledger, Level, Source};
use crate::linalg::vec;
use crate::solve::Progress;
use crate::solve::point::Point;
use std::mem::{swap, take};

/// φ_γ(x) and its parts.
#[derive(Clone, Copy)]
pub(super) struct Envelope {
    /// φ_γ(x)
    pub(super) value: f64,
    /// ⟨∇f(x), x̄ − x⟩
    slope: f64,
    /// ‖x̄ − x‖²
    pub(super) moved: f64,
}

impl Envelope {
    pub(super) const NONE: Self = Self {
        value: f64::INFINITY,
        slope: 0.0,
        moved: 0.0,
    };

    /// The same at x, f(x), ∇f(x), with x̄ = P_γ(x − γ∇f(x)) put into `plain`.
    fn at<T: Real>(
        point: &Point<'_, T>,
        (x, value, gradient): (&[T], f64, &[T]),
        (step, plain): (f64, &mut [T]),
        ledger: &mut Ledger,
    ) -> Self {
        let eta = T::of(step);
        for ((p, &x), &g) in plain.iter_mut().zip(x).zip(gradient) {
            *p = x - eta * g;
        }
        match point.g.prox_with_error(plain, eta) {
            Some(0.0) => {}
            Some(error) => ledger.raise(Source::Prox, Level::Bounded(error / step)),
            None => ledger.raise(Source::Prox, Level::Unknown),
        }
        let (mut slope, mut moved) = (0.0, 0.0);
        for ((p, x), g) in plain.iter().zip(x).zip(gradient) {
            let d = p.f64() - x.f64();
            slope += d * g.f64();
            moved += d * d;
        }
        let value = value + slope + point.g.value(plain) + moved / (2.0 * step);
        Self {
            value: if value.is_nan() { f64::INFINITY } else { value },
            slope,
            moved,
        }
    }
}

impl<T: Real> Panoc<'_, T> {
    /// f(x), with ∇f(x) in its place; counted if it is new.
    pub(super) fn evaluate(&mut self) -> f64 {
        self.passes += if self.point.value.is_none() { 1.0 } else { 0.0 };
        self.point.evaluate()
    }

    /// The first γ: α/L, with the L that a short step downhill shows.
    fn begin(&mut self) {
        self.evaluate();
        let (x, gradient) = (&self.point.x, &self.point.gradient);
        let (length, size) = (1.0 + vec::norm(x), vec::norm(gradient));
        let scale = T::of(-T::EPSILON.f64().cbrt() * length / size);
        for ((y, &x), &g) in self.trial.iter_mut().zip(x).zip(gradient) {
            *y = x + scale * g;
        }
        self.passes += 1.0;
        self.point.f.gradient(&self.trial, &mut self.gradient);
        let changed = vec::distance(&self.gradient, gradient);
        let l = changed / vec::distance(&self.trial, x);
        let usable = |number: &f64| *number > 0.0 && number.is_finite();
        // Where f does not curve, as far as x is long.
        let first = if usable(&l) { ALPHA / l } else { length / size };
        self.probed = if usable(&l) { l } else { 0.0 };
        let first = if usable(&first) { first } else { 1.0 };
        self.first = first.min(0.99 * self.point.g.class().step_limit());
        self.step = self.first;
        self.spectral.length = self.first;
        self.restart();
    }

    /// x̄ and φ_γ at x for the present γ.
    fn restart(&mut self) {
        let mut plain = take(&mut self.plain);
        let point = &self.point;
        let here = (
            &point.x[..],
            point.value.unwrap_or(f64::NAN),
            &point.gradient[..],
        );
        self.envelope = Envelope::at(point, here, (self.step, &mut plain), &mut self.ledger);
        self.merit = if self.is_inside {
            here.1 + point.g.value(here.0)
        } else {
            self.envelope.value
        };
        self.spectral.ceiling = self.merit;
        self.plain = plain;
    }

    /// Changes γ by a factor. False if nothing is left of it.
    fn rescale(&mut self, factor: f64) -> bool {
        self.step *= factor;
        self.direction.forget_residuals();
        self.restart();
        self.step > f64::MIN_POSITIVE
    }

    /// Halves γ until f(x̄) is where γ ≤ α/L puts it; lengthens it once where f curves much less. False if no γ is short enough, and
    /// then γ stays.
    pub(super) fn check(&mut self) -> bool {
        self.unchecked = 0;
        let step = self.step;
        let before = self.evaluate();
        let mut may_grow = self.checked == f64::INFINITY;
        loop {
            self.passes += 1.0;
            let after = self.point.f.value(&self.plain);
            self.is_finite = after.is_finite();
            let Envelope { slope, moved, .. } = self.envelope;
            let rounding = 8.0 * T::EPSILON.f64() * (before.abs() + after.abs() + slope.abs());
            let bend = after - before - slope;
            let allowed = ALPHA * moved / (2.0 * self.step);
            if bend <= allowed + rounding {
                // The longer step is checked as well: where g jumps, x̄ does, too.
                if may_grow && bend < 0.25 * allowed && self.can_grow() {
                    may_grow = false;
                    self.growths -= 1;
                    self.rescale((0.5 * allowed / bend.max(rounding)).clamp(2.0, 16.0));
                    continue;
                }
                // What the first gradients showed was no underestimate of what f does on the way: a residual is measured with it.
                if self.checked == f64::INFINITY && self.step >= self.first {
                    self.seen.observe((1.0, self.probed), 0.0, || true);
                }
                self.checked = self.envelope.moved.sqrt() / self.step;
                return true;
            }
            may_grow = false;
            // A step that rounds to nothing is no step. One that g takes back is: there x is a fixed point.
            if !self.rescale(0.5) || self.rounds_to_nothing() {
                self.step = step;
                self.restart();
                return false;
            }
        }
    }

    fn rounds_to_nothing(&self) -> bool {
        let (x, gradient) = (&self.point.x, &self.point.gradient);
        self.step * vec::norm(gradient) <= 0.5 * T::EPSILON.f64() * vec::norm(x)
    }

    /// Whether a longer γ may be tried.
    fn can_grow(&self) -> bool {
        let longest = 16.0 * self.step;
        self.growths > 0 && longest < 0.99 * self.point.g.class().step_limit()
    }

    /// Tries x⁺ for one τ, and goes there if the envelope falls enough.
    fn attempt(&mut self, tau: f64) -> bool {
        if tau > 0.0 {
            let x = &self.point.x;
            self.direction.go(x, &self.plain, tau, &mut self.trial);
        } else {
            self.trial.copy_from_slice(&self.plain);
        }
        let is_inside = tau == 0.0 || self.direction.stays_inside();
        let ceiling = if is_inside {
            self.merit
        } else {
            self.envelope.value
        };
        self.goes(is_inside, ceiling)
    }

    /// Tries a plain step of spectral length.
    fn attempt_spectral(&mut self) -> bool {
        let longest = 0.99 * self.point.g.class().step_limit();
        let eta = T::of(self.spectral.length.min(longest));
        let (x, gradient) = (&self.point.x, &self.point.gradient);
        for ((z, &x), &g) in self.trial.iter_mut().zip(x).zip(gradient) {
            *z = x - eta * g;
        }
        // Its error is none of the run's: wherever it ends, Φ is lower there.
        self.point.g.prox(&mut self.trial, eta);
        let falls = self.goes(true, self.spectral.ceiling);
        self.spectral.tried(falls);
        falls
    }

    /// Goes to the trial point if the merit falls enough below the ceiling.
    fn goes(&mut self, is_inside: bool, ceiling: f64) -> bool {
        self.passes += 1.0;
        let value = self.point.f.gradient(&self.trial, &mut self.gradient);
        self.is_finite = value.is_finite();
        let there = (&self.trial[..], value, &self.gradient[..]);
        let plain = &mut self.plain_of_trial[..];
        let found = Envelope::at(&self.point, there, (self.step, plain), &mut self.ledger);
        let merit = if is_inside {
            value + self.point.g.value(&self.trial)
        } else {
            found.value
        };
        let enough = BETA * (1.0 - ALPHA) * self.envelope.moved / (2.0 * self.step);
        let rounding = 8.0 * T::EPSILON.f64() * (value.abs() + merit.abs());
        let falls = merit <= ceiling - enough + rounding;
        self.tried = merit;
        if falls {
            self.accept(value, found);
            self.is_inside = is_inside;
            self.merit = merit;
            self.spectral.lower(merit);
        }
        falls
    }

    fn accept(&mut self, value: f64, found: Envelope) {
        let rounding = 64.0 * T::EPSILON.f64() * self.point.scale().max(vec::norm(&self.gradient));
        let changed = vec::distance(&self.gradient, &self.point.gradient);
        let moved = vec::distance(&self.trial, &self.point.x);
        // Φ never rises.
        self.seen.observe((moved, changed), rounding, || true);
        let product = product_of_changes(
            (&self.trial, &self.point.x),
            (&self.gradient, &self.point.gradient),
        );
        self.spectral.learn(moved * moved, product);
        self.learn_from_trial();
        swap(&mut self.point.x, &mut self.trial);
        swap(&mut self.point.gradient, &mut self.gradient);
        swap(&mut self.plain, &mut self.plain_of_trial);
        self.point.value = Some(value);
        self.envelope = found;
        self.displacement = moved;
    }

    /// x ← x̄, which lowers Φ if γ is short enough. False if none is, and then x and γ stay.
    pub(super) fn plain_step(&mut self) -> bool {
        let step = self.step;
        while !self.attempt(0.0) {
            if !(self.rescale(0.5) && self.check()) {
                self.step = step;
                self.restart();
                return false;
            }
        }
        true
    }

    /// The best step that is found. False if none lowers the envelope, and then x and γ stay.
    fn advance(&mut self) -> bool {
        if self.is_due() && self.attempt_spectral() {
            return true;
        }
        if self.is_doubtful() && !self.check() {
            return false;
        }
        self.direction.find(&self.point, &self.plain, self.step);
        let mut tau = 1.0;
        for number in 0..self.direction.tries() {
            if self.attempt(tau) {
                return true;
            }
            if number == 0 && self.direction.stays_inside() && self.is_finite {
                // A better direction is worth more than a shorter step, once.
                self.learn_from_trial();
                self.direction.find(&self.point, &self.plain, self.step);
            } else {
                tau = self.direction.shorter(tau, self.tried - self.merit);
            }
        }
        self.plain_step()
    }

    /// Remembers how f curves on the way to the trial point, whether that is taken or Φ is too high there.
    fn learn_from_trial(&mut self) {
        let old = Here {
            x: &self.point.x,
            gradient: &self.point.gradient,
            plain: &self.plain,
        };
        let new = Here {
            x: &self.trial,
            gradient: &self.gradient,
            plain: &self.plain_of_trial,
        };
        self.direction.learn(&old, &new, self.step);
    }

    /// Whether a spectral step is to be tried.
    fn is_due(&mut self) -> bool {
        !self.direction.stays_inside() && self.spectral.is_due(self.step)
    }

    /// Whether γ must be checked before the envelope is used: at first, and again and again where Φ itself does not bound it.
    fn is_doubtful(&mut self) -> bool {
        let residual = self.envelope.moved.sqrt() / self.step;
        self.unchecked = if self.is_inside {
            0
        } else {
            self.unchecked + 1
        };
        let is_new = residual < 0.1 * self.checked || residual > 10.0 * self.checked;
        self.checked == f64::INFINITY || !self.is_inside && (is_new || self.unchecked > CHECK)
    }

    /// f, ∇f, x̄ and φ_γ at x, if they are not there.
    pub(super) fn prepare(&mut self) {
        if self.step == 0.0 {
            self.begin();
        } else if self.point.value.is_none() {
            self.evaluate();
            self.restart();
        }
    }
}

/// ⟨s, y⟩ of a move and the change of ∇f.
fn product_of_changes<T: Real>((to, from): (&[T], &[T]), (new, old): (&[T], &[T])) -> f64 {
    let moves = to.iter().zip(from).map(|(a, b)| a.f64() - b.f64());
    let changes = new.iter().zip(old).map(|(a, b)| a.f64() - b.f64());
    moves.zip(changes).map(|(s, y)| s * y).sum()
}

impl<T: Real> Iterator for Panoc<'_, T> {
    type Item = Progress;

    /// One step; `None` if f is not finite however short the step is, and then x stays where it was.
    fn next(&mut self) -> Option<Progress> {
        if take(&mut self.looked) {
            self.ledger = Ledger::default();
        }
        self.prepare();
        if !self.advance() {
            if !self.is_finite {
                return None;
            }
            // Nothing is left but rounding.
            self.displacement = 0.0;
        }
        let (least, greatest) = self.steps.unwrap_or((self.step, self.step));
        self.steps = Some((least.min(self.step), greatest.max(self.step)));
        self.iteration += 1;
        Some(Progress {
            iteration: self.iteration,
            passes: self.passes,
            step: self.step,
            displacement: self.displacement,
            objective: None,
        })
    }
}
