//! Nonconvex problems from several starts: the true residual decides.

use crate::sample::{Sample, starts};
use proxsplit::data::{Dense, Elements, StorageOrder as Storage};
use proxsplit::prox::{L0, L1, Mcp, Scad};
use proxsplit::set::{BoxSet, Simplex};
use proxsplit::smooth::{Cauchy, FnSmooth, GemanMcClure, Quadratic, Sigmoid};
use proxsplit::step::{Adaptive, Backtracking, BarzilaiBorwein, Constant, StepRule};
use proxsplit::{Guarantee, Looks, Prox, Reason, Smooth, Solver, Splitting, Stop, run};

fn rules(f: &dyn Smooth) -> Vec<Box<dyn StepRule>> {
    vec![
        Box::new(Constant::within(f.lipschitz()).unwrap()),
        Box::new(Backtracking::new(1.0).unwrap()),
        Box::new(BarzilaiBorwein::new(1.0).unwrap()),
        Box::new(Adaptive::new(1e-4).unwrap()),
    ]
}

fn reaches_stationarity(f: &dyn Smooth, g: &dyn Prox, guarantee: impl Fn(&Guarantee) -> bool) {
    let stop = Stop {
        residual: 1e-7,
        relative: 0.0,
        passes: 30_000.0,
        ..Stop::default()
    };
    for start in starts(f.dim(), 4) {
        for (i, rule) in rules(f).into_iter().enumerate() {
            let mut solver = Splitting::new(f, g, &start).unwrap().step(rule);
            let first = f.value(&start) + g.value(&start);
            let report = run(&mut solver, &stop, ());
            assert!(report.converged(), "rule {i}: {}", report.certificate);
            assert!(first.is_infinite() || report.certificate.at_point.objective <= first);
            assert!(
                guarantee(&report.certificate.of_method.guarantee),
                "rule {i}: {}",
                report.certificate.of_method.guarantee
            );
        }
        let mut solver = Splitting::new(f, g, &start).unwrap();
        assert!(run(&mut solver, &stop, ()).converged(), "the default rule");
    }
}

/// The adaptive rule is proved for convex problems only; its last step may be above 2/L.
fn stationary(guarantee: &Guarantee) -> bool {
    matches!(
        guarantee,
        Guarantee::Stationary
            | Guarantee::None {
                because: "the step is too long"
            }
    )
}

#[test]
fn robust_and_sigmoid_losses_with_l1() {
    let sample = Sample::new(60, 9, 2);
    let g = L1::new(0.3).unwrap();
    reaches_stationarity(
        &Cauchy::new(sample.matrix(), &sample.targets, 0.3).unwrap(),
        &g,
        stationary,
    );
    reaches_stationarity(
        &GemanMcClure::new(sample.matrix(), &sample.targets, 0.5).unwrap(),
        &g,
        stationary,
    );
    reaches_stationarity(
        &Sigmoid::new(sample.matrix(), &sample.labels()).unwrap(),
        &g,
        stationary,
    );
}

#[test]
fn indefinite_quadratic_over_a_box_and_a_simplex() {
    let n = 8;
    let q: Vec<f64> = (0..n * n)
        .map(|k| ((k / n * (k % n) * 7 + k / n + k % n) % 11) as f64 / 5.0 - 1.0)
        .collect();
    let q = Dense::new(n, n, Storage::RowMajor, Elements::F64(&q)).unwrap();
    let c: Vec<f64> = (0..n).map(|i| (i % 3) as f64 - 1.0).collect();
    let f = Quadratic::new(q, &c).unwrap();
    assert!(!f.is_convex());
    reaches_stationarity(&f, &BoxSet::new(-1.0, 1.0).unwrap(), stationary);
    reaches_stationarity(&f, &Simplex::new(1.0).unwrap(), stationary);
}

#[test]
fn nonconvex_penalties_reach_stationarity_under_a_theorem_or_none() {
    let sample = Sample::new(60, 9, 3);
    let f = Cauchy::new(sample.matrix(), &sample.targets, 1.0).unwrap();
    // Line searches are covered, a constant step of exactly 1/L is only for weakly convex terms.
    let any = |g: &Guarantee| matches!(g, Guarantee::None { .. } | Guarantee::Stationary);
    reaches_stationarity(&f, &L0::new(0.2).unwrap(), any);
    reaches_stationarity(&f, &Scad::new(0.5, 3.7).unwrap(), any);
    reaches_stationarity(&f, &Mcp::new(0.5, 2.0).unwrap(), any);
}

#[test]
fn divergence_is_seen_and_explained() {
    let sample = Sample::new(60, 9, 2);
    let f = proxsplit::smooth::LeastSquares::new(sample.matrix(), &sample.targets).unwrap();
    let l = f.lipschitz().value().unwrap();
    let mut solver = Splitting::new(&f, &proxsplit::prox::Zero, &[1.0; 9])
        .unwrap()
        .step(Constant::new(5.0 / l).unwrap());
    let report = run(&mut solver, &Stop::default(), ());
    assert_eq!(report.reason, Reason::Diverged);
    let words = report.certificate.words();
    assert!(
        words.contains("diverged at pass") && words.contains("0 < η < 2/L violated"),
        "{words}"
    );
    assert!(
        solver.x().iter().all(|x| x.is_finite()),
        "the last finite point is kept"
    );
}

#[test]
fn limits_and_observers_end_a_run() {
    let sample = Sample::new(60, 9, 2);
    let f = Cauchy::new(sample.matrix(), &sample.targets, 0.3).unwrap();
    let g = L1::new(0.3).unwrap();
    let never = Stop {
        residual: 0.0,
        relative: 0.0,
        at_floor: false,
        ..Stop::default()
    };
    let watched = Stop {
        looks: Looks::Every(1.0),
        ..never
    };
    let solver = || {
        Splitting::new(&f, &g, &[1.0; 9])
            .unwrap()
            .step(Constant::new(1e-9).unwrap())
    };
    let report = run(
        &mut solver(),
        &Stop {
            passes: 7.0,
            ..never
        },
        (),
    );
    assert_eq!(
        (report.reason, report.certificate.passes),
        (Reason::PassLimit, 7.0)
    );
    assert_eq!(report.trace.len(), 2, "nothing is looked at in between");
    let report = run(
        &mut solver(),
        &Stop {
            time: std::time::Duration::ZERO,
            ..never
        },
        (),
    );
    assert_eq!(report.reason, Reason::TimeLimit);
    let mut seen = 0;
    let report = run(&mut solver(), &watched, |_: &proxsplit::Row| {
        seen += 1;
        if seen == 4 {
            std::ops::ControlFlow::Break(())
        } else {
            std::ops::ControlFlow::Continue(())
        }
    });
    assert_eq!(
        (report.reason, report.trace.len()),
        (Reason::Interrupted, 4)
    );
    let report = run(
        &mut solver(),
        &Stop {
            passes: 0.0,
            ..never
        },
        (),
    );
    assert_eq!((report.reason, report.trace.len()), (Reason::PassLimit, 1));
}

#[test]
fn bad_starts_are_refused() {
    let sample = Sample::new(60, 9, 2);
    let f = Cauchy::new(sample.matrix(), &sample.targets, 0.3).unwrap();
    let g = L1::new(0.3).unwrap();
    assert_eq!(
        Splitting::new(&f, &g, &[0.0; 4]).err().unwrap().to_string(),
        "start has length 4, expected 9"
    );
    assert!(Splitting::new(&f, &g, &[f64::NAN; 9]).is_err());
    assert!(Constant::new(0.0).is_err() && Constant::new(f64::NAN).is_err());
    let outside = BoxSet::new(2.0, 3.0).unwrap();
    let solver = Splitting::new(&f, &outside, &[0.0; 9]).unwrap();
    assert_eq!(
        solver.x(),
        [2.0; 9],
        "a start outside the domain is moved into it"
    );
}

/// A slope that is lost beside x in x − η∇f(x) is still there: mcp is flat beyond its knee, so the residual is ‖∇f‖.
#[test]
fn a_gradient_that_rounding_swallows_is_in_the_residual() {
    for slope in [1e-5, 1e-20, 1e-99] {
        let f = FnSmooth::new(2, move |x: &[f64], grad: &mut [f64]| {
            grad.fill(slope);
            slope * (x[0] + x[1])
        })
        .unwrap();
        let g = Mcp::new(1e-11, 3.0).unwrap();
        let mut solver = Splitting::new(&f, &g, &[0.7, -0.3]).unwrap();
        let expected = slope * 2f64.sqrt();
        let residual = solver.measure().residual;
        assert!(
            (residual - expected).abs() <= 1e-6 * expected,
            "{residual:e}, not {expected:e}"
        );
    }
}
