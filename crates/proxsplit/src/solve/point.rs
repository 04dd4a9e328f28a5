//! The point of a solver, and what is true there by the exact gradient.

use crate::certificate::AtPoint;
use crate::error::{Error, all_finite, length};
use crate::linalg::vec;
use crate::{Class, Prox, Real, Smooth};

/// x with f, g and the exact gradient.
pub(super) struct Point<'a, T: Real> {
    pub(super) f: &'a dyn Smooth<T>,
    pub(super) g: &'a dyn Prox<T>,
    pub(super) x: Vec<T>,
    pub(super) gradient: Vec<T>,   // ∇f(x), as long as the value is there
    pub(super) value: Option<f64>, // f(x)
    probe: Vec<T>,                 // x⁺ = P_η(x − η∇f(x)) of the last look
    beyond: Vec<T>,                // ∇f(x⁺), if g is not convex
    kept: Option<Vec<T>>,          // the point to return
    largest: f64,                  // the largest ‖∇f‖ of all looks
}

impl<'a, T: Real> Point<'a, T> {
    /// A copy of `start`, moved into the domain of g if it lies outside.
    pub(super) fn new(
        f: &'a dyn Smooth<T>,
        g: &'a dyn Prox<T>,
        start: &[T],
    ) -> Result<Self, Error> {
        length("start", start, f.dim())?;
        all_finite("start", start)?;
        g.fits(start.len())?;
        let mut x = start.to_vec();
        if g.value(&x).is_infinite() {
            g.prox(&mut x, T::ONE);
        }
        let zeros = || vec![T::ZERO; start.len()];
        let beyond = if g.class() == Class::Convex {
            Vec::new()
        } else {
            zeros()
        };
        Ok(Self {
            f,
            g,
            x,
            gradient: zeros(),
            value: None,
            probe: zeros(),
            beyond,
            kept: None,
            largest: 0.0,
        })
    }

    /// f(x) and, in `gradient`, ∇f(x); costs nothing if they are there already.
    pub(super) fn evaluate(&mut self) -> f64 {
        match self.value {
            Some(value) => value,
            None => *self
                .value
                .insert(self.f.gradient(&self.x, &mut self.gradient)),
        }
    }

    /// Whether a look is at x⁺ and needs a gradient there.
    pub(super) fn looks_beyond(&self) -> bool {
        !self.beyond.is_empty()
    }

    /// What is true at x or, if g is not convex, at x⁺ = P_η(x − η∇f(x)), where ∇f(x⁺) − ∇f(x) − (x⁺ − x)/η is in ∂Φ.
    pub(super) fn measure(&mut self, reference: f64) -> AtPoint {
        let value = self.evaluate();
        let step = reference.min(0.99 * self.g.class().step_limit());
        let prox_error = self.step_to_probe(step).map(|error| error / step);
        let size = vec::norm(&self.gradient);
        self.largest = self.largest.max(size);
        let cancelling = self.f.cancelling().unwrap_or(self.largest);
        let (value, residual) = if self.looks_beyond() {
            let value = self.f.gradient(&self.probe, &mut self.beyond);
            (value, self.slope_beyond(step))
        } else {
            (value, vec::distance(&self.x, &self.probe) / step)
        };
        let x = self.looked_at();
        let penalty = self.g.value(x);
        let (objective, scale) = (value + penalty, cancelling.max(size));
        let gap = if self.looks_beyond() {
            None
        } else {
            crate::gap::suboptimality(self.f, self.g, x, value, &self.gradient)
        };
        let least = || {
            self.f
                .lower_bound()
                .zip(crate::gap::infimum(self.g, x.len()))
        };
        AtPoint {
            objective,
            residual,
            reference_step: step,
            prox_error,
            scale,
            rounding: 4.0 * T::EPSILON.f64() * (vec::norm(x) / step + scale),
            gap: gap.map(|gap| gap.value),
            lower_bound: match gap {
                Some(gap) => Some(objective - gap.value),
                None => least().map(|(f, g)| f + g),
            },
            feasible: penalty.is_finite(),
            pair: None,
        }
    }

    /// The point of the last look.
    fn looked_at(&self) -> &[T] {
        if self.looks_beyond() {
            &self.probe
        } else {
            &self.x
        }
    }

    /// probe ← P_η(x − η∇f(x)); how far that may be from the exact point.
    fn step_to_probe(&mut self, step: f64) -> Option<f64> {
        let eta = T::of(step);
        for ((p, &x), &g) in self.probe.iter_mut().zip(&self.x).zip(&self.gradient) {
            *p = x - eta * g;
        }
        self.g.prox_with_error(&mut self.probe, eta)
    }

    /// ‖∇f(x⁺) − ∇f(x) − (x⁺ − x)/η‖
    fn slope_beyond(&self, step: f64) -> f64 {
        let moved = self.probe.iter().zip(&self.x);
        let changed = self.beyond.iter().zip(&self.gradient);
        let squares = moved.zip(changed).map(|((p, x), (beyond, here))| {
            let slope = (beyond.f64() - here.f64()) - (p.f64() - x.f64()) / step;
            slope * slope
        });
        squares.sum::<f64>().sqrt()
    }

    /// Keeps the point of the last look.
    pub(super) fn keep(&mut self) {
        let mut kept = self.kept.take().unwrap_or_default();
        kept.clear();
        kept.extend_from_slice(self.looked_at());
        self.kept = Some(kept);
    }

    /// Goes to the point that was kept.
    pub(super) fn settle(&mut self) {
        if let Some(kept) = self.kept.take() {
            self.x = kept;
            self.value = None;
        }
    }
}
