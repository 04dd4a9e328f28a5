//! The drift e of a pass, and what measured passes have shown of the theorem's numbers.

use super::metric::Metric;
use super::{Incremental, SHORTEST};
use crate::codes::largest_eigenvalue_bound;
use crate::products::{Lanes, dot, times};
use crate::work::Work;
use proxsplit::ledger::Level;
use proxsplit::linalg::vec::axpy;
use serde::{Deserialize, Serialize};

/// The residual is at the floor when it is below this multiple of ‖e‖; how much shorter the step is then.
const FLOOR: f64 = 0.85;
const SHRINK: f64 = 0.7;

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
    /// Notes ‖e‖ of the pass, and shortens the next step if the residual at the start of the pass is no larger.
    pub(super) fn read_drift(&mut self, work: &Work<'_, T>) {
        let rank = work.problem.rank;
        let drift = &mut self.linear;
        times(drift, &self.curvature, &self.start, rank);
        axpy(-T::ONE, &self.seen, drift);
        work.problem.fixed.clear(drift, rank);
        let estimate = dot(drift, drift).sqrt();
        // ∇f(xᵏ) for the codes of the pass.
        axpy(T::ONE, &self.sum, drift);
        let step = 1.0 / largest_eigenvalue_bound(&self.curvature, rank).max(f64::MIN_POSITIVE);
        let (residual, _) = work.atoms.residual(&self.start, drift, (rank, step));
        if residual <= FLOOR * estimate {
            self.pass.cap = (SHRINK * work.memory.step).max(SHORTEST);
        }
        let level = match self.exact.take() {
            Some(exact) => Level::Measured(self.measure_drift(exact, work.memory.step)),
            None => Level::Estimated(estimate),
        };
        let largest = self
            .pass
            .drift
            .map_or(level, |drift| drift.or_larger(level));
        self.pass.drift = Some(largest);
    }

    /// ‖e‖ of a pass that began at a look, with e = ∇f(xᵏ) − Σ_t ∇f_t(x^{k,t}); notes L and K of the pass.
    ///
    /// In the metric H the theorem bounds ‖Δ‖_H by 2η‖e‖_{H⁻¹}/(2 − ηL). Without it, dist(0, ∂Φ) is at most
    /// ‖e‖ + (1/η + L)·√‖H‖·‖Δ‖_H, which is K·‖e‖. Where atoms are fixed e is 0 and H stands for its free part, whose numbers are
    /// no larger.
    fn measure_drift(&mut self, mut error: Vec<T>, step: f64) -> f64 {
        axpy(-T::ONE, &self.sum, &mut error);
        let size = dot(&error, &error).sqrt();
        let rank = self.metric.len().isqrt();
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
