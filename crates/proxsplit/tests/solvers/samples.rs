//! Samples of the terms: one draw says nothing of the next, and every term weighs the same.

use crate::sample::Sample;
use proxsplit::gradient::{Inner, MiniBatch};
use proxsplit::ledger::Source;
use proxsplit::order::VisitOrder;
use proxsplit::prox::{L1, Zero};
use proxsplit::smooth::{FnSum, LeastSquares};
use proxsplit::step::{Constant, Diminishing};
use proxsplit::{
    FiniteSum, Guarantee, IncrementalSplitting, Level, Lipschitz, Passes, Reason, Smooth, Solver,
    Splitting, Stop, run,
};

fn none(guarantee: &Guarantee) -> bool {
    matches!(guarantee, Guarantee::None { .. })
}

#[test]
fn draws_with_replacement_are_samples_also_when_they_are_as_many_as_the_terms() {
    let sample = Sample::new(30, 5, 1);
    let f = LeastSquares::new(sample.matrix(), &sample.targets).unwrap();
    let g = L1::new(0.5).unwrap();
    let passes = Passes {
        inner: Inner::Identity,
        batch: 30,
        order: VisitOrder::Random,
        seed: 1,
    };
    let rule = Constant::within(f.lipschitz()).unwrap();
    let pass = IncrementalSplitting::new(&f, &g, &[0.0; 5], passes).unwrap();
    let draw = MiniBatch::new(&f, 30, VisitOrder::Random, 1).unwrap();
    let sampled = Splitting::new(&f, &g, &[0.0; 5]).unwrap().gradient(draw);
    claims_no_level(&mut pass.step(rule).unwrap());
    claims_no_level(&mut sampled.step(rule));
}

#[test]
fn one_draw_of_a_mini_batch_is_no_bound() {
    let sample = Sample::new(30, 5, 1);
    let f = LeastSquares::new(sample.matrix(), &sample.targets).unwrap();
    let g = L1::new(0.5).unwrap();
    for order in [
        VisitOrder::Cyclic,
        VisitOrder::Reshuffled,
        VisitOrder::Random,
    ] {
        let draw = MiniBatch::new(&f, 10, order, 1).unwrap();
        let solver = Splitting::new(&f, &g, &[0.0; 5]).unwrap().gradient(draw);
        claims_no_level(&mut solver.step(Constant::within(f.lipschitz()).unwrap()));
    }
}

fn claims_no_level(solver: &mut dyn Solver) {
    let stop = Stop {
        passes: 300.0,
        ..Stop::default()
    };
    let report = run(solver, &stop, ());
    let of = &report.certificate.of_method;
    assert_eq!(of.errors.get(Source::Sampling), Some(Level::Unknown));
    assert!(none(&of.guarantee), "{}", of.guarantee);
    assert_eq!(report.reason, Reason::PassLimit);
}

/// (x − a_t)²/2 with a = (0, 0, 3).
fn three_terms() -> impl FiniteSum {
    let work = |batch: &[usize], x: &[f64], grad: &mut [f64]| {
        let off = |t: &usize| x[0] - [0.0, 0.0, 3.0][*t];
        grad[0] += batch.iter().map(off).sum::<f64>();
        batch.iter().map(|t| off(t).powi(2) / 2.0).sum()
    };
    let f = FnSum::new(1, 3, work).unwrap();
    f.lipschitz(Lipschitz::Known(3.0)).convex()
}

#[test]
fn a_short_last_batch_weighs_no_more_than_its_terms() {
    let f = three_terms();
    for order in [VisitOrder::Cyclic, VisitOrder::Reshuffled] {
        let source = MiniBatch::new(&f, 2, order, 0).unwrap();
        let mut solver = Splitting::new(&f, &Zero, &[0.0])
            .unwrap()
            .gradient(source)
            .step(Diminishing::new(0.3, 1.0).unwrap());
        let progress = solver.nth(19_999).unwrap();
        assert!((solver.x()[0] - 1.0).abs() < 1e-3, "{:?}", solver.x());
        assert!(
            (progress.passes - 10_000.0).abs() < 1e-6,
            "two batches are a pass: {}",
            progress.passes
        );
    }
}

#[test]
fn a_batch_of_all_terms_is_no_sample() {
    let f = three_terms();
    for order in [VisitOrder::Cyclic, VisitOrder::Reshuffled] {
        let source = MiniBatch::new(&f, 3, order, 0).unwrap();
        let solver = Splitting::new(&f, &Zero, &[0.0]).unwrap();
        let mut solver = solver.gradient(source).step(Constant::new(0.2).unwrap());
        let report = run(&mut solver, &Stop::default(), ());
        assert!(report.converged());
        let guarantee = report.certificate.of_method.guarantee;
        assert_eq!(guarantee, Guarantee::Minimizer, "{order:?}");
    }
}

#[test]
fn only_independent_draws_promise_something_in_expectation() {
    let f = three_terms();
    for order in [
        VisitOrder::Cyclic,
        VisitOrder::Reshuffled,
        VisitOrder::Random,
    ] {
        let source = MiniBatch::new(&f, 2, order, 0).unwrap();
        let mut solver = Splitting::new(&f, &Zero, &[0.0])
            .unwrap()
            .gradient(source)
            .step(Diminishing::new(0.3, 1.0).unwrap());
        let stop = Stop {
            passes: 50.0,
            ..Stop::default()
        };
        let guarantee = run(&mut solver, &stop, ()).certificate.of_method.guarantee;
        assert_eq!(
            guarantee == Guarantee::InExpectation,
            order == VisitOrder::Random,
            "{order:?}: {guarantee}"
        );
    }
}
