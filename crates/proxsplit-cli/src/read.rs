//! Data files as the commands need them.

use crate::scalar::Scalar;
use anyhow::{Context, bail};
use proxsplit::Mat;
use proxsplit::Matrix;
use proxsplit::data::StorageOrder;
use proxsplit_io::Data;
use std::path::Path;

/// A dense copy in `f64`, for vectors and factors.
pub(crate) fn dense(path: &Path) -> anyhow::Result<Mat<f64>> {
    Ok(copy(Data::open(path)?.matrix()))
}

/// Atoms in the precision of the factors.
pub(crate) fn atoms<T: Scalar>(path: &Path) -> anyhow::Result<Mat<T>> {
    let wide = dense(path)?;
    Ok(Mat::from_fn(wide.rows(), wide.cols(), |i, j| {
        T::of(wide.col(j)[i])
    }))
}

/// The numbers of a single column or row.
pub(crate) fn vector(what: &str, path: &Path) -> anyhow::Result<Vec<f64>> {
    let matrix = dense(path)?;
    let (rows, cols) = (matrix.rows(), matrix.cols());
    if rows != 1 && cols != 1 {
        bail!(
            "{} is a {rows} × {cols} matrix, but {what} must be a vector",
            path.display()
        );
    }
    Ok(matrix.into_data())
}

fn copy(matrix: Matrix<'_>) -> Mat<f64> {
    match matrix {
        Matrix::Dense(dense) => Mat::from_fn(dense.rows(), dense.cols(), |i, j| dense.get(i, j)),
        Matrix::Sparse(sparse) => {
            let mut copy = Mat::zeros(sparse.rows(), sparse.cols());
            let (starts, indices, elements) =
                (sparse.starts(), sparse.indices(), sparse.elements());
            for line in 0..starts.len() - 1 {
                for at in starts.get(line)..starts.get(line + 1) {
                    let (i, j) = match sparse.order() {
                        StorageOrder::RowMajor => (line, indices.get(at)),
                        StorageOrder::ColumnMajor => (indices.get(at), line),
                    };
                    copy.col_mut(j)[i] += elements.get(at);
                }
            }
            copy
        }
    }
}

/// A file of JSON.
pub(crate) fn json<T: serde::de::DeserializeOwned>(path: &Path) -> anyhow::Result<T> {
    let text =
        std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    serde_json::from_str(&text).with_context(|| {
        format!(
            "{} is damaged, or was written by a different version of proxsplit",
            path.display()
        )
    })
}

/// A file with a JSON value on every line.
pub(crate) fn json_lines<T: serde::de::DeserializeOwned>(path: &Path) -> anyhow::Result<Vec<T>> {
    let text =
        std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    let lines = text.lines().enumerate().map(|(at, line)| {
        serde_json::from_str(line).with_context(|| {
            format!(
                "{}, line {}: not a valid record of a trace",
                path.display(),
                at + 1
            )
        })
    });
    lines.collect()
}
