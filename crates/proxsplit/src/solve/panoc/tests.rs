use super::*;
use crate::data::{Dense, Elements, StorageOrder};
use crate::linalg::vec;
use crate::prox::{CappedL1, ElasticNet, L0, L1, L2, Mcp, WeightedL1, Zero};
use crate::set::{BoxSet, L1Ball, NonNeg, Simplex, Sphere};
use crate::smooth::{FnSmooth, LeastSquares, Logistic};
use crate::{Splitting, Stop, run};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Rosenbrock's function, and how often it was called.
fn rosenbrock(dim: usize, calls: &AtomicUsize) -> impl Smooth {
    FnSmooth::new(dim, move |x: &[f64], grad: &mut [f64]| {
        calls.fetch_add(1, Ordering::Relaxed);
        grad.fill(0.0);
        let mut value = 0.0;
        for i in 0..dim - 1 {
            let (a, b) = (1.0 - x[i], x[i + 1] - x[i] * x[i]);
            value += a * a + 100.0 * b * b;
            grad[i] -= 2.0 * a + 400.0 * x[i] * b;
            grad[i + 1] += 200.0 * b;
        }
        value
    })
    .unwrap()
}

fn start(dim: usize) -> Vec<f64> {
    (0..dim)
        .map(|i| if i % 2 == 0 { -1.2 } else { 0.7 })
        .collect()
}

fn tight() -> Stop {
    Stop {
        relative: 1e-8,
        passes: 1e4,
        ..Stop::default()
    }
}

/// From the same points scipy's L-BFGS-B makes 86, 311, 39 and 36 calls.
#[test]
fn rosenbrock_in_a_box_takes_few_calls() {
    for (dim, upper, most) in [(10, 2.0, 130), (50, 2.0, 400), (10, 0.8, 78), (50, 0.8, 75)] {
        let calls = AtomicUsize::new(0);
        let f = rosenbrock(dim, &calls);
        let g = BoxSet::new(-1.5, upper).unwrap();
        let mut solver = Panoc::new(&f, &g, &start(dim)).unwrap();
        let report = run(&mut solver, &tight(), ());
        assert!(report.converged(), "{dim}, {upper}: {}", report.certificate);
        let calls = calls.load(Ordering::Relaxed);
        assert!(calls <= most, "{dim}, {upper}: {calls} calls");
        assert!(solver.x().iter().all(|x| (-1.5..=upper).contains(x)));
    }
}

/// ½‖Hx − b‖² over x ≥ 0 with a Hilbert matrix, whose condition is 1e13. scipy's L-BFGS-B is within 1e-6 of the least value after 309
/// calls; that value is by the active sets of scipy's nnls.
#[test]
fn nonnegative_least_squares_with_a_hilbert_matrix_take_at_most_twice_the_calls_of_l_bfgs_b() {
    const LEAST: f64 = 2.269_644_083_132_715e-4;
    let entry = |i: usize, j: usize| 1.0 / (1 + i + j) as f64;
    let row = |i: usize, x: &[f64]| -> f64 { (0..10).map(|j| entry(i, j) * x[j]).sum() };
    let calls = AtomicUsize::new(0);
    let f = FnSmooth::new(10, |x: &[f64], grad: &mut [f64]| {
        calls.fetch_add(1, Ordering::Relaxed);
        let misfit = |i: usize| row(i, x) - row(i, &[1.0; 10]) - 0.01 * (3.0 * i as f64).cos();
        let r: Vec<f64> = (0..10).map(misfit).collect();
        for (i, grad) in grad.iter_mut().enumerate() {
            *grad = row(i, &r);
        }
        0.5 * vec::dot(&r, &r)
    });
    let f = f.unwrap();
    let mut solver = Panoc::new(&f, &NonNeg, &[0.0; 10]).unwrap();
    let mut last = f64::INFINITY;
    while calls.load(Ordering::Relaxed) <= 618 {
        solver.next().unwrap();
        last = solver.merit;
    }
    assert!(last <= (1.0 + 1e-6) * LEAST, "{last}");
}

fn sample(rows: usize, cols: usize) -> (Vec<f64>, Vec<f64>) {
    let mut random = Pcg64::seed_from_u64(3);
    let mut vector = |len| (0..len).map(|_| random.random_range(-1.0..1.0)).collect();
    (vector(rows * cols), vector(rows))
}

/// Every step ends below the running mean by what the theorem asks for, whatever γ does, and the merit is what it is said to be.
#[test]
fn every_step_ends_enough_below_the_running_mean() {
    let calls = AtomicUsize::new(0);
    let f = rosenbrock(8, &calls);
    let terms: [&dyn Prox; 5] = [
        &L1::new(0.3).unwrap(),
        &BoxSet::new(-2.0, 0.9).unwrap(),
        &L2::new(0.5).unwrap(),
        &Mcp::new(0.4, 3.0).unwrap(),
        &Sphere::new(2.0).unwrap(),
    ];
    for g in terms {
        let mut solver = Panoc::new(&f, g, &start(8)).unwrap();
        solver.prepare();
        for _ in 0..60 {
            let (ceiling, step) = (solver.spectral.ceiling, solver.step);
            let moved = solver.envelope.moved;
            solver.next().unwrap();
            let enough = BETA * (1.0 - ALPHA) * moved / (2.0 * step);
            let rounding = 1e-12 * ceiling.abs();
            // Envelopes of different γ do not compare.
            if solver.step == step {
                assert!(solver.merit <= ceiling - enough + rounding);
                assert!(solver.spectral.ceiling <= ceiling - 0.5 * enough + rounding);
            }
            let phi = f.value(solver.x()) + g.value(solver.x());
            let merit = if solver.is_inside {
                phi
            } else {
                solver.envelope.value
            };
            assert!((solver.merit - merit).abs() <= rounding);
            assert!(
                solver.envelope.value <= phi + rounding
                    && solver.merit <= solver.spectral.ceiling + rounding
            );
        }
    }
}

/// With every kind of g, the end is a minimizer of the convex problem that the plain method finds, too.
#[test]
fn convex_problems_agree_with_the_plain_method() {
    let (d, b) = sample(40, 12);
    let design = Dense::new(40, 12, StorageOrder::RowMajor, Elements::F64(&d)).unwrap();
    let signs: Vec<f64> = b.iter().map(|b: &f64| b.signum()).collect();
    let least = LeastSquares::new(design, &b).unwrap();
    let logistic = Logistic::new(design, &signs).unwrap();
    let weights = WeightedL1::new((0..12).map(|i| 0.1 * f64::from(i)).collect()).unwrap();
    let terms: [&dyn Prox; 9] = [
        &Zero,
        &L1::new(0.6).unwrap(),
        &weights,
        &ElasticNet::new(0.3, 0.4).unwrap(),
        &NonNeg,
        &BoxSet::new(-0.05, 0.1).unwrap(),
        &L2::new(0.8).unwrap(),
        &L1Ball::new(0.3).unwrap(),
        &Simplex::new(1.0).unwrap(),
    ];
    for f in [&least as &dyn Smooth, &logistic] {
        for g in terms {
            let mut solver = Panoc::new(f, g, &[0.0; 12]).unwrap();
            let report = run(&mut solver, &tight(), ());
            assert!(report.converged(), "{}", report.certificate);
            let mut plain = Splitting::new(f, g, &[0.0; 12]).unwrap();
            run(&mut plain, &tight(), ());
            let value = |x: &[f64]| f.value(x) + g.value(x);
            let (ours, theirs) = (value(solver.x()), value(plain.x()));
            assert!((ours - theirs).abs() < 1e-10, "{ours} and {theirs}");
        }
    }
}

#[test]
fn linear_functions_end_at_the_bound() {
    let f = FnSmooth::new(3, |x: &[f64], grad: &mut [f64]| {
        grad.copy_from_slice(&[1e-3, -2e-3, 1e-3]);
        1e-3 * x[0] - 2e-3 * x[1] + 1e-3 * x[2]
    });
    let (f, g) = (f.unwrap(), BoxSet::new(-100.0, 100.0).unwrap());
    let mut solver = Panoc::new(&f, &g, &[0.0; 3]).unwrap();
    let report = run(&mut solver, &Stop::default(), ());
    assert!(report.converged() && report.certificate.passes < 60.0);
    assert_eq!(solver.x(), [-100.0, 100.0, -100.0]);
}

#[test]
fn single_precision_and_functions_that_are_not_finite_everywhere() {
    let f = FnSmooth::new(2, |x: &[f32], grad: &mut [f32]| {
        grad.copy_from_slice(&[1.0 - 1.0 / x[0], 2.0 * x[1]]);
        f64::from(x[0] - x[0].ln() + x[1] * x[1])
    });
    let f = f.unwrap();
    let mut solver = Panoc::new(&f, &Zero, &[0.01f32, 3.0]).unwrap();
    let report = run(&mut solver, &Stop::default(), ());
    assert!(report.converged(), "{}", report.certificate);
    assert!((solver.x()[0] - 1.0).abs() < 1e-2 && solver.x()[1].abs() < 1e-2);
    // Nowhere finite but at the start: said, and x stays.
    let cliff = FnSmooth::new(1, |x: &[f64], grad: &mut [f64]| {
        grad[0] = 1.0;
        if x[0] == 1.0 { 0.0 } else { f64::NAN }
    });
    let cliff = cliff.unwrap();
    let mut solver = Panoc::new(&cliff, &Zero, &[1.0]).unwrap();
    assert!(!run(&mut solver, &Stop::default(), ()).converged());
    assert_eq!(solver.x(), [1.0]);
}

/// Where nothing but rounding is left, the solver stays where it is; that is no divergence.
#[test]
fn a_run_without_an_end_stays_at_its_solution() {
    let (d, b) = sample(30, 20);
    let design = Dense::new(30, 20, StorageOrder::RowMajor, Elements::F64(&d)).unwrap();
    let f = LeastSquares::new(design, &b).unwrap();
    let terms: [&dyn Prox; 4] = [
        &Zero,
        &L1::new(0.1).unwrap(),
        &L2::new(0.1).unwrap(),
        &Sphere::new(1.0).unwrap(),
    ];
    for g in terms {
        let mut solver = Panoc::new(&f, g, &[0.1; 20]).unwrap();
        let stop = Stop {
            residual: 0.0,
            relative: 0.0,
            passes: 2e3,
            ..Stop::default()
        };
        let report = run(&mut solver, &stop, ());
        assert_eq!(
            report.reason,
            crate::Reason::PassLimit,
            "{}",
            report.certificate
        );
        let at = report.certificate.at_point;
        assert!(at.residual <= 1e-8 * at.scale, "{}", report.certificate);
    }
}

/// A look at a g that is not convex is one step ahead: at a γ that has been checked, which does not raise Φ.
#[test]
fn the_first_look_is_not_above_the_start() {
    // Flat but for a ramp beside the start, so that a step for the curvature here goes far up.
    let f = FnSmooth::new(1, |x: &[f64], grad: &mut [f64]| {
        let s = 1.0 / (1.0 + (20.0 * (x[0] + 1.0)).exp());
        grad[0] = -20.0 * s * (1.0 - s) + 1e-3;
        s + 1e-3 * x[0]
    });
    let f = f.unwrap();
    let g = CappedL1::new(4.0, 0.7).unwrap();
    for start in [0.0, -0.5, -1.0, -1.5] {
        let before = f.value(&[start]) + Prox::<f64>::value(&g, &[start]);
        let mut solver = Panoc::new(&f, &g, &[start]).unwrap();
        assert!(solver.measure().objective <= before + 1e-12, "from {start}");
    }
}

/// The same where γ is doubled: the longer step jumps over the place where f begins to bend.
#[test]
fn a_step_that_grows_is_checked_before_it_is_looked_at() {
    let f = FnSmooth::new(1, |x: &[f64], grad: &mut [f64]| {
        let beyond = (x[0] - 1.0).max(0.0);
        grad[0] = 10.0 * beyond - 1.0;
        5.0 * beyond * beyond - x[0]
    });
    let f = f.unwrap();
    let g = L0::new(0.4).unwrap();
    let mut solver = Panoc::new(&f, &g, &[0.0]).unwrap();
    let first = solver.measure();
    assert!(first.objective <= 0.0, "{first:?}");
}

/// The same where every step that f allows is taken back by g: then the start is the fixed point.
#[test]
fn a_start_that_no_step_leaves_is_what_the_first_look_shows() {
    // Falls at first, and is flat from 1 on: a step for the slope at 0 goes far, and pays more for g than f falls.
    let f = FnSmooth::new(1, |x: &[f64], grad: &mut [f64]| {
        let s = 1.0 / (1.0 + (8.0 * x[0]).exp());
        grad[0] = -8.0 * s * (1.0 - s);
        s
    });
    let f = f.unwrap();
    let g = L0::new(0.9).unwrap();
    let mut solver = Panoc::new(&f, &g, &[0.0]).unwrap();
    let first = solver.measure();
    assert_eq!((first.objective, solver.looked_at()), (0.5, &[0.0][..]));
}
