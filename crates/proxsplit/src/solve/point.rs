//! The point of a solver, and what is true there by the exact gradient.

use super::probe::Probe;
use crate::certificate::{Assumption, AtPoint, Standing};
use crate::error::{Error, all_finite, length};
use crate::gap::Gap;
use crate::linalg::vec;
use crate::{Kind, Prox, Real, Smooth};

/// x with f, g and the exact gradient.
pub(super) struct Point<'a, T: Real> {
    pub(super) f: &'a dyn Smooth<T>,
    pub(super) g: &'a dyn Prox<T>,
    pub(super) x: Vec<T>,
    pub(super) gradient: Vec<T>,   // ∇f(x), as long as the value is there
    pub(super) value: Option<f64>, // f(x)
    pub(super) error: f64,         // a bound on the error of the gradient, if f is not exact
    pub(super) accuracy: f64,      // the error that the next gradient may have
    probe: Option<Probe<T>>, // x⁺ = P_η(x − η∇f(x)) of the last look; taken out while it is made
    kept: Option<Vec<T>>,    // the point to return
    start: Option<Start>,    // what the first look has found
    pub(super) escapes: bool, // whether Φ falls forever along x, as far as the last look has seen
    refuted: Refuted,        // the largest L that a look has proved to be too small
}

/// Below this part of its scale, a residual may be that of a point on the way to infinity.
const NEARLY: f64 = 1e-3;

/// The sizes of a run.
#[derive(Clone, Copy)]
struct Start {
    objective: f64, // Φ
    slope: f64,     // ‖∇f‖
}

/// Largest values of L that are proved to be too small; 0 if there is none.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Refuted {
    /// By any look.
    pub(super) anywhere: f64,
    /// By a look where Φ was not above its start: what a run meets when it goes astray says nothing of where it ends.
    pub(super) near: f64,
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
            // So short a step is a projection: a longer one would also apply the penalties of g, and move the start by any amount.
            g.prox(&mut x, T::EPSILON);
        }
        Ok(Self {
            f,
            g,
            x,
            gradient: vec![T::ZERO; start.len()],
            value: None,
            error: 0.0,
            accuracy: f64::INFINITY,
            probe: Some(Probe::new(start.len(), g.class())),
            kept: None,
            start: None,
            escapes: false,
            refuted: Refuted::default(),
        })
    }

    /// f(x) and, in `gradient`, ∇f(x); costs nothing if they are there already.
    pub(super) fn evaluate(&mut self) -> f64 {
        if let Some(value) = self.value {
            return value;
        }
        let (value, error) = self
            .f
            .gradient_within(&self.x, self.accuracy, &mut self.gradient);
        self.error = error;
        *self.value.insert(value)
    }

    /// Whether a look is at x⁺ and needs a gradient there.
    pub(super) fn looks_beyond(&self) -> bool {
        self.probe.as_ref().is_some_and(Probe::is_returned)
    }

    /// What the looks so far have proved of L.
    pub(super) fn refuted(&self) -> Refuted {
        self.refuted
    }

    /// Whether an objective is not above that of the start, as far as that is known.
    pub(super) fn is_near(&self, objective: f64) -> bool {
        self.start.is_none_or(|start| objective <= start.objective)
    }

    /// The size of what cancels in ∇f at a solution: the gradient at 0 if f knows it, or at the start; and here, where a
    /// subgradient of g cancels it. Not the largest one that was seen: a run that went astray would forgive itself anything.
    pub(super) fn scale(&self) -> f64 {
        self.scale_beside(&self.gradient)
    }

    fn scale_beside(&self, here: &[T]) -> f64 {
        let start = self.start.map(|start| start.slope);
        let known = self.f.cancelling().or(start).unwrap_or(0.0);
        known.max(vec::norm(here))
    }

    /// What is true at x or, if g is not convex, at x⁺ = P_η(y), y = x − η∇f(x), where ∇f(x⁺) + (y − x⁺)/η is in ∂Φ.
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
        let before = shown.value.map(|_| value + self.g.value(&self.x));
        value = shown.value.unwrap_or(value);
        let penalty = self.g.value(self.looked_at().0);
        let objective = value + penalty;
        self.note(
            before.map_or(objective, |before| before.max(objective)),
            shown.refuted,
        );
        let (x, gradient) = self.looked_at();
        let scale = self.scale_beside(gradient);
        // Far from stationary it does not matter yet.
        let escapes = shown.residual < NEARLY * scale && self.is_free() && self.f.falls_forever(x);
        let least = || {
            self.f
                .lower_bound()
                .zip(crate::gap::infimum(self.g, x.len()))
        };
        let at = AtPoint {
            objective,
            residual: shown.residual,
            reference_step: shown.step,
            prox_error: shown.prox_error,
            gradient_error: Some(shown.gradient_error).filter(|error| error.is_finite()),
            scale,
            // A step that has collapsed must not excuse a large residual.
            rounding: (4.0 * T::EPSILON.f64() * (vec::norm(x) / shown.step + scale))
                .min(T::EPSILON.f64().sqrt() * scale),
            fall: shown.fall,
            before,
            gap: gap.map(|gap| gap.value),
            lower_bound: match gap {
                Some(gap) => Some(objective - gap.value),
                None => least().map(|(f, g)| f + g),
            },
            feasible: penalty.is_finite(),
            pair: None,
        };
        self.escapes = escapes;
        at
    }

    /// Whether g is the same all along a ray: zero, or a cone.
    fn is_free(&self) -> bool {
        let form = self.g.form();
        form.kind == Kind::Zero || form.is_set() && form.homogeneous
    }

    /// What is said if Φ falls forever along x.
    pub(super) fn escape(&self) -> Option<Assumption> {
        self.escapes.then(|| Assumption {
            name: "there is no minimum, because the objective keeps decreasing along x",
            standing: Standing::Violated,
            text: "x separates the labels and no penalty bounds it: along x the objective decreases towards an infimum that no point attains".into(),
        })
    }

    /// Notes the sizes of the first look, and what a look has shown of L. The objective is the larger one of x and x⁺.
    fn note(&mut self, objective: f64, refuted: f64) {
        let slope = vec::norm(&self.gradient);
        if self.start.is_none() && objective.is_finite() && slope.is_finite() {
            self.start = Some(Start { objective, slope });
        }
        self.refuted.anywhere = self.refuted.anywhere.max(refuted);
        if self.is_near(objective) {
            self.refuted.near = self.refuted.near.max(refuted);
        }
    }

    /// A finite bound on Φ(x) − inf Φ, if x is what is returned.
    fn gap(&self, value: f64) -> Option<Gap> {
        // A gradient that is off proves nothing.
        if self.looks_beyond() || self.error != 0.0 {
            return None;
        }
        let gap = crate::gap::suboptimality(self.f, self.g, &self.x, value, &self.gradient);
        gap.filter(|gap| gap.value.is_finite())
    }

    /// The point of the last look, and ∇f there.
    pub(super) fn looked_at(&self) -> (&[T], &[T]) {
        match &self.probe {
            Some(probe) if probe.is_returned() => (probe.x(), probe.gradient()),
            _ => (&self.x, &self.gradient),
        }
    }

    /// Keeps the point of the last look.
    pub(super) fn keep(&mut self) {
        let mut kept = self.kept.take().unwrap_or_default();
        kept.clear();
        kept.extend_from_slice(self.looked_at().0);
        self.kept = Some(kept);
    }

    /// Goes to the point that was kept.
    pub(super) fn settle(&mut self) {
        // Mostly x is that point, and its gradient is still good.
        if let Some(kept) = self.kept.take().filter(|kept| *kept != self.x) {
            self.x = kept;
            self.value = None;
        }
    }
}
