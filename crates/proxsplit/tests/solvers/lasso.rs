//! The lasso: every step rule and solver against coordinate descent, in both precisions.

use crate::sample::{Sample, distance, starts};
use proxsplit::gradient::{Inner, MiniBatch, SinglePrecision};
use proxsplit::order::VisitOrder;
use proxsplit::prox::{L1, NonNegL1};
use proxsplit::smooth::LeastSquares;
use proxsplit::solve::Split;
use proxsplit::step::{Adaptive, Backtracking, BarzilaiBorwein, Constant, Diminishing};
use proxsplit::{
    Guarantee, IncrementalSplitting, Looks, Passes, Prox, Reason, Sggd, Smooth, Splitting, Stop,
    run,
};

const ROWS: usize = 50;
const COLS: usize = 12;
const WEIGHT: f64 = 1.5;

/// Cyclic coordinate descent on ½‖Ax − b‖² + W‖x‖₁, perhaps over x ≥ 0, until nothing moves: another method, on plain
/// vectors.
fn coordinate_descent(sample: &Sample, nonneg: bool) -> Vec<f64> {
    let proxsplit::Matrix::Dense(design) = sample.matrix() else {
        unreachable!()
    };
    let mut x = vec![0.0; COLS];
    for _ in 0..5000 {
        for j in 0..COLS {
            let (mut along, mut square) = (0.0, 0.0);
            for i in 0..ROWS {
                let fit: f64 = (0..COLS)
                    .filter(|&k| k != j)
                    .map(|k| design.get(i, k) * x[k])
                    .sum();
                along += design.get(i, j) * (sample.targets[i] - fit);
                square += design.get(i, j) * design.get(i, j);
            }
            let shrunk = (along.abs() - WEIGHT).max(0.0) / square;
            x[j] = if along > 0.0 {
                shrunk
            } else if nonneg {
                0.0
            } else {
                -shrunk
            };
        }
    }
    x
}

fn tight() -> Stop {
    Stop {
        residual: 1e-10,
        relative: 0.0,
        passes: 20_000.0,
        ..Stop::default()
    }
}

#[test]
fn every_step_rule_finds_the_minimizer() {
    let sample = Sample::new(ROWS, COLS, 1);
    let best = coordinate_descent(&sample, false);
    let f = LeastSquares::new(sample.matrix(), &sample.targets).unwrap();
    let g = L1::new(WEIGHT).unwrap();
    for start in starts(COLS, 3) {
        let untouched = start.clone();
        let plain = || Splitting::new(&f, &g, &start).unwrap();
        let rules = [
            plain(),
            plain().step(Constant::within(f.lipschitz()).unwrap()),
            plain().step(Backtracking::new(1e3).unwrap()),
            plain().step(Backtracking::new(1e-6).unwrap().nonmonotone()),
            plain().step(BarzilaiBorwein::new(1e3).unwrap()),
            plain().step(BarzilaiBorwein::new(1e-8).unwrap()),
            plain().step(Adaptive::new(1e-6).unwrap()),
        ];
        for (i, mut solver) in rules.into_iter().enumerate() {
            let report = run(&mut solver, &tight(), ());
            assert!(report.converged(), "rule {i}: {}", report.certificate);
            assert!(distance(solver.x(), &best) < 1e-8, "rule {i}");
            assert_eq!(
                report.certificate.of_method.guarantee,
                Guarantee::Minimizer,
                "rule {i}"
            );
            assert!(
                solver
                    .x()
                    .iter()
                    .zip(&best)
                    .all(|(a, b)| (*a == 0.0) == (*b == 0.0)),
                "rule {i}: same support"
            );
        }
        assert_eq!(start, untouched);
    }
}

#[test]
fn single_precision_vectors_reach_their_own_accuracy() {
    let sample = Sample::new(ROWS, COLS, 1);
    let best = coordinate_descent(&sample, false);
    let targets: Vec<f32> = sample.targets.iter().map(|&b| b as f32).collect();
    let f = LeastSquares::new(sample.matrix_f32(), &targets).unwrap();
    let g = L1::new(WEIGHT).unwrap();
    let mut solver = Splitting::new(&f, &g, &[0.0f32; COLS]).unwrap();
    let report = run(
        &mut solver,
        &Stop {
            residual: 1e-4,
            relative: 0.0,
            ..Stop::default()
        },
        (),
    );
    assert!(report.converged(), "{}", report.certificate);
    let x: Vec<f64> = solver.x().iter().map(|&x| f64::from(x)).collect();
    assert!(distance(&x, &best) < 1e-4);
}

#[test]
fn single_precision_gradients_end_at_their_floor_or_below_the_tolerance() {
    let sample = Sample::new(ROWS, COLS, 1);
    let targets: Vec<f32> = sample.targets.iter().map(|&b| b as f32).collect();
    let f = LeastSquares::new(sample.matrix(), &sample.targets).unwrap();
    let f32_twin = LeastSquares::new(sample.matrix_f32(), &targets).unwrap();
    let g = L1::new(WEIGHT).unwrap();
    let source = SinglePrecision::new(&f32_twin, COLS).unwrap();
    let mut solver = Splitting::new(&f, &g, &[0.0; COLS])
        .unwrap()
        .gradient(source);
    let report = run(&mut solver, &tight(), ());
    assert_eq!(report.reason, Reason::ErrorFloor, "{}", report.certificate);
    assert!(report.certificate.at_point.residual < 1e-4);
    assert!(
        matches!(report.certificate.of_method.guarantee, Guarantee::Neighbourhood { error, .. } if error > 1e-9 && error < 1e-4)
    );
}

#[test]
fn all_four_variants_reach_the_same_neighbourhood() {
    let sample = Sample::new(ROWS, COLS, 1);
    let f = LeastSquares::new(sample.matrix(), &sample.targets).unwrap();
    let penalized = L1::new(WEIGHT).unwrap();
    let constrained = NonNegL1::new(WEIGHT).unwrap();
    for (g, nonneg) in [(&penalized as &dyn Prox, false), (&constrained, true)] {
        let best = coordinate_descent(&sample, nonneg);
        for inner in [Inner::Identity, Inner::Prox] {
            for order in [VisitOrder::Cyclic, VisitOrder::Reshuffled] {
                let passes = Passes {
                    inner,
                    batch: 10,
                    order,
                    seed: 2,
                };
                let rule = Diminishing::new(0.02, 0.9).unwrap().delay(50.0).unwrap();
                let mut solver = IncrementalSplitting::new(&f, g, &[0.0; COLS], passes)
                    .unwrap()
                    .step(rule)
                    .unwrap();
                let stop = Stop {
                    passes: 8000.0,
                    looks: Looks::Every(100.0),
                    ..tight()
                };
                run(&mut solver, &stop, ());
                let off = distance(solver.x(), &best);
                assert!(off < 0.02, "{inner:?} {order:?}: {off}");
            }
        }
    }
}

#[test]
fn a_small_displacement_is_not_called_convergence() {
    let sample = Sample::new(4, 4, 8);
    let f = LeastSquares::new(sample.matrix(), &sample.targets).unwrap();
    let g = L1::new(0.3).unwrap();
    let passes = Passes {
        inner: Inner::Prox,
        batch: 2,
        order: VisitOrder::Cyclic,
        seed: 0,
    };
    let solver = IncrementalSplitting::new(&f, &g, &[0.0; 4], passes).unwrap();
    let mut solver = solver.step(Constant::new(0.3).unwrap()).unwrap();
    let report = run(
        &mut solver,
        &Stop {
            residual: 1e-6,
            at_floor: false,
            relative: 0.0,
            passes: 20_000.0,
            looks: Looks::Every(500.0),
            ..Stop::default()
        },
        (),
    );
    let last = report.trace.last().unwrap();
    assert!(
        last.progress.displacement < 1e-6,
        "the iterates have settled: {}",
        last.progress.displacement
    );
    assert!(
        last.residual() > 1e-2,
        "away from stationarity: {}",
        last.residual()
    );
    assert!(!report.converged());
    assert!(
        report.certificate.of_method.errors.total() > 1e-2,
        "and the ledger says why: {}",
        report.certificate
    );
}

#[test]
fn sampled_gradients_and_subgradients_make_progress_and_claim_no_more() {
    let sample = Sample::new(ROWS, COLS, 1);
    let f = LeastSquares::new(sample.matrix(), &sample.targets).unwrap();
    let g = L1::new(WEIGHT).unwrap();
    let best = f.value(&coordinate_descent(&sample, false))
        + WEIGHT
            * coordinate_descent(&sample, false)
                .iter()
                .map(|x| x.abs())
                .sum::<f64>();
    let rule = Diminishing::new(0.01, 0.7).unwrap().delay(20.0).unwrap();
    let stop = Stop {
        passes: 400.0,
        looks: Looks::Every(20.0),
        ..tight()
    };

    let source = MiniBatch::new(&f, 10, VisitOrder::Reshuffled, 4).unwrap();
    let mut sampled = Splitting::new(&f, &g, &[0.0; COLS])
        .unwrap()
        .gradient(source)
        .step(rule);
    let report = run(&mut sampled, &stop, ());
    assert!(report.certificate.at_point.objective < best * 1.001);

    let split = Split {
        whole: &g,
        penalty: &g,
        set: &proxsplit::prox::Zero,
    };
    let passes = Passes {
        batch: 10,
        ..Passes::default()
    };
    let mut sggd = Sggd::new(&f, split, &[0.0; COLS], passes, rule).unwrap();
    let report = run(&mut sggd, &stop, ());
    assert!(report.certificate.at_point.objective < best * 1.01);
    assert_eq!(report.reason, Reason::PassLimit);
    assert!(matches!(
        report.certificate.of_method.guarantee,
        Guarantee::None { .. }
    ));
    let zeros = |x: &[f64]| x.iter().filter(|x| **x == 0.0).count();
    assert!(
        zeros(sampled.x()) > zeros(sggd.x()),
        "only the prox makes zeros"
    );
}
