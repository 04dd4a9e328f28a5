//! Checkpoints: what is saved, and whether it fits.

use super::notebook::Zeros;
use crate::scalar::Scalar;
use anyhow::{Context, bail};
use proxsplit::run::Saved;
use proxsplit_factor::{Description, Factorization};
use proxsplit_io::Checkpoint;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::path::PathBuf;

/// Its name in the output folder.
pub(super) const FILE: &str = "checkpoint.npz";

/// Where the checkpoint of a run is, and what it must agree with.
#[derive(Debug)]
pub(super) struct Keeper {
    pub(super) path: PathBuf,
    /// Seconds between checkpoints; `None` if there are none.
    pub(super) every: Option<f64>,
    /// Tells different data apart.
    pub(super) digest: String,
    pub(super) description: Description,
}

/// Where a run is, besides its solver.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Position {
    pub(super) session: Saved,
    pub(super) zeros: Vec<Zeros>,
}

impl Keeper {
    pub(super) fn save<T: Scalar>(
        &self,
        solver: &mut Factorization<'_, T>,
        position: &Position,
    ) -> anyhow::Result<()> {
        let state = solver.state();
        let header = json!({
            "data": self.digest, "fit": self.description, "position": position, "solver": state.header,
        });
        let arrays = state
            .arrays
            .into_iter()
            .map(|(name, numbers)| (name.to_owned(), T::pack(numbers)))
            .collect();
        Ok(Checkpoint { header, arrays }.save(&self.path)?)
    }

    /// Puts the solver where the checkpoint left it; `None` if there is no checkpoint.
    pub(super) fn restore<T: Scalar>(
        &self,
        solver: &mut Factorization<'_, T>,
    ) -> anyhow::Result<Option<Position>> {
        if !self.path.exists() {
            return Ok(None);
        }
        let checkpoint = Checkpoint::load(&self.path)?;
        let refused = || {
            format!(
                "cannot resume from {} (use --force instead of --resume to start over)",
                self.path.display()
            )
        };
        self.check(&checkpoint.header).with_context(refused)?;
        let position =
            serde_json::from_value(checkpoint.header["position"].clone()).with_context(refused)?;
        let arrays = checkpoint.arrays.into_iter().map(|(name, array)| {
            let numbers = T::unpack(array).context("its numbers are of a different type")?;
            Ok((name, numbers))
        });
        let arrays = arrays
            .collect::<anyhow::Result<Vec<_>>>()
            .with_context(refused)?;
        solver
            .restore(&checkpoint.header["solver"], arrays)
            .with_context(refused)?;
        Ok(Some(position))
    }

    /// `Ok` if the checkpoint is of the same run; else an error that names the first difference.
    fn check(&self, header: &Value) -> anyhow::Result<()> {
        if header["data"] != self.digest.as_str() {
            bail!("it was made with different data");
        }
        match self.description.first_difference(&header["fit"]) {
            None => Ok(()),
            Some(difference) => bail!(difference),
        }
    }
}
