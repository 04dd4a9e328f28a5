//! Everything that a run must remember to go on bit by bit as if it had never stopped.

use crate::factorization::Factorization;
use crate::graph::Graph;
use crate::problem::Factors;
use crate::products::Lanes;
use crate::work::SinglePrecision;
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
        let bad =
            |what: &str| Error::Incompatible(format!("the saved state cannot be used: {what}"));
        let expected = self.header();
        if header["settings"] != expected["settings"] {
            return Err(bad("it was made with different settings"));
        }
        if header["loss"] != expected["loss"] {
            return Err(bad("it was made with a different loss"));
        }
        if header["missing"] != expected["missing"] {
            return Err(bad("different entries were missing"));
        }
        if header["square"] != expected["square"] {
            return Err(bad("the data had different weights"));
        }
        if header["fixed"] != expected["fixed"] {
            return Err(bad("it has a different number of fixed atoms"));
        }
        if header["graphs"] != expected["graphs"] {
            return Err(bad("it was made with different graphs"));
        }
        self.work.memory = serde_json::from_value(header["memory"].clone())
            .map_err(|_| bad("its numbers are damaged"))?;
        if self.work.memory.single_precision != SinglePrecision::Now {
            self.work.refine();
        } else if !self.work.coarsen() {
            return Err(bad(
                "its passes were in single precision, which this problem does not allow",
            ));
        }
        self.method.set_numbers(&header["engine"], &self.work)?;
        let mut found: HashMap<String, Vec<T>> = arrays.into_iter().collect();
        for (name, array) in self.arrays() {
            let saved = found
                .remove(name)
                .ok_or_else(|| bad("an array is missing"))?;
            if saved.len() != array.len() {
                return Err(bad("an array has the wrong length"));
            }
            *array = saved;
        }
        let problem = &self.work.problem;
        let changed = problem
            .fixed
            .first_changed(&self.work.factors.x, problem.rank);
        if let Some(atom) = changed {
            return Err(bad(&format!("its fixed atom {atom} is a different one")));
        }
        self.kept = self.pair(&mut found, ["x-kept", "a-kept"])?;
        if let Some((name, measured)) = self.method.measured() {
            let expected = self.work.factors.x.len();
            *measured = found.remove(name).filter(|m| m.len() == expected);
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
    fn extras(&mut self) -> Vec<(&'static str, Vec<T>)> {
        let mut extras = Vec::new();
        if let Some(kept) = &self.kept {
            extras.extend([("x-kept", kept.x.clone()), ("a-kept", kept.a.clone())]);
        }
        if let Some((name, Some(measured))) = self.method.measured() {
            extras.push((name, measured.clone()));
        }
        extras
    }

    fn header(&self) -> Value {
        let engine = self.method.numbers();
        let mut header =
            json!({ "settings": self.settings, "memory": self.work.memory, "engine": engine });
        let loss = self.work.problem.loss;
        if !loss.is_usual() {
            header["loss"] = loss.to_string().into();
        }
        let missing = self.work.problem.data.missing();
        if missing > 0 {
            header["missing"] = missing.into();
        }
        let data = self.work.problem.data;
        if data.is_weighted() {
            header["square"] = data.square().into();
        }
        let fixed = self.work.problem.fixed.count();
        if fixed > 0 {
            header["fixed"] = fixed.into();
        }
        let graphs = self.work.problem.graphs;
        if graphs.are_there() {
            let digest = |graph: Option<&Graph<T>>| graph.map(Graph::digest);
            header["graphs"] = json!([digest(graphs.atoms), digest(graphs.codes)]);
        }
        header
    }

    fn arrays(&mut self) -> Vec<(&'static str, &mut Vec<T>)> {
        let factors = &mut self.work.factors;
        let mut arrays = vec![("x", &mut factors.x), ("a", &mut factors.a)];
        arrays.extend(self.method.arrays());
        arrays
    }
}
