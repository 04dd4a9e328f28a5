//! Weights of the entries of the data, from files.

use anyhow::{Context, ensure};
use proxsplit::Mat;
use proxsplit::Matrix;
use proxsplit_factor::{Samples, Weights};
use proxsplit_io::Data;
use std::path::{Path, PathBuf};

/// The options.
#[derive(Debug, Clone, Default, clap::Args)]
pub(crate) struct WeightFiles {
    /// A file with a weight ≥ 0 for every row of the data file; it multiplies the misfit of every entry of the row
    #[arg(long, value_name = "FILE")]
    row_weights: Option<PathBuf>,
    /// A file with a weight ≥ 0 for every column of the data file
    #[arg(long, value_name = "FILE")]
    column_weights: Option<PathBuf>,
    /// A file with a weight ≥ 0 for every entry: dense for dense data; sparse with the pattern of the data for --missing unstored
    #[arg(long, value_name = "FILE")]
    weights: Option<PathBuf>,
}

/// What the files hold.
pub(crate) struct WeightData {
    rows: Option<Vec<f64>>,
    columns: Option<Vec<f64>>,
    entries: Option<Data>,
    samples: Samples,
}

impl WeightFiles {
    /// The files that are given.
    pub(crate) fn files(&self) -> Vec<PathBuf> {
        let all = [&self.row_weights, &self.column_weights, &self.weights];
        all.into_iter().flatten().cloned().collect()
    }

    /// Rows, columns and entries, each with its digest, as a run remembers them.
    pub(crate) fn described(&self) -> anyhow::Result<[Option<String>; 3]> {
        let words = |path: &Option<PathBuf>| {
            let described = |path: &PathBuf| {
                let digest = Data::open(path)?.digest().to_owned();
                anyhow::Ok(format!("{} ({digest})", path.display()))
            };
            path.as_ref().map(described).transpose()
        };
        Ok([
            words(&self.row_weights)?,
            words(&self.column_weights)?,
            words(&self.weights)?,
        ])
    }

    /// Reads them.
    pub(crate) fn read(&self, samples: Samples) -> anyhow::Result<WeightData> {
        let vector = |name: &'static str, path: &Option<PathBuf>| {
            path.as_deref().map(|path| vector(name, path)).transpose()
        };
        let entries = self.weights.as_ref().map(Data::open).transpose();
        Ok(WeightData {
            rows: vector("--row-weights", &self.row_weights)?,
            columns: vector("--column-weights", &self.column_weights)?,
            entries: entries.context("--weights")?,
            samples,
        })
    }
}

fn vector(name: &'static str, path: &Path) -> anyhow::Result<Vec<f64>> {
    let matrix: Mat<f64> = crate::read::dense(path).context(name)?;
    let (rows, cols) = (matrix.rows(), matrix.cols());
    ensure!(
        rows == 1 || cols == 1,
        "{name} {} is {rows} × {cols}, but it must be a single row or column",
        path.display()
    );
    Ok(matrix.into_data())
}

impl WeightData {
    /// The same for the library, where samples are columns.
    pub(crate) fn of(&self) -> Weights<'_> {
        let entries = self.entries.as_ref().map(Data::matrix);
        let (rows, columns) = (self.rows.as_deref(), self.columns.as_deref());
        match self.samples {
            Samples::Columns => Weights {
                features: rows,
                samples: columns,
                entries,
            },
            Samples::Rows => Weights {
                features: columns,
                samples: rows,
                entries: entries.map(Matrix::t),
            },
        }
    }
}
