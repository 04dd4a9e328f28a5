//! What the center of a run must remember. With the codes of the shards the run goes on bit by bit; without them, from X.

use super::faults::Faults;
use super::messages::Change;
use super::sharded::Sharded;
use crate::products::Lanes;
use crate::state::State;
use proxsplit::Error;
use serde_json::{Value, json};
use std::collections::HashMap;

impl<T: Lanes> Sharded<'_, T> {
    /// A copy of the state, but for what the shards have.
    pub fn state(&mut self) -> State<T> {
        let header = self.header();
        let arrays = self.arrays().into_iter();
        let mut arrays: Vec<_> = arrays.map(|(name, array)| (name, array.clone())).collect();
        if let Some(kept) = &self.kept {
            arrays.push(("x-kept", kept.clone()));
        }
        State { header, arrays }
    }

    /// Puts a state in the place of what is there.
    pub(super) fn restore(
        &mut self,
        header: &Value,
        arrays: Vec<(String, Vec<T>)>,
    ) -> Result<(), Error> {
        let bad =
            |what: &str| Error::Incompatible(format!("the saved state cannot be used: {what}"));
        let expected = self.header();
        for (name, words) in [
            ("settings", "it was made with different settings"),
            ("data", "it was made with different data"),
        ] {
            if header[name] != expected[name] {
                return Err(bad(words));
            }
        }
        let damaged = || bad("its numbers are damaged");
        let read = |name: &str| header[name].clone();
        self.center.memory = serde_json::from_value(read("memory")).map_err(|_| damaged())?;
        let faults: Faults = serde_json::from_value(read("faults")).map_err(|_| damaged())?;
        let before: Vec<Change> = serde_json::from_value(read("before")).map_err(|_| damaged())?;
        self.kept_numbers = serde_json::from_value(read("kept")).map_err(|_| damaged())?;
        let sizes: Vec<f64> = serde_json::from_value(read("sizes")).map_err(|_| damaged())?;
        if sizes.len() != self.center.sizes.len() {
            return Err(damaged());
        }
        (self.center.faults, self.center.before, self.center.sizes) = (faults, before, sizes);
        self.steps.set_numbers(&header["engine"])?;
        let mut found: HashMap<String, Vec<T>> = arrays.into_iter().collect();
        for (name, array) in self.arrays() {
            let saved = found
                .remove(name)
                .filter(|saved| saved.len() == array.len())
                .ok_or_else(|| bad("an array is missing or has the wrong length"))?;
            *array = saved;
        }
        self.kept = found
            .remove("x-kept")
            .filter(|kept| kept.len() == self.center.x.len());
        Ok(())
    }

    fn header(&self) -> Value {
        let center = &self.center;
        json!({
            "settings": self.settings,
            "memory": center.memory,
            "engine": self.steps.numbers(),
            "before": center.before,
            "sizes": center.sizes,
            "faults": center.faults,
            "kept": self.kept_numbers,
            "data": { "shape": center.shape, "square": center.square },
        })
    }

    fn arrays(&mut self) -> Vec<(&'static str, &mut Vec<T>)> {
        let mut arrays = vec![("x", &mut self.center.x)];
        arrays.extend(self.steps.arrays());
        arrays
    }
}
