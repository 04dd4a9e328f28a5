//! Data of all kinds under the Kullback–Leibler divergence: sparse, empty, missing, refused; in any precision, by any number of threads.

use super::super::settings;
use super::{SHAPE, counts, dense, divergence, end, kl, start};
use proxsplit::data::{Elements, Indices, Sparse, StorageOrder};
use proxsplit::prox::{NonNegL1, SquaredL2};
use proxsplit::set::{NonNeg, Simplex};
use proxsplit::simd::{Level, with_level};
use proxsplit::{Mat, Matrix, Solver};
use proxsplit_factor::{
    Data, Factorization, Factors, Loss, Method, Missing, Problem, Settings, audit, encode,
};

#[test]
fn sparse_data_give_the_divergence_of_the_same_dense_data() {
    let y = counts();
    let (mut starts, mut indices, mut values) = (vec![0_i64], Vec::new(), Vec::new());
    for t in 0..y.cols() {
        for (i, &value) in y.col(t).iter().enumerate().filter(|(_, v)| **v > 0.0) {
            indices.push(i32::try_from(i).unwrap());
            values.push(value as f32);
        }
        starts.push(i64::try_from(indices.len()).unwrap());
    }
    let sparse = Sparse::new(
        (y.rows(), y.cols()),
        StorageOrder::ColumnMajor,
        Indices::I64(&starts),
        Indices::I32(&indices),
        Elements::F32(&values),
    )
    .unwrap();
    let of = |matrix: Matrix<'_>| {
        let data = Data::<f64>::new(matrix, 1.0).unwrap();
        end(kl(&data, SHAPE.2, (&NonNeg, &NonNeg)), None)
    };
    let (sparse, dense) = (of(sparse.into()), of(dense(&y)));
    assert_eq!(sparse.0.to_bits(), dense.0.to_bits());
    assert!(sparse.1 == dense.1);
}

#[test]
fn nothing_is_found_in_nothing() {
    let y = Mat::from_fn(5, 6, |_, _| 0.0);
    let data = Data::<f64>::new(dense(&y), 1.0).unwrap();
    let (objective, factors) = end(kl(&data, 2, (&NonNeg, &NonNeg)), None);
    assert_eq!(objective, 0.0);
    assert!(
        factors
            .x()
            .data()
            .iter()
            .chain(factors.a().data())
            .all(|v| v.is_finite())
    );
}

#[test]
fn empty_rows_and_columns_get_zeros() {
    let y = counts();
    let data = Data::<f64>::new(dense(&y), 1.0).unwrap();
    let (_, factors) = end(kl(&data, SHAPE.2, (&NonNeg, &NonNeg)), None);
    let (x, a) = (factors.x(), factors.a());
    assert!((0..SHAPE.2).all(|k| x.col(k)[3] == 0.0));
    assert!(a.col(7).iter().all(|&a| a == 0.0));
}

#[test]
fn single_precision_comes_as_far() {
    let y = counts();
    let (wide, narrow) = (
        Data::<f64>::new(dense(&y), 1.0).unwrap(),
        Data::<f32>::new(dense(&y), 1.0).unwrap(),
    );
    let (x, a) = start(2);
    let given = Factors::new(&x, a.clone()).unwrap();
    let (objective, _) = end(kl(&wide, SHAPE.2, (&NonNeg, &NonNeg)), Some(given));
    let short = |mat: &Mat<f64>| Mat::from_fn(mat.rows(), mat.cols(), |i, j| mat.col(j)[i] as f32);
    let given = Factors::new(&short(&x), short(&a)).unwrap();
    let problem = kl(&narrow, SHAPE.2, (&NonNeg, &NonNeg));
    let mut solver = Factorization::new(problem, Settings::default(), Some(given)).unwrap();
    for _ in 0..400 {
        solver.next().unwrap();
    }
    let found = solver.measure().objective;
    assert!(
        (found - objective).abs() < 1e-3 * objective,
        "{found}, not {objective}"
    );
}

#[test]
fn threads_instructions_and_resuming_do_not_change_a_bit() {
    let y = counts();
    let data = Data::<f64>::new(dense(&y), 1.0).unwrap();
    let l1 = NonNegL1::new(0.05).unwrap();
    let problem = kl(&data, SHAPE.2, (&l1, &l1));
    let bits = |threads: usize, kill: Option<usize>| {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap();
        pool.install(|| {
            let mut solver = Factorization::new(problem, Settings::default(), None).unwrap();
            for step in 0..30 {
                if kill == Some(step) {
                    let state = solver.state();
                    let arrays = state.arrays.into_iter().map(|(n, a)| (n.to_string(), a));
                    solver = Factorization::new(problem, Settings::default(), None).unwrap();
                    solver.restore(&state.header, arrays.collect()).unwrap();
                }
                solver.next().unwrap();
            }
            solver.factors().clone()
        })
    };
    let alone = bits(1, None);
    assert!(alone == bits(2, None), "threads");
    for level in Level::ALL {
        let found = with_level(level, || bits(2, None));
        assert!(found.is_none_or(|found| found == alone), "{level}");
    }
    assert!(alone == bits(2, Some(19)), "resumed");
    let other = Problem::new(&data, SHAPE.2, &l1, &l1).unwrap();
    let state = Factorization::new(problem, Settings::default(), None)
        .unwrap()
        .state();
    let batch = Settings {
        method: Method::Batch,
        ..Settings::default()
    };
    let mut squared = Factorization::new(other, batch, None).unwrap();
    assert!(squared.restore(&state.header, Vec::new()).is_err());
}

#[test]
fn what_kl_cannot_take_is_refused_with_its_place() {
    let y = Mat::from_fn(4, 5, |i, t| if (i, t) == (2, 3) { -1.5 } else { 1.0 });
    let data = Data::<f64>::new(dense(&y), 1.0).unwrap();
    let refused = |problem: Problem<'_, f64>| {
        let error = problem.with_loss(Loss::KullbackLeibler).err().unwrap();
        error.to_string()
    };
    let words = refused(Problem::new(&data, 2, &NonNeg, &NonNeg).unwrap());
    assert!(
        words.contains("row 2, column 3") && words.contains("-1.5"),
        "{words}"
    );
    let words = encode(
        &data,
        Loss::KullbackLeibler,
        &Mat::from_fn(4, 2, |_, _| 1.0),
        &NonNeg,
    );
    assert!(words.unwrap_err().to_string().contains("row 2, column 3"));

    let y = counts();
    let data = Data::<f64>::new(dense(&y), 1.0).unwrap();
    let (simplex, free) = (Simplex::new(1.0).unwrap(), SquaredL2::new(0.1).unwrap());
    let words = refused(Problem::new(&data, 2, &simplex, &NonNeg).unwrap());
    assert!(
        words.contains("a simplex is supported for A only"),
        "{words}"
    );
    let words = refused(Problem::new(&data, 2, &free, &NonNeg).unwrap());
    assert!(words.contains("X to be nonnegative"), "{words}");
    for method in [Method::Aggregated, Method::Sggd] {
        let problem = kl(&data, 2, (&NonNeg, &NonNeg));
        let error = Factorization::new(problem, settings(method, 0), None)
            .err()
            .unwrap();
        assert!(error.to_string().contains("use batch"), "{error}");
    }
    let zeros = Factors::new(
        &Mat::from_fn(18, 2, |_, _| 0.0),
        Mat::from_fn(2, 40, |_, _| 1.0),
    );
    let problem = kl(&data, 2, (&NonNeg, &NonNeg));
    let error = Factorization::new(problem, Settings::default(), Some(zeros.unwrap())).err();
    assert!(error.unwrap().to_string().contains("XA is zero"));
}

#[test]
fn missing_entries_do_not_matter() {
    let y = counts();
    let hidden = |i: usize, t: usize| (i * 5 + t * 3).is_multiple_of(7);
    let gappy = Mat::from_fn(SHAPE.0, SHAPE.1, |i, t| {
        if hidden(i, t) { f64::NAN } else { y.col(t)[i] }
    });
    let data = Data::<f64>::with_missing(dense(&gappy), 1.0, Missing::Nan).unwrap();
    let (x, a) = start(3);
    let given = Factors::new(&x, a).unwrap();
    let problem = kl(&data, SHAPE.2, (&NonNeg, &NonNeg));
    let (objective, factors) = end(problem, Some(given));
    // The product in place of what is missing adds nothing, neither to the divergence nor to its slope.
    let (x, a) = (factors.x(), factors.a());
    let product = |i: usize, t: usize| (0..SHAPE.2).map(|k| x.col(k)[i] * a.col(t)[k]).sum::<f64>();
    let filled = Mat::from_fn(SHAPE.0, SHAPE.1, |i, t| {
        if hidden(i, t) {
            product(i, t)
        } else {
            y.col(t)[i]
        }
    });
    let expected = divergence(&filled, &x, &a);
    assert!(
        (objective - expected).abs() < 1e-9 * expected,
        "{objective}, not {expected}"
    );
    let full = Data::<f64>::new(dense(&filled), 1.0).unwrap();
    let mut solver = Factorization::new(
        kl(&full, SHAPE.2, (&NonNeg, &NonNeg)),
        Settings::default(),
        Some(factors.clone()),
    )
    .unwrap();
    let pair = solver.measure().pair.unwrap();
    assert!(pair.residual() < 1e-4, "{}", pair.residual());
    let found = audit(problem, &factors).unwrap();
    assert!((found.misfit - expected).abs() < 1e-9 * expected);
}
