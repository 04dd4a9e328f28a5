//! One exact step x⁺ = P_η(x − η∇f(x)) from a point that is looked at, and what it shows.
//!
//! Residuals shrink as η grows, so a reference step 1/L̂ with an L̂ that is far too small would make every point of a bounded set
//! look stationary. Where L is not known, f(x⁺) ≤ f(x) + ⟨∇f(x), d⟩ + ‖d‖²/2η with d = x⁺ − x is checked, which η ≤ 1/L implies,
//! and η is halved until it holds. That costs a value of f: it is checked whenever the residual has halved.

use super::point::Point;
use crate::linalg::vec;
use crate::{Class, Real};

/// x⁺ and its story.
pub(super) struct Probe<T: Real> {
    x: Vec<T>,                       // x⁺ of the last look
    gradient: Vec<T>,                // ∇f(x⁺), if g is not convex
    checked: f64,                    // the residual at the last check of the step
    pub(super) least_lipschitz: f64, // the largest L that a failed check has proved
}

/// What a step shows.
pub(super) struct Shown {
    /// η
    pub(super) step: f64,
    /// ‖x⁺ − x‖/η or, if g is not convex, ‖∇f(x⁺) − ∇f(x) − (x⁺ − x)/η‖, which bounds dist(0, ∂Φ(x⁺)).
    pub(super) residual: f64,
    /// What a stopped prox may hide from the residual; `None` if nothing bounds it.
    pub(super) prox_error: Option<f64>,
    /// f(x⁺), if g is not convex.
    pub(super) value: Option<f64>,
}

impl<T: Real> Probe<T> {
    pub(super) fn new(dim: usize, class: Class) -> Self {
        let gradient = if class == Class::Convex { 0 } else { dim };
        Self {
            x: vec![T::ZERO; dim],
            gradient: vec![T::ZERO; gradient],
            checked: f64::INFINITY,
            least_lipschitz: 0.0,
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

    /// Makes a step η ≤ `longest` from a point whose gradient is there. `is_safe` says that longest ≤ 1/L.
    pub(super) fn step(&mut self, from: &Point<'_, T>, longest: f64, is_safe: bool) -> Shown {
        let mut step = longest;
        loop {
            let error = self.go(from, step);
            let moved = vec::distance(&from.x, &self.x);
            let value = self
                .is_returned()
                .then(|| from.f.gradient(&self.x, &mut self.gradient));
            let is_new = moved / step < 0.5 * self.checked;
            if !is_safe && (value.is_some() || is_new) {
                self.checked = moved / step;
                let after = value.unwrap_or_else(|| from.f.value(&self.x));
                let shorter = 0.5 * step;
                // A step that rounds to nothing would show nothing.
                let can_shorten = vec::norm(&from.gradient) * shorter
                    > T::EPSILON.f64() * vec::norm(&from.x).max(f64::MIN_POSITIVE);
                if !self.is_below_model(from, after, step) && can_shorten {
                    self.least_lipschitz = self.least_lipschitz.max(1.0 / step);
                    self.checked = f64::INFINITY;
                    step = shorter;
                    continue;
                }
            }
            // ∇f(x⁺) moves by L‖p − p*‖ ≤ ‖p − p*‖/η at most.
            let (residual, weight) = match value {
                None => (moved / step, 1.0),
                Some(_) => (self.slope(from, step), 2.0),
            };
            return Shown {
                step,
                residual,
                prox_error: error.map(|error| weight * error / step),
                value,
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

    /// Whether f(x⁺) is where 1/η ≥ L puts it, up to rounding.
    fn is_below_model(&self, from: &Point<'_, T>, after: f64, step: f64) -> bool {
        let Some(before) = from.value.filter(|value| value.is_finite()) else {
            return true;
        };
        let (mut slope, mut square) = (0.0, 0.0);
        for ((p, x), g) in self.x.iter().zip(&from.x).zip(&from.gradient) {
            let d = p.f64() - x.f64();
            slope += d * g.f64();
            square += d * d;
        }
        let rounding = 8.0 * T::EPSILON.f64() * (before.abs() + after.abs() + slope.abs());
        after <= before + slope + square / (2.0 * step) + rounding
    }

    /// ‖∇f(x⁺) − ∇f(x) − (x⁺ − x)/η‖
    fn slope(&self, from: &Point<'_, T>, step: f64) -> f64 {
        let moved = self.x.iter().zip(&from.x);
        let changed = self.gradient.iter().zip(&from.gradient);
        let squares = moved.zip(changed).map(|((p, x), (beyond, here))| {
            let slope = (beyond.f64() - here.f64()) - (p.f64() - x.f64()) / step;
            slope * slope
        });
        squares.sum::<f64>().sqrt()
    }
}
