//! Gram matrices, fills and products with gaps against plain loops.
#![allow(clippy::cast_possible_wrap)]

use super::positions::{Kind, Positions};
use super::{Gaps, Own};
use crate::Missing;
use crate::codes::OwnGrams;
use crate::products::{Data, Lanes, gram};
use proxsplit::data::{Dense, Elements, Indices, Matrix, Sparse, StorageOrder};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

const SHAPE: (usize, usize) = (70, 45);
const RANK: usize = 5;

/// Line 3 has no observed entry, line 4 one, line 5 all; of the others every `every`th is missing, about.
fn is_missing(line: usize, i: usize, every: usize) -> bool {
    match line {
        3 => true,
        4 => i != 7,
        5 => false,
        _ => (line * 31 + i * 17 + line * i) % 10 < every,
    }
}

fn draw<T: Lanes>(count: usize, seed: u64) -> Vec<T> {
    let mut random = Pcg64::seed_from_u64(seed);
    (0..count)
        .map(|_| T::of(random.random_range(-0.5..1.0)))
        .collect()
}

fn positions(every: usize) -> Positions {
    let (lines, width) = SHAPE;
    let of_line = |line| (0..width).filter(move |&i| is_missing(line, i, every));
    Positions::collect(Kind::Missing, width, (0..lines).map(of_line))
}

/// Σ f_p f_pᵀ over the observed or missing p of a part of a line.
fn plain(
    f: &[f64],
    (line, start): (usize, usize),
    wanted: impl Fn(usize, usize) -> bool,
) -> Vec<f64> {
    let mut sum = vec![0.0; RANK * RANK];
    for (p, f) in f.chunks(RANK).enumerate() {
        if wanted(line, start + p) {
            for (at, sum) in sum.iter_mut().enumerate() {
                *sum += f[at / RANK] * f[at % RANK];
            }
        }
    }
    sum
}

fn largest_difference(a: &[f64], b: &[f64]) -> f64 {
    assert_eq!(a.len(), b.len());
    a.iter()
        .zip(b)
        .map(|(a, b)| (a - b).abs())
        .fold(0.0, f64::max)
}

#[test]
fn own_grams_and_fills_are_the_plain_ones_whatever_is_listed() {
    let (lines, width) = SHAPE;
    for every in [1, 5, 9] {
        let missing = positions(every);
        let observed = missing.others();
        assert_eq!(observed.others(), missing);
        assert_eq!(missing.flipped().flipped(), missing);
        for range in [0..width, 6..31, 8..9] {
            let f = draw::<f64>(RANK * range.len(), 1);
            let v = draw::<f64>(RANK * (lines - 2), 2);
            let mut whole = vec![0.0; RANK * RANK];
            gram(&mut whole, &f, RANK);
            for positions in [&missing, &observed] {
                let own = Own::new(positions, &f, 2, range.clone());
                let mut filled = vec![1.0; v.len()];
                own.add_lacking(&mut filled, &whole, &v);
                for line in 0..lines - 2 {
                    let place = (line + 2, range.start);
                    let mut found = vec![0.0; RANK * RANK];
                    own.gram(&mut found, &whole, line);
                    let expected = plain(&f, place, |line, i| !is_missing(line, i, every));
                    assert!(largest_difference(&found, &expected) < 1e-12, "line {line}");

                    let lacking = plain(&f, place, |line, i| is_missing(line, i, every));
                    let v = &v[line * RANK..][..RANK];
                    let product: Vec<f64> = lacking
                        .chunks(RANK)
                        .map(|row| 1.0 + row.iter().zip(v).map(|(g, v)| g * v).sum::<f64>())
                        .collect();
                    let filled = &filled[line * RANK..][..RANK];
                    assert!(largest_difference(filled, &product) < 1e-12, "line {line}");
                }
            }
        }
    }
}

#[test]
fn what_rounding_leaves_of_an_unseen_atom_is_zero() {
    // Atom 0 is large where nothing is observed, and zero elsewhere.
    let f: Vec<f32> = (0..40)
        .map(|at| match at {
            0..10 if at % 2 == 0 => 1000.0 + 0.1 * at as f32,
            _ if at % 2 == 1 => 0.5,
            _ => 0.0,
        })
        .collect();
    let positions = Positions::collect(Kind::Missing, 20, std::iter::once(0..5));
    let mut whole = vec![0.0; 4];
    gram(&mut whole, &f, 2);
    let mut own = vec![0.0; 4];
    Own::new(&positions, &f, 0, 0..20).gram(&mut own, &whole, 0);
    assert_eq!(own[..3], [0.0; 3]);
    assert!((own[3] - 15.0 * 0.25).abs() < 1e-6);
}

#[test]
fn the_fewer_entries_are_listed() {
    let values = |every: usize| -> Vec<f64> {
        let (rows, cols) = SHAPE;
        (0..rows * cols)
            .map(|at| {
                if is_missing(at / cols, at % cols, every) {
                    f64::NAN
                } else {
                    1.0
                }
            })
            .collect()
    };
    for (every, kind) in [(1, Kind::Missing), (9, Kind::Observed)] {
        let values = values(every);
        let dense = Dense::new(
            SHAPE.0,
            SHAPE.1,
            StorageOrder::RowMajor,
            Elements::F64(&values),
        )
        .unwrap();
        let gaps = Gaps::find(dense.into(), Missing::Nan, None)
            .unwrap()
            .unwrap();
        assert_eq!((gaps.rows.kind(), gaps.columns.kind()), (kind, kind));
        assert_eq!(
            gaps.count,
            values.iter().filter(|value| value.is_nan()).count()
        );
        let all_missing = positions(every);
        let expected = if kind == Kind::Missing {
            all_missing
        } else {
            all_missing.others()
        };
        assert_eq!(gaps.rows, expected);
        assert_eq!(gaps.columns, expected.flipped());
    }
}

/// XᵀY of some columns, AYᵀ of them and of all, and ‖Y‖².
fn products<T: Lanes>(matrix: Matrix<'_>, missing: Missing) -> Vec<f64> {
    let (m, n) = (matrix.rows(), matrix.cols());
    let data = Data::<T>::with_missing(matrix, 2.0, missing).unwrap();
    let (x, a) = (draw::<T>(RANK * m, 3), draw::<T>(RANK * n, 4));
    let (mut xy, mut some, mut all) = (
        vec![T::ZERO; RANK * (n - 3)],
        vec![T::ZERO; RANK * m],
        vec![T::ZERO; RANK * m],
    );
    data.with_columns(&mut xy, &x, 3..n);
    data.with_rows(&mut some, &a[3 * RANK..], 3..n);
    data.with_rows(&mut all, &a, 0..n);
    let numbers = xy.iter().chain(&some).chain(&all).map(|v| v.f64());
    numbers.chain([data.square()]).collect()
}

fn gaps_are_read_as_zeros<T: Lanes>() {
    let (m, n) = SHAPE;
    let entry = |i: usize, t: usize| {
        let value = ((i * 7 + t * 3 + i * t) % 11) as f64;
        if is_missing(i, t, 3) { f64::NAN } else { value }
    };
    let zero = |value: f64| if value.is_nan() { 0.0 } else { value };
    for order in [StorageOrder::RowMajor, StorageOrder::ColumnMajor] {
        let at = |at: usize| match order {
            StorageOrder::RowMajor => entry(at / n, at % n),
            StorageOrder::ColumnMajor => entry(at % m, at / m),
        };
        let gappy: Vec<f64> = (0..m * n).map(at).collect();
        let filled: Vec<f64> = gappy.iter().copied().map(zero).collect();
        let single: Vec<f32> = gappy.iter().map(|&value| value as f32).collect();
        let dense = |elements| Matrix::from(Dense::new(m, n, order, elements).unwrap());
        let expected = products::<T>(dense(Elements::F64(&filled)), Missing::None);

        let lines = if order == StorageOrder::RowMajor {
            m
        } else {
            n
        };
        let width = (m * n / lines) as i32;
        let starts: Vec<i32> = (0..=lines as i32).map(|line| line * width).collect();
        let indices: Vec<i64> = (0..m * n).map(|at| at as i64 % i64::from(width)).collect();
        let sparse = Sparse::new(
            SHAPE,
            order,
            Indices::I32(&starts),
            Indices::I64(&indices),
            Elements::F64(&gappy),
        );
        for matrix in [
            dense(Elements::F64(&gappy)),
            dense(Elements::F32(&single)),
            sparse.unwrap().into(),
        ] {
            let found = products::<T>(matrix, Missing::Nan);
            let size = expected.iter().fold(0.0_f64, |s, v| s.max(v.abs()));
            let error = largest_difference(&found, &expected);
            assert!(
                error <= 50.0 * T::EPSILON.f64() * size,
                "{order:?}: {error}"
            );
        }
    }
}

#[test]
fn products_read_gaps_as_zeros_in_every_storage() {
    gaps_are_read_as_zeros::<f64>();
    gaps_are_read_as_zeros::<f32>();
}
