use super::*;
use crate::ledger::{Level, Source};
use crate::run::{Report, run};
use crate::solve::{Method, Solver};
use crate::{Class, Lipschitz};
use std::ops::ControlFlow;

/// A sound point.
pub(in crate::run) fn at(objective: f64, residual: f64) -> AtPoint {
    AtPoint {
        objective,
        residual,
        reference_step: 1.0,
        prox_error: Some(0.0),
        gradient_error: Some(0.0),
        scale: 1.0,
        rounding: 0.0,
        fall: None,
        before: None,
        gap: None,
        lower_bound: Some(0.0),
        feasible: true,
        pair: None,
    }
}

/// Exact steps of length 1/L on a convex problem, but for a gradient that is wrong by `level`.
pub(in crate::run) fn setting(level: f64) -> Setting {
    with_error(Source::User, level)
}

fn with_error(source: Source, level: f64) -> Setting {
    let mut ledger = Ledger::default();
    ledger.set(source, Level::Measured(level));
    Setting {
        class: Class::Convex,
        convex: true,
        lipschitz: Lipschitz::Known(1.0),
        steps: Some((1.0, 1.0)),
        method: Method::Splitting,
        vanishing: false,
        square_summable: false,
        adapts: false,
        constant: None,
        ledger,
        assumptions: Vec::new(),
    }
}

/// Goes through given looks, one a pass.
struct Scripted {
    looks: Vec<(AtPoint, f64)>,
    source: Source,
    now: usize,
    kept: usize,
}

impl Scripted {
    fn new(looks: Vec<(AtPoint, f64)>) -> Self {
        Self {
            looks,
            source: Source::User,
            now: 0,
            kept: 0,
        }
    }

    fn look(&self) -> (AtPoint, f64) {
        self.looks[self.now.min(self.looks.len() - 1)]
    }
}

impl Iterator for Scripted {
    type Item = Progress;
    fn next(&mut self) -> Option<Progress> {
        self.now += 1;
        (self.now < self.looks.len()).then_some(Progress {
            iteration: self.now as u64,
            passes: self.now as f64,
            step: 1.0,
            displacement: 0.0,
            objective: None,
        })
    }
}

impl Solver for Scripted {
    fn measure(&mut self) -> AtPoint {
        self.look().0
    }
    fn setting(&self) -> Setting {
        with_error(self.source, self.look().1)
    }
    fn look_cost(&self) -> f64 {
        0.0
    }
    fn keep(&mut self) {
        self.kept = self.now;
    }
    fn settle(&mut self) {
        self.now = self.kept;
    }
}

/// A run of `passes` passes in which the start is followed by copies of what `of` says of a pass.
fn scripted(passes: usize, of: impl Fn(usize) -> (AtPoint, f64)) -> Report {
    let mut looks: Vec<_> = (0..=passes + 1).map(&of).collect();
    looks[0] = (at(100.0, 50.0), looks[1].1);
    let stop = Stop {
        passes: passes as f64,
        residual: 1e-12,
        relative: 0.0,
        ..Stop::default()
    };
    run(&mut Scripted::new(looks), &stop, ())
}

#[test]
fn a_floor_needs_a_residual_within_k_times_the_error() {
    // K = 3 at η = 1/L.
    let still = |residual| move |_| (at(1.0, residual), 0.1);
    assert_eq!(scripted(100, still(0.299)).reason, Reason::ErrorFloor);
    assert_eq!(scripted(100, still(0.301)).reason, Reason::PassLimit);
    let late = |pass| (at(1.0, if pass == 99 { 0.4 } else { 0.299 }), 0.1);
    let report = scripted(100, late);
    assert!(report.reason == Reason::ErrorFloor && report.certificate.passes < 99.0);
    // One look above the floor in every stretch: none.
    let spikes = |pass: usize| (at(1.0, if pass.is_multiple_of(8) { 0.4 } else { 0.2 }), 0.1);
    assert_eq!(scripted(100, spikes).reason, Reason::PassLimit);
    let unknown = |_| (at(1.0, 0.1), f64::NAN);
    assert_eq!(scripted(100, unknown).reason, Reason::PassLimit);
}

/// K is stated with every floor, also where the gradient is wrong by rounding alone.
#[test]
fn a_floor_of_rounding_states_its_constant() {
    let solver = &mut Scripted::new(vec![(at(1.0, 0.2), 0.1); 60]);
    solver.source = Source::Rounding;
    let report = run(solver, &Stop::default(), ());
    assert_eq!(report.reason, Reason::ErrorFloor);
    assert_eq!(report.certificate.of_method.constant, Some(3.0));
}

/// A point that is optimal as asked may lie above the start, and says so.
#[test]
fn an_optimal_point_above_its_start_says_so() {
    let near = AtPoint {
        gap: Some(0.01),
        ..at(1.0, 0.2)
    };
    let solver = &mut Scripted::new(vec![(at(0.995, 0.3), 0.1), (near, 0.1), (near, 0.1)]);
    let stop = Stop {
        gap: Some(0.05),
        ..Stop::default()
    };
    let report = run(solver, &stop, ());
    assert_eq!(report.reason, Reason::Converged);
    let words = report.certificate.words();
    assert!(
        words.ends_with(", but 5.0e-3 above that of the start"),
        "{words}"
    );
}

/// The best look may lie in the first half of a run that ends at its floor.
#[test]
fn at_the_floor_the_best_point_that_was_looked_at_is_returned() {
    let dip = |residual: f64| {
        move |pass: usize| match pass {
            5 => (at(0.5, residual), 0.1),
            _ => (at(1.0, 0.2), 0.1),
        }
    };
    let report = scripted(100, dip(0.25));
    assert_eq!(report.reason, Reason::ErrorFloor);
    assert_eq!(report.certificate.passes, 5.0);
    assert_eq!(report.certificate.at_point.objective, 0.5);
    // If the errors do not explain its residual, it is at no floor, and the run goes on.
    let report = scripted(100, dip(0.4));
    assert_eq!(report.reason, Reason::PassLimit);
    assert_eq!(report.certificate.at_point.objective, 0.5);
}

#[test]
fn a_floor_is_never_called_while_the_objective_the_residual_or_the_error_still_falls() {
    // 2 % of Φ in every doubling of the passes.
    let objective = |pass: usize| 1.0 + 0.03 * 0.9_f64.powf((pass as f64).log2());
    let fine = |pass| (at(1000.0 * objective(pass), 0.2), 0.1);
    assert_eq!(scripted(200, fine).reason, Reason::PassLimit);
    // The same fall hidden below a large constant: a part of what was gained, though little of Φ.
    let shifted = |pass: usize| {
        let (mut at, level) = (at(1e6 + 20.0 / pass as f64, 0.2), 0.1);
        at.reference_step = 1e-3;
        (at, level)
    };
    let mut looks: Vec<_> = (0..=201).map(|pass: usize| shifted(pass.max(1))).collect();
    looks[0].0.objective = 1e6 + 40.0;
    let stop = Stop {
        passes: 200.0,
        residual: 1e-12,
        relative: 0.0,
        ..Stop::default()
    };
    let report = run(&mut Scripted::new(looks), &stop, ());
    assert_eq!(report.reason, Reason::PassLimit);
    // A slow but steady fall, less than a single step may gain or lose where errors are as large.
    let slow = |pass: usize| (at(90.0 - 0.1 * pass as f64, 29.0), 10.0);
    assert_eq!(scripted(200, slow).reason, Reason::PassLimit);
    let residual = |pass: usize| (at(1.0, 0.29 / (pass as f64).sqrt()), 0.1);
    assert_eq!(scripted(200, residual).reason, Reason::PassLimit);
    for power in [2.0, 1.0, 0.5] {
        let errors = |pass: usize| (at(1.0, 1e-6), (pass as f64).powf(-power));
        assert_eq!(scripted(200, errors).reason, Reason::PassLimit, "{power}");
    }
    // Large errors of the first passes alone do not count.
    let settled = |pass: usize| (at(1.0, 0.2), if pass < 5 { 10.0 } else { 0.1 });
    assert_eq!(scripted(200, settled).reason, Reason::ErrorFloor);
}

#[test]
fn a_slow_fall_is_seen_below_ups_and_downs() {
    // Up and down by some percent, so that the lowest look of the second half is no lower than that of the first.
    let objective = |pass: usize| 90.0 - 0.02 * pass as f64 + [0.0, 5.0, 2.5][pass / 50 % 3];
    let look = |pass: usize| (at(objective(pass), 0.2), 0.1);
    assert_eq!(scripted(149, look).reason, Reason::PassLimit);
    // Without the fall it is a floor.
    let level = |pass: usize| (at(objective(pass) + 0.02 * pass as f64, 0.2), 0.1);
    assert_eq!(scripted(149, level).reason, Reason::ErrorFloor);
}

#[test]
fn the_certificate_has_the_largest_error_of_the_second_half_and_the_rate_that_of_the_whole_run() {
    let level = |pass: usize| match pass {
        10 => 5.0,
        70 => 0.5,
        _ => 0.01,
    };
    let report = scripted(100, |pass| (at(1.0, 10.0), level(pass)));
    let of = &report.certificate.of_method;
    assert_eq!(of.errors.get(Source::User), Some(Level::Measured(0.5)));
    // c = 1/2: (ē + √(ē² + 2·D/N)) with D = 100 and N = 100 steps.
    let rate = 5.0 + (25.0_f64 + 2.0 * 100.0 / 100.0).sqrt();
    assert!((of.rate.unwrap() - rate).abs() < 1e-12, "{:?}", of.rate);
}

/// Steps of an earlier run of the same solver are none of this run's, whose start is the end of that one.
#[test]
fn the_rate_counts_the_steps_of_its_own_run() {
    let mut solver = Scripted::new(vec![(at(100.0, 50.0), 0.01); 200]);
    let stop = |passes| Stop {
        passes,
        best: false,
        ..Stop::default()
    };
    run(&mut solver, &stop(50.0), ());
    let report = run(&mut solver, &stop(60.0), ());
    let steps: Vec<u64> = report
        .trace
        .iter()
        .map(|row| row.progress.iteration)
        .collect();
    assert_eq!(steps, (50..=60).collect::<Vec<_>>());
    // c = 1/2, D = 100, N = 10.
    let rate = 0.01 + (1e-4_f64 + 2.0 * 100.0 / 10.0).sqrt();
    let found = report.certificate.of_method.rate.unwrap();
    assert!((found - rate).abs() < 1e-12, "{found} is not {rate}");
}

#[test]
fn the_best_point_that_was_looked_at_is_returned() {
    let objective = |pass: usize| if pass == 30 { 0.5 } else { 1.0 };
    let script = |pass| (at(objective(pass), 10.0), 0.01);
    let report = scripted(100, script);
    assert_eq!(report.reason, Reason::PassLimit);
    assert_eq!(report.certificate.passes, 30.0);
    assert_eq!(report.certificate.at_point.objective, 0.5);
    // An infeasible point is not the best, whatever its objective.
    let outside = |pass: usize| {
        let (mut at, level) = script(pass);
        at.feasible = pass != 30;
        (at, level)
    };
    let report = scripted(100, outside);
    assert!(report.certificate.at_point.feasible && report.certificate.passes == 1.0);
    // Neither is one whose objective is not finite: the run has run away.
    for bad in [f64::NEG_INFINITY, f64::INFINITY, f64::NAN] {
        let away = |pass: usize| (at(if pass == 30 { bad } else { 1.0 }, 10.0), 0.01);
        let report = scripted(100, away);
        assert_eq!(report.reason, Reason::Diverged, "{bad}");
        assert_eq!(report.certificate.at_point.objective, 1.0);
        assert_eq!(report.certificate.verdict.code(), "diverged");
    }
}

#[test]
fn a_point_above_its_start_is_not_called_stationary() {
    let report = scripted(50, |_| (at(101.0, 0.0), 0.01));
    assert_eq!(report.reason, Reason::PassLimit);
    assert_eq!(
        report.certificate.passes, 0.0,
        "the start is the best point"
    );
    assert!(!report.converged());
}

#[test]
fn an_interrupted_run_keeps_its_best_point() {
    let looks: Vec<_> = (0..50)
        .map(|pass| (at(if pass == 3 { 0.25 } else { 1.0 }, 1.0), 0.01))
        .collect();
    let mut solver = Scripted::new(looks);
    let mut seen = 0;
    let report = run(&mut solver, &Stop::default(), |_: &Row| {
        seen += 1;
        if seen == 7 {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    });
    assert_eq!(report.reason, Reason::Interrupted);
    assert_eq!(
        report.certificate.verdict,
        Verdict::NotConverged(Reason::Interrupted)
    );
    assert_eq!((solver.now, report.certificate.passes), (3, 3.0));
    assert_eq!(report.certificate.at_point.objective, 0.25);
}

#[test]
fn another_look_at_the_start_does_not_change_where_the_run_began() {
    let mut watch = Watch::new(Stop::default());
    let row = |objective| Row {
        progress: Progress::START,
        seconds: 0.0,
        at: Some(at(objective, 1.0)),
        errors: Ledger::default(),
    };
    watch.look(&row(10.0), &setting(0.0), None);
    watch.look(&row(9.0), &setting(0.0), Some(Reason::Diverged));
    assert_eq!(watch.trace.len(), 1);
    assert_eq!(watch.standard().start_objective, 10.0);
}

#[test]
fn a_method_that_sees_its_residual_is_looked_at_when_the_tolerance_is_met() {
    let stop = Stop {
        relative: 0.1,
        ..Stop::default()
    };
    let mut watch = Watch::new(stop);
    let row = Row {
        progress: Progress::START,
        seconds: 0.0,
        at: Some(at(10.0, 1.0)),
        errors: Ledger::default(),
    };
    watch.look(&row, &setting(0.0), None);
    let next = |seen| watch.next_look(&row, (1.0, seen));
    // The scale is 1, so that 0.1 is asked for.
    assert_eq!(next(Some(0.09)), 0.0);
    assert_eq!(next(Some(0.2)), RARELY * next(None));
    let every = Watch::new(Stop {
        looks: Looks::Every(3.0),
        ..stop
    });
    assert_eq!(every.next_look(&row, (1.0, Some(0.09))), 3.0);
}

#[test]
fn a_run_begins_where_its_first_step_does_and_says_that_it_ended_above() {
    let step = |objective| AtPoint {
        before: Some(9.0),
        ..at(objective, 1.0)
    };
    let mut watch = Watch::new(Stop::default());
    let row = |objective| Row {
        progress: Progress::START,
        seconds: 0.0,
        at: Some(step(objective)),
        errors: Ledger::default(),
    };
    watch.look(&row(10.0), &setting(0.0), Some(Reason::PassLimit));
    let Returned { standard, at, .. } = watch.returned(Reason::PassLimit, setting(0.0));
    assert_eq!(standard.start_objective, 9.0);
    assert_eq!(standard.obstacle(&at), Some(Obstacle::AboveStart));
}
