//! Methods with a name of their own that are special cases of the one iteration, to the last bit.

use crate::sample::{Sample, starts};
use proxsplit::gradient::Inner;
use proxsplit::order::VisitOrder;
use proxsplit::prox::{L1, Zero};
use proxsplit::set::{BoxSet, NonNeg};
use proxsplit::smooth::{FnSmooth, LeastSquares};
use proxsplit::step::Constant;
use proxsplit::{
    FiniteSum, IncrementalSplitting, Lipschitz, Panoc, Passes, Prox, Smooth, Splitting, Stop, run,
};

const ROWS: usize = 20;
const COLS: usize = 6;
const STEP: f64 = 0.03;

fn model(sample: &Sample) -> LeastSquares<'_, f64> {
    LeastSquares::new(sample.matrix(), &sample.targets).unwrap()
}

/// Compares 40 steps of the solver with `other`, which makes a step of x.
fn same(f: &dyn Smooth, g: &dyn Prox, mut other: impl FnMut(&mut Vec<f64>)) {
    for mut x in starts(COLS, 2) {
        let rule = Constant::new(STEP).unwrap();
        let mut solver = Splitting::new(f, g, &x).unwrap().step(rule);
        x = solver.x().to_vec();
        for _ in 0..40 {
            solver.next().unwrap();
            other(&mut x);
            assert_eq!(solver.x(), x);
        }
    }
}

#[test]
fn proximal_point_method() {
    let nothing = FnSmooth::new(COLS, |_: &[f64], grad: &mut [f64]| {
        grad.fill(0.0);
        0.0
    });
    let nothing = nothing.unwrap().lipschitz(Lipschitz::Known(0.0)).convex();
    let g = L1::new(0.2).unwrap();
    same(&nothing, &g, |x| g.prox(x, STEP));
    // It finds the minimizer of g, by every solver, with L = 0.
    let start = starts(COLS, 1).next().unwrap();
    let mut plain = Splitting::new(&nothing, &g, &start).unwrap();
    let mut panoc = Panoc::new(&nothing, &g, &start).unwrap();
    assert!(run(&mut plain, &Stop::default(), ()).converged());
    assert!(run(&mut panoc, &Stop::default(), ()).converged());
    assert_eq!(plain.x(), [0.0; COLS]);
    assert_eq!(panoc.x(), [0.0; COLS]);
}

#[test]
fn forward_backward_splitting() {
    let sample = Sample::new(ROWS, COLS, 1);
    let (f, g) = (model(&sample), L1::new(0.2).unwrap());
    same(&f, &g, |x| {
        let mut gradient = vec![0.0; COLS];
        f.gradient(x, &mut gradient);
        for (x, slope) in x.iter_mut().zip(gradient) {
            *x -= STEP * slope;
            *x = x.signum() * (x.abs() - STEP * 0.2).max(0.0);
        }
    });
}

#[test]
fn gradient_projection() {
    let sample = Sample::new(ROWS, COLS, 2);
    let (f, set) = (model(&sample), BoxSet::new(-0.5, 0.25).unwrap());
    same(&f, &set, |x| {
        let mut gradient = vec![0.0; COLS];
        f.gradient(x, &mut gradient);
        for (x, slope) in x.iter_mut().zip(gradient) {
            *x = (*x - STEP * slope).clamp(-0.5, 0.25);
        }
    });
}

/// A pass of the incremental method against one written out, term by term in order, with `project` at its end.
fn same_passes(set: &dyn Prox, project: impl Fn(f64) -> f64) {
    let sample = Sample::new(ROWS, COLS, 3);
    let f = model(&sample);
    let passes = Passes {
        inner: Inner::Identity,
        batch: 1,
        order: VisitOrder::Cyclic,
        seed: 0,
    };
    for start in starts(COLS, 2) {
        let rule = Constant::new(STEP).unwrap();
        let mut solver = IncrementalSplitting::new(&f, set, &start, passes)
            .unwrap()
            .step(rule)
            .unwrap();
        let mut x = solver.x().to_vec();
        for _ in 0..30 {
            let (mut z, mut sum) = (x.clone(), vec![0.0; COLS]);
            for t in 0..ROWS {
                let mut term = vec![0.0; COLS];
                f.add_gradient(&[t], &z, &mut term);
                for i in 0..COLS {
                    sum[i] += term[i];
                    z[i] -= STEP * term[i];
                }
            }
            for (x, sum) in x.iter_mut().zip(&sum) {
                *x = project(*x - STEP * sum);
            }
            solver.next().unwrap();
            assert_eq!(solver.x(), x);
        }
    }
}

#[test]
fn incremental_gradient_method() {
    same_passes(&Zero, |x| x);
}

#[test]
fn projected_incremental_gradient_method() {
    same_passes(&NonNeg, |x| x.max(0.0));
}
