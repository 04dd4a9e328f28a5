//! Whatever way the gaps are stored, the factors are the same; and without gaps nothing changes at all.

use super::{gappy, is_missing};
use crate::{METHODS, after, settings};
use proxsplit::Mat;
use proxsplit::Matrix;
use proxsplit::data::{Dense, Elements, Indices, Sparse, StorageOrder};
use proxsplit::set::NonNeg;
use proxsplit_factor::{Data, Factorization, Init, Method, Missing, Problem, Settings};

const GAPPY: [Method; 3] = [Method::Batch, Method::Incremental, Method::Sggd];

/// The entries in one order, and starts, indices and values of the observed ones.
struct Stored {
    dense: Vec<f64>,
    starts: Vec<i64>,
    indices: Vec<i32>,
    values: Vec<f64>,
}

#[allow(clippy::cast_possible_wrap)]
fn stored(y: &Mat<f64>, order: StorageOrder) -> Stored {
    let (lines, width) = match order {
        StorageOrder::RowMajor => (y.rows(), y.cols()),
        StorageOrder::ColumnMajor => (y.cols(), y.rows()),
    };
    let at = |line: usize, w: usize| match order {
        StorageOrder::RowMajor => y.col(w)[line],
        StorageOrder::ColumnMajor => y.col(line)[w],
    };
    let mut stored = Stored {
        dense: Vec::new(),
        starts: vec![0],
        indices: Vec::new(),
        values: Vec::new(),
    };
    for line in 0..lines {
        for w in 0..width {
            let value = at(line, w);
            stored.dense.push(value);
            if !value.is_nan() {
                stored.indices.push(w as i32);
                stored.values.push(value);
            }
        }
        stored.starts.push(stored.indices.len() as i64);
    }
    stored
}

fn objectives(matrix: Matrix<'_>, missing: Missing) -> [f64; 3] {
    let data = Data::<f64>::with_missing(matrix, 2.0, missing).unwrap();
    let problem = Problem::new(&data, 3, &NonNeg, &NonNeg).unwrap();
    GAPPY.map(|method| after(problem, settings(method, 7), 5.0))
}

#[test]
fn every_storage_gives_the_same_factors() {
    let (y, _) = gappy(0.1);
    // Narrow types must hold the values.
    let y = Mat::from_fn(y.rows(), y.cols(), |i, t| f64::from(y.col(t)[i] as f32));
    // The same with few observed entries, where these are listed.
    let few = Mat::from_fn(y.rows(), y.cols(), |i, t| {
        let seen = (i + t) % 3 == 0 && !is_missing(i, t);
        if seen { y.col(t)[i] } else { f64::NAN }
    });
    for y in [y, few] {
        let mut expected = None;
        for order in [StorageOrder::RowMajor, StorageOrder::ColumnMajor] {
            let stored = stored(&y, order);
            let single: Vec<f32> = stored.dense.iter().map(|&v| v as f32).collect();
            let dense = |elements| Dense::new(y.rows(), y.cols(), order, elements).unwrap();
            let sparse = Sparse::new(
                (y.rows(), y.cols()),
                order,
                Indices::I64(&stored.starts),
                Indices::I32(&stored.indices),
                Elements::F64(&stored.values),
            );
            for (matrix, missing) in [
                (dense(Elements::F64(&stored.dense)).into(), Missing::Nan),
                (dense(Elements::F32(&single)).into(), Missing::Nan),
                (sparse.unwrap().into(), Missing::Unstored),
            ] {
                let found = objectives(matrix, missing);
                let expected = *expected.get_or_insert(found);
                for (method, (a, b)) in GAPPY.iter().zip(found.iter().zip(expected)) {
                    assert!(
                        (a - b).abs() <= 1e-8 * b,
                        "{method} {order:?}: {a}, not {b}"
                    );
                }
            }
        }
    }
}

#[test]
fn single_precision_reaches_what_double_precision_reaches() {
    let (y, _) = gappy(0.1);
    let dense = Dense::new(
        y.rows(),
        y.cols(),
        StorageOrder::ColumnMajor,
        Elements::F64(y.data()),
    );
    let matrix = Matrix::from(dense.unwrap());
    let double = objectives(matrix, Missing::Nan)[0];
    let data = Data::<f32>::with_missing(matrix, 2.0, Missing::Nan).unwrap();
    let problem = Problem::new(&data, 3, &NonNeg, &NonNeg).unwrap();
    let mut solver = Factorization::new(problem, settings(Method::Batch, 7), None).unwrap();
    while solver.next().unwrap().passes < 5.0 {}
    let single = proxsplit::Solver::measure(&mut solver).objective;
    assert!((single / double - 1.0).abs() < 1e-2, "{single}, {double}");
}

#[test]
fn without_gaps_nothing_changes_by_a_bit() {
    let (_, full) = gappy(0.1);
    let stored = stored(&full, StorageOrder::RowMajor);
    let dense = Dense::new(40, 90, StorageOrder::RowMajor, Elements::F64(&stored.dense)).unwrap();
    let sparse = Sparse::new(
        (40, 90),
        StorageOrder::RowMajor,
        Indices::I64(&stored.starts),
        Indices::I32(&stored.indices),
        Elements::F64(&stored.values),
    );
    let bits = |matrix: Matrix<'_>, missing, method| {
        let data = Data::<f64>::with_missing(matrix, 1.0, missing).unwrap();
        let problem = Problem::new(&data, 3, &NonNeg, &NonNeg).unwrap();
        let chosen = Settings {
            init: Init::Random,
            ..settings(method, 3)
        };
        let mut solver = Factorization::new(problem, chosen, None).unwrap();
        while solver.next().unwrap().passes < 4.0 {}
        let measured = proxsplit::Solver::measure(&mut solver);
        (
            solver.factors().x(),
            solver.factors().a(),
            [measured.objective, measured.residual].map(f64::to_bits),
        )
    };
    let sparse = Matrix::from(sparse.unwrap());
    for method in METHODS {
        for (matrix, missing) in [
            (dense.into(), Missing::Nan),
            (sparse, Missing::Nan),
            (sparse, Missing::Unstored),
        ] {
            let plain = bits(matrix, Missing::None, method);
            assert!(bits(matrix, missing, method) == plain, "{method} {missing}");
        }
    }
}
