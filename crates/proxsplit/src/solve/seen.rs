//! What a run has seen of L, beside what f says of it.

use super::point::Refuted;
use crate::Lipschitz;

/// A curvature above a known L by more than this factor, which is none of rounding, proves that the L is wrong.
const REFUTED: f64 = 1.001;

/// A step below this fraction of 1/L has collapsed.
const COLLAPSED: f64 = 1e-3;

/// L as f knows it, and the largest curvatures of the run.
#[derive(Clone, Copy)]
pub(super) struct Seen {
    pub(super) given: Lipschitz,
    anywhere: f64,
    // Where Φ was not above its start. A run that goes astray may meet any curvature, and a reference step for that would be too short
    // for the point that is returned: rounding would hide its residual. Looks check that this one is enough.
    near: f64,
}

impl Seen {
    pub(super) fn new(given: Lipschitz) -> Self {
        Self {
            given,
            anywhere: 0.0,
            near: 0.0,
        }
    }

    /// The largest curvature where Φ was not above its start; 0 before there is one.
    pub(super) fn nearby(&self) -> f64 {
        self.near
    }

    /// ∇f has changed by `changed` over a distance `moved`. Gradients of points close to each other differ by their rounding, which is
    /// no curvature.
    pub(super) fn observe(
        &mut self,
        (moved, changed): (f64, f64),
        rounding: f64,
        is_near: impl FnOnce() -> bool,
    ) {
        if moved > 0.0 && changed > rounding {
            let curvature = (changed - rounding) / moved;
            self.anywhere = self.anywhere.max(curvature);
            if curvature > self.near && is_near() {
                self.near = curvature;
            }
        }
    }

    /// Takes up what looks have proved.
    pub(super) fn refute(&mut self, refuted: Refuted) {
        self.anywhere = self.anywhere.max(refuted.anywhere);
        self.near = self.near.max(refuted.near);
    }

    /// L as far as it is known: estimates grow with what the run has seen, and an L that the run has refuted is none.
    pub(super) fn so_far(&self) -> Lipschitz {
        self.at_least(self.anywhere)
    }

    fn at_least(&self, seen: f64) -> Lipschitz {
        match self.given {
            Lipschitz::Known(l) if seen <= REFUTED * l => self.given,
            Lipschitz::Known(l) | Lipschitz::Estimated(l) => Lipschitz::Estimated(l.max(seen)),
            Lipschitz::Unknown if seen > 0.0 => Lipschitz::Estimated(seen),
            Lipschitz::Unknown => Lipschitz::Unknown,
        }
    }

    /// The step at which residuals are measured, whatever the solver's own: 1/L, or `otherwise` if nothing is known of L.
    ///
    /// Where g is not convex, the fixed points of a longer step are fewer than those of the solver's: there its `own` step counts, if
    /// it is shorter but has not collapsed, so that rounding cannot hide the residual.
    pub(super) fn reference(&self, own: Option<f64>, otherwise: f64) -> f64 {
        let l = self.at_least(self.near).value();
        let l = l.filter(|l| *l > 0.0 && l.is_finite());
        let reference = l.map_or(otherwise, f64::recip);
        match own {
            Some(own) if own > 0.0 => own.clamp(COLLAPSED * reference, reference),
            _ => reference,
        }
    }

    /// Whether a step is proved to be at most 1/L.
    pub(super) fn is_safe(&self, step: f64) -> bool {
        matches!(self.so_far(), Lipschitz::Known(l) if l * step <= 1.0 + f64::EPSILON)
    }
}
