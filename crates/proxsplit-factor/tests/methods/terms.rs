//! Other penalties and sets: settings, not code paths.

use super::{after, planted, settings, settle};
use proxsplit::Mat;
use proxsplit::data::{Dense, Elements, StorageOrder};
use proxsplit::prox::{ElasticNet, L1, NonNegL1, SquaredL2, Zero};
use proxsplit::set::{L2Ball, NonNeg, Simplex};
use proxsplit::{Error, Looks, Prox, Solver, Stop, run};
use proxsplit_factor::{Data, Factorization, Factors, Inner, Method, Problem, Settings};

#[test]
fn dictionaries_and_simplex_codes_are_settings() {
    let generated = planted(0.05);
    let data = Data::<f64>::new(generated.matrix().unwrap(), 1.0).unwrap();
    let ball = L2Ball::new(1.0).unwrap();
    let (l1, simplex) = (L1::new(0.1).unwrap(), Simplex::new(1.0).unwrap());
    let cases: [(&dyn Prox<f64>, &dyn Prox<f64>); 3] =
        [(&ball, &l1), (&NonNeg, &simplex), (&ball, &Zero)];
    for (atoms, codes) in cases {
        let problem = Problem::new(&data, 4, atoms, codes).unwrap();
        let start = after(problem, settings(Method::Batch, 0), 1.0);
        let end = after(problem, settings(Method::Batch, 0), 60.0);
        assert!(end.is_finite() && end < start);
        let mut solver = Factorization::new(problem, settings(Method::Batch, 0), None).unwrap();
        let first = solver.measure().residual;
        for _ in 0..60 {
            solver.next().unwrap();
        }
        assert!(solver.measure().residual < 0.2 * first);
    }
}

/// ½‖Y − XA‖² + weight·‖A‖₁ after rounds of plain proximal gradients on A and projected gradients on X, entry by entry.
fn naive_dictionary(y: &Mat<f64>, start: &Factors<f64>, weight: f64, rounds: usize) -> f64 {
    let (mut x, mut a) = (start.x(), start.a());
    let (m, n, rank) = (y.rows(), y.cols(), x.cols());
    let square = |f: &Mat<f64>| f.data().iter().map(|v| v * v).sum::<f64>();
    let misfit = |x: &Mat<f64>, a: &Mat<f64>| {
        Mat::from_fn(m, n, |i, t| {
            (0..rank).map(|k| x.col(k)[i] * a.col(t)[k]).sum::<f64>() - y.col(t)[i]
        })
    };
    for _ in 0..rounds {
        let (r, step) = (misfit(&x, &a), 1.0 / square(&x).max(1e-12));
        a = Mat::from_fn(rank, n, |k, t| {
            let slope: f64 = (0..m).map(|i| x.col(k)[i] * r.col(t)[i]).sum();
            let moved = a.col(t)[k] - step * slope;
            moved.signum() * (moved.abs() - step * weight).max(0.0)
        });
        let (r, step) = (misfit(&x, &a), 1.0 / square(&a).max(1e-12));
        x = Mat::from_fn(m, rank, |i, k| {
            let slope: f64 = (0..n).map(|t| r.col(t)[i] * a.col(t)[k]).sum();
            x.col(k)[i] - step * slope
        });
        let norms: Vec<f64> = (0..rank)
            .map(|k| x.col(k).iter().map(|v| v * v).sum::<f64>().sqrt())
            .collect();
        x = Mat::from_fn(m, rank, |i, k| x.col(k)[i] / norms[k].max(1.0));
    }
    0.5 * square(&misfit(&x, &a)) + weight * a.data().iter().map(|v| v.abs()).sum::<f64>()
}

#[test]
fn dictionary_learning_beats_plain_alternating_gradients() {
    let (m, n, weight) = (12, 40, 0.3);
    let y = Mat::from_fn(m, n, |i, t| {
        ((i * 7 + t * 5 + i * t) % 11) as f64 / 5.0 - 1.0
    });
    let dense = proxsplit::data::Dense::new(
        m,
        n,
        proxsplit::data::StorageOrder::ColumnMajor,
        proxsplit::data::Elements::F64(y.data()),
    );
    let data = Data::<f64>::new(dense.unwrap().into(), 1.0).unwrap();
    let (ball, l1) = (L2Ball::new(1.0).unwrap(), L1::new(weight).unwrap());
    let problem = Problem::new(&data, 4, &ball, &l1).unwrap();
    let best = |results: [f64; 3]| results.into_iter().fold(f64::INFINITY, f64::min);
    let ours = best([0, 1, 2].map(|seed| after(problem, settings(Method::Batch, seed), 200.0)));
    let naive = best([0, 1, 2].map(|seed| {
        let solver = Factorization::new(problem, settings(Method::Batch, seed), None).unwrap();
        naive_dictionary(&y, solver.factors(), weight, 400)
    }));
    assert!(ours <= 1.001 * naive, "{ours} against {naive}");
    for method in [Method::Auto, Method::Incremental, Method::Aggregated] {
        let found = best([0, 1, 2].map(|seed| after(problem, settings(method, seed), 200.0)));
        assert!(found <= 1.01 * ours, "{method}: {found} against {ours}");
    }
}

#[test]
fn one_penalty_alone_warns_until_the_other_factor_is_bounded() {
    let generated = planted(0.05);
    let data = Data::<f64>::new(generated.matrix().unwrap(), 1.0).unwrap();
    let (l1, ball) = (NonNegL1::new(0.1).unwrap(), L2Ball::new(1.0).unwrap());
    let simplex = Simplex::new(1.0).unwrap();
    let warned = |atoms: &dyn Prox<f64>, codes: &dyn Prox<f64>| {
        let problem = Problem::new(&data, 3, atoms, codes).unwrap();
        let solver = Factorization::new(problem, Settings::default(), None).unwrap();
        let warnings = solver.warnings();
        warnings
            .iter()
            .any(|w| w.contains("only one factor is penalized"))
    };
    assert!(warned(&NonNeg, &l1) && warned(&l1, &NonNeg));
    assert!(!warned(&l1, &l1) && !warned(&NonNeg, &NonNeg));
    assert!(!warned(&ball, &l1) && !warned(&simplex, &l1) && !warned(&l1, &simplex));
}

#[test]
fn simplex_codes_are_feasible_and_certified() {
    let generated = planted(0.05);
    let data = Data::<f64>::new(generated.matrix().unwrap(), 1.0).unwrap();
    let simplex = Simplex::new(1.0).unwrap();
    let problem = Problem::new(&data, 3, &NonNeg, &simplex).unwrap();
    let mut solver = Factorization::new(problem, Settings::default(), None).unwrap();
    let stop = Stop {
        relative: 1e-5,
        passes: 2000.0,
        looks: Looks::Every(20.0),
        ..Stop::default()
    };
    let report = run(&mut solver, &stop, ());
    assert!(report.converged(), "{}", report.certificate);
    let (x, a) = (solver.factors().x(), solver.factors().a());
    assert!(x.data().iter().chain(a.data()).all(|&v| v >= 0.0));
    for t in 0..a.cols() {
        let sum: f64 = a.col(t).iter().sum();
        assert!((sum - 1.0).abs() < 1e-9, "column {t} sums to {sum}");
    }
    let reached = solver.measure().objective;
    assert!((reached / report.certificate.at_point.objective - 1.0).abs() < 1e-9);
}

/// A run can be stopped between two batches, where O = identity has taken X out of its set. What it returns is in the set,
/// and in the first pass better than what the pass began with.
#[test]
fn a_pass_that_is_stopped_halfway_returns_a_point_of_the_set() {
    let generated = planted(0.3);
    let data = Data::<f64>::new(generated.matrix().unwrap(), 1.0).unwrap();
    let problem = Problem::new(&data, 4, &NonNeg, &NonNeg).unwrap();
    let settings = Settings {
        inner: Inner::Identity,
        ..settings(Method::Incremental, 0)
    };
    let mut solver = Factorization::new(problem, settings, None).unwrap();
    let negative = |x: Mat<f64>| x.data().iter().any(|v| *v < 0.0);
    let start = solver.measure().objective;
    while solver.next().unwrap().passes < 1.0 {
        assert!(solver.measure().objective < start);
    }
    while !negative(solver.factors().x()) {
        solver.next().unwrap();
    }
    assert!(solver.measure().objective.is_finite());
    settle(&mut solver);
    assert!(!negative(solver.factors().x()));
}

/// An atom that only begins to grow has other best scales with its codes than with those that run ahead of them: plain passes begin
/// with the latter, and fall all the same.
#[test]
fn plain_passes_fall_where_an_atom_grows() -> Result<(), Error> {
    let mut y = [0.0; 8];
    y[1] = 0.866;
    let dense = Dense::new(1, 8, StorageOrder::ColumnMajor, Elements::F64(&y))?;
    let data = Data::<f64>::new(dense.into(), 1.0)?;
    let (atoms, codes) = (SquaredL2::new(0.38)?, ElasticNet::new(1e-5, 0.12)?);
    let problem = Problem::new(&data, 2, &atoms, &codes)?;
    for seed in 0..50 {
        let mut solver = Factorization::new(problem, settings(Method::Auto, seed), None)?;
        solver.by_ref().take(70).for_each(drop);
        let assumptions = solver.setting().assumptions;
        assert!(assumptions.is_empty(), "seed {seed}: {assumptions:?}");
    }
    Ok(())
}
