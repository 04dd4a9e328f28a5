//! Convex problems with an answer that is known without a solver, or from two methods that have nothing in common.

use crate::sample::{Sample, distance, starts};
use proxsplit::data::{Dense, Elements, StorageOrder as Storage};
use proxsplit::gradient::Inner;
use proxsplit::prox::{L1, SquaredL2, Tv1d};
use proxsplit::set::{NonNeg, Simplex};
use proxsplit::smooth::{FnSmooth, HuberRegression, LeastSquares, Logistic, Quadratic};
use proxsplit::step::{Adaptive, Backtracking, Constant, Diminishing};
use proxsplit::{IncrementalSplitting, Lipschitz, Passes, Prox, Smooth, Splitting, Stop, run};

const TIGHT: f64 = 1e-9;

/// The answers of four step rules, which must agree among themselves.
fn answer(f: &dyn Smooth, g: &dyn Prox) -> Vec<f64> {
    let stop = Stop {
        residual: TIGHT,
        relative: 0.0,
        passes: 50_000.0,
        ..Stop::default()
    };
    let start = starts(f.dim(), 1).next().unwrap();
    let plain = || Splitting::new(f, g, &start).unwrap();
    let constant = Constant::within(f.lipschitz()).unwrap_or(Constant::UNIT);
    let solvers = [
        plain(),
        plain().step(constant),
        plain().step(Backtracking::new(1.0).unwrap()),
        plain().step(Adaptive::new(1e-4).unwrap()),
    ];
    let answers = solvers.map(|mut solver| {
        let report = run(&mut solver, &stop, ());
        assert!(report.converged(), "{}", report.certificate);
        solver.into_x()
    });
    for other in &answers[1..] {
        assert!(distance(&answers[0], other) < 1e-6, "the rules disagree");
    }
    answers.into_iter().next().unwrap()
}

#[test]
fn denoising_is_the_prox_itself() {
    let y: Vec<f64> = (0..40)
        .map(|i| f64::from(i / 10) + (f64::from(i) * 1.7).sin() * 0.3)
        .collect();
    let target = y.clone();
    let f = FnSmooth::new(40, move |x: &[f64], grad: &mut [f64]| {
        for ((g, x), y) in grad.iter_mut().zip(x).zip(&target) {
            *g = x - y;
        }
        grad.iter().map(|g| g * g).sum::<f64>() / 2.0
    });
    let f = f.unwrap().lipschitz(Lipschitz::Known(1.0)).convex();
    for g in [
        &Tv1d::new(0.4).unwrap() as &dyn Prox,
        &Simplex::new(3.0).unwrap(),
        &L1::new(0.5).unwrap(),
    ] {
        let mut expected = y.clone();
        g.prox(&mut expected, 1.0);
        assert!(distance(&answer(&f, g), &expected) < 1e-8);
    }
}

#[test]
fn ridge_solves_its_normal_equations() {
    let n = 6;
    let q: Vec<f64> = (0..n * n)
        .map(|k| {
            if k % (n + 1) == 0 {
                3.0
            } else {
                0.1 * ((k / n + k % n) % 3) as f64
            }
        })
        .collect();
    let c: Vec<f64> = (0..n).map(|i| i as f64 - 2.5).collect();
    let f = Quadratic::new(
        Dense::new(n, n, Storage::RowMajor, Elements::F64(&q)).unwrap(),
        &c,
    )
    .unwrap();
    let x = answer(&f, &SquaredL2::new(0.7).unwrap());
    for i in 0..n {
        let row: f64 = (0..n).map(|j| q[i * n + j] * x[j]).sum();
        assert!((row + 0.7 * x[i] + c[i]).abs() < 1e-8);
    }
}

#[test]
fn nonnegative_least_squares_meets_its_optimality_conditions() {
    let sample = Sample::new(40, 8, 3);
    let f = LeastSquares::new(sample.matrix(), &sample.targets).unwrap();
    let x = answer(&f, &NonNeg);
    let mut gradient = vec![0.0; 8];
    f.gradient(&x, &mut gradient);
    for (x, g) in x.iter().zip(&gradient) {
        assert!(
            *x >= 0.0 && *g > -1e-8 && (x * g).abs() < 1e-8,
            "x = {x}, gradient = {g}"
        );
    }
}

#[test]
fn logistic_and_huber_with_l1_meet_their_optimality_conditions() {
    let sample = Sample::new(80, 8, 4);
    let weight = 2.0;
    let logistic = Logistic::new(sample.matrix(), &sample.labels()).unwrap();
    let huber = HuberRegression::new(sample.matrix(), &sample.targets, 0.2).unwrap();
    for f in [&logistic as &dyn Smooth, &huber] {
        let x = answer(f, &L1::new(weight).unwrap());
        let mut gradient = vec![0.0; 8];
        f.gradient(&x, &mut gradient);
        for (&x, g) in x.iter().zip(&gradient) {
            let off = if x == 0.0 {
                (g.abs() - weight).max(0.0)
            } else {
                (g + weight * x.signum()).abs()
            };
            assert!(off < 1e-8, "x = {x}, gradient = {g}");
        }
    }
}

#[test]
fn incremental_passes_come_close_to_every_answer() {
    let sample = Sample::new(60, 6, 5);
    let squares = LeastSquares::new(sample.matrix(), &sample.targets).unwrap();
    let logistic = Logistic::new(sample.matrix(), &sample.labels()).unwrap();
    let g = L1::new(1.0).unwrap();
    let near = |found: &[f64], best: &[f64]| {
        assert!(distance(found, best) < 0.05, "{found:?} is not {best:?}");
    };
    for inner in [Inner::Identity, Inner::Prox] {
        let passes = Passes {
            inner,
            batch: 12,
            ..Passes::default()
        };
        let rule = |first| Diminishing::new(first, 0.9).unwrap().delay(30.0).unwrap();
        let mut solver = IncrementalSplitting::new(&squares, &g, &[0.0; 6], passes)
            .unwrap()
            .step(rule(0.02))
            .unwrap();
        solver.nth(4000);
        near(solver.x(), &answer(&squares, &g));
        let mut solver = IncrementalSplitting::new(&logistic, &g, &[0.0; 6], passes)
            .unwrap()
            .step(rule(0.3))
            .unwrap();
        solver.nth(4000);
        near(solver.x(), &answer(&logistic, &g));
    }
}
