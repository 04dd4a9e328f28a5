//! Drives a solver: when to look, when to stop, whom to tell.

mod session;
mod watch;

pub use session::{Event, Saved, Session};

use crate::certificate::Certificate;
use crate::solve::{Measure, Progress, Solver};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::ops::ControlFlow;
use std::time::Duration;

/// When to stop. A run stops at whatever comes first.
///
/// | field | default | meaning |
/// |---|---|---|
/// | `residual` | 1e-9 | residual at which x counts as stationary … |
/// | `relative` | 1e-6 | … plus this fraction of the residual at the start |
/// | `passes` | 1000 | passes over the data |
/// | `time` | none | wall-clock time |
/// | `check_every` | 1 | passes between two looks at the true residual |
/// | `at_floor` | true | stop when the residual is as small as the errors allow |
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stop {
    /// Residual at which x counts as stationary.
    pub residual: f64,
    /// The same, as a fraction of the residual at the start; both are added.
    pub relative: f64,
    /// Passes over the data.
    pub passes: f64,
    /// Wall-clock time.
    pub time: Duration,
    /// Passes between two looks at the true residual.
    pub check_every: f64,
    /// Whether to stop at the error floor.
    pub at_floor: bool,
}

impl Default for Stop {
    fn default() -> Self {
        Self {
            residual: 1e-9,
            relative: 1e-6,
            passes: 1000.0,
            time: Duration::MAX,
            check_every: 1.0,
            at_floor: true,
        }
    }
}

/// Why a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reason {
    /// The true residual is within the tolerance.
    Converged,
    /// The residual has stopped falling at the level of the gradient's errors.
    ErrorFloor,
    /// The passes are used up.
    PassLimit,
    /// The time is used up.
    TimeLimit,
    /// The iterates or the objective ran away.
    Diverged,
    /// The observer asked to stop.
    Interrupted,
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

/// One look at a run.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// Where the solver is.
    #[serde(flatten)]
    pub progress: Progress,
    /// What is true there.
    #[serde(flatten)]
    pub measure: Measure,
    /// Seconds until the point was reached.
    pub seconds: f64,
}

/// Sees every row and may end the run.
pub trait Observer {
    /// `Break` ends the run as interrupted.
    fn observe(&mut self, row: &Row) -> ControlFlow<()>;
}

impl Observer for () {
    fn observe(&mut self, _: &Row) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

impl<F: FnMut(&Row) -> ControlFlow<()>> Observer for F {
    fn observe(&mut self, row: &Row) -> ControlFlow<()> {
        self(row)
    }
}

impl<A: Observer, B: Observer> Observer for (A, B) {
    fn observe(&mut self, row: &Row) -> ControlFlow<()> {
        match (self.0.observe(row), self.1.observe(row)) {
            (ControlFlow::Continue(()), ControlFlow::Continue(())) => ControlFlow::Continue(()),
            _ => ControlFlow::Break(()),
        }
    }
}

/// How a run went.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Report {
    /// Why it ended.
    pub reason: Reason,
    /// What is true at the returned point.
    pub certificate: Certificate,
    /// Every look at the run, the start first.
    pub trace: Vec<Row>,
    /// Seconds until the returned point was reached, earlier looks included; what observers do is not counted.
    pub seconds: f64,
}

impl Report {
    /// Whether the returned point is stationary to the tolerance.
    pub fn converged(&self) -> bool {
        self.reason == Reason::Converged
    }
}

/// Runs a solver until `stop` says so; the observer sees the start and every check.
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
///     objectives.push(row.measure.objective);
///     ControlFlow::Continue(()) // Break would end the run as interrupted
/// });
/// assert!(report.converged() && solver.x() == [0.0]);
/// assert_eq!(objectives.last(), Some(&0.5));
/// println!("{}", report.certificate);
/// # Ok::<(), proxsplit::Error>(())
/// ```
pub fn run(solver: &mut dyn Solver, stop: &Stop, mut observer: impl Observer) -> Report {
    let mut session = Session::new(*stop);
    loop {
        if let Event::Looked { row, end } = session.step(solver) {
            let told = observer.observe(&row).is_break();
            if let Some(reason) = end.or(told.then_some(Reason::Interrupted)) {
                return session.report(reason, solver);
            }
        }
    }
}
