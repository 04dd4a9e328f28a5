//! A run that is driven from outside, one iteration at a time: it can be saved between two of them and taken up again.

use super::watch::Watch;
use super::{Reason, Report, Row, Stop};
use crate::solve::{Progress, Solver};
use serde::{Deserialize, Serialize};
use std::time::Instant;

/// What a call of [`Session::step`] has done.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Event {
    /// One iteration of the solver.
    Moved(Progress),
    /// One look at the true residual; with `end`, the run is over.
    Looked {
        /// What was seen.
        row: Row,
        /// Why the run ends here, if it does.
        end: Option<Reason>,
    },
}

/// What a session must know to go on, besides the solver's own state.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Saved {
    /// Every look so far.
    pub trace: Vec<Row>,
    /// Where the solver is.
    pub progress: Progress,
    /// Seconds so far.
    pub seconds: f64,
}

/// Drives a solver step by step. Time counts only inside [`Session::step`] and [`Session::look`], so saving is free.
///
/// A session that is saved and resumed ends like one that was never disturbed, if its solver does.
///
/// ```
/// use proxsplit::{Event, Session, Splitting, Stop, data::*, prox::L1, smooth::LeastSquares};
/// let one = Dense::new(1, 1, Order::RowMajor, Elements::F64(&[1.0]))?;
/// let (f, g) = (LeastSquares::new(one, &[3.0])?, L1::new(1.0)?);
/// let mut solver = Splitting::new(&f, &g, &[0.0])?;
/// let mut session = Session::new(Stop::default());
/// let reason = loop {
///     if let Event::Looked { end: Some(reason), .. } = session.step(&mut solver) {
///         break reason;
///     }
///     let _file = session.save(); // whenever it is time
/// };
/// assert!(session.report(reason, &solver).converged());
/// # Ok::<(), proxsplit::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Session {
    watch: Watch,
    progress: Progress,
    seconds: f64,
}

impl Session {
    /// A run from the start.
    pub fn new(stop: Stop) -> Self {
        Self {
            watch: Watch::new(stop),
            progress: Progress {
                iteration: 0,
                passes: 0.0,
                step: 0.0,
                displacement: 0.0,
            },
            seconds: 0.0,
        }
    }

    /// A run that goes on. The limits count from its very beginning and may differ from the earlier ones.
    pub fn resume(stop: Stop, saved: Saved) -> Self {
        let mut session = Self {
            watch: Watch::new(stop),
            progress: saved.progress,
            seconds: saved.seconds,
        };
        session.watch.trace = saved.trace;
        session.watch.limit = session.hit();
        session
    }

    /// What is needed to resume.
    pub fn save(&self) -> Saved {
        Saved {
            trace: self.watch.trace.clone(),
            progress: self.progress,
            seconds: self.seconds,
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

    /// The last look.
    pub fn last(&self) -> Option<&Row> {
        self.watch.trace.last()
    }

    /// The limit that is hit, if one is; the next look ends the run.
    pub fn limit(&self) -> Option<Reason> {
        self.watch.limit
    }

    /// A look, if one is due or a limit is hit; otherwise one iteration.
    pub fn step(&mut self, solver: &mut dyn Solver) -> Event {
        if self.watch.limit.is_some() || self.is_due() {
            self.look(solver)
        } else {
            Event::Moved(self.advance(solver))
        }
    }

    /// One iteration.
    pub fn advance(&mut self, solver: &mut dyn Solver) -> Progress {
        let start = Instant::now();
        let next = solver.next();
        self.seconds += start.elapsed().as_secs_f64();
        match next {
            None => self.watch.limit = Some(Reason::Diverged),
            Some(next) => {
                self.progress = next;
                self.watch.limit = self.hit();
            }
        }
        self.progress
    }

    /// A look at the current point, due or not. Its row has the time at which the point was reached.
    pub fn look(&mut self, solver: &mut dyn Solver) -> Event {
        let start = Instant::now();
        let measure = solver.measure();
        let row = Row {
            progress: self.progress,
            measure,
            seconds: self.seconds,
        };
        self.seconds += start.elapsed().as_secs_f64();
        let end = self.watch.look(row, solver);
        Event::Looked { row, end }
    }

    /// Ends the run.
    ///
    /// # Panics
    /// If there was no look at all.
    pub fn report(self, reason: Reason, solver: &dyn Solver) -> Report {
        self.watch.report(reason, solver)
    }

    fn is_due(&self) -> bool {
        let every = self.watch.stop.check_every;
        // A solver counts passes in fractions; half a percent of a check's distance is rounding of those sums.
        let due = |last: &Row| {
            self.progress.iteration > last.progress.iteration
                && self.progress.passes >= last.progress.passes + 0.995 * every
        };
        self.watch.trace.last().is_none_or(due)
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
