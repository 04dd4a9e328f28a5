//! What a run has seen of L, beside what f says of it.

use crate::Lipschitz;

/// A curvature above a known L by more than this factor, which is none of rounding, proves that the L is wrong.
const REFUTED: f64 = 1.001;

/// A step below this fraction of 1/L has collapsed.
const COLLAPSED: f64 = 1e-3;

/// L as f knows it, and the largest curvature of the run.
#[derive(Clone, Copy)]
pub(super) struct Seen {
    pub(super) given: Lipschitz,
    pub(super) largest: f64,
}

impl Seen {
    pub(super) fn new(given: Lipschitz) -> Self {
        Self {
            given,
            largest: 0.0,
        }
    }

    /// ∇f has changed by `changed` over a distance `moved`. Gradients of points close to each other differ by their rounding, which is
    /// no curvature.
    pub(super) fn observe(&mut self, moved: f64, changed: f64, rounding: f64) {
        if moved > 0.0 && changed > rounding {
            self.largest = self.largest.max((changed - rounding) / moved);
        }
    }

    /// L as far as it is known: estimates grow with what the run has seen, and an L that the run has refuted is none.
    pub(super) fn so_far(&self) -> Lipschitz {
        match self.given {
            Lipschitz::Known(l) if self.largest <= REFUTED * l => self.given,
            Lipschitz::Known(l) | Lipschitz::Estimated(l) => {
                Lipschitz::Estimated(l.max(self.largest))
            }
            Lipschitz::Unknown if self.largest > 0.0 => Lipschitz::Estimated(self.largest),
            Lipschitz::Unknown => Lipschitz::Unknown,
        }
    }

    /// The step at which residuals are measured, whatever the solver's own: 1/L, or `otherwise` if nothing is known of L.
    ///
    /// Where g is not convex, the fixed points of a longer step are fewer than those of the solver's: there its `own` step counts, if
    /// it is shorter but has not collapsed, so that rounding cannot hide the residual.
    pub(super) fn reference(&self, own: Option<f64>, otherwise: f64) -> f64 {
        let l = self.so_far().value().filter(|l| *l > 0.0 && l.is_finite());
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
