//! Huber's loss: outliers do not pull.

use super::settings;
use proxsplit::Mat;
use proxsplit::data::{Dense, Elements, Indices, Sparse, StorageOrder};
use proxsplit::set::NonNeg;
use proxsplit::{Error, Matrix, Solver, Stop, run};
use proxsplit_factor::{Data, Factorization, Loss, Method, Missing, Outlier, Problem, audit};

const ROWS: usize = 25;
const COLS: usize = 40;
const BOUND: f64 = 0.05;

/// Of rank 3, without error.
fn truth(at: usize) -> f64 {
    let (i, t) = (at % ROWS, at / ROWS);
    let part = |k: usize| ((i * (2 * k + 1) + k) % 7 * ((t * (3 * k + 2) + k) % 5)) as f64;
    (part(0) + part(1) + part(2)) / 10.0
}

/// Some entries are wrong.
fn is_wrong(at: usize) -> bool {
    at % 53 == 11
}

fn numbers() -> Vec<f64> {
    let noise = |at: usize| ((at * 37 % 101) as f64 / 101.0 - 0.5) * 0.02;
    let wrong = |at: usize| {
        if is_wrong(at) {
            15.0 + (at % 9) as f64
        } else {
            0.0
        }
    };
    (0..ROWS * COLS)
        .map(|at| truth(at) + noise(at) + wrong(at))
        .collect()
}

fn dense(values: &[f64]) -> Matrix<'_> {
    Dense::new(ROWS, COLS, StorageOrder::ColumnMajor, Elements::F64(values))
        .unwrap()
        .into()
}

fn fitted<'a>(
    data: &'a Data<'a, f64>,
    loss: Loss,
    seed: u64,
) -> (Problem<'a, f64>, Factorization<'a, f64>, bool) {
    let problem = Problem::new(data, 3, &NonNeg, &NonNeg).unwrap();
    let problem = problem.with_loss(loss).unwrap();
    let mut solver = Factorization::new(problem, settings(Method::Batch, seed), None).unwrap();
    let stop = Stop {
        residual: 0.0,
        relative: 1e-6,
        passes: 3000.0,
        ..Stop::default()
    };
    let report = run(&mut solver, &stop, ());
    (problem, solver, report.converged())
}

/// The root mean square of XA − truth.
fn error(x: &Mat<f64>, a: &Mat<f64>) -> f64 {
    let z = |at: usize| {
        (0..3)
            .map(|k| x.col(k)[at % ROWS] * a.col(at / ROWS)[k])
            .sum::<f64>()
    };
    let square = (0..ROWS * COLS)
        .map(|at| (z(at) - truth(at)).powi(2))
        .sum::<f64>();
    (square / (ROWS * COLS) as f64).sqrt()
}

#[test]
fn outliers_are_left_out_and_listed() {
    let y = numbers();
    let data = Data::<f64>::new(dense(&y), 1.0).unwrap();
    let errors = |loss| {
        let of_seed = |seed| {
            let (_, solver, _) = fitted(&data, loss, seed);
            error(&solver.factors().x(), &solver.factors().a())
        };
        [0, 1, 2]
            .map(of_seed)
            .into_iter()
            .fold(f64::INFINITY, f64::min)
    };
    let (robust, square) = (errors(Loss::Huber(BOUND)), errors(Loss::Squared));
    assert!(robust < 0.02 && square > 0.3, "{robust} and {square}");
    let (_, solver, converged) = fitted(&data, Loss::Huber(BOUND), 0);
    assert!(converged);
    let count = (0..y.len()).filter(|&at| is_wrong(at)).count();
    let found = solver.outliers(1000).unwrap();
    assert!(found.beyond >= found.wrong && found.wrong == found.worst.len());
    let wrong = |o: &Outlier| is_wrong(o.column * ROWS + o.row);
    assert!(found.worst[..count].iter().all(wrong), "{:?}", found.worst);
    let off = |o: &Outlier| (o.value - o.fit).abs();
    assert!(found.worst.is_sorted_by(|a, b| off(a) >= off(b)));
    assert_eq!(
        found.worst[0].value,
        y[found.worst[0].column * ROWS + found.worst[0].row]
    );
    let few = solver.outliers(4).unwrap();
    assert_eq!(
        (few.wrong, few.worst[..].to_vec()),
        (found.wrong, found.worst[..4].to_vec())
    );
}

#[test]
fn the_certificate_is_about_the_loss_itself() {
    let y = numbers();
    let data = Data::<f64>::new(dense(&y), 1.0).unwrap();
    let (problem, mut solver, converged) = fitted(&data, Loss::Huber(BOUND), 1);
    assert!(converged);
    let (x, a) = (solver.factors().x(), solver.factors().a());
    let off = |at: usize| {
        let (i, t) = (at % ROWS, at / ROWS);
        y[at] - (0..3).map(|k| x.col(k)[i] * a.col(t)[k]).sum::<f64>()
    };
    let h = |r: f64| {
        if r.abs() <= BOUND {
            0.5 * r * r
        } else {
            BOUND * (r.abs() - 0.5 * BOUND)
        }
    };
    let value: f64 = (0..y.len()).map(|at| h(off(at))).sum();
    let at = solver.measure();
    assert!(
        (at.objective - value).abs() <= 1e-9 * value,
        "{} and {value}",
        at.objective
    );
    let pair = at.pair.unwrap();
    let mut square = 0.0;
    for i in 0..ROWS {
        for k in 0..3 {
            let pull = |t: usize| off(t * ROWS + i).clamp(-BOUND, BOUND) * a.col(t)[k];
            let slope = -(0..COLS).map(pull).sum::<f64>();
            let (here, step) = (x.col(k)[i], pair.step_x);
            square += (((here - step * slope).max(0.0) - here) / step).powi(2);
        }
    }
    let residual = square.sqrt();
    assert!(
        (residual - pair.residual_x).abs() <= 1e-8 * pair.scale_x,
        "{residual}"
    );
    assert!(residual <= 1e-5 * pair.scale_x);
    let found = audit(problem, solver.factors()).unwrap();
    assert!((found.misfit - value).abs() <= 1e-9 * value);
    assert!((found.residual_x - residual).abs() <= 1e-8 * pair.scale_x);
}

#[test]
fn a_bound_that_nothing_exceeds_is_the_squared_loss() {
    let y = numbers();
    let data = Data::<f64>::new(dense(&y), 1.0).unwrap();
    let (problem, mut solver, converged) = fitted(&data, Loss::Huber(1e6), 0);
    assert!(converged);
    let squared = problem.with_loss(Loss::Squared).unwrap();
    let factors = solver.factors().clone();
    let at = solver.measure();
    let mut other = Factorization::new(squared, settings(Method::Batch, 0), Some(factors)).unwrap();
    let there = other.measure();
    assert!((at.objective - there.objective).abs() <= 1e-10 * size_of_data(&y));
    assert!(there.residual <= 2e-6, "{there:?}");
}

#[test]
fn a_small_bound_does_not_make_every_start_stationary() {
    let y = numbers();
    let data = Data::<f64>::new(dense(&y), 1.0).unwrap();
    let problem = Problem::new(&data, 3, &NonNeg, &NonNeg).unwrap();
    for bound in [1e-3, 1e-6, 1e-9, 1e-12] {
        let problem = problem.with_loss(Loss::Huber(bound)).unwrap();
        let mut solver = Factorization::new(problem, settings(Method::Batch, 0), None).unwrap();
        let at = solver.measure();
        assert!(at.residual > 1e-2, "{bound}: {at:?}");
    }
}

/// ½‖Y‖²
fn size_of_data(y: &[f64]) -> f64 {
    0.5 * y.iter().map(|y| y * y).sum::<f64>()
}

#[test]
fn gaps_of_arrays_and_of_sparse_data_are_the_same() -> Result<(), Error> {
    let y = numbers();
    let is_stored = |at: &usize| at % 3 != 1;
    let gaps: Vec<f64> = (0..y.len())
        .map(|at| if is_stored(&at) { y[at] } else { f64::NAN })
        .collect();
    let stored: Vec<usize> = (0..y.len()).filter(is_stored).collect();
    let narrow = |index: usize| i32::try_from(index).unwrap();
    let starts: Vec<i32> = (0..=COLS)
        .map(|t| narrow(stored.partition_point(|&at| at < t * ROWS)))
        .collect();
    let indices: Vec<i32> = stored.iter().map(|at| narrow(at % ROWS)).collect();
    let values: Vec<f64> = stored.iter().map(|&at| y[at]).collect();
    let sparse = Sparse::new(
        (ROWS, COLS),
        StorageOrder::ColumnMajor,
        Indices::I32(&starts),
        Indices::I32(&indices),
        Elements::F64(&values),
    )?;
    let (loss, mut objectives) = (Loss::Huber(BOUND), Vec::new());
    for (matrix, missing) in [
        (dense(&gaps), Missing::Nan),
        (Matrix::from(sparse), Missing::Unstored),
    ] {
        let data = Data::<f64>::with_missing(matrix, 1.0, missing)?;
        let problem = Problem::new(&data, 3, &NonNeg, &NonNeg)?.with_loss(loss)?;
        let chosen = settings(Method::Batch, 3);
        let mut solver = Factorization::new(problem, chosen, None)?;
        for _ in 0..15 {
            solver.next().unwrap();
        }
        objectives.push(solver.measure().objective);
    }
    let off = (objectives[0] - objectives[1]).abs();
    assert!(off <= 1e-8 * objectives[0], "{objectives:?}");
    Ok(())
}

#[test]
fn the_text_form_is_read_and_others_are_refused() {
    for text in ["squared", "kl", "huber:0.5"] {
        assert_eq!(text.parse::<Loss>().unwrap().to_string(), text);
    }
    for text in [
        "huber",
        "huber:",
        "huber:0",
        "huber:-1",
        "huber:nan",
        "absolute",
    ] {
        assert!(text.parse::<Loss>().is_err(), "{text}");
    }
}
