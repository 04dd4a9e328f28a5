//! Whatever way the data are stored, the factors are the same.

use super::{METHODS, after, settings};
use proxsplit::data::{Dense, Elements, Matrix, StorageOrder};
use proxsplit::set::NonNeg;
use proxsplit_factor::{Data, Generated, Init, Problem, Settings};

#[test]
fn sparse_data_give_the_factors_of_the_same_dense_data() {
    let generated = Generated::parse("webgraph:60x80,900", 5).unwrap().unwrap();
    let sparse = generated.matrix().unwrap();
    let proxsplit::Matrix::Sparse(view) = sparse else {
        panic!("the graph is sparse")
    };
    let mut values = vec![0.0; 60 * 80];
    for row in 0..60 {
        for at in view.starts().get(row)..view.starts().get(row + 1) {
            values[row * 80 + view.indices().get(at)] = 1.0;
        }
    }
    let dense = Dense::new(60, 80, StorageOrder::RowMajor, Elements::F64(&values)).unwrap();
    let objective = |matrix| {
        let data = Data::<f64>::new(matrix, 1.0).unwrap();
        let problem = Problem::new(&data, 4, &NonNeg, &NonNeg).unwrap();
        METHODS.map(|method| {
            let chosen = Settings {
                init: Init::Random,
                ..settings(method, 2)
            };
            after(problem, chosen, 4.0)
        })
    };
    // Auto warms up on dense data only.
    for (a, b) in objective(sparse)
        .iter()
        .zip(objective(dense.into()))
        .skip(1)
    {
        assert!((a - b).abs() <= 1e-9 * b, "{a} is not {b}");
    }
}

/// Objectives of all methods after a few passes.
fn objectives(matrix: Matrix<'_>) -> [f64; 5] {
    let data = Data::<f64>::new(matrix, 10.0).unwrap();
    let problem = Problem::new(&data, 3, &NonNeg, &NonNeg).unwrap();
    METHODS.map(|method| after(problem, settings(method, 7), 5.0))
}

/// Entry (i, t), an integer that every type holds.
fn entry(i: usize, t: usize) -> u8 {
    ((i * 31 + t * 17 + i * t) % 23) as u8
}

#[test]
fn every_type_and_order_gives_the_same_factors() {
    let (m, n) = (40, 70);
    let bytes = |order| -> Vec<u8> {
        match order {
            StorageOrder::ColumnMajor => (0..m * n).map(|at| entry(at % m, at / m)).collect(),
            StorageOrder::RowMajor => (0..m * n).map(|at| entry(at / n, at % n)).collect(),
        }
    };
    let mut expected = None;
    for order in [StorageOrder::ColumnMajor, StorageOrder::RowMajor] {
        let bytes = bytes(order);
        let i16s: Vec<i16> = bytes.iter().map(|&v| v.into()).collect();
        let i32s: Vec<i32> = bytes.iter().map(|&v| v.into()).collect();
        let f32s: Vec<f32> = bytes.iter().map(|&v| v.into()).collect();
        let f64s: Vec<f64> = bytes.iter().map(|&v| v.into()).collect();
        for elements in [
            Elements::F64(&f64s),
            Elements::F32(&f32s),
            Elements::I32(&i32s),
            Elements::I16(&i16s),
            Elements::U8(&bytes),
        ] {
            let found = objectives(Dense::new(m, n, order, elements).unwrap().into());
            let expected = *expected.get_or_insert(found);
            for (method, (a, b)) in METHODS.iter().zip(found.iter().zip(expected)) {
                assert!(
                    (a - b).abs() <= 1e-9 * b,
                    "{method} {order:?}: {a}, not {b}"
                );
            }
        }
    }
}

#[test]
fn samples_in_rows_give_the_factors_of_samples_in_columns() {
    let (m, n) = (40, 70);
    let by_column: Vec<f64> = (0..m * n).map(|at| entry(at % m, at / m).into()).collect();
    let by_row: Vec<f64> = (0..m * n).map(|at| entry(at / n, at % n).into()).collect();
    let columns = |values, order| Dense::new(m, n, order, Elements::F64(values)).unwrap();
    let rows = |values, order| Dense::new(n, m, order, Elements::F64(values)).unwrap().t();
    let expected = objectives(columns(&by_column, StorageOrder::ColumnMajor).into());
    for turned in [
        rows(&by_column, StorageOrder::RowMajor),
        rows(&by_row, StorageOrder::ColumnMajor),
    ] {
        assert_eq!((turned.rows(), turned.cols()), (m, n));
        for (method, (a, b)) in METHODS
            .iter()
            .zip(objectives(turned.into()).iter().zip(expected))
        {
            assert!((a - b).abs() <= 1e-9 * b, "{method}: {a} is not {b}");
        }
    }
}
