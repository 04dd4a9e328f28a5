//! Everything that a run must remember to go on bit by bit as if it had never stopped.

use crate::batch::Batch;
use crate::engine::Engine;
use crate::factorization::Factorization;
use crate::problem::Factors;
use crate::products::Lanes;
use crate::settings::Method;
use proxsplit::Error;
use serde_json::{Value, json};
use std::collections::HashMap;

/// Numbers and arrays of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct State<T> {
    /// Settings and numbers; floats survive printing and parsing.
    pub header: Value,
    /// Named arrays.
    pub arrays: Vec<(&'static str, Vec<T>)>,
}

impl<T: Lanes> Factorization<'_, T> {
    /// A copy of the whole state.
    pub fn state(&mut self) -> State<T> {
        let header = self.header();
        let extras = self.extras();
        let arrays = self.arrays().into_iter();
        let arrays = arrays.map(|(name, array)| (name, array.clone()));
        let arrays = arrays.chain(extras).collect();
        State { header, arrays }
    }

    /// Goes on from a saved state; refused if it comes from other settings or another problem.
    pub fn restore(&mut self, header: &Value, arrays: Vec<(String, Vec<T>)>) -> Result<(), Error> {
        let bad = |what: &str| Error::Incompatible(format!("the saved state does not fit: {what}"));
        let mut expected = self.header();
        if header["settings"] != expected["settings"] {
            return Err(bad("it was made with other settings"));
        }
        if header["missing"] != expected["missing"] {
            return Err(bad("other entries were missing"));
        }
        self.work.memory = serde_json::from_value(header["memory"].clone())
            .map_err(|_| bad("its numbers are damaged"))?;
        if header["engine"]["batch"].is_object() && !matches!(self.engine, Engine::Batch(_)) {
            if self.settings.method != Method::Auto {
                return Err(bad("it was made by another method"));
            }
            self.engine = Engine::Batch(Batch::new(&self.work.factors));
            expected = self.header();
        }
        let kind = |header: &Value| {
            header["engine"]
                .as_object()
                .and_then(|e| e.keys().next().cloned())
        };
        if kind(header) != kind(&expected) {
            return Err(bad("it was made by another method"));
        }
        self.set_numbers(&header["engine"])
            .map_err(|_| bad("its numbers are damaged"))?;
        let mut found: HashMap<String, Vec<T>> = arrays.into_iter().collect();
        for (name, array) in self.arrays() {
            let saved = found
                .remove(name)
                .ok_or_else(|| bad("an array is missing"))?;
            if saved.len() != array.len() {
                return Err(bad("an array has another length"));
            }
            *array = saved;
        }
        self.kept = self.pair(&mut found, ["x-kept", "a-kept"])?;
        if let Engine::Incremental(incremental) = &mut self.engine {
            let expected = incremental.sum.len();
            incremental.exact = found.remove("exact").filter(|e| e.len() == expected);
        }
        self.looked = None;
        Ok(())
    }

    /// Factors among saved arrays, if they are there.
    fn pair(
        &self,
        found: &mut HashMap<String, Vec<T>>,
        [x, a]: [&str; 2],
    ) -> Result<Option<Factors<T>>, Error> {
        let factors = found.remove(x).zip(found.remove(a)).map(|(x, a)| Factors {
            rank: self.work.problem.rank,
            x,
            a,
        });
        if let Some(factors) = &factors {
            self.work.problem.fits(factors)?;
        }
        Ok(factors)
    }

    /// Arrays that are there at times: the point that was kept, and the gradient where a pass began.
    fn extras(&self) -> Vec<(&'static str, Vec<T>)> {
        let mut extras = Vec::new();
        if let Some(kept) = &self.kept {
            extras.extend([("x-kept", kept.x.clone()), ("a-kept", kept.a.clone())]);
        }
        if let Engine::Incremental(incremental) = &self.engine
            && let Some(exact) = &incremental.exact
        {
            extras.push(("exact", exact.clone()));
        }
        extras
    }

    fn header(&self) -> Value {
        let engine = match &self.engine {
            Engine::Batch(batch) => json!({ "batch": batch.extrapolation }),
            Engine::Aggregated(aggregated) => json!({ "aggregated": aggregated.seen }),
            Engine::Incremental(incremental) => json!({ "incremental": incremental.pass }),
            Engine::Sggd(sggd) => json!({ "sggd": sggd.pass }),
        };
        let mut header =
            json!({ "settings": self.settings, "memory": self.work.memory, "engine": engine });
        let missing = self.work.problem.data.missing();
        if missing > 0 {
            header["missing"] = missing.into();
        }
        header
    }

    fn set_numbers(&mut self, engine: &Value) -> serde_json::Result<()> {
        match &mut self.engine {
            Engine::Batch(batch) => {
                batch.extrapolation = serde_json::from_value(engine["batch"].clone())?;
            }
            Engine::Aggregated(aggregated) => {
                aggregated.seen = serde_json::from_value(engine["aggregated"].clone())?;
            }
            Engine::Incremental(incremental) => {
                incremental.pass = serde_json::from_value(engine["incremental"].clone())?;
            }
            Engine::Sggd(sggd) => sggd.pass = serde_json::from_value(engine["sggd"].clone())?,
        }
        Ok(())
    }

    fn arrays(&mut self) -> Vec<(&'static str, &mut Vec<T>)> {
        let factors = &mut self.work.factors;
        let mut arrays = vec![("x", &mut factors.x), ("a", &mut factors.a)];
        match &mut self.engine {
            Engine::Batch(batch) => arrays.extend([
                ("x-old", &mut batch.old.x),
                ("a-old", &mut batch.old.a),
                ("x-ahead", &mut batch.ahead.x),
                ("a-ahead", &mut batch.ahead.a),
                ("x-plain", &mut batch.plain.x),
                ("a-plain", &mut batch.plain.a),
            ]),
            Engine::Aggregated(aggregated) => {
                arrays.extend([("aa", &mut aggregated.ga), ("ay", &mut aggregated.ya)]);
            }
            Engine::Incremental(incremental) => arrays.extend([
                ("x-start", &mut incremental.start),
                ("gradient", &mut incremental.sum),
                ("seen", &mut incremental.seen),
                ("metric", &mut incremental.metric),
                ("curvature", &mut incremental.curvature),
                ("x-good", &mut incremental.good),
            ]),
            Engine::Sggd(_) => {}
        }
        arrays
    }
}
