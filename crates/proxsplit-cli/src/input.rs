//! The data of a factorization: a file, or generated.

use crate::args::{DataName, Image, Reading};
use crate::missing;
use crate::nearest::edits;
use anyhow::{bail, ensure};
use proxsplit::Matrix;
use proxsplit_factor::{self as factor, Generated, Lanes, Missing, Samples};
use proxsplit_io::{Data, Labels};

/// What the names of `--samples` mean, for help.
pub(crate) const SAMPLES: &[(&str, &str)] = &[
    ("columns", "every column is a sample"),
    (
        "rows",
        "every row is a sample; the data are read transposed",
    ),
];

/// Y, features × samples, with its names.
pub(crate) struct Input {
    source: Source,
    samples: Samples,
    missing: Missing,
    shape: (usize, usize),
}

enum Source {
    File(Data),
    /// Generated data, with the text that asked for it.
    Generated(Generated, String),
}

/// Generated data is always the same, whatever the seed of the run: runs with different seeds can be compared.
const DATA_SEED: u64 = 0;

impl Input {
    /// Reads a file or generates data.
    pub(crate) fn open(
        name: &DataName,
        samples: Samples,
        missing: Missing,
        reading: &Reading,
    ) -> anyhow::Result<Self> {
        let path = name.path();
        let source = match Generated::parse(name, DATA_SEED) {
            Some(generated) if !path.exists() => Source::Generated(generated?, name.to_string()),
            _ => {
                if let Some(meant) = meant(name).filter(|_| !path.exists()) {
                    bail!(
                        "there is no file '{name}', and no generated data of that name; did you mean {meant}?"
                    );
                }
                Source::File(Data::read(
                    path,
                    &reading.with(missing::of_the_file(missing)),
                )?)
            }
        };
        let mut input = Self {
            source,
            samples,
            missing,
            shape: (0, 0),
        };
        let matrix = input.matrix()?;
        input.shape = (matrix.rows(), matrix.cols());
        Ok(input)
    }

    /// Numbers of features and of samples.
    pub(crate) fn shape(&self) -> (usize, usize) {
        self.shape
    }

    /// Y. For sparse data this looks at all indices: ask once.
    pub(crate) fn matrix(&self) -> Result<Matrix<'_>, proxsplit::Error> {
        let stored = match &self.source {
            Source::File(data) => data.matrix(),
            Source::Generated(generated, _) => generated.matrix()?,
        };
        Ok(match self.samples {
            Samples::Columns => stored,
            Samples::Rows => stored.t(),
        })
    }

    /// Y/scale with its gaps, ready for a factorization.
    pub(crate) fn data<T: Lanes>(&self, scale: f64) -> anyhow::Result<factor::Data<'_, T>> {
        let matrix = self.matrix()?;
        ensure!(
            self.missing != Missing::Unstored || matches!(matrix, Matrix::Sparse(_)),
            "--missing unstored is for sparse data, but these data are dense: mark missing entries with NaN and use --missing nan"
        );
        let missing = self.missing;
        Ok(factor::Data::with_missing(matrix, scale, missing)?)
    }

    /// Tells different data apart.
    pub(crate) fn digest(&self) -> &str {
        match &self.source {
            Source::File(data) => data.digest(),
            Source::Generated(_, text) => text,
        }
    }

    /// Shape and storage for people.
    pub(crate) fn describe(&self) -> String {
        match &self.source {
            Source::File(data) => data.describe(),
            Source::Generated(..) => {
                let (features, samples) = self.shape;
                format!("{features} × {samples}, generated")
            }
        }
    }

    fn labels(&self) -> Option<&Labels> {
        match &self.source {
            Source::File(data) => Some(data.labels()),
            Source::Generated(..) => None,
        }
    }

    /// Names of the features.
    pub(crate) fn features(&self) -> Option<&[String]> {
        let Labels { rows, columns } = self.labels()?;
        match self.samples {
            Samples::Columns => rows.as_deref(),
            Samples::Rows => columns.as_deref(),
        }
    }

    /// Names of the samples.
    pub(crate) fn samples(&self) -> Option<&[String]> {
        let Labels { rows, columns } = self.labels()?;
        match self.samples {
            Samples::Columns => columns.as_deref(),
            Samples::Rows => rows.as_deref(),
        }
    }

    /// The layout of a sample that is known to be a picture.
    pub(crate) fn image(&self) -> Option<Image> {
        match &self.source {
            Source::Generated(_, text) if text == "swimmer" && self.samples == Samples::Columns => {
                "32x32".parse().ok()
            }
            Source::File(data) if self.samples == Samples::Columns => {
                let (rows, cols) = data.image()?;
                format!("{rows}x{cols}").parse().ok()
            }
            _ => None,
        }
    }
}

/// The generated data that a name is a misspelling of.
fn meant(name: &str) -> Option<&'static str> {
    let (stem, _) = name.split_once(':').unwrap_or((name, ""));
    let known = [
        ("swimmer", "swimmer"),
        ("rand", "rand:ROWSxCOLUMNS"),
        ("planted", "planted:ROWSxCOLUMNSxRANK"),
        ("webgraph", "webgraph:ROWSxCOLUMNS,ENTRIES"),
    ];
    let near = |known: &str| edits(stem, known) <= known.len() / 3;
    let mut meant = known.into_iter().filter(|(name, _)| near(name));
    meant.next().map(|(_, form)| form)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn misspelt_data_is_recognized() {
        assert_eq!(meant("swimer"), Some("swimmer"));
        assert_eq!(meant("ramd:3x3"), Some("rand:ROWSxCOLUMNS"));
        assert_eq!(meant("plantet:3x3x1"), Some("planted:ROWSxCOLUMNSxRANK"));
        assert_eq!(meant("faces.npy"), None);
        assert_eq!(meant("data/swimmer.npy"), None);
    }
}
