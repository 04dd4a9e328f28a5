//! Gradients that arrive τ steps late: ∇̃f(xᵏ) = ∇f(x^{k−τ}), as from a pipeline or another machine.
//!
//! ‖e_k‖ ≤ L‖xᵏ − x^{k−τ}‖ ≤ L Σ_{j=k−τ}^{k−1} ‖Δ_j‖. Every move counts in at most τ steps, and every step has at most τ of them, so
//! that Σ_k ‖e_k‖‖Δ_k‖ ≤ W Σ_k ‖Δ_k‖² with W = τL. What follows for the run is in [`Following`](super::Following).

use super::{Following, GradientSource};
use crate::ledger::{Level, Source};
use crate::linalg::vec::distance;
use crate::{Lipschitz, Real, Smooth};

/// The gradient of τ steps ago; in the first steps, that of the start.
pub struct Stale<'a, T: Real = f64> {
    f: &'a dyn Smooth<T>,
    delay: usize,
    asked: usize,      // points since the start
    points: Vec<T>,    // the last τ + 1 points
    gradients: Vec<T>, // ∇f there
    seen: f64,         // the largest curvature that gradients have shown, if L is not known
}

crate::opaque!(Stale<'_, T>, T: Real);

impl<'a, T: Real> Stale<'a, T> {
    /// Gradients of `f` that are `delay` steps old.
    pub fn new(f: &'a dyn Smooth<T>, delay: usize) -> Self {
        let room = vec![T::ZERO; (delay + 1) * f.dim()];
        Self {
            f,
            delay,
            asked: 0,
            points: room.clone(),
            gradients: room,
            seen: 0.0,
        }
    }

    fn lipschitz(&self) -> Lipschitz {
        match self.f.lipschitz() {
            Lipschitz::Known(l) => Lipschitz::Known(l),
            other => Lipschitz::Estimated(other.value().unwrap_or(0.0).max(self.seen)),
        }
    }

    /// The place of a point that was asked about.
    fn place(&self, asked: usize) -> std::ops::Range<usize> {
        let (slot, dim) = (asked % (self.delay + 1), self.f.dim());
        slot * dim..(slot + 1) * dim
    }
}

impl<T: Real> GradientSource<T> for Stale<'_, T> {
    fn estimate(&mut self, x: &[T], _: f64, out: &mut [T]) -> Level {
        let here = self.place(self.asked);
        self.points[here.clone()].copy_from_slice(x);
        self.f.gradient(x, &mut self.gradients[here.clone()]);
        let there = self.place(self.asked.saturating_sub(self.delay));
        self.asked += 1;
        out.copy_from_slice(&self.gradients[there.clone()]);
        let way = distance(x, &self.points[there]);
        let changed = distance(&self.gradients[here], out);
        self.seen = if way > 0.0 {
            self.seen.max(changed / way)
        } else {
            self.seen
        };
        super::level(self.lipschitz(), way)
    }

    fn source(&self) -> Source {
        Source::Stale
    }

    fn following(&self) -> Option<Following> {
        let l = self.lipschitz();
        let step = l.value().filter(|l| *l > 0.0);
        Some(Following {
            feedback: l.scaled(self.delay as f64),
            step: step.map(|l| 1.0 / (l * (1.0 + 2.0 * self.delay as f64))),
        })
    }

    fn restart(&mut self) {
        self.asked = 0;
    }
}
