//! Readers and writers on files of other programs, on their own output, and on damaged or hostile input.
#![allow(clippy::unwrap_used, reason = "helpers of tests")]

mod checkpoint;
#[cfg(feature = "hdf5")]
mod hdf5;
mod hostile;
mod missing;
mod mutated;
mod others;
#[cfg(feature = "parquet")]
mod parquet;
#[cfg(feature = "images")]
mod pictures;
mod round_trip;
mod streams;
mod tables;
mod unpacking;

use proxsplit::data::{Matrix, StorageOrder};
use proxsplit_io::Data;

/// All entries, row by row.
fn entries(matrix: Matrix<'_>) -> Vec<Vec<f64>> {
    match matrix {
        Matrix::Dense(dense) => (0..dense.rows())
            .map(|row| (0..dense.cols()).map(|col| dense.get(row, col)).collect())
            .collect(),
        Matrix::Sparse(sparse) => {
            let mut whole = vec![vec![0.0; sparse.cols()]; sparse.rows()];
            let by_rows = sparse.order() == StorageOrder::RowMajor;
            for line in 0..sparse.starts().len() - 1 {
                for at in sparse.starts().get(line)..sparse.starts().get(line + 1) {
                    let index = sparse.indices().get(at);
                    let (row, col) = if by_rows {
                        (line, index)
                    } else {
                        (index, line)
                    };
                    whole[row][col] += sparse.elements().get(at);
                }
            }
            whole
        }
    }
}

/// The matrix of the files in `tests/data`.
fn sample() -> Vec<Vec<f64>> {
    [[1, 0, 2, 0], [0, 0, 3, 0], [4, 5, 0, 6]]
        .iter()
        .map(|row| row.iter().map(|&v| f64::from(v)).collect())
        .collect()
}

fn fixture(name: &str) -> std::path::PathBuf {
    std::path::Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/data")
        .join(name)
}

/// The message with which a file is refused.
fn refusal(path: impl AsRef<std::path::Path>) -> String {
    Data::open(path).expect_err("must be refused").to_string()
}
