//! Atoms that are given and kept.

use super::{METHODS, planted, settings, settle};
use proxsplit::Mat;
use proxsplit::data::{Dense, Elements, StorageOrder};
use proxsplit::prox::NonNegL1;
use proxsplit::set::{L2Ball, NonNeg};
use proxsplit::{Error, Prox, Solver, Stop, run};
use proxsplit_factor::{
    Data, Factorization, Factors, Inner, Lanes, Loss, Method, Missing, Problem, Settings, audit,
};

const ROWS: usize = 40;

/// Two atoms with numbers that no step of a free atom would leave alone: negative ones, −0, large and tiny ones.
fn awkward<T: Lanes>() -> Mat<T> {
    let odd = [0.3, -0.0, -1.5, 0.0, 1e-30, 1e3, 0.7];
    Mat::from_fn(ROWS, 2, |i, k| T::of(odd[(i + 3 * k) % 7]))
}

fn bits<T: Lanes>(atoms: &Mat<T>) -> Vec<u64> {
    let first = atoms.data()[..2 * ROWS].iter();
    first.map(|v| v.f64().to_bits()).collect()
}

/// 40 × 90 numbers of about rank 3, some of them missing if they may be.
fn numbers(missing: Missing) -> Vec<f64> {
    let entry = |at: usize| {
        let (i, t) = (at % ROWS, at / ROWS);
        (1..4).map(|k| ((i * k) % 5 * ((t * k) % 7)) as f64).sum()
    };
    let is_gap = |at: usize| missing == Missing::Nan && (at * 7 + at / ROWS).is_multiple_of(9);
    let all = 0..ROWS * 90;
    all.map(|at| if is_gap(at) { f64::NAN } else { entry(at) })
        .collect()
}

fn keeps<T: Lanes>(missing: Missing, terms: (&dyn Prox<T>, &dyn Prox<T>), chosen: Settings) {
    let numbers = numbers(missing);
    let dense = Dense::new(ROWS, 90, StorageOrder::ColumnMajor, Elements::F64(&numbers)).unwrap();
    let data = Data::<T>::with_missing(dense.into(), 10.0, missing).unwrap();
    let fixed = awkward();
    let problem = Problem::new(&data, 5, terms.0, terms.1).unwrap();
    let problem = problem.with_fixed(&fixed).unwrap();
    let Ok(mut solver) = Factorization::new(problem, chosen, None) else {
        let no_subgradient = chosen.method == Method::Sggd && terms.0.elementary().is_none();
        let no_statistics = chosen.method == Method::Aggregated && missing == Missing::Nan;
        assert!(no_subgradient || no_statistics);
        return;
    };
    for step in 0..30 {
        solver.next().unwrap();
        let at = format!("{}, step {step}", chosen.method);
        assert_eq!(bits(&solver.factors().x()), bits(&fixed), "{at}");
        if step % 7 == 3 {
            solver.measure();
        }
    }
    solver.keep();
    solver.settle();
    assert_eq!(bits(&solver.factors().x()), bits(&fixed));
}

fn keeps_in_all<T: Lanes>() {
    let (l1, ball) = (NonNegL1::new(0.01).unwrap(), L2Ball::new(1.0).unwrap());
    let terms: [(&dyn Prox<T>, &dyn Prox<T>); 3] = [(&NonNeg, &NonNeg), (&l1, &l1), (&ball, &l1)];
    for method in METHODS {
        for terms in terms {
            keeps(Missing::None, terms, settings(method, 4));
            keeps(Missing::Nan, terms, settings(method, 4));
        }
    }
    let identity = Settings {
        inner: Inner::Identity,
        ..settings(Method::Incremental, 4)
    };
    keeps::<T>(Missing::None, (&NonNeg, &NonNeg), identity);
}

#[test]
fn no_method_changes_a_bit_of_them() {
    for threads in [1, 2] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        pool.build().unwrap().install(|| {
            keeps_in_all::<f32>();
            keeps_in_all::<f64>();
        });
    }
}

/// ‖P(X − ∇) − X‖ over the free atoms for X ≥ 0, from the definition.
fn free_residual(y: &Mat<f64>, x: &Mat<f64>, a: &Mat<f64>, first: usize) -> f64 {
    let (rank, mut square) = (x.cols(), 0.0);
    for i in 0..y.rows() {
        let misfit: Vec<f64> = (0..y.cols())
            .map(|t| (0..rank).map(|k| x.col(k)[i] * a.col(t)[k]).sum::<f64>() - y.col(t)[i])
            .collect();
        for k in first..rank {
            let slope: f64 = (0..y.cols()).map(|t| misfit[t] * a.col(t)[k]).sum();
            let here = x.col(k)[i];
            square += ((here - slope).max(0.0) - here).powi(2);
        }
    }
    square.sqrt()
}

#[test]
fn the_free_atoms_are_stationary_beside_them() {
    let generated = planted(0.1);
    let matrix = generated.matrix().unwrap();
    let data = Data::<f64>::new(matrix, 1.0).unwrap();
    let proxsplit::Matrix::Dense(dense) = matrix else {
        panic!("planted data are dense")
    };
    let y = Mat::from_fn(dense.rows(), dense.cols(), |i, t| dense.get(i, t));
    let fixed = Mat::from_fn(ROWS, 1, |i, _| 1.0 + (i % 3) as f64);
    let problem = Problem::new(&data, 4, &NonNeg, &NonNeg).unwrap();
    let problem = problem.with_fixed(&fixed).unwrap();
    let mut solver = Factorization::new(problem, settings(Method::Batch, 1), None).unwrap();
    let stop = Stop {
        residual: 0.0,
        relative: 1e-9,
        passes: 5000.0,
        ..Stop::default()
    };
    let report = run(&mut solver, &stop, ());
    assert!(report.converged(), "{}", report.certificate.words());
    let (x, a) = (solver.factors().x(), solver.factors().a());
    let scale = report.certificate.at_point.pair.unwrap().scale_x;
    let free = free_residual(&y, &x, &a, 1);
    assert!(free <= 1e-7 * scale, "{free} of {scale}");
    // The fixed one is not where it would like to be: that is no part of the residual.
    assert!(free_residual(&y, &x, &a, 0) > 100.0 * free.max(1e-9 * scale));
    let found = audit(problem, solver.factors()).unwrap();
    assert!(found.residual_x <= 1e-7 * scale && found.dead_atoms.is_empty());
}

#[test]
fn an_atom_that_is_zero_is_neither_replaced_nor_called_dead() {
    let generated = planted(0.1);
    let data = Data::<f64>::new(generated.matrix().unwrap(), 1.0).unwrap();
    let fixed = Mat::zeros(ROWS, 1);
    for method in METHODS {
        let problem = Problem::new(&data, 3, &NonNeg, &NonNeg).unwrap();
        let problem = problem.with_fixed(&fixed).unwrap();
        let mut solver = Factorization::new(problem, settings(method, 2), None).unwrap();
        for _ in 0..20 {
            solver.next().unwrap();
        }
        settle(&mut solver);
        assert!(solver.factors().x().col(0).iter().all(|&v| v == 0.0));
        let pair = solver.measure().pair.unwrap();
        assert_eq!((pair.dead_atoms, pair.escape), (0, Some(0.0)), "{method}");
        assert!(solver.warnings().is_empty(), "{:?}", solver.warnings());
    }
}

#[test]
fn counts_keep_them_too_and_refuse_negative_ones() -> Result<(), Error> {
    let generated = planted(0.0);
    let data = Data::<f64>::new(generated.matrix()?, 1.0)?;
    let problem = Problem::new(&data, 4, &NonNeg, &NonNeg)?.with_loss(Loss::KullbackLeibler)?;
    let fixed = Mat::from_fn(ROWS, 1, |i, _| 1.0 + (i % 3) as f64);
    let with = problem.with_fixed(&fixed)?;
    let mut solver = Factorization::new(with, settings(Method::Batch, 2), None)?;
    for _ in 0..30 {
        solver.next().unwrap();
        assert_eq!(solver.factors().x().col(0), fixed.col(0));
    }
    let negative = awkward();
    assert!(problem.with_fixed(&negative).is_err());
    let squared = Problem::new(&data, 4, &NonNeg, &NonNeg)?.with_fixed(&negative)?;
    assert!(squared.with_loss(Loss::KullbackLeibler).is_err());
    Ok(())
}

#[test]
fn what_does_not_fit_is_refused_with_its_place() -> Result<(), Error> {
    let generated = planted(0.0);
    let data = Data::<f64>::new(generated.matrix()?, 1.0)?;
    let problem = Problem::new(&data, 2, &NonNeg, &NonNeg)?;
    let refused = |atoms: &Mat<f64>| problem.with_fixed(atoms).err().unwrap().to_string();
    assert!(refused(&Mat::zeros(ROWS + 1, 1)).contains("41 features, but the data have 40"));
    assert!(refused(&Mat::zeros(ROWS, 3)).contains("3 fixed atoms"));
    let mut nan = Mat::zeros(ROWS, 2);
    nan.col_mut(1)[7] = f64::NAN;
    assert!(refused(&nan).contains("feature 7 of fixed atom 1"));
    let fixed = Mat::zeros(ROWS, 1);
    let with = problem.with_fixed(&fixed)?;
    let others = Factors::new(&Mat::from_fn(ROWS, 2, |_, _| 1.0), Mat::zeros(2, 90))?;
    let error = audit(with, &others).unwrap_err().to_string();
    assert!(error.contains("atom 0 of X"), "{error}");
    Ok(())
}

#[test]
fn a_state_with_other_fixed_atoms_is_refused() -> Result<(), Error> {
    let generated = planted(0.1);
    let data = Data::<f64>::new(generated.matrix()?, 1.0)?;
    let problem = Problem::new(&data, 3, &NonNeg, &NonNeg)?;
    let (one, other) = (
        Mat::from_fn(ROWS, 1, |_, _| 1.0),
        Mat::from_fn(ROWS, 1, |_, _| 2.0),
    );
    let start = |problem| Factorization::new(problem, settings(Method::Batch, 0), None);
    let mut solver = start(problem.with_fixed(&one)?)?;
    solver.next().unwrap();
    let state = solver.state();
    let arrays = || {
        let named = state.arrays.iter();
        named.map(|(n, a)| ((*n).to_string(), a.clone())).collect()
    };
    assert!(
        start(problem)?
            .restore(&state.header, arrays())
            .unwrap_err()
            .to_string()
            .contains("a different number of fixed atoms")
    );
    assert!(
        start(problem.with_fixed(&other)?)?
            .restore(&state.header, arrays())
            .unwrap_err()
            .to_string()
            .contains("its fixed atom 0 is a different one")
    );
    start(problem.with_fixed(&one)?)?.restore(&state.header, arrays())
}
