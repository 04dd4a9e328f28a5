//! Entries that were held out are predicted, and runs are the same bits again.

use super::{data, gappy, is_missing};
use crate::{settings, settle};
use proxsplit::Mat;
use proxsplit::prox::NonNegL1;
use proxsplit::set::{L2Ball, NonNeg};
use proxsplit::{Looks, Solver, Stop, run};
use proxsplit_factor::{Factorization, Method, Problem, Settings};

/// ‖Y − XA‖/‖Y‖ over the missing entries, without the lines of which nothing is known.
fn held_out(full: &Mat<f64>, solver: &Factorization<'_, f64>) -> f64 {
    let (x, a) = (solver.factors().x(), solver.factors().a());
    let (mut error, mut size) = (0.0, 0.0);
    for t in (0..full.cols()).filter(|t| ![2, 5].contains(t)) {
        for i in (0..full.rows()).filter(|&i| i != 4 && is_missing(i, t)) {
            let product: f64 = (0..x.cols()).map(|k| x.col(k)[i] * a.col(t)[k]).sum();
            error += (product - full.col(t)[i]).powi(2);
            size += full.col(t)[i].powi(2);
        }
    }
    (error / size).sqrt()
}

#[test]
fn held_out_entries_are_predicted() {
    let (y, full) = gappy(0.0);
    let data = data(&y);
    let problem = Problem::new(&data, 3, &NonNeg, &NonNeg).unwrap();
    for (method, passes) in [(Method::Auto, 500.0), (Method::Incremental, 2000.0)] {
        let best = (0..3)
            .map(|seed| {
                let mut solver = Factorization::new(problem, settings(method, seed), None).unwrap();
                while solver.next().unwrap().passes < passes {}
                settle(&mut solver);
                held_out(&full, &solver)
            })
            .fold(f64::INFINITY, f64::min);
        assert!(best < 1e-3, "{method}: {best}");
    }
}

#[test]
fn whole_atoms_and_codes_are_solved_too() {
    let (y, full) = gappy(0.0);
    let data = data(&y);
    let (ball, l1) = (L2Ball::new(1.0).unwrap(), NonNegL1::new(1e-3).unwrap());
    let problem = Problem::new(&data, 3, &ball, &l1).unwrap();
    let mut solver = Factorization::new(problem, settings(Method::Batch, 0), None).unwrap();
    let stop = Stop {
        relative: 1e-5,
        passes: 4000.0,
        looks: Looks::Every(50.0),
        ..Stop::default()
    };
    let report = run(&mut solver, &stop, ());
    assert!(report.converged(), "{}", report.certificate);
    assert!(
        held_out(&full, &solver) < 1e-2,
        "{}",
        held_out(&full, &solver)
    );
}

#[test]
fn a_long_run_is_certified_stationary() {
    let (y, _) = gappy(0.1);
    let data = data(&y);
    let psi = NonNegL1::new(0.05).unwrap();
    let problem = Problem::new(&data, 3, &psi, &psi).unwrap();
    for method in [Method::Auto, Method::Incremental] {
        let mut solver = Factorization::new(problem, settings(method, 0), None).unwrap();
        let stop = Stop {
            relative: if method == Method::Auto { 1e-6 } else { 1e-2 },
            passes: 3000.0,
            looks: Looks::Every(20.0),
            ..Stop::default()
        };
        let report = run(&mut solver, &stop, ());
        assert!(report.converged(), "{method}: {}", report.certificate);
        let pair = report.certificate.at_point.pair.unwrap();
        assert!(pair.residual_a < 1e-6 * pair.scale_a, "{method}: {pair:?}");
    }
}

#[test]
fn the_other_methods_say_what_they_do() {
    let (y, _) = gappy(0.1);
    let data = data(&y);
    let problem = Problem::new(&data, 3, &NonNeg, &NonNeg).unwrap();
    let refused = Factorization::new(problem, settings(Method::Aggregated, 0), None);
    let message = refused.err().unwrap().to_string();
    assert!(
        message.contains("use batch, incremental or sggd"),
        "{message}"
    );
    let auto = Factorization::new(problem, Settings::default(), None).unwrap();
    assert!(auto.picked().contains("because entries are missing"));
    let mut sggd = Factorization::new(problem, settings(Method::Sggd, 0), None).unwrap();
    let first = sggd.measure().objective;
    while sggd.next().unwrap().passes < 50.0 {}
    let last = sggd.measure().objective;
    assert!(last < 0.8 * first, "{last} of {first}");
}

/// X and A after some steps, saved and restored after `kill` steps.
fn bits(problem: Problem<'_, f64>, settings: Settings, kill: Option<usize>) -> [Mat<f64>; 2] {
    let mut solver = Factorization::new(problem, settings, None).unwrap();
    for step in 0..14 {
        if kill == Some(step) {
            let state = solver.state();
            let arrays = state.arrays.into_iter();
            let arrays = arrays.map(|(n, a)| (n.to_string(), a)).collect();
            let header = serde_json::from_str(&state.header.to_string()).unwrap();
            solver = Factorization::new(problem, settings, None).unwrap();
            solver.restore(&header, arrays).unwrap();
        }
        solver.next().unwrap();
    }
    [solver.factors().x(), solver.factors().a()]
}

#[test]
fn threads_and_resuming_do_not_change_a_bit() {
    let (y, full) = gappy(0.1);
    let (data, whole) = (data(&y), data(&full));
    let psi = NonNegL1::new(0.01).unwrap();
    let problem = Problem::new(&data, 5, &psi, &psi).unwrap();
    let pool = |threads| {
        let builder = rayon::ThreadPoolBuilder::new().num_threads(threads);
        builder.build().unwrap()
    };
    let (one, two) = (pool(1), pool(2));
    for method in [Method::Auto, Method::Incremental, Method::Sggd] {
        let chosen = settings(method, 4);
        let alone = one.install(|| bits(problem, chosen, None));
        assert!(
            alone == two.install(|| bits(problem, chosen, None)),
            "{method}"
        );
        for kill in [1, 4, 9] {
            assert!(
                alone == two.install(|| bits(problem, chosen, Some(kill))),
                "{method}: killed at {kill}"
            );
        }
    }
    // A state from the same run without gaps is another problem's.
    let chosen = settings(Method::Batch, 4);
    let other = Problem::new(&whole, 5, &psi, &psi).unwrap();
    let state = Factorization::new(other, chosen, None).unwrap().state();
    let arrays = state.arrays.into_iter();
    let arrays = arrays.map(|(n, a)| (n.to_string(), a)).collect();
    let mut solver = Factorization::new(problem, chosen, None).unwrap();
    let message = solver
        .restore(&state.header, arrays)
        .unwrap_err()
        .to_string();
    assert!(
        message.contains("different entries were missing"),
        "{message}"
    );
}
