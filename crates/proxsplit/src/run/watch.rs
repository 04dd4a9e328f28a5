//! The one place that decides when a run ends.

use super::{Reason, Report, Row, Stop};
use crate::certificate::Certificate;
use crate::solve::Solver;

/// What a run has seen so far.
#[derive(Debug, Clone)]
pub(super) struct Watch {
    pub(super) stop: Stop,
    tolerance: f64,
    pub(super) limit: Option<Reason>,
    pub(super) trace: Vec<Row>,
}

/// A residual within this multiple of ‖e‖ is explained by the errors: the theorem's K, as seen in practice.
const FLOOR: f64 = 10.0;

/// Passes before which no run counts as stuck, and the looks that each half of it needs.
const PATIENCE: f64 = 20.0;
const LOOKS: usize = 2;

impl Watch {
    pub(super) fn new(stop: Stop) -> Self {
        Self {
            stop,
            tolerance: stop.residual,
            limit: (stop.passes <= 0.0).then_some(Reason::PassLimit),
            trace: Vec::new(),
        }
    }

    /// Judges a row, which is kept unless it is the last one again.
    pub(super) fn look(&mut self, row: Row, solver: &dyn Solver) -> Option<Reason> {
        let setting = solver.setting();
        let now = row.measure.stationarity(setting.class);
        let again = |last: &Row| last.progress.iteration == row.progress.iteration;
        if !self.trace.last().is_some_and(again) {
            self.trace.push(row);
        }
        let first = self.trace[0].measure;
        self.tolerance =
            self.stop.residual + self.stop.relative * first.stationarity(setting.class);
        let ran_away = row.measure.objective > first.objective
            && now > 1e8 * (first.stationarity(setting.class) + 1.0);
        if ran_away || !now.is_finite() || row.measure.objective.is_nan() {
            return Some(Reason::Diverged);
        }
        if now <= self.tolerance {
            return Some(Reason::Converged);
        }
        // With steps that go to zero the floor falls with them.
        let stuck = self.stop.at_floor
            && !setting.diminishing
            && self.is_stuck(|row| row.measure.stationarity(setting.class));
        if stuck && now <= FLOOR * setting.ledger.total() {
            return Some(Reason::ErrorFloor);
        }
        self.limit
    }

    /// Whether twice the work has gained nothing: neither the best residual nor the best objective of the second half of
    /// the run is clearly better than that of the first. Halves make the test the same for fast and slow runs, and halves of
    /// the passes for frequent and rare looks.
    fn is_stuck(&self, residual: impl Fn(&Row) -> f64) -> bool {
        let passes = self.trace.last().map_or(0.0, |row| row.progress.passes);
        let half = |row: &Row| row.progress.passes <= 0.5 * passes;
        let (early, late) = self.trace.split_at(self.trace.partition_point(half));
        if passes < PATIENCE || early.len() < LOOKS || late.len() < LOOKS {
            return false;
        }
        let best = |rows: &[Row], value: &dyn Fn(&Row) -> f64| {
            rows.iter().map(value).fold(f64::INFINITY, f64::min)
        };
        let objective = |row: &Row| row.measure.objective;
        let (first, before, now) = (
            objective(&self.trace[0]),
            best(early, &objective),
            best(late, &objective),
        );
        best(late, &residual) > 0.9 * best(early, &residual)
            && before - now < 0.1 * (first - before)
    }

    pub(super) fn report(self, reason: Reason, solver: &dyn Solver) -> Report {
        let last = self.trace[self.trace.len() - 1];
        let certificate = Certificate::new(
            reason,
            (last.progress, last.measure),
            &solver.setting(),
            self.tolerance,
        );
        Report {
            reason,
            certificate,
            seconds: last.seconds,
            trace: self.trace,
        }
    }
}
