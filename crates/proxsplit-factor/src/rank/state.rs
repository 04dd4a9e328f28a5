//! A search that is saved between two fits, and taken up again to the same bits.

use super::search::Current;
use super::{RankRow, RankSearch};
use crate::problem::Factors;
use crate::products::Lanes;
use crate::state::State;
use proxsplit::Error;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

const ARRAYS: [&str; 4] = ["fold-x", "fold-a", "restart-x", "restart-a"];

impl<T: Lanes> RankSearch<'_, T> {
    /// A copy of the whole state.
    pub fn state(&self) -> State<T> {
        let ranks = |all: &[Factors<T>]| all.iter().map(|one| one.rank).collect::<Vec<_>>();
        let header = json!({
            "plan": self.plan, "rows": self.rows, "current": self.current,
            "folds": ranks(&self.warm), "restarts": ranks(&self.runs),
        });
        let joined = |all: &[Factors<T>], part: fn(&Factors<T>) -> &Vec<T>| -> Vec<T> {
            all.iter().flat_map(part).copied().collect()
        };
        let numbers = [
            joined(&self.warm, |one| &one.x),
            joined(&self.warm, |one| &one.a),
            joined(&self.runs, |one| &one.x),
            joined(&self.runs, |one| &one.a),
        ];
        State {
            header,
            arrays: ARRAYS.into_iter().zip(numbers).collect(),
        }
    }

    /// Goes on from a saved state. Ranks may be added behind those that were tried; anything else that differs is refused.
    pub fn restore(
        &mut self,
        header: &Value,
        mut arrays: Vec<(String, Vec<T>)>,
    ) -> Result<(), Error> {
        self.check_plan(&header["plan"])?;
        let rows: Vec<RankRow> = read(header, "rows")?;
        let current: Current = read(header, "current")?;
        let are_first = rows
            .iter()
            .zip(&self.plan.ranks)
            .all(|(row, &rank)| row.rank == rank);
        if rows.len() > self.plan.ranks.len() || !are_first {
            return Err(bad("it tried different ranks first"));
        }
        let mut take = |name: &str| -> Result<Vec<T>, Error> {
            let at = arrays.iter().position(|(known, _)| known == name);
            at.map(|at| arrays.swap_remove(at).1)
                .ok_or_else(|| bad("an array is missing"))
        };
        let [fold_x, fold_a, restart_x, restart_a] = ARRAYS.map(&mut take);
        let warm = self.split(&read::<Vec<usize>>(header, "folds")?, &fold_x?, &fold_a?)?;
        let runs = self.split(
            &read::<Vec<usize>>(header, "restarts")?,
            &restart_x?,
            &restart_a?,
        )?;
        let fits = self.plan.held_out_fits();
        let fitted = if rows.is_empty() {
            current.errors.len()
        } else {
            fits
        };
        if !current.is_whole()
            || current.errors.len() > fits
            || warm.len() != fitted
            || runs.len() != current.objectives.len()
        {
            return Err(bad("its parts contradict each other"));
        }
        (self.rows, self.current, self.warm, self.runs) = (rows, current, warm, runs);
        Ok(())
    }

    /// Refuses a plan that would have found something else.
    fn check_plan(&self, saved: &Value) -> Result<(), Error> {
        let plan = serde_json::to_value(&self.plan).unwrap_or_default();
        let Value::Object(fields) = plan else {
            return Ok(());
        };
        let may_change = ["ranks", "patience"];
        let differs = fields
            .iter()
            .filter(|(name, _)| !may_change.contains(&name.as_str()))
            .find(|(name, value)| saved[name.as_str()] != **value);
        match differs {
            None => Ok(()),
            Some((name, value)) => Err(bad(&format!(
                "its {name} was {}, but now it is {value}",
                saved[name.as_str()]
            ))),
        }
    }

    /// Factors of some ranks from their numbers, one after the other.
    fn split(&self, ranks: &[usize], x: &[T], a: &[T]) -> Result<Vec<Factors<T>>, Error> {
        let (m, n) = (self.problem.data.rows(), self.problem.data.cols());
        let sum: usize = ranks.iter().sum();
        if ranks.contains(&0) || (x.len(), a.len()) != (sum * m, sum * n) {
            return Err(bad("an array has the wrong length"));
        }
        let (mut x, mut a) = (x, a);
        let mut all = Vec::new();
        for &rank in ranks {
            let (own_x, own_a);
            (own_x, x) = x.split_at(rank * m);
            (own_a, a) = a.split_at(rank * n);
            all.push(Factors {
                rank,
                x: own_x.to_vec(),
                a: own_a.to_vec(),
            });
        }
        Ok(all)
    }
}

fn bad(what: &str) -> Error {
    Error::Incompatible(format!("the saved state cannot be used: {what}"))
}

fn read<V: DeserializeOwned>(header: &Value, name: &str) -> Result<V, Error> {
    serde_json::from_value(header[name].clone()).map_err(|_| bad("its numbers are damaged"))
}
