//! Held-out sums against their definition, entry by entry.

use crate::Missing;
use crate::problem::Factors;
use crate::products::{Data, Lanes};
use crate::rank::Speckle;
use proxsplit::data::{Dense, Elements, Indices, Matrix, Sparse, StorageOrder};

const SHAPE: (usize, usize) = (57, 70);
const RANK: usize = 3;

fn value(i: usize, t: usize) -> f64 {
    ((i * 7 + t * 5 + i * t) % 11) as f64 - 3.0
}

fn factors<T: Lanes>() -> Factors<T> {
    let draw = |count: usize, by: usize| -> Vec<T> {
        (0..count * RANK)
            .map(|at| T::of(((at * by) % 17) as f64 / 8.0 - 0.7))
            .collect()
    };
    Factors {
        rank: RANK,
        x: draw(SHAPE.0, 5),
        a: draw(SHAPE.1, 7),
    }
}

/// What is held out, with y as it is in the file.
struct Case<'a> {
    matrix: Matrix<'a>,
    missing: Missing,
    name: &'static str,
}

fn check<T: Lanes>(case: &Case<'_>, y: impl Fn(usize, usize) -> f64) {
    let scale = 2.0;
    let whole = Data::<T>::with_missing(case.matrix, scale, case.missing).unwrap();
    let train = whole.without(Speckle::new(5, 0, (1, 6))).unwrap();
    let speckle = train.speckle().unwrap();
    let Factors { x, a, .. } = factors::<T>();
    let z = |i: usize, t: usize| -> f64 {
        (0..RANK)
            .map(|k| x[i * RANK + k].f64() * a[t * RANK + k].f64())
            .sum()
    };
    let (mut misfit, mut square, mut kept, mut count) = (0.0, 0.0, 0.0, 0);
    let (m, n) = SHAPE;
    let (mut xy, mut ya) = (vec![0.0; RANK * n], vec![0.0; RANK * m]);
    for i in 0..m {
        for t in 0..n {
            let (is_out, y) = (speckle.holds_out(i, t), y(i, t) / scale);
            if y.is_nan() || is_out {
                count += 1;
            }
            if y.is_nan() {
                continue;
            }
            if is_out {
                misfit += (y - z(i, t)).powi(2);
                square += y * y;
            } else {
                kept += y * y;
            }
            let is_filled = is_out && case.missing == Missing::None;
            let seen = if is_filled {
                z(i, t)
            } else if is_out {
                0.0
            } else {
                y
            };
            for k in 0..RANK {
                xy[t * RANK + k] += x[i * RANK + k].f64() * seen;
                ya[i * RANK + k] += a[t * RANK + k].f64() * seen;
            }
        }
    }
    let close = |found: f64, expected: f64, what: &str| {
        let error = (found - expected).abs();
        assert!(
            error <= 200.0 * T::EPSILON.f64() * (1.0 + expected.abs()),
            "{}, {what}: {found}, not {expected}",
            case.name
        );
    };
    let error = train.held_out_error(&factors::<T>()).unwrap();
    close(error.misfit, misfit, "misfit");
    close(error.square, square, "square");
    close(train.square(), kept, "square of the rest");
    assert_eq!(train.missing(), count, "{}", case.name);
    let (mut found_xy, mut found_ya) = (vec![T::ZERO; RANK * n], vec![T::ZERO; RANK * m]);
    train.with_columns(&mut found_xy, &x, 0..n);
    train.with_rows(&mut found_ya, &a, 0..n);
    if let Some(fold) = train.held_out() {
        // The last columns apart, as a mini-batch would.
        let (some, rest) = found_xy.split_at_mut(40 * RANK);
        fold.take_from_columns(some, &x, (&x, &a[..40 * RANK]), 0);
        fold.take_from_columns(rest, &x, (&x, &a[40 * RANK..]), 40);
        fold.take_from_rows(&mut found_ya, &a, (&x, &a));
        let as_read = if train.is_sparse() { 0.0 } else { 1.0 };
        let expected: f64 = (0..m * n)
            .map(|at| (at / n, at % n))
            .filter(|&(i, t)| speckle.holds_out(i, t))
            .map(|(i, t)| (as_read * y(i, t) / scale - z(i, t)).powi(2))
            .sum();
        close(fold.square((&x, &a)), expected, "Σr²");
    }
    for (found, expected) in found_xy.iter().chain(&found_ya).zip(xy.iter().chain(&ya)) {
        close(found.f64(), *expected, "product");
    }
}

#[test]
fn sums_follow_their_definition_in_every_storage() {
    let (m, n) = SHAPE;
    for order in [StorageOrder::RowMajor, StorageOrder::ColumnMajor] {
        let place = |at: usize| match order {
            StorageOrder::RowMajor => (at / n, at % n),
            StorageOrder::ColumnMajor => (at % m, at / m),
        };
        let is_gap = |i: usize, t: usize| (i * 3 + t).is_multiple_of(7);
        let gappy = |i: usize, t: usize| if is_gap(i, t) { f64::NAN } else { value(i, t) };
        let is_stored = |i: usize, t: usize| (i + 2 * t).is_multiple_of(5);
        let all: Vec<f64> = (0..m * n).map(place).map(|(i, t)| value(i, t)).collect();
        let gaps: Vec<f64> = (0..m * n).map(place).map(|(i, t)| gappy(i, t)).collect();
        let dense = |values| Matrix::from(Dense::new(m, n, order, Elements::F64(values)).unwrap());
        let (mut starts, mut indices, mut stored, mut holes) = (vec![0], vec![], vec![], vec![]);
        let (lines, width) = if order == StorageOrder::RowMajor {
            (m, n)
        } else {
            (n, m)
        };
        for line in 0..lines {
            for p in 0..width {
                let (i, t) = if order == StorageOrder::RowMajor {
                    (line, p)
                } else {
                    (p, line)
                };
                if is_stored(i, t) {
                    indices.push(i32::try_from(p).unwrap());
                    stored.push(value(i, t));
                    holes.push(gappy(i, t));
                }
            }
            starts.push(i64::try_from(indices.len()).unwrap());
        }
        let sparse = |values| {
            let (starts, indices) = (Indices::I64(&starts), Indices::I32(&indices));
            Matrix::from(Sparse::new(SHAPE, order, starts, indices, Elements::F64(values)).unwrap())
        };
        let or = |i: usize, t: usize, y: f64, other: f64| if is_stored(i, t) { y } else { other };
        let case = |matrix, missing, name| Case {
            matrix,
            missing,
            name,
        };
        let dense_case = case(dense(&all), Missing::None, "dense");
        check::<f64>(&dense_case, value);
        check::<f32>(&dense_case, value);
        check::<f64>(&case(dense(&gaps), Missing::Nan, "dense with gaps"), gappy);
        let sparse_case = case(sparse(&stored), Missing::None, "sparse");
        check::<f64>(&sparse_case, |i, t| or(i, t, value(i, t), 0.0));
        check::<f32>(&sparse_case, |i, t| or(i, t, value(i, t), 0.0));
        check::<f64>(
            &case(sparse(&holes), Missing::Nan, "sparse with gaps"),
            |i, t| or(i, t, gappy(i, t), 0.0),
        );
        check::<f64>(
            &case(sparse(&stored), Missing::Unstored, "ratings"),
            |i, t| or(i, t, value(i, t), f64::NAN),
        );
    }
}
