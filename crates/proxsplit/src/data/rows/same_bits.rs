//! Gradients of losses have the same bits for every number of threads and every instruction set, and are the plain ones.

use super::Design;
use crate::data::{Dense, Elements, Indices, Matrix, Sparse, StorageOrder};
use crate::linalg::dense::{View, eigenvalues};
use crate::simd::{Level, with_level};
use crate::smooth::LeastSquares;
use crate::{Real, Smooth};

/// Calls `work` on every level that the processor has, with 1, 2, 3 and 7 threads; all must return the same bits.
fn everywhere(name: &str, work: impl Fn() -> Vec<f64> + Sync) -> Vec<f64> {
    let mut first: Option<Vec<f64>> = None;
    for threads in [1, 2, 3, 7] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        let pool = pool.build().unwrap();
        for level in Level::ALL {
            let Some(found) = with_level(level, || pool.install(&work)) else {
                continue;
            };
            let first = first.get_or_insert_with(|| found.clone());
            let mut pairs = first.iter().zip(&found);
            let differ = pairs.position(|(a, b)| a.to_bits() != b.to_bits());
            assert_eq!(differ, None, "{name}: {level}, {threads} threads");
        }
    }
    first.unwrap()
}

fn entry(k: usize) -> u8 {
    ((k * 7919) % 251) as u8
}

/// Points with zeros: entry j is not 0 for most j, for few, or for none.
const POINTS: [fn(usize) -> f64; 3] = [
    |_| 0.0,
    |j| (j % 4) as f64 / 3.0,
    |j| {
        if j % 5 == 2 {
            1.0 + (j % 3) as f64
        } else {
            0.0
        }
    },
];

/// Value and gradient of ½‖Ax − b‖² at a point.
fn gradient<T: Real>(a: Matrix<'_>, point: fn(usize) -> f64) -> Vec<f64> {
    let targets: Vec<T> = (0..a.rows()).map(|i| T::of((i % 5) as f64)).collect();
    let x: Vec<T> = (0..a.cols()).map(|j| T::of(point(j))).collect();
    let f = LeastSquares::new(a, &targets).unwrap();
    let mut grad = vec![T::ZERO; a.cols()];
    let value = f.gradient(&x, &mut grad);
    assert_eq!(value.to_bits(), f.value(&x).to_bits());
    std::iter::once(value)
        .chain(grad.iter().map(|g| g.f64()))
        .collect()
}

fn plain(
    (rows, cols): (usize, usize),
    point: fn(usize) -> f64,
    at: impl Fn(usize, usize) -> f64,
) -> Vec<f64> {
    let mut all = vec![0.0; cols + 1];
    for i in 0..rows {
        let z: f64 = (0..cols).map(|j| at(i, j) * point(j)).sum();
        let r = z - (i % 5) as f64;
        all[0] += 0.5 * r * r;
        for j in 0..cols {
            all[1 + j] += r * at(i, j);
        }
    }
    all
}

fn close(name: &str, found: &[f64], expected: &[f64], tolerance: f64) {
    for (found, expected) in found.iter().zip(expected) {
        let error = (found - expected).abs();
        assert!(
            error <= tolerance * expected.abs(),
            "{name}: {found} {expected}"
        );
    }
}

#[test]
fn gradients_of_dense_data() {
    for (rows, cols) in [(3, 5), (700, 331), (1111, 70)] {
        let bytes: Vec<u8> = (0..rows * cols).map(entry).collect();
        let single: Vec<f32> = bytes.iter().map(|&b| f32::from(b) / 7.0).collect();
        let double: Vec<f64> = bytes.iter().map(|&b| f64::from(b) / 7.0).collect();
        for order in [StorageOrder::RowMajor, StorageOrder::ColumnMajor] {
            for elements in [
                Elements::U8(&bytes),
                Elements::F32(&single),
                Elements::F64(&double),
            ] {
                let a = Matrix::from(Dense::new(rows, cols, order, elements).unwrap());
                for point in POINTS {
                    let expected = plain((rows, cols), point, |i, j| match order {
                        StorageOrder::RowMajor => elements.get(i * cols + j),
                        StorageOrder::ColumnMajor => elements.get(j * rows + i),
                    });
                    let name = format!("{rows}x{cols} {order:?}");
                    let found = everywhere(&name, || gradient::<f64>(a, point));
                    close(&name, &found, &expected, 1e-12);
                    let found = everywhere(&name, || gradient::<f32>(a, point));
                    close(&name, &found, &expected, 1e-5);
                }
            }
        }
    }
}

/// The first look at a matrix has the sums of a sweep, and the squares.
#[test]
fn the_first_look_at_dense_data() {
    for (rows, cols) in [(3, 5), (700, 331), (20_000, 30)] {
        let values: Vec<f64> = (0..rows * cols)
            .map(|k| f64::from(entry(k)) / 7.0)
            .collect();
        let squares: f64 = values.iter().map(|v| v * v).sum();
        for order in [StorageOrder::RowMajor, StorageOrder::ColumnMajor] {
            let a = Dense::new(rows, cols, order, Elements::F64(&values)).unwrap();
            let w: Vec<f64> = (0..rows).map(|i| (i % 5) as f64).collect();
            let both = everywhere("first look", || {
                let design = Design::<f64>::new(a.into()).unwrap();
                let mut sums = vec![0.0; cols];
                design.sweep(design.all(), &vec![0.0; cols], Some(&mut sums), |i, _| {
                    (0.0, w[i])
                });
                let design = Design::<f64>::unseen(a.into()).unwrap();
                let mut first = vec![0.0; cols];
                design.sums_at_first(&w, &mut first);
                assert_eq!(first, sums, "{rows}x{cols} {order:?}");
                first.push(design.sum_of_squares());
                first
            });
            close("squares", &both[cols..], &[squares], 1e-12);
        }
    }
}

#[test]
fn gradients_of_sparse_data() {
    let (rows, cols, per_row) = (900_i32, 400, 90);
    let starts: Vec<i64> = (0..=rows).map(|i| i64::from(i * per_row)).collect();
    let places: Vec<i32> = (0..rows)
        .flat_map(|i| (0..per_row).map(move |k| 4 * k + i % 4))
        .collect();
    let values: Vec<f64> = (0..places.len())
        .map(|k| f64::from(entry(k)) / 7.0)
        .collect();
    let (starts, places) = (Indices::I64(&starts), Indices::I32(&places));
    let shape = (rows as usize, cols);
    let elements = Elements::F64(&values);
    let a = Sparse::new(shape, StorageOrder::RowMajor, starts, places, elements).unwrap();
    let by_columns = Matrix::from(a).t();
    for point in POINTS {
        everywhere("sparse rows", || gradient::<f64>(a.into(), point));
        everywhere("sparse columns", || gradient::<f64>(by_columns, point));
    }
}

#[test]
fn small_eigenvalue_problems() {
    for n in [1, 7, 60] {
        let a: Vec<f64> = (0..n * n).map(|k| f64::from(entry(k))).collect();
        everywhere("eigenvalues", || {
            let (mut values, mut vectors) = (vec![0.0; n], vec![0.0; n * n]);
            assert!(eigenvalues(
                View::new(&a, n, n),
                &mut values,
                Some(&mut vectors)
            ));
            values.into_iter().chain(vectors).collect()
        });
    }
}
