//! The paper's lemmas, on every iteration of real runs of a nonconvex problem with injected error.

use crate::sample::{Sample, distance, norm, starts};
use proxsplit::gradient::{
    IncrementalPass, Injected, Inner, Shape, drift_bound, incrementality_bounds,
};
use proxsplit::order::VisitOrder;
use proxsplit::prox::L1;
use proxsplit::smooth::{Cauchy, Sigmoid};
use proxsplit::step::Constant;
use proxsplit::{FiniteSum, Prox, Smooth, Splitting};

const SLACK: f64 = 1e-10;

/// ‖x − P_1(x − ∇f(x))‖, written out again here.
fn residual(f: &dyn Smooth, g: &dyn Prox, x: &[f64]) -> f64 {
    let mut gradient = vec![0.0; x.len()];
    f.gradient(x, &mut gradient);
    let mut p: Vec<f64> = x.iter().zip(&gradient).map(|(x, g)| x - g).collect();
    g.prox(&mut p, 1.0);
    distance(x, &p)
}

fn objective(f: &dyn Smooth, g: &dyn Prox, x: &[f64]) -> f64 {
    f.value(x) + g.value(x)
}

/// eq.31 and eq.xubounds at every step of a run with η inside eq.38.
fn check_run(f: &dyn Smooth, g: &dyn Prox, start: &[f64], level: f64, shape: Shape) {
    let l = f.lipschitz().value().unwrap();
    for share in [0.3, 1.0, 1.7] {
        let step = (share / l).min(1.0);
        let c = step.min(2.0 / l - step);
        let source = Injected::new(f, level, shape, 3).unwrap();
        let mut solver = Splitting::new(f, g, start)
            .unwrap()
            .gradient(source)
            .step(Constant::new(step).unwrap());
        let epsilon = step * level;
        for _ in 0..60 {
            let before = solver.x().to_vec();
            solver.next().unwrap();
            let moved = distance(&before, solver.x());
            let decrease = objective(f, g, &before) - objective(f, g, solver.x());
            let promised = (2.0 - l * step) / (2.0 * step) * moved * moved - epsilon / step * moved;
            assert!(
                decrease >= promised - SLACK,
                "eq.31: {decrease} < {promised}"
            );
            let rho = residual(f, g, &before);
            assert!(
                c * rho - epsilon <= moved + SLACK,
                "lower bound: c·{rho} − {epsilon} > {moved}"
            );
            assert!(
                moved <= rho + epsilon + SLACK,
                "upper bound: {moved} > {rho} + {epsilon}"
            );
        }
    }
}

#[test]
fn descent_and_displacement_bounds_hold_in_every_iteration() {
    let sample = Sample::new(40, 9, 1);
    let cauchy = Cauchy::new(sample.matrix(), &sample.targets, 0.5).unwrap();
    let sigmoid = Sigmoid::new(sample.matrix(), &sample.labels()).unwrap();
    let g = L1::new(0.3).unwrap();
    for start in starts(9, 3) {
        for shape in [Shape::Bias, Shape::Random, Shape::Adversarial] {
            for level in [0.0, 1e-3, 0.3] {
                check_run(&cauchy, &g, &start, level, shape);
                check_run(&sigmoid, &g, &start, level, shape);
            }
        }
    }
}

/// A subgradient of W‖x‖₁ at x.
fn subgradient(weight: f64, x: &[f64]) -> Vec<f64> {
    x.iter()
        .map(|x| if *x == 0.0 { 0.0 } else { weight * x.signum() })
        .collect()
}

#[test]
fn increments_and_drift_stay_within_their_bounds_in_every_minor_step() {
    let sample = Sample::new(24, 6, 2);
    let f = Cauchy::new(sample.matrix(), &sample.targets, 0.5).unwrap();
    let weight = 0.2;
    let g = L1::new(weight).unwrap();
    let batch = 4;
    let l = batch as f64 * f.term_lipschitz().value().unwrap();
    for start in starts(6, 3) {
        for step in [1e-3, 1e-2, 0.1] {
            check_pass(&f, &g, weight, &start, (batch, step, l));
        }
    }
}

fn check_pass(
    f: &dyn FiniteSum,
    g: &dyn Prox,
    weight: f64,
    x: &[f64],
    (batch, step, l): (usize, f64, f64),
) {
    let mut pass =
        IncrementalPass::new(f, g, Inner::Prox, (batch, VisitOrder::Reshuffled, 7)).unwrap();
    let mut out = vec![0.0; x.len()];
    let mut minors: Vec<(Vec<f64>, Vec<f64>)> = Vec::new();
    pass.traced(x, step, &mut out, |_, z, term| {
        minors.push((z.to_vec(), term.to_vec()));
    });
    let term_at = |t: usize, x: &[f64]| {
        let mut term = vec![0.0; x.len()];
        f.add_gradient(pass.visits().batch(t), x, &mut term);
        term
    };
    let sum = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a + b).collect::<Vec<f64>>();

    for pair in minors.windows(2) {
        let ((z, term), (next, _)) = (&pair[0], &pair[1]);
        let bound = 2.0 * step * norm(&sum(term, &subgradient(weight, z)));
        assert!(distance(z, next) <= bound + SLACK, "bounded increment");
    }
    let betas: Vec<f64> = minors
        .iter()
        .enumerate()
        .map(|(t, (z, _))| norm(&sum(&term_at(t, x), &subgradient(weight, z))))
        .collect();
    for (t, bound) in incrementality_bounds(step, l, &betas)
        .into_iter()
        .enumerate()
    {
        let drift = distance(&minors[t].1, &term_at(t, x));
        assert!(
            drift <= bound + SLACK,
            "incrementality error at t = {t}: {drift} > {bound}"
        );
    }
    let mut exact = vec![0.0; x.len()];
    f.gradient(x, &mut exact);
    let error = distance(&exact, &out);
    let bound = drift_bound(step, l, &betas);
    assert!(error <= bound + SLACK, "bounded error: {error} > {bound}");
}
