//! Where a run starts: by name, or from the factors of a folder.

use crate::command::report::factor;
use crate::scalar::Scalar;
use anyhow::Context;
use proxsplit::linalg::Mat;
use proxsplit_factor::{Factors, Init};
use std::convert::Infallible;
use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Start {
    Named(Init),
    Folder(PathBuf),
}

const NAMES: [(&str, Init); 5] = [
    ("auto", Init::Auto),
    ("random", Init::Random),
    ("nndsvd", Init::Nndsvd),
    ("nndsvda", Init::Nndsvda),
    ("nndsvdar", Init::Nndsvdar),
];

impl FromStr for Start {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Infallible> {
        let named = NAMES.into_iter().find(|(name, _)| *name == text);
        Ok(named.map_or_else(
            || Start::Folder(text.into()),
            |(_, init)| Start::Named(init),
        ))
    }
}

impl fmt::Display for Start {
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Start::Named(init) => {
                let named = NAMES.into_iter().find(|(_, other)| other == init);
                out.write_str(named.map_or("", |(name, _)| name))
            }
            Start::Folder(path) => write!(out, "{}", path.display()),
        }
    }
}

impl Start {
    /// The library's name for it.
    pub(super) fn init(&self) -> Init {
        match self {
            Start::Named(init) => *init,
            Start::Folder(_) => Init::default(),
        }
    }

    /// The factors of the folder.
    pub(super) fn factors<T: Scalar>(&self) -> anyhow::Result<Option<Factors<T>>> {
        let Start::Folder(folder) = self else {
            return Ok(None);
        };
        let read = |name| {
            factor(folder, name).with_context(|| {
                let known = NAMES.map(|(name, _)| name).join(", ");
                format!(
                    "--init {} is neither one of {known} nor a folder with factors",
                    folder.display()
                )
            })
        };
        let narrow =
            |wide: Mat<f64>| Mat::from_fn(wide.rows(), wide.cols(), |i, j| T::of(wide.col(j)[i]));
        let (x, a) = (narrow(read("X")?), narrow(read("A")?));
        Ok(Some(Factors::new(&x, a)?))
    }
}
