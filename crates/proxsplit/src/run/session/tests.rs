use super::*;
use crate::ledger::Ledger;
use crate::run::run;
use crate::solve::{Measure, Method, Setting};
use crate::{Class, Lipschitz};

/// Its whole state is a counter: the residual halves in every iteration, four of which are a pass.
#[derive(Clone, Default)]
struct Halving {
    iteration: u64,
}

impl Iterator for Halving {
    type Item = Progress;
    fn next(&mut self) -> Option<Progress> {
        self.iteration += 1;
        Some(Progress {
            iteration: self.iteration,
            passes: self.iteration as f64 / 4.0,
            step: 1.0,
            displacement: 0.0,
        })
    }
}

impl Solver for Halving {
    fn measure(&mut self) -> Measure {
        let residual = 0.5_f64.powi(self.iteration as i32);
        Measure {
            objective: residual,
            residual,
            scaled_residual: residual,
        }
    }
    fn setting(&self) -> Setting {
        Setting {
            class: Class::Convex,
            convex: true,
            lipschitz: Lipschitz::Known(1.0),
            step: 1.0,
            method: Method::Splitting,
            diminishing: false,
            ledger: Ledger::default(),
        }
    }
}

fn drive(session: &mut Session, solver: &mut Halving, steps: usize) -> Option<Reason> {
    (0..steps).find_map(|_| match session.step(solver) {
        Event::Looked { end, .. } => end,
        Event::Moved(_) => None,
    })
}

#[test]
fn a_session_that_is_resumed_anywhere_ends_like_an_undisturbed_run() {
    let stop = Stop::default();
    let expected = run(&mut Halving::default(), &stop, ());
    assert!(expected.converged());
    // Five passes of four iterations, and a look before each and after the last.
    for steps in 0..26 {
        let (mut session, mut solver) = (Session::new(stop), Halving::default());
        assert_eq!(drive(&mut session, &mut solver, steps), None);
        let saved = serde_json::to_string(&session.save()).unwrap();
        let mut session = Session::resume(stop, serde_json::from_str(&saved).unwrap());
        let reason = drive(&mut session, &mut solver, 100).unwrap();
        let report = session.report(reason, &solver);
        assert_eq!(report.certificate, expected.certificate, "{steps}");
        let looks = |trace: &[Row]| trace.iter().map(|row| row.progress).collect::<Vec<_>>();
        assert_eq!(looks(&report.trace), looks(&expected.trace), "{steps}");
    }
}

#[test]
fn limits_are_exact_to_one_iteration_and_count_from_the_beginning() {
    let stop = Stop {
        passes: 1.5,
        ..Stop::default()
    };
    let (mut session, mut solver) = (Session::new(stop), Halving::default());
    let reason = drive(&mut session, &mut solver, 100);
    assert_eq!((reason, solver.iteration), (Some(Reason::PassLimit), 6));
    let saved = session.save();
    let mut again = Session::resume(stop, saved.clone());
    assert_eq!(drive(&mut again, &mut solver, 1), Some(Reason::PassLimit));
    assert_eq!(again.save().trace, saved.trace);
    let longer = Stop {
        passes: 2.0,
        ..stop
    };
    let mut longer = Session::resume(longer, saved);
    let reason = drive(&mut longer, &mut solver, 100);
    assert_eq!((reason, solver.iteration), (Some(Reason::PassLimit), 8));
}
