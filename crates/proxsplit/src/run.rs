//! Drives a solver: when to look, when to stop, whom to tell.

mod observer;
mod session;
mod watch;

pub use observer::Observer;
pub use session::{Saved, Session};

use crate::certificate::{AtPoint, Certificate};
use crate::ledger::Ledger;
use crate::solve::{Progress, Solver};
use std::fmt;
use std::time::Duration;

/// When to stop. A run ends as soon as one of the criteria is met.
///
/// | field | default | meaning |
/// |---|---|---|
/// | `residual` | 1e-9 | residual at which x counts as stationary … |
/// | `relative` | 1e-6 | … plus this fraction of the size of the terms that cancel at a solution |
/// | `gap` | none | stop when Φ is proved to be within this fraction of its minimum |
/// | `passes` | 1000 | passes over the data |
/// | `time` | none | wall-clock time |
/// | `looks` | growing | when to compute the true residual |
/// | `at_floor` | true | stop when the residual is as small as the errors allow |
/// | `best` | true | return the best point that was looked at instead of the last one |
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stop {
    /// Residual at which x counts as stationary.
    pub residual: f64,
    /// The same, as a fraction of the size of the terms that cancel at a solution; the tolerance is the sum of both.
    pub relative: f64,
    /// Φ − inf Φ at which x counts as optimal, as a fraction of inf Φ.
    pub gap: Option<f64>,
    /// Passes over the data.
    pub passes: f64,
    /// Wall-clock time.
    pub time: Duration,
    /// When to look at the true residual.
    pub looks: Looks,
    /// Whether to stop at the error floor.
    pub at_floor: bool,
    /// Whether to return the best point that was looked at instead of the last one.
    pub best: bool,
}

/// When to look at a run, that is, compute the true residual. The start and the end are always looked at; a run that only a limit can end is not
/// looked at in between, unless looks are requested.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Looks {
    /// Every so many passes.
    Every(f64),
    /// After every pass if a look is free. If it costs about a pass: once the passes since the last look are at least four and at least half
    /// of those before it, or sooner if the residual, extrapolated from the last two looks, should have met the tolerance. A run that
    /// only a limit can end is not looked at in between.
    Growing,
}

impl Looks {
    /// The pass of the next look.
    fn after(self, last: f64, cost: f64) -> f64 {
        match self {
            Looks::Every(passes) => last + passes,
            // In the middle of a pass, mini-batches are further from where they go than at its end.
            Looks::Growing => last + (cost * (0.5 * last).floor().max(4.0)).ceil().max(1.0),
        }
    }
}

impl Default for Stop {
    fn default() -> Self {
        Self {
            residual: 1e-9,
            relative: 1e-6,
            gap: None,
            passes: 1000.0,
            time: Duration::MAX,
            looks: Looks::Growing,
            at_floor: true,
            best: true,
        }
    }
}

impl Stop {
    /// Whether looks were asked for, or anything but a limit can end the run, so that it must be watched.
    fn is_watched(&self) -> bool {
        matches!(self.looks, Looks::Every(_))
            || self.residual > 0.0
            || self.relative > 0.0
            || self.gap.is_some()
            || self.at_floor
    }
}

/// Why a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "kebab-case")
)]
#[non_exhaustive]
pub enum Reason {
    /// The point is stationary, or as close to the minimum as requested.
    Converged,
    /// The residual has stopped falling at the level of the gradient's errors.
    ErrorFloor,
    /// The limit of passes was reached.
    PassLimit,
    /// The time limit was reached.
    TimeLimit,
    /// The iterates or the objective diverged.
    Diverged,
    /// The observer asked to stop.
    Interrupted,
}

impl Reason {
    /// The name of the reason, the same in every language.
    pub fn code(self) -> &'static str {
        match self {
            Reason::Converged => "converged",
            Reason::ErrorFloor => "error-floor",
            Reason::PassLimit => "pass-limit",
            Reason::TimeLimit => "time-limit",
            Reason::Diverged => "diverged",
            Reason::Interrupted => "interrupted",
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        out.write_str(match self {
            Reason::Converged => "converged",
            Reason::ErrorFloor => "stopped at the error floor",
            Reason::PassLimit => "hit the pass limit",
            Reason::TimeLimit => "hit the time limit",
            Reason::Diverged => "diverged",
            Reason::Interrupted => "interrupted",
        })
    }
}

/// A line of the trace: a look at the run, or a pass whose objective the method computed along the way.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Row {
    /// Where the solver is.
    #[cfg_attr(feature = "serde", serde(flatten))]
    pub progress: Progress,
    /// Seconds until the point was reached.
    pub seconds: f64,
    /// What is true at that point, if it was looked at.
    pub at: Option<AtPoint>,
    /// The largest errors since the last look.
    pub errors: Ledger,
}

impl Row {
    /// Φ, from a look or as the method computed it.
    pub fn objective(&self) -> f64 {
        let seen = self.progress.objective.unwrap_or(f64::NAN);
        self.at.map_or(seen, |at| at.objective)
    }

    /// The residual of a look; NaN between looks.
    pub fn residual(&self) -> f64 {
        self.at.map_or(f64::NAN, |at| at.stationarity())
    }
}

/// How a run went.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Report {
    /// Why it ended.
    pub reason: Reason,
    /// What is true at the returned point, and what is known of the method.
    pub certificate: Certificate,
    /// Every look at the run, the start first, and the passes in between whose objective is known.
    pub trace: Vec<Row>,
    /// Seconds until the run ended, including looks but not the time spent in observers.
    pub seconds: f64,
}

impl Report {
    /// Whether the returned point is as requested: stationary, or within the gap.
    pub fn converged(&self) -> bool {
        self.certificate.verdict.is_success()
    }

    /// The looks of the trace.
    pub fn looks(&self) -> impl Iterator<Item = &Row> {
        self.trace.iter().filter(|row| row.at.is_some())
    }
}

/// Runs a solver until a criterion of `stop` is met. Leaves the solver at the returned point, to which the certificate refers.
///
/// ```
/// use proxsplit::{Row, Splitting, Stop, run, set::NonNeg, smooth::FnSmooth};
/// use std::ops::ControlFlow;
/// let f = FnSmooth::new(1, |x: &[f64], grad: &mut [f64]| {
///     grad[0] = x[0] + 1.0;
///     (x[0] + 1.0).powi(2) / 2.0
/// })?;
/// let mut solver = Splitting::new(&f, &NonNeg, &[3.0])?;
/// let mut objectives = Vec::new();
/// let report = run(&mut solver, &Stop::default(), |row: &Row| {
///     objectives.push(row.objective());
///     ControlFlow::Continue(()) // Break would end the run as interrupted
/// });
/// assert!(report.converged() && solver.x() == [0.0]);
/// assert_eq!(objectives.last(), Some(&0.5));
/// println!("{}", report.certificate);
/// # Ok::<(), proxsplit::Error>(())
/// ```
pub fn run<S: Solver + ?Sized>(solver: &mut S, stop: &Stop, observer: impl Observer<S>) -> Report {
    Session::new(*stop).run(solver, observer)
}
