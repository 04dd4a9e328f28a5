//! What a search for the rank is to do.

use crate::products::{Data, Lanes};
use proxsplit::{Error, Stop, error};
use serde::{Deserialize, Serialize};

/// Which ranks to try, and how.
///
/// | field | default | meaning |
/// |---|---|---|
/// | `ranks` | none | the ranks, increasing |
/// | `folds` | 10 | parts of the entries; a fit is without one of them |
/// | `repeats` | 1 | independent divisions into folds |
/// | `restarts` | 3 | fits of all data at every rank, for the objective and the stability of the atoms |
/// | `patience` | 3 | ranks beyond the least error, all clearly worse, that end the search; 0 tries all ranks |
/// | `tol` | 1e-3 | relative residual of a fit |
/// | `passes` | 200 | limit of a fit |
/// | `seed` | 0 | of masks and starts |
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RankPlan {
    /// The ranks to try, increasing.
    pub ranks: Vec<usize>,
    /// Parts of the entries; a fit is without one of them.
    pub folds: usize,
    /// Independent divisions into folds.
    pub repeats: usize,
    /// Fits of all data at every rank.
    pub restarts: usize,
    /// Ranks beyond the least error that end the search; 0 for never.
    pub patience: usize,
    /// The relative residual of a fit.
    pub tol: f64,
    /// The limit of a fit.
    pub passes: f64,
    /// The seed of everything random.
    pub seed: u64,
}

impl RankPlan {
    /// The usual plan for some ranks, in any order.
    pub fn new(ranks: impl IntoIterator<Item = usize>) -> Self {
        let mut ranks: Vec<usize> = ranks.into_iter().collect();
        ranks.sort_unstable();
        ranks.dedup();
        Self {
            ranks,
            folds: 10,
            repeats: 1,
            restarts: 3,
            patience: 3,
            tol: 1e-3,
            passes: 200.0,
            seed: 0,
        }
    }

    /// Fits without a fold at every rank.
    pub fn held_out_fits(&self) -> usize {
        self.folds * self.repeats
    }

    /// All fits, if no rank is left out and none is tried again.
    pub fn fits(&self) -> usize {
        self.ranks.len() * (self.held_out_fits() + self.restarts)
    }

    /// When a fit ends.
    pub(super) fn stop(&self) -> Stop {
        Stop {
            residual: 0.0,
            relative: self.tol,
            passes: self.passes,
            ..Stop::default()
        }
    }

    /// Refuses what cannot be done with these data.
    pub(super) fn check<T: Lanes>(&self, data: &Data<'_, T>) -> Result<(), Error> {
        if self.ranks.is_empty() {
            return Err(Error::Incompatible("there are no ranks to try".into()));
        }
        if self.ranks.windows(2).any(|pair| pair[0] >= pair[1]) {
            return Err(Error::Incompatible("the ranks must increase".into()));
        }
        let (most, entries) = (
            data.rows().min(data.cols()),
            data.rows() * data.cols() - data.missing(),
        );
        if let Some(rank) = self.ranks.iter().find(|rank| !(1..=most).contains(*rank)) {
            return Err(Error::Incompatible(format!(
                "rank {rank} is not possible: it must be at least 1 and at most the smaller side of the data, {most}"
            )));
        }
        if !(2..=entries).contains(&self.folds) {
            return Err(Error::Incompatible(format!(
                "{} folds are not possible: there must be at least 2, and at most as many as observed entries, {entries}",
                self.folds
            )));
        }
        error::require(
            "repeats",
            self.repeats as f64,
            self.repeats > 0,
            "at least 1",
        )?;
        error::nonnegative("tol", self.tol)?;
        error::positive("passes", self.passes)?;
        if data.square() == 0.0 {
            return Err(Error::Incompatible(
                "all observed entries are zero: there is nothing to choose a rank for".into(),
            ));
        }
        Ok(())
    }
}
