//! Where a run starts: by name, or from the factors of a folder.

use crate::command::report::factor;
use crate::nearest::did_you_mean;
use crate::overwrite;
use crate::scalar::Scalar;
use anyhow::{Context, ensure};
use proxsplit::Mat;
use proxsplit_factor::{Factors, Init};
use std::convert::Infallible;
use std::path::{Path, PathBuf};
use std::str::FromStr;

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Start {
    Named(Init),
    Folder(PathBuf),
}

impl FromStr for Start {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Infallible> {
        let named = text.parse().map(Start::Named);
        Ok(named.unwrap_or_else(|_| Start::Folder(text.into())))
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

    /// The folder, if it is one.
    pub(super) fn folder(&self) -> Option<&Path> {
        match self {
            Start::Named(_) => None,
            Start::Folder(folder) => Some(folder),
        }
    }

    /// The files that are read.
    pub(super) fn files(&self) -> Vec<PathBuf> {
        self.folder().map_or_else(Vec::new, overwrite::factors_in)
    }

    /// The factors of the folder, if they have this rank.
    pub(super) fn factors<T: Scalar>(&self, rank: usize) -> anyhow::Result<Option<Factors<T>>> {
        let Some(folder) = self.folder() else {
            return Ok(None);
        };
        ensure!(folder.is_dir(), unknown(folder));
        let read = |name| {
            let none = || {
                format!(
                    "--init {}: cannot read the factors in this folder",
                    folder.display()
                )
            };
            factor(folder, name).with_context(none)
        };
        let narrow =
            |wide: Mat<f64>| Mat::from_fn(wide.rows(), wide.cols(), |i, j| T::of(wide.col(j)[i]));
        let (x, a) = (narrow(read("X")?), narrow(read("A")?));
        let (start, found) = (folder.display(), x.cols());
        ensure!(
            found == rank,
            "--init {start} has rank {found}, but --rank is {rank}: use --rank {found}, or start from factors of rank {rank}"
        );
        let fits = || format!("--init {start}");
        Factors::new(&x, a).with_context(fits).map(Some)
    }
}

fn unknown(folder: &Path) -> String {
    let names: Vec<&str> = Init::ALL.iter().map(|init| init.name()).collect();
    format!(
        "--init {} is neither one of {} nor a folder with factors{}",
        folder.display(),
        names.join(", "),
        did_you_mean(&folder.to_string_lossy(), names.iter().copied())
    )
}
