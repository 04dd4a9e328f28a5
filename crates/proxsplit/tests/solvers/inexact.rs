//! Gradients of the user's own with a stated bound on their error.

use crate::sample::{Sample, distance, norm};
use proxsplit::ledger::Source;
use proxsplit::prox::{L1, Mcp};
use proxsplit::smooth::{FnInexact, LeastSquares};
use proxsplit::step::Constant;
use proxsplit::{
    Guarantee, Level, Lipschitz, Panoc, Prox, Reason, Smooth, Splitting, Stop, Verdict, run,
};

const COLS: usize = 6;

/// ∇f with an error of norm `off(accuracy)` in the worst direction, stated as `stated(accuracy)`.
fn inexact<'a>(
    f: &'a dyn Smooth,
    off: impl Fn(f64) -> f64 + Send + Sync + 'a,
    stated: impl Fn(f64) -> f64 + Send + Sync + 'a,
) -> impl Smooth + 'a {
    let work = move |x: &[f64], accuracy: f64, grad: &mut [f64]| {
        let value = f.gradient(x, grad);
        let size = off(accuracy) / (COLS as f64).sqrt();
        for g in grad.iter_mut() {
            *g -= size * g.signum();
        }
        (value, stated(accuracy))
    };
    let l = f.lipschitz();
    FnInexact::new(COLS, work).unwrap().lipschitz(l).convex()
}

fn solve(f: &dyn Smooth, g: &dyn Prox) -> (Vec<f64>, proxsplit::Report) {
    let mut solver = Splitting::new(f, g, &[0.0; COLS]).unwrap();
    let report = run(&mut solver, &Stop::default(), ());
    (solver.into_x(), report)
}

#[test]
fn a_fixed_error_ends_at_its_floor_with_k_times_the_bound() {
    let sample = Sample::new(40, COLS, 1);
    let f = LeastSquares::new(sample.matrix(), &sample.targets).unwrap();
    let g = L1::new(0.3).unwrap();
    let (best, _) = solve(&f, &g);
    for level in [1e-1, 1e-2, 1e-3] {
        let f = inexact(&f, move |_| level, move |_| level);
        let (x, report) = solve(&f, &g);
        let certificate = &report.certificate;
        assert_eq!(certificate.verdict, Verdict::AtErrorFloor, "{certificate}");
        let of = &certificate.of_method;
        assert_eq!(of.errors.get(Source::User), Some(Level::Bounded(level)));
        let Guarantee::Neighbourhood { error, radius } = of.guarantee else {
            panic!("{certificate}")
        };
        assert!((error - level).abs() < 1e-9 && (radius - 3.0 * error).abs() < 1e-9 * radius);
        assert_eq!(certificate.at_point.gradient_error, Some(level));
        assert!(certificate.at_point.gap.is_none());
        assert!(certificate.to_string().contains("inexact user gradient"));
        assert!(distance(&x, &best) > 0.0);
    }
}

#[test]
fn an_error_as_small_as_the_run_can_afford_is_no_floor() {
    let sample = Sample::new(40, COLS, 2);
    let f = LeastSquares::new(sample.matrix(), &sample.targets).unwrap();
    let (l1, mcp) = (L1::new(0.3).unwrap(), Mcp::new(0.5, 2.0).unwrap());
    for g in [&l1 as &dyn Prox, &mcp] {
        let (best, exact) = solve(&f, g);
        let afforded = |accuracy: f64| accuracy.min(1.0);
        let f = inexact(&f, afforded, afforded);
        let (x, report) = solve(&f, g);
        assert_eq!(report.reason, Reason::Converged, "{}", report.certificate);
        let at = report.certificate.at_point;
        let error = at.gradient_error.unwrap();
        assert!(error > 0.0 && at.residual + error <= report.certificate.tolerance);
        assert!(exact.converged() && distance(&x, &best) < 1e-4 * norm(&best));
    }
}

#[test]
fn a_bound_that_is_not_a_number_is_unknown_and_never_stationary() {
    let sample = Sample::new(40, COLS, 3);
    let f = LeastSquares::new(sample.matrix(), &sample.targets).unwrap();
    let g = L1::new(0.3).unwrap();
    for bound in [f64::NAN, f64::INFINITY] {
        let f = inexact(&f, |_| 0.0, move |_| bound);
        let (_, report) = solve(&f, &g);
        assert!(!report.converged(), "{}", report.certificate);
        let of = &report.certificate.of_method;
        assert_eq!(of.errors.get(Source::User), Some(Level::Unknown));
        assert!(matches!(of.guarantee, Guarantee::None { .. }));
    }
}

#[test]
fn panoc_refuses_and_an_unknown_l_is_not_guessed() {
    let sample = Sample::new(40, COLS, 4);
    let exact = LeastSquares::new(sample.matrix(), &sample.targets).unwrap();
    let g = L1::new(0.3).unwrap();
    let f = inexact(&exact, |_| 1e-3, |_| 1e-3);
    assert!(Panoc::new(&f, &g, &[0.0; COLS]).is_err());
    let work = |x: &[f64], _: f64, grad: &mut [f64]| (exact.gradient(x, grad), 1e-3);
    let unknown = FnInexact::new(COLS, work).unwrap();
    assert_eq!(Smooth::lipschitz(&unknown), Lipschitz::Unknown);
    let rule = Constant::new(0.5 / exact.lipschitz().value().unwrap()).unwrap();
    let mut solver = Splitting::new(&unknown, &g, &[0.0; COLS])
        .unwrap()
        .step(rule);
    let report = run(&mut solver, &Stop::default(), ());
    assert!(report.certificate.at_point.gradient_error == Some(1e-3));
}
