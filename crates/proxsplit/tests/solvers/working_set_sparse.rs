//! Working sets on compressed columns, where inner problems are solved in another way than on dense ones.

use super::sample::{Sample, distance};
use super::working_set_common::solve;
use proxsplit::data::{Dense, Elements, Indices, Matrix, Sparse, StorageOrder};
use proxsplit::smooth::Linear;
use proxsplit::smooth::loss::{Named, Shape};
use proxsplit::text::Operator;

/// Compressed columns, and the same numbers one column after the other.
struct Compressed {
    rows: usize,
    cols: usize,
    starts: Vec<i32>,
    indices: Vec<i32>,
    values: Vec<f64>,
    dense: Vec<f64>,
}

impl Compressed {
    /// The numbers of a sample that are not small.
    fn new(rows: usize, cols: usize, sample: &Sample) -> Self {
        let keep = |a: f64| if a.abs() > 0.6 { a } else { 0.0 };
        let mut all = Self {
            rows,
            cols,
            starts: vec![0],
            indices: Vec::new(),
            values: Vec::new(),
            dense: sample.design.iter().map(|&a| keep(a)).collect(),
        };
        for column in all.dense.chunks(rows) {
            for (i, &value) in (0..).zip(column).filter(|(_, value)| **value != 0.0) {
                all.indices.push(i);
                all.values.push(value);
            }
            all.starts.push(i32::try_from(all.indices.len()).unwrap());
        }
        all
    }

    fn sparse(&self) -> Matrix<'_> {
        let shape = (self.rows, self.cols);
        let (starts, indices) = (Indices::I32(&self.starts), Indices::I32(&self.indices));
        let values = Elements::F64(&self.values);
        let order = StorageOrder::ColumnMajor;
        Sparse::new(shape, order, starts, indices, values)
            .unwrap()
            .into()
    }

    fn dense(&self) -> Matrix<'_> {
        let entries = Elements::F64(&self.dense);
        Dense::new(self.rows, self.cols, StorageOrder::ColumnMajor, entries)
            .unwrap()
            .into()
    }
}

fn model<'a>(
    loss: &str,
    matrix: Matrix<'a>,
    sample: &Sample,
    shape: Shape<'_>,
) -> Box<dyn Linear + 'a> {
    let loss: Named = loss.parse().unwrap();
    let labels = sample.labels();
    let targets = if loss.has_labels() {
        &labels
    } else {
        &sample.targets
    };
    loss.model(matrix, targets, shape).unwrap()
}

#[test]
fn sparse_columns_have_the_solutions_of_dense_ones() {
    let (rows, cols) = (40, 25);
    let sample = Sample::new(rows, cols, 7);
    let data = Compressed::new(rows, cols, &sample);
    // Rows that do not count at all, and some that count more.
    let weights: Vec<f64> = (0..rows).map(|i| (i % 4) as f64).collect();
    for loss in ["least-squares", "logistic", "huber:0.3"] {
        for text in [
            "l1:0.8",
            "elastic:0.5,0.3",
            "l1:0.5+nonneg",
            "l1:0.1+box:-0.2,0.4",
            "group-l2:0.9,5",
        ] {
            let g: Operator = text.parse().unwrap();
            for weights in [None, Some(&weights[..])] {
                let shape = || Shape {
                    weights,
                    ..Shape::default()
                };
                let on = |matrix| {
                    solve(
                        &*model(loss, matrix, &sample, shape()),
                        &g,
                        &vec![0.0; cols],
                    )
                };
                let ((ours, report), (theirs, _)) = (on(data.sparse()), on(data.dense()));
                let off = distance(&ours, &theirs);
                assert!(
                    report.converged() && off < 1e-5,
                    "{loss}, {text}: {off:.1e}, {}",
                    report.certificate
                );
            }
        }
    }
}

#[test]
fn sparse_columns_give_the_same_bits_for_any_number_of_threads() {
    let (rows, cols) = (300, 900);
    let sample = Sample::new(rows, cols, 4);
    let data = Compressed::new(rows, cols, &sample);
    let f = model("logistic", data.sparse(), &sample, Shape::default());
    let g: Operator = "l1:2".parse().unwrap();
    let on = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap();
        pool.install(|| solve(&*f, &g, &vec![0.0; cols]).0)
    };
    let once = on(1);
    assert!(once.iter().any(|x| *x != 0.0));
    for threads in [2, 3, 8] {
        let again = on(threads);
        assert!(
            once.iter()
                .zip(&again)
                .all(|(a, b)| a.to_bits() == b.to_bits())
        );
    }
}
