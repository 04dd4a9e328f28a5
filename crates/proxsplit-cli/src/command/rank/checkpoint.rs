//! Checkpoints of a search: between two fits, everything that is known.

use crate::scalar::Scalar;
use anyhow::{Context, bail};
use proxsplit_factor::{Description, RankSearch};
use proxsplit_io::Checkpoint;
use serde_json::json;
use std::path::PathBuf;
use std::time::Instant;

/// Its name in the output folder.
pub(super) const FILE: &str = "rank-checkpoint.npz";

/// Where the checkpoint of a search is, and what it must agree with.
pub(super) struct Keeper {
    pub(super) path: PathBuf,
    /// Seconds between checkpoints.
    pub(super) every: f64,
    pub(super) last: Instant,
    /// Tells different data apart.
    pub(super) digest: String,
    pub(super) description: Description,
}

impl Keeper {
    /// Saves if it is time to.
    pub(super) fn save_at_times<T: Scalar>(
        &mut self,
        search: &RankSearch<'_, T>,
    ) -> anyhow::Result<()> {
        if self.last.elapsed().as_secs_f64() < self.every {
            return Ok(());
        }
        self.save(search)
    }

    pub(super) fn save<T: Scalar>(&mut self, search: &RankSearch<'_, T>) -> anyhow::Result<()> {
        let state = search.state();
        let header = json!({
            "data": self.digest, "problem": self.description, "search": state.header,
        });
        let arrays = state
            .arrays
            .into_iter()
            .map(|(name, numbers)| (name.to_owned(), T::pack(numbers)))
            .collect();
        Checkpoint { header, arrays }.save(&self.path)?;
        self.last = Instant::now();
        Ok(())
    }

    /// Puts the search where the checkpoint left it; `false` if there is no checkpoint.
    pub(super) fn restore<T: Scalar>(
        &self,
        search: &mut RankSearch<'_, T>,
    ) -> anyhow::Result<bool> {
        if !self.path.exists() {
            return Ok(false);
        }
        let checkpoint = Checkpoint::load(&self.path)?;
        let refused = || {
            format!(
                "cannot resume from {} (use --force instead of --resume to start over)",
                self.path.display()
            )
        };
        if checkpoint.header["data"] != self.digest.as_str() {
            bail!("{}: it was made with different data", refused());
        }
        if let Some(difference) = self
            .description
            .first_difference(&checkpoint.header["problem"])
        {
            bail!("{}: {difference}", refused());
        }
        let arrays = checkpoint.arrays.into_iter().map(|(name, array)| {
            let numbers = T::unpack(array).context("its numbers are of a different type")?;
            Ok((name, numbers))
        });
        let arrays = arrays
            .collect::<anyhow::Result<Vec<_>>>()
            .with_context(refused)?;
        search
            .restore(&checkpoint.header["search"], arrays)
            .with_context(refused)?;
        Ok(true)
    }
}
