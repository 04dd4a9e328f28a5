//! `aggregated` with codes in shards: in every step each shard visits a part of its samples, and X is improved for the shares of all parts.

use super::batch::WORTH;
use super::center::{Center, rescale};
use super::messages::{Change, Task};
use super::sharded::Steps;
use crate::codes::Effort;
use crate::look;
use crate::products::{Lanes, distance_squared};
use crate::settings::Settings;
use crate::visits::Batches;
use crate::work::scale_rows;
use proxsplit::Error;
use proxsplit::internal::linalg::vec::{axpy, scale};
use proxsplit::order::VisitOrder;
use serde_json::{Value, json};

/// Sweeps over X at every visit.
const ATOMS: Effort = Effort {
    sweeps: 4,
    tolerance: 1e-2,
};
/// Parts of a pass, if nothing else is said: every one sends X and takes back a share, as a whole pass of `batch` does.
const PARTS: usize = 4;

pub(super) struct Aggregated<T> {
    batches: Batches,
    /// AYᵀ and AAᵀ of every part, one after the other.
    shares: Vec<T>,
    /// Which parts have a share.
    seen: Vec<bool>,
    before: Vec<T>,
}

/// The parts of a pass, as many as mini-batches of the columns that are asked for. Every pass visits all of them.
pub(super) fn batches<T: Lanes>(
    center: &Center<'_, T>,
    settings: Settings,
) -> Result<Batches, Error> {
    let cols = center.shape.1;
    let parts = match settings.batch {
        None => PARTS.min(cols),
        Some(size) => {
            proxsplit::error::require("batch", size as f64, size > 0, "at least 1")?;
            cols.div_ceil(size)
        }
    };
    let order = match settings.order {
        VisitOrder::Random => VisitOrder::Reshuffled,
        order => order,
    };
    Batches::new(parts, 1, order, settings.seed)
}

impl<T: Lanes> Aggregated<T> {
    pub(super) fn new(center: &Center<'_, T>, settings: Settings) -> Result<Self, Error> {
        let batches = batches(center, settings)?;
        let parts = batches.count();
        let length = center.ya.len() + center.aa.len();
        Ok(Self {
            batches,
            shares: vec![T::ZERO; parts * length],
            seen: vec![false; parts],
            before: center.x.clone(),
        })
    }

    /// Shows the sum of all shares. In the first pass, what was seen stands for all.
    fn show(&self, center: &mut Center<'_, T>) {
        let length = center.ya.len() + center.aa.len();
        let mut sum = vec![T::ZERO; length];
        for share in self.shares.chunks_exact(length) {
            axpy(T::ONE, share, &mut sum);
        }
        let seen = self.seen.iter().filter(|seen| **seen).count();
        let weight = T::of(self.seen.len() as f64 / seen as f64);
        scale(weight, &mut sum);
        center.see(&sum);
    }

    fn end_pass(&mut self, center: &mut Center<'_, T>) -> Option<()> {
        center.memory.visited = 0;
        center.memory.pass += 1;
        let is_whole = center.ask_sizes()?;
        center.memory.objective = Some(center.objective()).filter(|_| is_whole);
        if look::is_time_for(center.memory.pass) && revive(center)? {
            self.start_over(center);
        } else if center.find_scales() {
            scale_rows(&mut center.x, &center.scales.atoms);
            let (rows, length) = (center.ya.len(), center.ya.len() + center.aa.len());
            for share in self.shares.chunks_exact_mut(length) {
                rescale(share, rows, &center.scales.codes);
            }
            let scale = Change::Scale(center.scale_of_codes());
            center.before.push(scale);
        }
        Some(())
    }
}

/// Whether an atom that no sample uses was replaced.
pub(super) fn revive<T: Lanes>(center: &mut Center<'_, T>) -> Option<bool> {
    let Some(&place) = center.unused_atoms().first() else {
        return Some(false);
    };
    let x = std::mem::take(&mut center.x);
    let found = center.escape(place, false, &x);
    center.x = x;
    let worth = WORTH * center.memory.objective.unwrap_or(0.0);
    let found = found.filter(|found| found.gain > worth);
    if let Some(found) = &found {
        center.replace(found, false);
    }
    center.failure.is_none().then_some(found.is_some())
}

impl<T: Lanes> Steps<T> for Aggregated<T> {
    fn step(&mut self, center: &mut Center<'_, T>) -> Option<()> {
        let memory = center.memory;
        let part = self.batches.columns(memory.pass, memory.visited).start;
        self.before.copy_from_slice(&center.x);
        let task = Task::Visit {
            at: (part, self.seen.len()),
        };
        let sum = center.ask(task, &self.before)?;
        let length = sum.answer.sums.len();
        self.shares[part * length..][..length].copy_from_slice(&sum.answer.sums);
        self.seen[part] = true;
        self.show(center);
        center.solve_atoms(ATOMS);
        center.memory.displacement = distance_squared(&self.before, &center.x).sqrt();
        center.memory.visited += 1;
        if center.memory.visited == self.seen.len() {
            self.end_pass(center)?;
        }
        Some(())
    }

    fn parts(&self) -> usize {
        self.seen.len()
    }

    fn start_over(&mut self, center: &mut Center<'_, T>) {
        self.shares.fill(T::ZERO);
        self.seen.fill(false);
        center.memory.visited = 0;
    }

    fn numbers(&self) -> Value {
        json!({ "aggregated": self.seen })
    }

    fn set_numbers(&mut self, saved: &Value) -> Result<(), Error> {
        let seen: Vec<bool> = crate::method::own_numbers(saved, "aggregated")?;
        if seen.len() != self.seen.len() {
            let what = "the saved state cannot be used: a pass has a different number of parts";
            return Err(Error::Incompatible(what.into()));
        }
        self.seen = seen;
        Ok(())
    }

    fn arrays(&mut self) -> Vec<(&'static str, &mut Vec<T>)> {
        vec![("shares", &mut self.shares)]
    }
}
