//! Statements that a certificate must not make, each on a run that would tempt it.

use crate::sample::{Sample, distance, norm, starts};
use proxsplit::Mat;
use proxsplit::data::{Dense, Elements, StorageOrder as Storage};
use proxsplit::gradient::{Injected, Inner, Shape};
use proxsplit::internal::linalg::dense::symmetric_eigenvalues;
use proxsplit::ledger::Source;
use proxsplit::prox::{L1, Scad, Zero};
use proxsplit::set::Sphere;
use proxsplit::smooth::{FnSmooth, LeastSquares, Quadratic};
use proxsplit::solve::Split;
use proxsplit::step::{BoldDriver, Constant, Diminishing};
use proxsplit::{
    Guarantee, IncrementalSplitting, Level, Lipschitz, Looks, Passes, Prox, Reason, Row, Sggd,
    Smooth, Splitting, Stop, Verdict, run,
};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use std::ops::ControlFlow;

/// x²/2 with its L.
fn parabola() -> impl Smooth {
    FnSmooth::new(1, |x: &[f64], grad: &mut [f64]| {
        grad[0] = x[0];
        x[0] * x[0] / 2.0
    })
    .unwrap()
    .lipschitz(Lipschitz::Known(1.0))
    .convex()
}

/// The slope is far below what a step of 1/L can add to x = 1.
#[test]
fn a_gradient_below_the_rounding_of_x_is_not_lost() {
    let f = FnSmooth::new(1, |x: &[f64], grad: &mut [f64]| {
        grad[0] = 1e-25 * (x[0] - 3.0);
        0.5e-25 * (x[0] - 3.0).powi(2)
    });
    let f = f.unwrap().lipschitz(Lipschitz::Known(1.0)).convex();
    let solver = Splitting::new(&f, &Zero, &[1.0]).unwrap();
    let mut solver = solver.step(Constant::new(0.5).unwrap());
    let stop = Stop {
        residual: 0.0,
        passes: 5.0,
        ..Stop::default()
    };
    let report = run(&mut solver, &stop, ());
    assert!(!report.converged(), "{}", report.certificate);
    assert!(report.certificate.at_point.residual >= 1.9e-25);
}

#[test]
fn a_constant_bias_with_a_vanishing_step_is_no_minimizer() {
    let f = parabola();
    let source = Injected::new(&f, 0.1, Shape::Bias, 1).unwrap();
    let mut solver = Splitting::new(&f, &Zero, &[3.0])
        .unwrap()
        .gradient(source)
        .step(Diminishing::new(0.5, 0.6).unwrap());
    let stop = Stop {
        passes: 3000.0,
        best: false,
        ..Stop::default()
    };
    let report = run(&mut solver, &stop, ());
    assert!(
        (solver.x()[0].abs() - 0.1).abs() < 1e-3,
        "the bias is where it ends"
    );
    let of = &report.certificate.of_method;
    assert!(!report.converged());
    assert!(
        matches!(of.guarantee, Guarantee::Neighbourhood { radius, .. } if radius >= 0.1),
        "{}",
        of.guarantee
    );
}

#[test]
fn the_level_of_rounding_does_not_vanish_at_a_solution() {
    let sample = Sample::new(40, 8, 1);
    let proxsplit::Matrix::Dense(design) = sample.matrix_f32() else {
        unreachable!()
    };
    // Targets that x = 1 fits exactly, so that ∇f vanishes at the solution.
    let fit = |i| (0..8).map(|j| design.get(i, j)).sum::<f64>() as f32;
    let targets: Vec<f32> = (0..40).map(fit).collect();
    let f = LeastSquares::new(sample.matrix_f32(), &targets).unwrap();
    let mut solver = Splitting::new(&f, &Zero, &[0.0f32; 8]).unwrap();
    let stop = Stop {
        residual: 1e-30,
        relative: 0.0,
        at_floor: false,
        passes: 300.0,
        ..Stop::default()
    };
    let report = run(&mut solver, &stop, ());
    let of = &report.certificate.of_method;
    let level = of.errors.get(Source::Rounding).and_then(Level::value);
    let l = Smooth::<f32>::lipschitz(&f).value().unwrap();
    let ulp = f64::from(f32::EPSILON) * l;
    assert!(level.unwrap() >= ulp, "{level:?} below {ulp}");
    assert!(level.unwrap() < 1e3 * ulp);
    assert!(report.certificate.at_point.residual <= level.unwrap());
}

#[test]
fn leading_eigenvectors_are_called_stationary_only_if_they_are_right() {
    let n = 15;
    let sphere = Sphere::new(1.0).unwrap();
    let mut stationary = 0;
    for seed in 0..40 {
        let mut random = Pcg64::seed_from_u64(seed);
        let mut q = Mat::zeros(n, n);
        for i in 0..n {
            for j in 0..=i {
                let entry = random.random_range(-1.0..1.0);
                q.data_mut()[i * n + j] = entry;
                q.data_mut()[j * n + i] = entry;
            }
        }
        let least = symmetric_eigenvalues(&q).unwrap()[0] / 2.0;
        let dense = Dense::new(n, n, Storage::RowMajor, Elements::F64(q.data())).unwrap();
        let f = Quadratic::new(dense, &vec![0.0; n]).unwrap();
        let start: Vec<f64> = (0..n).map(|_| random.random_range(-1.0..1.0)).collect();
        // The library's own term, and the same as a closure of which nothing is known.
        let blind = FnSmooth::new(n, |x: &[f64], grad: &mut [f64]| f.gradient(x, grad)).unwrap();
        for f in [&f as &dyn Smooth, &blind] {
            let mut solver = Splitting::new(f, &sphere, &start).unwrap();
            let report = run(&mut solver, &Stop::default(), ());
            let found = f.value(solver.x());
            assert!((norm(solver.x()) - 1.0).abs() < 1e-12);
            assert_eq!(found, report.certificate.at_point.objective);
            if report.converged() {
                stationary += 1;
                let off = (found - least) / least.abs();
                assert!(off < 1e-6, "seed {seed}: {off}, {}", report.certificate);
            }
        }
    }
    assert!(stationary > 70, "{stationary} of 80 arrive");
}

#[test]
fn the_bold_driver_never_raises_the_objective_from_its_first_step_on() {
    let sample = Sample::new(40, 6, 2);
    let f = LeastSquares::new(sample.matrix(), &sample.targets).unwrap();
    let g = L1::new(0.5).unwrap();
    for first in [1e-3, 1.0, 1e3, 1e300] {
        for inner in [Inner::Identity, Inner::Prox] {
            let passes = Passes {
                inner,
                batch: 8,
                ..Passes::default()
            };
            let mut solver = IncrementalSplitting::new(&f, &g, &[0.5; 6], passes)
                .unwrap()
                .step(BoldDriver::new(first).unwrap())
                .unwrap();
            let objective = |x: &[f64]| f.value(x) + Prox::<f64>::value(&g, x);
            let mut last = objective(solver.x());
            for _ in 0..1200 {
                solver.next().unwrap();
                let now = objective(solver.x());
                assert!(now <= last, "first step {first}: {now} > {last}");
                last = now;
            }
        }
    }
}

/// ‖x − P_η(x − η∇f(x))‖/η at η = 1/L, written out.
fn residual(f: &dyn Smooth, g: &dyn Prox, x: &[f64]) -> f64 {
    let step = 1.0 / f.lipschitz().value().unwrap();
    let mut p = vec![0.0; x.len()];
    f.gradient(x, &mut p);
    for (p, x) in p.iter_mut().zip(x) {
        *p = x - step * *p;
    }
    g.prox(&mut p, step);
    distance(x, &p) / step
}

#[test]
fn a_step_that_collapses_does_not_look_stationary() {
    let sample = Sample::new(60, 8, 3);
    // What no x fits is large beside what it does.
    let targets: Vec<f64> = sample
        .targets
        .iter()
        .enumerate()
        .map(|(i, b)| b + if i % 2 == 0 { 1e4 } else { -1e4 })
        .collect();
    let f = LeastSquares::new(sample.matrix(), &targets).unwrap();
    let g = Scad::new(0.5, 3.7).unwrap();
    let passes = Passes {
        batch: 6,
        ..Passes::default()
    };
    for first in [1e-25, 1e-12, 1e-2] {
        for start in starts(8, 3) {
            let mut solver = IncrementalSplitting::new(&f, &g, &start, passes)
                .unwrap()
                .step(BoldDriver::new(first).unwrap())
                .unwrap();
            let report = run(&mut solver, &Stop::default(), ());
            let (rho, tolerance) = (residual(&f, &g, solver.x()), report.certificate.tolerance);
            assert!(
                !report.converged() || rho <= 2.0 * tolerance,
                "{rho} above {tolerance}: {}",
                report.certificate
            );
            assert!(first > 1e-20 || !report.converged());
        }
    }
}

#[test]
fn a_step_that_is_not_finite_leaves_the_start() {
    let sample = Sample::new(30, 5, 1);
    let f = LeastSquares::new(sample.matrix(), &sample.targets).unwrap();
    let g = L1::new(0.5).unwrap();
    let start = [0.25; 5];
    let split = Split {
        whole: &g,
        penalty: &g,
        set: &Zero,
    };
    let rule = Constant::new(1e300).unwrap();
    let mut sggd = Sggd::new(&f, split, &start, Passes::default(), rule).unwrap();
    let report = run(&mut sggd, &Stop::default(), ());
    diverged_to_the_start(&report, sggd.x());
    let mut splitting = Splitting::new(&f, &g, &start).unwrap().step(rule);
    let report = run(&mut splitting, &Stop::default(), ());
    diverged_to_the_start(&report, splitting.x());
    let source = Injected::new(&f, 0.1, Shape::Bias, 1).unwrap();
    let mut inexact = Splitting::new(&f, &g, &start)
        .unwrap()
        .gradient(source)
        .step(rule);
    let report = run(&mut inexact, &Stop::default(), ());
    diverged_to_the_start(&report, inexact.x());
}

fn diverged_to_the_start(report: &proxsplit::Report, x: &[f64]) {
    let certificate = &report.certificate;
    assert_eq!(report.reason, Reason::Diverged, "{certificate}");
    assert!(matches!(certificate.verdict, Verdict::Diverged { .. }));
    assert_eq!(x, [0.25; 5]);
    assert_eq!(certificate.passes, 0.0);
    assert_eq!(report.trace[0].at, Some(certificate.at_point));
    assert_eq!(certificate.at_point.objective, certificate.start_objective);
}

#[test]
fn an_interrupted_run_returns_the_best_point_that_was_looked_at() {
    let sample = Sample::new(40, 6, 2);
    let f = LeastSquares::new(sample.matrix(), &sample.targets).unwrap();
    let g = L1::new(0.5).unwrap();
    let source = Injected::new(&f, 3.0, Shape::Random, 5).unwrap();
    let mut solver = Splitting::new(&f, &g, &[0.5; 6]).unwrap().gradient(source);
    let stop = Stop {
        looks: Looks::Every(1.0),
        ..Stop::default()
    };
    let mut objectives = Vec::new();
    let report = run(&mut solver, &stop, |row: &Row| {
        objectives.push(row.objective());
        if objectives.len() == 40 {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    });
    assert_eq!(report.reason, Reason::Interrupted);
    let best = objectives.iter().copied().fold(f64::INFINITY, f64::min);
    assert!(
        best < *objectives.last().unwrap(),
        "the last is not the best"
    );
    assert_eq!(report.certificate.at_point.objective, best);
    assert_eq!(
        f.value(solver.x()) + Prox::<f64>::value(&g, solver.x()),
        best
    );
}

#[test]
fn a_start_at_a_solution_is_recognized_in_one_look() {
    let sample = Sample::new(50, 12, 1);
    let f = LeastSquares::new(sample.matrix(), &sample.targets).unwrap();
    let g = L1::new(1.5).unwrap();
    let mut cold = Splitting::new(&f, &g, &[0.0; 12]).unwrap();
    let tight = Stop {
        residual: 1e-11,
        relative: 0.0,
        ..Stop::default()
    };
    assert!(run(&mut cold, &tight, ()).converged());
    for relative in [1e-6, 1e-3] {
        let stop = Stop {
            residual: 0.0,
            relative,
            ..Stop::default()
        };
        let mut warm = Splitting::new(&f, &g, cold.x()).unwrap();
        let report = run(&mut warm, &stop, ());
        assert!(report.converged(), "{}", report.certificate);
        assert_eq!((report.trace.len(), report.certificate.passes), (1, 0.0));
        assert_eq!(warm.x(), cold.x());
    }
}
