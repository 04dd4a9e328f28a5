//! Checkpoints: what is saved, when, and whether it fits.

use super::Args;
use crate::input::Input;
use crate::record::TraceRow;
use crate::scalar::Scalar;
use anyhow::{Context, bail};
use proxsplit::run::Saved;
use proxsplit::text::Operator;
use proxsplit_factor::Factorization;
use proxsplit_io::Checkpoint;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::path::PathBuf;

/// Its name in the output folder.
pub(super) const FILE: &str = "checkpoint.npz";

/// What must be the same for a run to go on.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct Fit(serde_json::Map<String, Value>);

impl Fit {
    pub(super) fn new(args: &Args, input: &Input, (atoms, codes): (&Operator, &Operator)) -> Self {
        let fields = json!({
            "data": input.digest(),
            "samples": args.samples.to_string(),
            "missing setting": args.missing.to_string(),
            "scale": args.scale,
            "rank": args.rank,
            "term of X": atoms.to_string(),
            "term of A": codes.to_string(),
            "method": format!("{:?}", args.method).to_lowercase(),
            "batch": args.batch,
            "inner": format!("{:?}", args.inner).to_lowercase(),
            "step": args.step.to_string(),
            "init": args.init.to_string(),
            "seed": args.seed,
            "dtype": args.dtype.to_string(),
        });
        match fields {
            Value::Object(fields) => Self(fields),
            _ => Self(serde_json::Map::new()),
        }
    }

    /// `Ok` if a saved one is the same; else an error that names the first difference.
    fn check(&self, saved: &Value) -> anyhow::Result<()> {
        for (name, now) in &self.0 {
            let then = &saved[name];
            if then != now {
                bail!("its {name} was {then}, but now it is {now}");
            }
        }
        Ok(())
    }
}

/// Keeps the checkpoint of a run.
#[derive(Debug)]
pub(super) struct Keeper {
    pub(super) path: PathBuf,
    /// Seconds between two checkpoints.
    pub(super) every: f64,
    pub(super) fit: Fit,
}

/// Where a run is, besides its solver.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Position {
    pub(super) session: Saved,
    pub(super) trace: Vec<TraceRow>,
}

impl Keeper {
    pub(super) fn save<T: Scalar>(
        &self,
        solver: &mut Factorization<'_, T>,
        position: &Position,
    ) -> anyhow::Result<()> {
        let state = solver.state();
        let header = json!({ "fit": self.fit, "position": position, "solver": state.header });
        let arrays = state.arrays.into_iter();
        let arrays = arrays
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
        let refused = || format!("{} does not fit this run", self.path.display());
        self.fit
            .check(&checkpoint.header["fit"])
            .with_context(refused)?;
        let position =
            serde_json::from_value(checkpoint.header["position"].clone()).with_context(refused)?;
        let arrays = checkpoint.arrays.into_iter().map(|(name, array)| {
            let numbers = T::unpack(array).context("its numbers have another type")?;
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
}
