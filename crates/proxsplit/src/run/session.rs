//! The state of a run besides its solver: it can be saved between two steps and taken up again.

use super::watch::{Returned, Watch};
use super::{Looks, Observer, Reason, Report, Row, Stop};
use crate::certificate::Certificate;
use crate::solve::{Progress, Solver};
use std::time::Instant;

/// What a session must know to go on, besides the solver's own state.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Saved {
    /// The trace so far.
    pub trace: Vec<Row>,
    /// Where the solver is.
    pub progress: Progress,
    /// Seconds so far.
    pub seconds: f64,
    /// The row of the trace whose point was kept.
    pub kept: Option<usize>,
}

/// One run. Time counts while the solver is set up and while it works, so observers are free.
///
/// A session that is saved and resumed ends like one that was never disturbed, if its solver does.
///
/// ```
/// use proxsplit::run::Observer;
/// use proxsplit::{Row, Session, Splitting, Stop, data::*, prox::L1, smooth::LeastSquares};
/// use std::ops::ControlFlow;
/// struct Checkpoints(Vec<u8>);
/// impl<S: ?Sized> Observer<S> for Checkpoints {
///     fn looked(&mut self, _: &Row, session: &Session, _: &mut S) -> ControlFlow<()> {
///         self.0.push(session.save().trace.len() as u8); // whenever it is time
///         ControlFlow::Continue(())
///     }
/// }
/// let one = Dense::new(1, 1, StorageOrder::RowMajor, Elements::F64(&[1.0]))?;
/// let (f, g) = (LeastSquares::new(one, &[3.0])?, L1::new(1.0)?);
/// let mut solver = Splitting::new(&f, &g, &[0.0])?;
/// let report = Session::new(Stop::default()).run(&mut solver, Checkpoints(Vec::new()));
/// assert!(report.converged());
/// # Ok::<(), proxsplit::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Session {
    watch: Watch,
    progress: Progress,
    seconds: f64,
    limit: Option<Reason>,
}

impl Session {
    /// A run from the start.
    pub fn new(stop: Stop) -> Self {
        Self {
            watch: Watch::new(stop),
            progress: Progress::START,
            seconds: 0.0,
            limit: (stop.passes <= 0.0).then_some(Reason::PassLimit),
        }
    }

    /// A run that goes on. The limits count from its very beginning and may differ from the earlier ones.
    pub fn resume(stop: Stop, saved: Saved) -> Self {
        let mut session = Self {
            watch: Watch::resume(stop, saved.trace, saved.kept),
            progress: saved.progress,
            seconds: saved.seconds,
            limit: None,
        };
        session.limit = session.hit();
        session
    }

    /// What is needed to resume.
    pub fn save(&self) -> Saved {
        Saved {
            trace: self.watch.trace.clone(),
            progress: self.progress,
            seconds: self.seconds,
            kept: self.watch.kept,
        }
    }

    /// Seconds so far.
    pub fn seconds(&self) -> f64 {
        self.seconds
    }

    /// Where the solver is.
    pub fn progress(&self) -> Progress {
        self.progress
    }

    /// The trace so far.
    pub fn trace(&self) -> &[Row] {
        &self.watch.trace
    }

    /// The limit that is hit, if one is; the next look ends the run.
    pub fn limit(&self) -> Option<Reason> {
        self.limit
    }

    /// Runs to the end.
    pub fn run<S: Solver + ?Sized>(
        mut self,
        solver: &mut S,
        mut observer: impl Observer<S>,
    ) -> Report {
        let mut interrupted = false;
        if self.progress == Progress::START {
            self.seconds += solver.take_set_up();
        }
        loop {
            if self.limit.is_some() || interrupted || self.is_due(solver) {
                let (row, end) = self.look(solver);
                let told = observer.looked(&row, &self, solver).is_break();
                let asked = (interrupted || told).then_some(Reason::Interrupted);
                // Who interrupts a run from inside its f leaves a step without a number behind, and that is no divergence.
                let end = end.filter(|end| *end != Reason::Diverged || asked.is_none());
                if let Some(reason) = end.or(asked) {
                    return self.report(reason, solver);
                }
            }
            self.advance(solver);
            interrupted = observer.moved(&self, solver).is_break();
        }
    }

    /// One iteration.
    fn advance<S: Solver + ?Sized>(&mut self, solver: &mut S) {
        let start = Instant::now();
        let next = solver.next();
        self.seconds += start.elapsed().as_secs_f64();
        match next {
            None => self.limit = Some(Reason::Diverged),
            Some(next) => {
                if self.progress == Progress::START {
                    self.watch.count_from(next.iteration.saturating_sub(1));
                }
                self.progress = next;
                self.limit = self.hit();
                self.watch.pass_by(next, self.seconds);
            }
        }
    }

    /// A look at the current point; its row has the time at which the point was reached. With an end, the run is over.
    fn look<S: Solver + ?Sized>(&mut self, solver: &mut S) -> (Row, Option<Reason>) {
        let start = Instant::now();
        let at = solver.measure();
        let setting = solver.setting();
        let row = Row {
            progress: self.progress,
            seconds: self.seconds,
            at: Some(at),
            errors: setting.ledger,
        };
        let (end, keep) = self.watch.look(&row, &setting, self.limit);
        if keep {
            solver.keep();
        }
        // A run that is not watched looks for the record alone.
        if self.watch.stop.is_watched() {
            self.seconds += start.elapsed().as_secs_f64();
        }
        (row, end)
    }

    fn report<S: Solver + ?Sized>(self, reason: Reason, solver: &mut S) -> Report {
        let setting = solver.setting();
        solver.settle();
        let Returned {
            row,
            mut at,
            verdict,
            standard,
            of_method,
        } = self.watch.returned(reason, setting);
        at.lower_bound = at
            .lower_bound
            .or_else(|| solver.lower_bound(self.progress.passes));
        Report {
            reason,
            certificate: Certificate {
                verdict,
                at_point: at,
                of_method,
                tolerance: standard.tolerance(&at),
                start_objective: standard.start_objective,
                passes: row.progress.passes,
                obstacle: standard.obstacle(&at),
            },
            trace: self.watch.trace,
            seconds: self.seconds,
        }
    }

    fn is_due<S: Solver + ?Sized>(&self, solver: &S) -> bool {
        let Some(last) = self.watch.last_look() else {
            return true;
        };
        let stop = &self.watch.stop;
        let next = self
            .watch
            .next_look(last, (solver.look_cost(), solver.seen_residual()));
        // A solver counts passes in fractions, whose sums are rounded.
        let slack = 1e-6 * (next - last.progress.passes);
        let is_wanted = stop.is_watched() || matches!(stop.looks, Looks::Every(_));
        is_wanted
            && self.progress.iteration > last.progress.iteration
            && self.progress.passes >= next - slack
    }

    fn hit(&self) -> Option<Reason> {
        let stop = &self.watch.stop;
        if self.progress.passes >= stop.passes {
            Some(Reason::PassLimit)
        } else if self.seconds >= stop.time.as_secs_f64() {
            Some(Reason::TimeLimit)
        } else {
            None
        }
    }
}

#[cfg(test)]
mod tests;
