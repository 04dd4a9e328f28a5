//! L that is wrong, estimated or refuted: what a certificate may make of it.

use crate::sample::norm;
use proxsplit::prox::Zero;
use proxsplit::set::{BoxSet, NonNeg};
use proxsplit::smooth::{FnSmooth, lipschitz};
use proxsplit::step::{Constant, Diminishing};
use proxsplit::{Guarantee, Lipschitz, Looks, Smooth, Solver, Splitting, Stop, run};

fn none(guarantee: &Guarantee) -> bool {
    matches!(guarantee, Guarantee::None { .. })
}

/// √(x² + 10⁻⁴): its curvature is 10⁻⁷ at 10.3 and 100 at 0.
fn funnel() -> impl Smooth {
    FnSmooth::new(1, |x: &[f64], grad: &mut [f64]| {
        let value = (x[0] * x[0] + 1e-4).sqrt();
        grad[0] = x[0] / value;
        value
    })
    .unwrap()
    .convex()
}

#[test]
fn a_wrong_estimate_of_l_makes_no_theorem() {
    let f = funnel();
    let estimate = lipschitz::estimate(&f, &[10.3], 0);
    assert!(estimate.value().unwrap() < 1e-6);
    let rule = Constant::within(estimate).unwrap();
    let mut solver = Splitting::new(&f, &Zero, &[10.3]).unwrap().step(rule);
    let report = run(&mut solver, &Stop::default(), ());
    assert!(!report.converged());
    let of = &report.certificate.of_method;
    let promise = of.promise();
    assert!(none(&of.guarantee), "the run has seen more: {promise}");
    // With the default rule it is solved.
    let mut solver = Splitting::new(&f, &Zero, &[10.3]).unwrap();
    let report = run(&mut solver, &Stop::default(), ());
    assert!(report.converged() && solver.x()[0].abs() < 1e-6);
}

#[test]
fn an_estimated_l_gives_no_unconditional_theorem() {
    let f = FnSmooth::new(1, |x: &[f64], grad: &mut [f64]| {
        grad[0] = x[0];
        x[0] * x[0] / 2.0
    });
    let f = f.unwrap().lipschitz(Lipschitz::Estimated(1.0)).convex();
    let rule = Constant::within(Smooth::lipschitz(&f)).unwrap();
    let mut solver = Splitting::new(&f, &Zero, &[10.3]).unwrap().step(rule);
    let report = run(&mut solver, &Stop::default(), ());
    assert!(report.converged());
    let text = report.certificate.to_string();
    assert!(text.contains("if the estimates below hold: limit points"));
    assert!(text.contains("if L ≤ 1.000e0 (estimated)"), "{text}");
}

/// A reference step of 10⁷ and more divides every residual of a bounded set down to nothing.
#[test]
fn a_far_too_long_reference_step_does_not_make_a_point_stationary() {
    let f = funnel();
    let g = BoxSet::new(-1e4, 1e4).unwrap();
    for start in [10.3, 1e3, 9e3] {
        let mut solver = Splitting::new(&f, &g, &[start]).unwrap();
        let first = solver.measure();
        assert!(
            first.residual > 0.01,
            "the slope is 1, and the residual {} at step {}",
            first.residual,
            first.reference_step
        );
        let report = run(&mut solver, &Stop::default(), ());
        assert!(
            !report.converged() || solver.x()[0].abs() < 1e-6,
            "{}",
            report.certificate
        );
    }
}

#[test]
fn an_l_that_the_run_refutes_is_not_known() {
    let f = FnSmooth::new(1, |x: &[f64], grad: &mut [f64]| {
        grad[0] = 3.0 * x[0];
        1.5 * x[0] * x[0]
    });
    let f = f.unwrap().lipschitz(Lipschitz::Known(1.0)).convex();
    let rule = Constant::within(Smooth::lipschitz(&f)).unwrap();
    let mut solver = Splitting::new(&f, &Zero, &[1.0]).unwrap().step(rule);
    let stop = Stop {
        passes: 10.0,
        ..Stop::default()
    };
    let report = run(&mut solver, &stop, ());
    assert!(none(&report.certificate.of_method.guarantee));
}

/// x₀²/2 + 100x₁ over x ≥ 0, where the last bit of the slope along x₁ depends on the last bit of x₀, as it does by rounding.
#[test]
fn rounding_is_not_taken_for_curvature() {
    let work = |x: &[f64], grad: &mut [f64]| {
        let last_bit = (x[0].to_bits() & 1) as f64;
        grad[0] = x[0];
        grad[1] = 100.0 + 100.0 * f64::EPSILON * last_bit;
        x[0] * x[0] / 2.0 + 100.0 * x[1]
    };
    let f = FnSmooth::new(2, work).unwrap();
    let rule = Constant::new(0.3).unwrap();
    let solver = Splitting::new(&f, &NonNeg, &[1.0, 0.0]).unwrap();
    let stop = Stop {
        residual: 0.0,
        relative: 0.0,
        at_floor: false,
        passes: 200.0,
        looks: Looks::Every(1.0),
        ..Stop::default()
    };
    let report = run(&mut solver.step(rule), &stop, ());
    assert!(report.trace.last().unwrap().progress.displacement < 1e-30);
    for row in report.looks() {
        let step = row.at.unwrap().reference_step;
        assert!(step > 0.29, "L is 1, but the reference step {step}");
    }
}

/// Σ 100(x_{i+1} − x_i²)² + (1 − x_i)²
fn rosenbrock() -> impl Smooth {
    FnSmooth::new(3, |x: &[f64], grad: &mut [f64]| {
        grad.fill(0.0);
        let mut value = 0.0;
        for i in 0..2 {
            let (a, b) = (x[i + 1] - x[i] * x[i], 1.0 - x[i]);
            grad[i + 1] += 200.0 * a;
            grad[i] -= 400.0 * a * x[i] + 2.0 * b;
            value += 100.0 * a * a + b * b;
        }
        value
    })
    .unwrap()
}

/// A step that is too long takes x to where gradients are 10¹³ and curvatures 10¹⁰, and the set takes it back.
#[test]
fn a_run_that_goes_astray_is_not_measured_by_what_it_met_there() {
    let f = rosenbrock();
    for start in [[1.0, 1.5, 0.0], [0.3, 1.2, 0.7]] {
        let mut solver = Splitting::new(&f, &NonNeg, &start)
            .unwrap()
            .step(Diminishing::new(0.1, 0.6).unwrap());
        let stop = Stop {
            passes: 300.0,
            ..Stop::default()
        };
        let report = run(&mut solver, &stop, ());
        let size = |x: &[f64]| {
            let mut slope = vec![0.0; 3];
            f.gradient(x, &mut slope);
            norm(&slope)
        };
        let largest = report
            .looks()
            .filter_map(|row| row.at)
            .map(|at| at.residual);
        assert!(largest.fold(0.0, f64::max) > 1e6, "it does go astray");
        let (at, scale) = (
            report.certificate.at_point,
            size(&start).max(size(solver.x())),
        );
        assert!(
            at.scale <= scale * (1.0 + 1e-12),
            "{:e} above {scale:e}",
            at.scale
        );
        assert!(at.rounding < 1e-9 * scale, "{:e}", at.rounding);
        assert!(!report.converged() || at.residual <= 1e-6 * scale + 1e-9);
    }
}
