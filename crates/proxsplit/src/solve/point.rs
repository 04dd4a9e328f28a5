//! The point of a solver, and what is true there by the exact gradient.

use super::probe::Probe;
use crate::certificate::AtPoint;
use crate::error::{Error, all_finite, length};
use crate::gap::Gap;
use crate::linalg::vec;
use crate::{Prox, Real, Smooth};

/// x with f, g and the exact gradient.
pub(super) struct Point<'a, T: Real> {
    pub(super) f: &'a dyn Smooth<T>,
    pub(super) g: &'a dyn Prox<T>,
    pub(super) x: Vec<T>,
    pub(super) gradient: Vec<T>,   // ∇f(x), as long as the value is there
    pub(super) value: Option<f64>, // f(x)
    probe: Option<Probe<T>>, // x⁺ = P_η(x − η∇f(x)) of the last look; taken out while it is made
    kept: Option<Vec<T>>,    // the point to return
    largest: f64,            // the largest ‖∇f‖ of all looks
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
        Ok(Self {
            f,
            g,
            x,
            gradient: vec![T::ZERO; start.len()],
            value: None,
            probe: Some(Probe::new(start.len(), g.class())),
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
        self.probe.as_ref().is_some_and(Probe::is_returned)
    }

    /// An L that is proved to be too small by the looks so far; 0 if there is none.
    pub(super) fn least_lipschitz(&self) -> f64 {
        self.probe
            .as_ref()
            .map_or(0.0, |probe| probe.least_lipschitz)
    }

    /// The size of what cancels in ∇f at a solution: the gradient at 0 if f knows it, or the largest one that was looked at.
    pub(super) fn scale(&self) -> f64 {
        let known = self.f.cancelling().unwrap_or(self.largest);
        known.max(vec::norm(&self.gradient))
    }

    /// What is true at x or, if g is not convex, at x⁺ = P_η(x − η∇f(x)), where ∇f(x⁺) − ∇f(x) − (x⁺ − x)/η is in ∂Φ.
    pub(super) fn measure(&mut self, reference: f64, is_safe: bool) -> AtPoint {
        let mut value = self.evaluate();
        let longest = reference.min(0.99 * self.g.class().step_limit());
        let mut probe = self
            .probe
            .take()
            .unwrap_or_else(|| Probe::new(self.x.len(), self.g.class()));
        let shown = probe.step(self, longest, is_safe);
        self.probe = Some(probe);
        let gap = self.gap(value);
        value = shown.value.unwrap_or(value);
        self.largest = self.largest.max(vec::norm(&self.gradient));
        let (x, scale) = (self.looked_at(), self.scale());
        let penalty = self.g.value(x);
        let objective = value + penalty;
        let least = || {
            self.f
                .lower_bound()
                .zip(crate::gap::infimum(self.g, x.len()))
        };
        AtPoint {
            objective,
            residual: shown.residual,
            reference_step: shown.step,
            prox_error: shown.prox_error,
            scale,
            // A step that has collapsed must not excuse a large residual.
            rounding: (4.0 * T::EPSILON.f64() * (vec::norm(x) / shown.step + scale))
                .min(T::EPSILON.f64().sqrt() * scale),
            gap: gap.map(|gap| gap.value),
            lower_bound: match gap {
                Some(gap) => Some(objective - gap.value),
                None => least().map(|(f, g)| f + g),
            },
            feasible: penalty.is_finite(),
            pair: None,
        }
    }

    /// A finite bound on Φ(x) − inf Φ, if x is what is returned.
    fn gap(&self, value: f64) -> Option<Gap> {
        if self.looks_beyond() {
            return None;
        }
        let gap = crate::gap::suboptimality(self.f, self.g, &self.x, value, &self.gradient);
        gap.filter(|gap| gap.value.is_finite())
    }

    /// The point of the last look.
    fn looked_at(&self) -> &[T] {
        match &self.probe {
            Some(probe) if probe.is_returned() => probe.x(),
            _ => &self.x,
        }
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
