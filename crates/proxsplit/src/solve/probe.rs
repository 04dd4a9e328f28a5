//! One exact step x⁺ = P_η(x − η∇f(x)) from a point that is looked at, and what it shows.
//!
//! Residuals shrink as η grows, so a reference step 1/L̂ with an L̂ that is far too small would make every point of a bounded set
//! look stationary. Where L is not known, ‖∇f(x⁺) − ∇f(x)‖ ≤ ‖x⁺ − x‖/η is checked, which η ≤ 1/L implies, and η is halved until it
//! holds. That costs a gradient: it is checked whenever the residual has halved. Values of f would cost as much, and they do not fit
//! gradients that are off by a bias, so that no step would be short enough.

use super::point::Point;
use crate::linalg::vec;
use crate::{Class, Real, scratch};

/// x⁺ and its story.
pub(super) struct Probe<T: Real> {
    x: Vec<T>,        // x⁺ of the last look
    gradient: Vec<T>, // ∇f(x⁺), if g is not convex
    checked: f64,     // the residual at the last check of the step
}

/// What a step shows.
pub(super) struct Shown {
    /// η
    pub(super) step: f64,
    /// ‖x⁺ − x‖/η or, if g is not convex, ‖∇f(x⁺) + (y − x⁺)/η‖ with y = x − η∇f(x), which bounds dist(0, ∂Φ(x⁺)).
    pub(super) residual: f64,
    /// What a stopped prox may hide from the residual; `None` if nothing bounds it.
    pub(super) prox_error: Option<f64>,
    /// The same for an inexact gradient; NaN if nothing bounds it.
    pub(super) gradient_error: f64,
    /// f(x⁺), if g is not convex.
    pub(super) value: Option<f64>,
    /// What x⁺ gains on x, if g is convex.
    pub(super) fall: Option<f64>,
    /// The largest L that a failed check has proved to be too small; 0 if none has failed.
    pub(super) refuted: f64,
}

impl<T: Real> Probe<T> {
    pub(super) fn new(dim: usize, class: Class) -> Self {
        let gradient = if class == Class::Convex { 0 } else { dim };
        Self {
            x: vec![T::ZERO; dim],
            gradient: vec![T::ZERO; gradient],
            checked: f64::INFINITY,
        }
    }

    /// Whether x⁺ is returned in place of x.
    pub(super) fn is_returned(&self) -> bool {
        !self.gradient.is_empty()
    }

    /// x⁺
    pub(super) fn x(&self) -> &[T] {
        &self.x
    }

    /// ∇f(x⁺), if x⁺ is returned.
    pub(super) fn gradient(&self) -> &[T] {
        &self.gradient
    }

    /// Makes a step η ≤ `longest` from a point whose gradient is there. `is_safe` says that longest ≤ 1/L.
    pub(super) fn step(&mut self, from: &Point<'_, T>, longest: f64, is_safe: bool) -> Shown {
        let (mut step, mut refuted) = (longest, 0.0);
        loop {
            let error = self.go(from, step);
            let moved = vec::distance(&from.x, &self.x);
            let beyond = self.is_returned().then(|| {
                from.f
                    .gradient_within(&self.x, from.accuracy, &mut self.gradient)
            });
            let value = beyond.map(|(value, _)| value);
            let is_new = moved / step < 0.5 * self.checked;
            if !is_safe && (value.is_some() || is_new) {
                self.checked = moved / step;
                let shorter = 0.5 * step;
                // A step that rounds to nothing would show nothing.
                let can_shorten = vec::norm(&from.gradient) * shorter
                    > T::EPSILON.f64() * vec::norm(&from.x).max(f64::MIN_POSITIVE);
                let off = beyond.map(|(_, off)| off);
                if !self.bends_little(from, moved / step, off) && can_shorten {
                    refuted = 1.0 / step;
                    self.checked = f64::INFINITY;
                    step = shorter;
                    continue;
                }
            }
            // ∇f(x⁺) moves by L‖p − p*‖ ≤ ‖p − p*‖/η at most. The prox of a convex g passes on no more than the error of ∇f(x); else that
            // of ∇f(x⁺) is all that counts.
            let (residual, weight, gradient_error) = match beyond {
                None => (self.move_or_slope(from, moved, step), 1.0, from.error),
                Some((_, off)) => (self.slope(from, &self.gradient, step), 2.0, off),
            };
            return Shown {
                step,
                residual: residual + self.blur(from, step),
                prox_error: error.map(|error| weight * error / step),
                gradient_error,
                value,
                fall: value.is_none().then(|| self.fall(from, step)),
                refuted,
            };
        }
    }

    /// x⁺ ← P_η(x − η∇f(x)); how far that may be from the exact point.
    fn go(&mut self, from: &Point<'_, T>, step: f64) -> Option<f64> {
        let eta = T::of(step);
        for ((p, &x), &g) in self.x.iter_mut().zip(&from.x).zip(&from.gradient) {
            *p = x - eta * g;
        }
        from.g.prox_with_error(&mut self.x, eta)
    }

    /// Whether ∇f changes by no more than `residual` = ‖x⁺ − x‖/η from x to x⁺, up to rounding and the errors of both gradients, where
    /// `off` is that of ∇f(x⁺) if it is there already. Where there is no x⁺, no shorter
    /// step would help.
    fn bends_little(&self, from: &Point<'_, T>, residual: f64, off: Option<f64>) -> bool {
        if !residual.is_finite() {
            return true;
        }
        let (changed, off) = if let Some(off) = off {
            (vec::distance(&self.gradient, &from.gradient), off)
        } else {
            scratch::with(self.x.len(), |gradient: &mut [T]| {
                let (_, off) = from.f.gradient_within(&self.x, from.accuracy, gradient);
                (vec::distance(gradient, &from.gradient), off)
            })
        };
        let rounding = 64.0 * T::EPSILON.f64() * from.scale();
        let errors = off + from.error;
        errors.is_nan() || changed <= residual * (1.0 + 1e-9) + rounding + errors
    }

    /// ⟨∇f(x), x − x⁺⟩ − ‖x⁺ − x‖²/2η + g(x) − g(x⁺) ≤ Φ(x) − Φ(x⁺), if η ≤ 1/L.
    fn fall(&self, from: &Point<'_, T>, step: f64) -> f64 {
        let given = from.x.iter().zip(&from.gradient);
        let linear = given.zip(&self.x).map(|((x, g), p)| {
            let back = x.f64() - p.f64();
            g.f64() * back - back * back / (2.0 * step)
        });
        linear.sum::<f64>() + from.g.value(&from.x) - from.g.value(&self.x)
    }

    /// ‖x⁺ − x‖/η; where the rounding of x alone is more than a gradient that counts, also as ‖∇f(x) + (y − x⁺)/η‖, the larger one:
    /// there y rounds to x, and any point would look stationary.
    fn move_or_slope(&self, from: &Point<'_, T>, moved: f64, step: f64) -> f64 {
        let epsilon = T::EPSILON.f64();
        let seen = moved / step;
        if epsilon * vec::norm(&from.x) / step > epsilon.sqrt() * from.scale() {
            seen.max(self.slope(from, &from.gradient, step))
        } else {
            seen
        }
    }

    /// ‖∇ + (y − x⁺)/η‖ with the y = x − η∇f(x) that the prox was given, rounded as it was. Where y rounds to x, the
    /// formula with x − η∇f(x) in full would lose ∇f.
    fn slope(&self, from: &Point<'_, T>, gradient: &[T], step: f64) -> f64 {
        let eta = T::of(step);
        let given = from.x.iter().zip(&from.gradient);
        let squares = given
            .zip(self.x.iter().zip(gradient))
            .map(|((&x, &g), (p, beyond))| {
                let y = x - eta * g;
                let slope = beyond.f64() + (y.f64() - p.f64()) / step;
                slope * slope
            });
        squares.sum::<f64>().sqrt()
    }

    /// What rounding of the prox can hide from a residual: ε‖x⁺‖/η over the entries that it moves, if that is more than a slope that
    /// counts, else 0.
    fn blur(&self, from: &Point<'_, T>, step: f64) -> f64 {
        let (epsilon, eta) = (T::EPSILON.f64(), T::of(step));
        let least = epsilon.sqrt() * from.scale();
        if epsilon * vec::norm(&self.x) / step <= least {
            return 0.0;
        }
        let given = from.x.iter().zip(&from.gradient);
        let moved = given
            .zip(&self.x)
            .filter(|((x, g), p)| **x - eta * **g != **p);
        let size = moved.map(|(_, p)| p.f64()).fold(0.0, f64::hypot);
        let blur = epsilon * size / step;
        if blur > least { blur } else { 0.0 }
    }
}
