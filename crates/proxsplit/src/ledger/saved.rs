//! The ledger in a file: a list of sources with their levels.

use super::{Ledger, Level, Source};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

#[derive(Serialize, Deserialize)]
struct Entry {
    source: Source,
    level: Level,
}

impl Serialize for Ledger {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(
            self.entries()
                .map(|(source, level)| Entry { source, level }),
        )
    }
}

impl<'de> Deserialize<'de> for Ledger {
    fn deserialize<D: Deserializer<'de>>(source: D) -> Result<Self, D::Error> {
        let mut ledger = Ledger::default();
        for Entry { source, level } in Vec::<Entry>::deserialize(source)? {
            ledger.set(source, level);
        }
        Ok(ledger)
    }
}
