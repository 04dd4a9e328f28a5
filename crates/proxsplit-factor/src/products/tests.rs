//! Both products for every storage against plain loops, and the same bits for every number of threads.
#![allow(clippy::cast_possible_wrap)]

use super::same_bits::everywhere;
use super::{Data, Lanes, gram};
use proxsplit::data::{Dense, Elements, Indices, Matrix, Sparse, StorageOrder};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

/// Entry (i, j), an integer in 0..=9 so that every stored type holds it; a third are zero.
fn entry(i: usize, j: usize) -> i32 {
    let mixed = (i * 7919 + j * 104_729 + i * j) % 15;
    if mixed < 10 { mixed as i32 } else { 0 }
}

pub(super) fn draw<T: Lanes>(count: usize) -> Vec<T> {
    let mut random = Pcg64::seed_from_u64(count as u64);
    (0..count)
        .map(|_| T::of(random.random_range(-1.0..1.0)))
        .collect()
}

/// XᵀY of columns 3.. and AYᵀ of the same columns and of all, one after the other.
pub(super) fn products<T: Lanes>(matrix: Matrix<'_>, rank: usize) -> Vec<T> {
    let (m, n) = (matrix.rows(), matrix.cols());
    let data = Data::<T>::new(matrix, 4.0).unwrap();
    let (x, a) = (draw::<T>(rank * m), draw::<T>(rank * n));
    let mut all = vec![T::ZERO; rank * (n - 3 + 2 * m)];
    let (xy, rest) = all.split_at_mut(rank * (n - 3));
    let (some, whole) = rest.split_at_mut(rank * m);
    data.with_columns(xy, &x, 3..n);
    data.with_rows(some, &a[3 * rank..], 3..n);
    data.with_rows(whole, &a, 0..n);
    all
}

fn plain<T: Lanes>((m, n): (usize, usize), rank: usize) -> Vec<f64> {
    let (x, a) = (draw::<T>(rank * m), draw::<T>(rank * n));
    let y = |i, j| f64::from(entry(i, j)) / 4.0;
    let mut all = Vec::new();
    for j in 3..n {
        all.extend((0..rank).map(|k| (0..m).map(|i| x[i * rank + k].f64() * y(i, j)).sum::<f64>()));
    }
    for first in [3, 0] {
        for i in 0..m {
            all.extend((0..rank).map(|k| {
                (first..n)
                    .map(|j| a[j * rank + k].f64() * y(i, j))
                    .sum::<f64>()
            }));
        }
    }
    all
}

/// Calls `look` with the matrix in every storage.
pub(super) fn storages((m, n): (usize, usize), mut look: impl FnMut(&str, Matrix<'_>)) {
    for order in [StorageOrder::RowMajor, StorageOrder::ColumnMajor] {
        let (lines, width) = match order {
            StorageOrder::RowMajor => (m, n),
            StorageOrder::ColumnMajor => (n, m),
        };
        let at = |l: usize, w: usize| match order {
            StorageOrder::RowMajor => entry(l, w),
            StorageOrder::ColumnMajor => entry(w, l),
        };
        let wide: Vec<i32> = (0..lines)
            .flat_map(|l| (0..width).map(move |w| (l, w)))
            .map(|(l, w)| at(l, w))
            .collect();
        let bytes: Vec<u8> = wide.iter().map(|&v| v as u8).collect();
        let short: Vec<i16> = wide.iter().map(|&v| v as i16).collect();
        let single: Vec<f32> = wide.iter().map(|&v| v as f32).collect();
        let double: Vec<f64> = wide.iter().map(|&v| f64::from(v)).collect();
        for (name, elements) in [
            ("u8", Elements::U8(&bytes)),
            ("i16", Elements::I16(&short)),
            ("i32", Elements::I32(&wide)),
            ("f32", Elements::F32(&single)),
            ("f64", Elements::F64(&double)),
        ] {
            look(name, Dense::new(m, n, order, elements).unwrap().into());
        }
        let (mut starts, mut indices, mut values) = (vec![0_i64], Vec::new(), Vec::new());
        for l in 0..lines {
            for w in 0..width {
                if at(l, w) != 0 {
                    indices.push(w as i32);
                    values.push(at(l, w) as f32);
                }
            }
            starts.push(indices.len() as i64);
        }
        let sparse = Sparse::new(
            (m, n),
            order,
            Indices::I64(&starts),
            Indices::I32(&indices),
            Elements::F32(&values),
        );
        look("sparse", sparse.unwrap().into());
    }
}

fn agree<T: Lanes>(shape: (usize, usize), rank: usize) {
    let expected = plain::<T>(shape, rank);
    let size = expected.iter().fold(0.0_f64, |s, v| s.max(v.abs()));
    storages(shape, |name, matrix| {
        let found = products::<T>(matrix, rank);
        for (at, (found, expected)) in found.iter().zip(&expected).enumerate() {
            let error = (found.f64() - expected).abs();
            assert!(
                error <= 200.0 * T::EPSILON.f64() * size,
                "{name} {shape:?} rank {rank}: entry {at} off by {error}"
            );
        }
    });
}

#[test]
fn every_storage_gives_the_plain_products() {
    for (shape, rank) in [
        ((5, 7), 1),
        ((130, 101), 4),
        ((67, 210), 9),
        ((300, 98), 32),
        ((40, 33), 49),
        // In slabs of rows, one way and the other.
        ((530, 31), 5),
        ((31, 1100), 40),
        // The same with a row that is alone in its line.
        ((600, 37), 17),
        ((37, 600), 17),
    ] {
        agree::<f64>(shape, rank);
        agree::<f32>(shape, rank);
    }
}

#[test]
fn every_rank_gives_the_plain_products() {
    for rank in 1..=66 {
        agree::<f64>((13, 11), rank);
        agree::<f32>((13, 11), rank);
    }
}

/// Eight times as many rows as columns, which are cut in slabs however many columns there are; the last row of F is alone in its line.
#[test]
fn tall_data_give_the_plain_products_with_the_same_bits() {
    let (shape, rank) = ((6250, 780), 9);
    let bytes: Vec<u8> = (0..shape.0 * shape.1)
        .map(|k| entry(k / shape.1, k % shape.1) as u8)
        .collect();
    let dense = Dense::new(
        shape.0,
        shape.1,
        StorageOrder::RowMajor,
        Elements::U8(&bytes),
    );
    let matrix = dense.unwrap().into();
    let expected = plain::<f64>(shape, rank);
    let size = expected.iter().fold(0.0_f64, |s, v| s.max(v.abs()));
    for (found, expected) in products::<f64>(matrix, rank).iter().zip(&expected) {
        assert!((found - expected).abs() <= 1e-12 * size);
    }
    everywhere("tall", || products::<f64>(matrix, rank));
}

/// So many columns that 64 rows are a chunk.
#[test]
fn chunks_of_rows_add_up() {
    let (m, n) = (66, 525_000);
    let bytes: Vec<u8> = (0..m * n).map(|k| entry(k / n, k % n) as u8).collect();
    let dense = Dense::new(m, n, StorageOrder::RowMajor, Elements::U8(&bytes)).unwrap();
    let data = Data::<f64>::new(dense.into(), 1.0).unwrap();
    let x = draw::<f64>(m);
    let mut found = vec![0.0; n];
    data.with_columns(&mut found, &x, 0..n);
    for (j, found) in found.iter().enumerate() {
        let plain: f64 = (0..m).map(|i| x[i] * f64::from(entry(i, j))).sum();
        assert!((found - plain).abs() <= 1e-12, "column {j}");
    }
}

#[test]
fn gram_matrices_are_the_plain_ones() {
    for (rank, n) in [(1, 3), (4, 9001), (33, 1500), (49, 700), (128, 300)] {
        let f = draw::<f64>(rank * n);
        let mut found = vec![0.0; rank * rank];
        gram(&mut found, &f, rank);
        for i in 0..rank {
            for j in 0..rank {
                let plain: f64 = f.chunks(rank).map(|c| c[i] * c[j]).sum();
                assert!((found[i * rank + j] - plain).abs() < 1e-10);
            }
        }
    }
}

#[test]
fn bad_data_are_refused() {
    let dense = |values: &'static [f64], m, n| {
        Matrix::from(Dense::new(m, n, StorageOrder::RowMajor, Elements::F64(values)).unwrap())
    };
    assert!(Data::<f64>::new(dense(&[], 0, 5), 1.0).is_err());
    assert!(Data::<f64>::new(dense(&[1.0, f64::NAN], 1, 2), 1.0).is_err());
    assert!(Data::<f64>::new(dense(&[1.0, 2.0], 1, 2), 0.0).is_err());
    assert!(Data::<f64>::new(dense(&[1.0, 2.0], 1, 2), 1.0).is_ok());
}
