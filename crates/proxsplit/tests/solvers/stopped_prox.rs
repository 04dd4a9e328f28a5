//! A prox that is itself an iteration, stopped: what it is off by belongs to the residual.

use crate::sample::{distance, norm};
use proxsplit::calculus::Dykstra;
use proxsplit::prox::Tv2d;
use proxsplit::set::Hyperplane;
use proxsplit::smooth::FnSmooth;
use proxsplit::{Lipschitz, Prox, Smooth, Splitting, Stop, run};

/// ½‖x − y‖², whose sum with g has the minimizer P_1(y) and the residual ‖x − P_1(y)‖ at the step 1.
fn distance_to(y: &[f64]) -> impl Smooth {
    FnSmooth::new(y.len(), move |x: &[f64], grad: &mut [f64]| {
        let mut square = 0.0;
        for ((grad, x), y) in grad.iter_mut().zip(x).zip(y) {
            *grad = x - y;
            square += *grad * *grad;
        }
        0.5 * square
    })
    .unwrap()
    .lipschitz(Lipschitz::Known(1.0))
    .convex()
}

#[test]
fn the_residual_of_a_picture_has_the_error_of_its_prox() {
    let (rows, cols) = (64, 64);
    let y: Vec<f64> = (0..rows * cols)
        .map(|k| 10.0 * ((k * k) as f64).sin() + (k / 1024) as f64)
        .collect();
    let f = distance_to(&y);
    let exact = Tv2d::new(1.0, rows, cols).unwrap();
    let g = exact.with_accuracy(1e-9, 20).unwrap();
    let mut solver = Splitting::new(&f, &g, &vec![0.0; y.len()]).unwrap();
    let stop = Stop {
        relative: 1e-9,
        ..Stop::default()
    };
    let report = run(&mut solver, &stop, ());
    let mut best = y.clone();
    let further = exact.with_accuracy(1e-7, 100_000).unwrap();
    let rest = further.prox_with_error(&mut best, 1.0).unwrap();
    let truth = distance(solver.x(), &best) - rest;
    let at = &report.certificate.at_point;
    assert!(at.prox_error.is_some_and(|error| error > 0.0));
    assert!(
        at.stationarity() >= truth,
        "{truth}: {}",
        report.certificate
    );
    assert!(!report.converged() || truth <= report.certificate.tolerance);
}

/// Two lines at a small angle, whose only common point is 0.
#[test]
fn a_prox_of_unknown_error_is_never_stationary() {
    let y = [1.0, 1.0];
    let f = distance_to(&y);
    for angle in [1e-6, 1e-8, 1e-10] {
        let line = |slope: f64| Hyperplane::new(vec![slope, 1.0], 0.0).unwrap();
        let g = Dykstra::new(vec![line(0.0), line(angle)]).unwrap();
        let mut solver = Splitting::new(&f, &g, &y).unwrap();
        let stop = Stop {
            passes: 30.0,
            ..Stop::default()
        };
        let report = run(&mut solver, &stop, ());
        let certificate = &report.certificate;
        let truth = norm(solver.x());
        assert!(!report.converged() || truth <= certificate.tolerance);
        assert!(
            certificate.at_point.stationarity() >= truth * (1.0 - 1e-9),
            "{angle}: {truth} from the minimizer: {certificate}"
        );
    }
}
