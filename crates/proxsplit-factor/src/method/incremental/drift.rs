//! The drift e of a pass, and what measured passes have shown of the theorem's numbers.

use super::metric::Metric;
use super::{Incremental, SHORTEST, damp, ridge};
use crate::codes::largest_eigenvalue_bound;
use crate::products::{Lanes, add, dot, norm, times_difference, times_less_then_ridge};
use crate::work::Work;
use proxsplit::internal::linalg::vec::axpy;
use proxsplit::ledger::Level;
use serde::{Deserialize, Serialize};

/// The residual stands clear of ‖e‖ while it is above this multiple of it; how much shorter the step is when it is not.
pub(crate) const FLOOR: f64 = 4.0;
/// The same where nothing is taken off.
const PLAIN_FLOOR: f64 = 0.85;
pub(crate) const SHRINK: f64 = 0.7;

/// What measured passes have shown: numbers of the theorem.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
pub(super) struct Known {
    /// The least and the greatest η.
    pub(super) steps: Option<(f64, f64)>,
    /// L of a pass in its metric: the largest eigenvalue of H⁻¹Σ_t H_t.
    pub(super) lipschitz: Recent,
    /// K for residuals that are not measured in the metric.
    pub(super) constant: Recent,
}

/// The largest value of at least the second half of the passes: theorems are about limits, and a first pass, whose metric
/// comes from one batch, says nothing of them.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
pub(super) struct Recent {
    now: Option<f64>,
    before: Option<f64>,
}

impl Recent {
    pub(super) fn note(&mut self, value: f64) {
        self.now = Some(self.now.map_or(value, |now| now.max(value)));
    }

    /// Forgets what lies before the pass that was half of this one, a power of two.
    pub(super) fn turn(&mut self) {
        *self = Self {
            now: None,
            before: self.now.or(self.before),
        };
    }

    pub(super) fn largest(&self) -> Option<f64> {
        self.now.into_iter().chain(self.before).reduce(f64::max)
    }
}

impl<T: Lanes> Incremental<T> {
    /// Notes ‖e‖ of the pass, and shortens the next step if the residual at the start of the pass is no larger. An automatic schedule takes
    /// off what is known of e.
    pub(super) fn read_drift(&mut self, work: &Work<'_, T>) {
        let rank = work.problem.rank;
        let has_drift = self.batches.count() > 1;
        if has_drift {
            work.problem.fixed.clear(&mut self.drift, rank);
        }
        let estimate = if has_drift { norm(&self.drift) } else { 0.0 };
        let runs_ahead = self.runs_ahead();
        // ∇f at the start for the codes of the pass. An automatic schedule goes on to a step of 1 for these codes, without the drift, in
        // their own metric H: H·start − ∇f(start) is Σ_t C_t and a ridge.
        let ridge = if runs_ahead { self.ridge() } else { T::ZERO };
        let product = (&*self.curvature, &*self.start);
        times_less_then_ridge(&mut self.room, product, (&mut self.linear, ridge), rank);
        work.problem.fixed.clear(&mut self.room, rank);
        let step = 1.0 / largest_eigenvalue_bound(&self.curvature, rank).max(f64::MIN_POSITIVE);
        let (residual, _) = work.atoms.residual(&self.start, &self.room, (rank, step));
        self.compare(residual, estimate, work.memory.step);
        if runs_ahead {
            self.take_own_metric();
        } else if has_drift {
            add(-T::ONE, &self.drift, &mut self.room);
        }
        let level = match self.exact.take() {
            Some(exact) => Level::Measured(self.measure_drift(exact, work)),
            None => Level::Estimated(estimate),
        };
        self.note_drift(level);
    }

    /// Shortens the next step if the residual at the start of a pass does not stand clear of the drift.
    pub(super) fn compare(&mut self, residual: f64, drift: f64, step: f64) {
        let floor = if self.runs_ahead() {
            FLOOR
        } else {
            PLAIN_FLOOR
        };
        if residual <= floor * drift {
            self.pass.cap = (SHRINK * step).max(SHORTEST);
        }
    }

    /// The metric of the codes of the pass, for a whole step of 1.
    pub(super) fn take_own_metric(&mut self) {
        let rank = self.curvature.len().isqrt();
        self.metric.copy_from_slice(&self.curvature);
        damp(&mut self.metric, rank, rank as f64 * T::EPSILON.f64());
    }

    /// Remembers the largest ‖e‖ since the last look.
    pub(super) fn note_drift(&mut self, level: Level) {
        self.pass.drift = Some(match self.pass.drift {
            // What was taken off says little of what is left.
            Some(measured @ Level::Measured(_)) if self.runs_ahead() => measured,
            Some(drift) => drift.or_larger(level),
            None => level,
        });
    }

    /// What keeps rounding away from the metric of a whole step.
    pub(super) fn ridge(&self) -> T {
        let rank = self.curvature.len().isqrt();
        ridge(&self.curvature, rank, rank as f64 * T::EPSILON.f64())
    }

    /// ‖e‖ of a pass that began at a look, with e = ∇f(xᵏ) − Σ_t ∇f_t(x^{k,t}) or what stands for the sum in `room`; notes L and K of the pass. A
    /// pass that began ahead of xᵏ made the step of the gradient less H(x̂ᵏ − xᵏ)/η.
    ///
    /// In the metric H the theorem bounds ‖Δ‖_H by 2η‖e‖_{H⁻¹}/(2 − ηL). Without it, dist(0, ∂Φ) is at most
    /// ‖e‖ + (1/η + L)·√‖H‖·‖Δ‖_H, which is K·‖e‖. Where atoms are fixed e is 0 and H stands for its free part, whose numbers are
    /// no larger.
    pub(super) fn measure_drift(&mut self, mut error: Vec<T>, work: &Work<'_, T>) -> f64 {
        let step = self.whole_step(work);
        let rank = self.metric.len().isqrt();
        axpy(-T::ONE, &self.room, &mut error);
        let (ahead, moved) = (&mut *self.share.linear, (&*self.start, &*self.point));
        times_difference((ahead, false), &self.metric, moved, rank);
        axpy(T::of(1.0 / step), ahead, &mut error);
        work.problem.fixed.clear(&mut error, rank);
        let size = dot(&error, &error).sqrt();
        let known = &mut self.pass.known;
        let metric = Metric::new(&self.metric, rank);
        let ratio = metric
            .as_ref()
            .and_then(|m| m.largest_ratio(&self.curvature));
        // A metric that is singular bounds nothing.
        let lipschitz = ratio.unwrap_or(f64::INFINITY);
        known.lipschitz.note(lipschitz);
        let product = step * lipschitz;
        if let Some(metric) = metric.filter(|_| product < 2.0 && size > 0.0) {
            let ratio = metric.dual_norm(&error) * metric.largest.sqrt() / size;
            known
                .constant
                .note(1.0 + (1.0 + product) * 2.0 * ratio / (2.0 - product));
        }
        size
    }
}
