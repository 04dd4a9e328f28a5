//! What became of shards that were late or lost.

use proxsplit::certificate::{Assumption, Standing};
use proxsplit::ledger::{Ledger, Level, Source};
use serde::{Deserialize, Serialize};

/// Faults of a run.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub(super) struct Faults {
    /// Passes that used an old share of a shard.
    pub(super) passes: u64,
    /// Shards that have made their codes anew.
    pub(super) rebuilt: u64,
    /// Whether an old share was used since the last look.
    pub(super) is_stale: bool,
    /// The largest ‖e‖ of these, seen when a fresh share came.
    pub(super) level: Option<f64>,
}

impl Faults {
    /// Notes what old shares did since the last look, relative to the scale of the slope.
    pub(super) fn note(&mut self, ledger: &mut Ledger, scale: f64) {
        if self.is_stale {
            let level = self
                .level
                .map_or(Level::Unknown, |e| Level::Measured(e / scale));
            ledger.set(Source::Stale, level);
        }
        (self.is_stale, self.level) = (false, None);
    }

    /// What happened, if something did.
    pub(super) fn words(self) -> Option<Assumption> {
        let Self {
            passes, rebuilt, ..
        } = self;
        (passes + rebuilt > 0).then(|| Assumption {
            name: "shards",
            standing: Standing::Measured,
            text: format!(
                "every check used up-to-date contributions of all shards, although {passes} passes used an outdated one from a shard that was late or lost, and shards were rebuilt {rebuilt} times"
            ),
        })
    }
}
