//! `incremental` with codes in shards: in every step each shard visits a part of its samples, and X moves for that part alone.
//!
//! This is the automatic schedule of [`crate::method::incremental`]. Between two visits X makes a prox step of length η in the metric AAᵀ of the
//! pass before. At the end of a pass what is known of the drift is taken off the sum of the gradients, and a step of 1 in the metric of
//! the pass is left: X that fits the codes of all visits, from where the pass began.

use super::aggregated::{batches, revive};
use super::center::Center;
use super::messages::{Change, Task};
use super::sharded::Steps;
use crate::codes::largest_eigenvalue_bound;
use crate::codes::{Ahead, run_ahead};
use crate::look;
use crate::method::batch::keep_unused;
use crate::method::incremental::{BETWEEN, FLOOR, RISE, SHORTEST, SHRINK, damp, prox_step};
use crate::method::momentum::Momentum;
use crate::products::{Lanes, distance_squared, times};
use crate::settings::{Inner, Metric, Settings, Step};
use crate::visits::Batches;
use crate::work::{NEARLY_EXACT, scale_gram, scale_rows};
use proxsplit::internal::linalg::vec::{axpy, norm};
use proxsplit::ledger::{Ledger, Level, Source};
use proxsplit::solve::{Method as Kind, Setting};
use proxsplit::{Error, Lipschitz};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// The numbers of a pass.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
struct Pass {
    /// The longest step whose floor is not reached.
    cap: f64,
    /// How far ahead passes begin, and whether the next one does.
    momentum: Momentum,
    rests: bool,
    /// The largest ‖e‖ since the last look, by what was taken off.
    drift: Option<f64>,
}

const START: Pass = Pass {
    cap: 1.0,
    momentum: Momentum::START,
    rests: false,
    drift: None,
};

pub(super) struct Incremental<T> {
    batches: Batches,
    /// Xᵀ before the pass, where the pass began, and before the last pass that was not taken back.
    point: Vec<T>,
    start: Vec<T>,
    good: Vec<T>,
    /// AYᵀ and AAᵀ of the visits so far, one after the other.
    sums: Vec<T>,
    /// Σ_t H_t x^{k,t} so far.
    seen: Vec<T>,
    /// H
    metric: Vec<T>,
    pass: Pass,
    slope: Vec<T>,
    /// Room for H/η and for (H/η)X − ∇f_t.
    room: (Vec<T>, Vec<T>),
}

impl<T: Lanes> Incremental<T> {
    pub(super) fn new(center: &Center<'_, T>, settings: Settings) -> Result<Self, Error> {
        let metric = settings.metric.unwrap_or_default();
        let asked = (settings.inner, settings.step, metric, settings.codes_tol);
        if asked != (Inner::Prox, Step::Auto, Metric::Gram, None) {
            let what = "over shards, incremental supports only the step auto, the inner operator prox and the metric gram, and no tolerance for the codes";
            return Err(Error::Incompatible(what.into()));
        }
        let (x, zeros) = (&center.x, vec![T::ZERO; center.x.len()]);
        Ok(Self {
            batches: batches(center, settings)?,
            point: x.clone(),
            start: x.clone(),
            good: x.clone(),
            sums: vec![T::ZERO; center.ya.len() + center.aa.len()],
            seen: zeros.clone(),
            metric: center.aa.clone(),
            pass: START,
            slope: zeros.clone(),
            room: (center.aa.clone(), zeros),
        })
    }

    /// Goes to where the pass begins.
    fn leave(&mut self, center: &mut Center<'_, T>) {
        self.point.copy_from_slice(&center.x);
        if !self.pass.rests {
            let how = Ahead::of(self.pass.momentum.beta, center.atoms.elementary);
            run_ahead(&mut center.x, &self.point, &self.good, how);
        }
        self.start.copy_from_slice(&center.x);
        center.memory.step = self.pass.cap;
    }

    /// Adds what a visit has found: its share to the sums, its slope at X to what was seen.
    fn add(&mut self, center: &Center<'_, T>, share: &[T]) {
        let (ya, aa) = share.split_at(center.ya.len());
        times(&mut self.slope, aa, &center.x, center.rank);
        axpy(T::ONE, &self.slope, &mut self.seen);
        axpy(-T::ONE, ya, &mut self.slope);
        axpy(T::ONE, share, &mut self.sums);
    }

    /// X ← what fits the visits of the first pass so far, as if they were all: there is no metric yet.
    fn fit_seen(&mut self, center: &mut Center<'_, T>) {
        let weight = T::of(self.parts() as f64 / center.memory.visited as f64);
        let all: Vec<T> = self.sums.iter().map(|&sum| weight * sum).collect();
        center.see(&all);
        center.solve_atoms(BETWEEN);
        keep_unused(&mut center.x, &self.start, &center.aa, center.rank);
    }

    /// Notes ‖e‖ of the pass, and shortens the next step if the residual where the pass began is no larger.
    fn read_drift(&mut self, center: &Center<'_, T>) {
        let (rank, room) = (center.rank, &mut self.room.1);
        times(room, &center.aa, &self.start, rank);
        self.slope.copy_from_slice(room);
        axpy(-T::ONE, &self.seen, room);
        let drift = norm(room);
        axpy(-T::ONE, &center.ya, &mut self.slope);
        let step = 1.0 / largest_eigenvalue_bound(&center.aa, rank).max(f64::MIN_POSITIVE);
        let (residual, _) = center
            .atoms
            .residual(&self.start, &self.slope, (rank, step));
        if residual <= FLOOR * drift {
            self.pass.cap = (SHRINK * center.memory.step).max(SHORTEST);
        }
        self.pass.drift = Some(self.pass.drift.map_or(drift, |last| last.max(drift)));
    }

    fn end_pass(&mut self, center: &mut Center<'_, T>) -> Option<()> {
        center.see(&self.sums);
        self.read_drift(center);
        center.x.copy_from_slice(&self.start);
        keep_unused(&mut center.x, &self.point, &center.aa, center.rank);
        center.solve_atoms(NEARLY_EXACT);
        center.memory.displacement = distance_squared(&self.point, &center.x).sqrt();
        center.ask_sizes()?;
        self.judge(center);
        center.memory.visited = 0;
        center.memory.pass += 1;
        self.metric.copy_from_slice(&center.aa);
        damp(
            &mut self.metric,
            center.rank,
            center.rank as f64 * T::EPSILON.f64(),
        );
        self.clear();
        if look::is_time_for(center.memory.pass) && revive(center)? {
            self.start_over(center);
        } else if center.find_scales() {
            scale_rows(&mut center.x, &center.scales.atoms);
            scale_rows(&mut self.good, &center.scales.atoms);
            scale_gram(&mut self.metric, &center.scales.codes);
            let scale = Change::Scale(center.scale_of_codes());
            center.before.push(scale);
        }
        Some(())
    }

    /// Takes back a pass that raised the objective, and lets the others run ahead as it falls.
    fn judge(&mut self, center: &mut Center<'_, T>) {
        let objective = center.objective();
        let last = center.memory.objective;
        let rose = last.is_some_and(|last| objective > (1.0 + RISE) * last + center.rounding());
        if rose || !objective.is_finite() {
            center.x.copy_from_slice(&self.good);
            self.pass.cap = (0.5 * center.memory.step).max(SHORTEST);
            return;
        }
        let gain = last.map(|last| last - objective);
        self.pass.rests = self.pass.momentum.see(gain, center.rounding());
        self.good.copy_from_slice(&self.point);
        center.memory.objective = Some(objective);
    }

    fn clear(&mut self) {
        self.sums.fill(T::ZERO);
        self.seen.fill(T::ZERO);
    }
}

impl<T: Lanes> Steps<T> for Incremental<T> {
    fn step(&mut self, center: &mut Center<'_, T>) -> Option<()> {
        let memory = center.memory;
        if memory.visited == 0 {
            self.leave(center);
        }
        let part = self.batches.columns(memory.pass, memory.visited).start;
        let at = (part, self.parts());
        let x = std::mem::take(&mut center.x);
        let sum = center.ask(Task::Visit { at }, &x);
        center.x = x;
        self.add(center, &sum?.answer.sums);
        center.memory.visited += 1;
        if center.memory.visited == self.parts() {
            return self.end_pass(center);
        }
        if memory.pass == 0 {
            self.fit_seen(center);
        } else {
            let metric = (&*self.metric, center.memory.step);
            let room = (&mut *self.room.0, &mut *self.room.1);
            let how = (center.atoms, BETWEEN);
            prox_step(how, metric, &mut center.x, &self.slope, room);
        }
        Some(())
    }

    fn parts(&self) -> usize {
        self.batches.count()
    }

    fn start_over(&mut self, center: &mut Center<'_, T>) {
        for x in [&mut self.point, &mut self.start, &mut self.good] {
            x.copy_from_slice(&center.x);
        }
        self.clear();
        center.memory.visited = 0;
    }

    fn note_errors(&mut self, scale: f64, ledger: &mut Ledger) {
        let level = self.pass.drift.take();
        let level = level.map_or(Level::Unknown, |e| Level::Estimated(e / scale));
        ledger.set(Source::IncrementalDrift, level);
    }

    /// A pass makes a step of 1 in the metric of its own codes, where L is 1.
    fn describe(&self, setting: &mut Setting) {
        setting.method = Kind::Splitting;
        setting.steps = Some((1.0, 1.0));
        setting.lipschitz = Lipschitz::Estimated(1.0);
    }

    fn numbers(&self) -> Value {
        json!({ "incremental": self.pass })
    }

    fn set_numbers(&mut self, saved: &Value) -> Result<(), Error> {
        self.pass = crate::method::own_numbers(saved, "incremental")?;
        Ok(())
    }

    fn arrays(&mut self) -> Vec<(&'static str, &mut Vec<T>)> {
        vec![
            ("x-point", &mut self.point),
            ("x-start", &mut self.start),
            ("x-good", &mut self.good),
            ("sums", &mut self.sums),
            ("seen", &mut self.seen),
            ("metric", &mut self.metric),
        ]
    }
}
