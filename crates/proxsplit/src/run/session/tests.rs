use super::*;
use crate::Verdict;
use crate::certificate::AtPoint;
use crate::run::watch::tests::{at, setting};
use crate::run::{Looks, run};
use crate::solve::Setting;
use std::ops::ControlFlow;

/// Its whole state is a counter and the point that was kept: the residual halves in every iteration, four of which are a pass.
#[derive(Clone, Default)]
struct Halving {
    iteration: u64,
    kept: Option<u64>,
    breaks_at: Option<u64>,
}

impl Iterator for Halving {
    type Item = Progress;
    fn next(&mut self) -> Option<Progress> {
        if self.breaks_at == Some(self.iteration) {
            return None;
        }
        self.iteration += 1;
        Some(Progress {
            iteration: self.iteration,
            passes: self.iteration as f64 / 4.0,
            step: 1.0,
            displacement: 0.0,
            objective: None,
        })
    }
}

impl Solver for Halving {
    fn measure(&mut self) -> AtPoint {
        let residual = 0.5_f64.powi(self.iteration as i32);
        at(residual, residual)
    }
    fn setting(&self) -> Setting {
        // Larger errors early in the run than late in it.
        setting(1.0 / (1.0 + self.iteration as f64))
    }
    fn keep(&mut self) {
        self.kept = Some(self.iteration);
    }
    fn settle(&mut self) {
        self.iteration = self.kept.take().unwrap_or(self.iteration);
    }
}

/// Ends a run after so many steps and looks, and holds what is needed to resume it from there.
struct Checkpoint {
    events: usize,
    saved: Option<(Saved, Halving)>,
}

impl Checkpoint {
    fn after(events: usize) -> Self {
        Self {
            events,
            saved: None,
        }
    }

    fn count(&mut self, session: &Session, solver: &Halving) -> ControlFlow<()> {
        if self.saved.is_some() {
            return ControlFlow::Continue(());
        }
        if self.events == 0 {
            self.saved = Some((session.save(), solver.clone()));
            return ControlFlow::Break(());
        }
        self.events -= 1;
        ControlFlow::Continue(())
    }
}

impl Observer<Halving> for &mut Checkpoint {
    fn moved(&mut self, session: &Session, solver: &mut Halving) -> ControlFlow<()> {
        self.count(session, solver)
    }
    fn looked(&mut self, _: &Row, session: &Session, solver: &mut Halving) -> ControlFlow<()> {
        self.count(session, solver)
    }
}

fn without_time(trace: &[Row]) -> Vec<Row> {
    let timeless = |row: &Row| Row {
        seconds: 0.0,
        ..*row
    };
    trace.iter().map(timeless).collect()
}

#[test]
fn a_session_that_is_resumed_anywhere_ends_like_an_undisturbed_run() {
    for looks in [Looks::Growing, Looks::Every(1.0), Looks::Every(0.7)] {
        let stop = Stop {
            looks,
            ..Stop::default()
        };
        let expected = run(&mut Halving::default(), &stop, ());
        assert!(expected.converged());
        let looks = expected.looks().count();
        let steps = expected.trace.last().unwrap().progress.iteration as usize;
        // The last look ends the run, whatever the observer says.
        for events in 0..steps + looks - 1 {
            let mut checkpoint = Checkpoint::after(events);
            let report = Session::new(stop).run(&mut Halving::default(), &mut checkpoint);
            // The look at the end of an interrupted run may find that it has arrived.
            assert!(report.reason == Reason::Interrupted || report.converged());
            let (saved, mut solver) = checkpoint.saved.unwrap();
            #[cfg(feature = "serde")]
            let saved = serde_json::from_str(&serde_json::to_string(&saved).unwrap()).unwrap();
            let session = Session::resume(stop, saved);
            let resumed = session.run(&mut solver, ());
            assert_eq!(resumed.reason, expected.reason);
            assert_eq!(resumed.certificate, expected.certificate, "{events}");
            assert_eq!(without_time(&resumed.trace), without_time(&expected.trace));
        }
    }
}

/// 10⁻⁶⁰ takes 49.8 passes; without their rate residuals would be looked at in passes 40 and 60.
#[test]
fn a_residual_that_falls_steadily_is_looked_at_when_it_has_met_the_tolerance() {
    let stop = Stop {
        residual: 1e-60,
        relative: 0.0,
        ..Stop::default()
    };
    let report = run(&mut Halving::default(), &stop, ());
    assert!(report.converged());
    let passes: Vec<f64> = report.looks().map(|row| row.progress.passes).collect();
    assert_eq!(passes, [0.0, 4.0, 8.0, 12.0, 18.0, 27.0, 40.0, 51.0]);
}

#[test]
fn limits_are_exact_to_one_iteration_and_count_from_the_beginning() {
    let stop = Stop {
        passes: 1.5,
        ..Stop::default()
    };
    let mut solver = Halving::default();
    let mut saved = None;
    let report = Session::new(stop).run(&mut solver, Saver(&mut saved));
    assert_eq!((report.reason, solver.iteration), (Reason::PassLimit, 6));
    let saved = saved.unwrap();
    let again = Session::resume(stop, saved.clone()).run(&mut solver, ());
    assert_eq!(again.reason, Reason::PassLimit);
    assert_eq!(
        without_time(&again.trace),
        without_time(&report.trace),
        "a second look at the same point is no second row"
    );
    assert_eq!(again.certificate, report.certificate);
    let longer = Stop {
        passes: 2.0,
        ..stop
    };
    let report = Session::resume(longer, saved).run(&mut solver, ());
    assert_eq!((report.reason, solver.iteration), (Reason::PassLimit, 8));
}

/// Saves at every look.
struct Saver<'a>(&'a mut Option<Saved>);

impl Observer<Halving> for Saver<'_> {
    fn looked(&mut self, _: &Row, session: &Session, _: &mut Halving) -> ControlFlow<()> {
        *self.0 = Some(session.save());
        ControlFlow::Continue(())
    }
}

#[test]
fn after_a_step_that_fails_the_judged_row_is_the_reported_one() {
    for breaks_at in [0, 1, 4, 7] {
        let mut solver = Halving {
            breaks_at: Some(breaks_at),
            ..Halving::default()
        };
        let report = run(&mut solver, &Stop::default(), ());
        assert_eq!(report.reason, Reason::Diverged);
        let pass = breaks_at as f64 / 4.0;
        assert_eq!(report.certificate.verdict, Verdict::Diverged { pass });
        let last = report.trace.last().unwrap();
        assert_eq!(last.progress.iteration, breaks_at);
        assert_eq!(last.at, Some(report.certificate.at_point));
        let rows = report.trace.iter().map(|row| row.progress.iteration);
        assert!(rows.is_sorted_by(|a, b| a < b), "one row a point");
    }
}
