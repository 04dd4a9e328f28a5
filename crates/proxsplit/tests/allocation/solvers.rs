//! Iterations and looks.

use super::count;
use super::sample::Sample;
use proxsplit::gradient::{Injected, Inner, Page, Saga, Shape, Stale};
use proxsplit::order::VisitOrder;
use proxsplit::prox::{L0, L1};
use proxsplit::set::NonNeg;
use proxsplit::smooth::{Cauchy, FnSmooth, FnSum};
use proxsplit::solve::Split;
use proxsplit::step::{Adaptive, Backtracking, BarzilaiBorwein, Constant, Diminishing};
use proxsplit::{
    FiniteSum, IncrementalSplitting, Panoc, Passes, Prox, Sggd, Smooth, Solver, Splitting,
};

/// Allocations in 100 iterations and looks, whose points are kept, after two of each.
fn allocations(solver: &mut dyn Solver) -> usize {
    for _ in 0..2 {
        solver.next().unwrap();
        solver.measure();
        solver.keep();
    }
    let before = count();
    for _ in 0..100 {
        solver.next().unwrap();
        solver.measure();
        solver.keep();
    }
    count() - before
}

#[test]
fn a_hundred_iterations_allocate_nothing() {
    let sample = Sample::new(30, 7, 1);
    let f = Cauchy::new(sample.matrix(), &sample.targets, 0.5).unwrap();
    let g = L1::new(0.1).unwrap();
    let x = [0.5; 7];
    let batch = || Splitting::new(&f, &g, &x).unwrap();
    assert!(count() > 0, "the counter counts");
    assert_eq!(allocations(&mut batch()), 0);
    assert_eq!(
        allocations(&mut batch().step(Backtracking::new(1.0).unwrap())),
        0
    );
    assert_eq!(
        allocations(&mut batch().step(BarzilaiBorwein::new(0.1).unwrap())),
        0
    );
    assert_eq!(
        allocations(&mut batch().step(Adaptive::new(0.01).unwrap())),
        0
    );
    let nonconvex = L0::new(0.1).unwrap();
    assert_eq!(
        allocations(&mut Splitting::new(&f, &nonconvex, &x).unwrap()),
        0
    );
    // Models between bounds and kinks, and steps on the residual.
    for g in [&g as &dyn Prox, &NonNeg, &nonconvex] {
        assert_eq!(allocations(&mut Panoc::new(&f, g, &x).unwrap()), 0);
    }
    // Of this twin no L is known, and its reference step is checked.
    let twin = FnSmooth::new(7, |x: &[f64], grad: &mut [f64]| f.gradient(x, grad)).unwrap();
    assert_eq!(allocations(&mut Splitting::new(&twin, &g, &x).unwrap()), 0);
    let injected = Injected::new(&f, 0.1, Shape::Random, 1).unwrap();
    assert_eq!(
        allocations(
            &mut batch()
                .gradient(injected)
                .step(Constant::new(0.05).unwrap())
        ),
        0
    );
    for inner in [Inner::Identity, Inner::Prox] {
        let passes = Passes {
            inner,
            batch: 4,
            ..Passes::default()
        };
        let solver = IncrementalSplitting::new(&f, &g, &x, passes).unwrap();
        assert_eq!(
            allocations(&mut solver.step(Diminishing::new(0.05, 0.5).unwrap()).unwrap()),
            0
        );
    }
    let page = Page::new(&f, 4, VisitOrder::Reshuffled, 1).unwrap();
    assert_eq!(allocations(&mut batch().gradient(page)), 0);
    for twin in [
        &f as &dyn FiniteSum,
        &FnSum::new(7, 30, |b: &[usize], x: &[f64], grad: &mut [f64]| {
            f.add_gradient(b, x, grad)
        })
        .unwrap(),
    ] {
        let saga = Saga::new(twin, 4, VisitOrder::Reshuffled, 1).unwrap();
        assert_eq!(allocations(&mut batch().gradient(saga)), 0);
    }
    assert_eq!(allocations(&mut batch().gradient(Stale::new(&f, 3))), 0);
    let split = Split {
        whole: &g,
        penalty: &g,
        set: &NonNeg,
    };
    let rule = Diminishing::new(0.01, 0.5).unwrap();
    assert_eq!(
        allocations(&mut Sggd::new(&f, split, &x, Passes::default(), rule).unwrap()),
        0
    );
}
