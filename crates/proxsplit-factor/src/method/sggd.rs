//! `sggd`: the stochastic generalized (sub)gradient method, the paper's baseline.
//!
//! X ← Π(X − η_k(∇f_t(X) + (|t|/T)·s)), s ∈ ∂ψ₀(X), η_k = η₀/(L·(1 + k/batches)^p), Π the projection on the box of X.
//!
//! With a metric H of the pass, X ← Π_H(X − η_k H⁻¹(∇f_t(X) + (|t|/T)·s)) with η_k = η₀/(1 + k)^p in pass k and the projection in that
//! metric too: the step of `incremental`, but for the subgradient in the place of the prox and the last point of a pass as its outcome.

use super::incremental::{BETWEEN, step_for_share};
use super::pass_metric::{gram_of_codes, shape, step_of_pass};
use super::{Method, own_numbers};
use crate::codes::largest_eigenvalue_bound;
use crate::misfit::Share;
use crate::products::{Lanes, distance_squared};
use crate::settings::{Metric, Step};
use crate::visits::Batches;
use crate::work::Work;
use proxsplit::ledger::{Ledger, Level, Source};
use proxsplit::solve::{Method as Kind, Setting};
use proxsplit::{Elementary, Error};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// The state of the method.
pub(crate) struct Sggd<T> {
    batches: Batches,
    /// η₀ and p
    schedule: (f64, f64),
    /// ψ₀, which must be elementary: a subgradient of it is needed.
    term: Elementary,
    pass: Pass,
    share: Share<T>,
    /// The slope of the batch, transposed.
    slope: Vec<T>,
    metric: Option<InMetric<T>>,
    /// Whether the scale between X and A is set anew after every pass.
    rescales: bool,
}

/// The metric of a pass, with room for a step in it.
struct InMetric<T> {
    choice: Metric,
    matrix: Vec<T>,
    linear: Vec<T>,
    before: Vec<T>,
}

/// The numbers of a pass.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
struct Pass {
    /// Σ f_t − ½‖Y‖² so far.
    sum: f64,
    /// The largest curvature of a batch so far.
    lipschitz: f64,
}

impl<T: Lanes> Sggd<T> {
    pub(crate) fn new(
        work: &Work<'_, T>,
        batches: Batches,
        (schedule, metric, rescales): ((f64, f64), Option<Metric>, bool),
        term: Elementary,
    ) -> Self {
        let rank = work.problem.rank;
        Self {
            metric: metric.map(|choice| InMetric {
                choice,
                matrix: vec![T::ZERO; rank * rank],
                linear: work.factors.x.clone(),
                before: work.factors.x.clone(),
            }),
            rescales,
            batches,
            schedule,
            term,
            pass: Pass {
                sum: 0.0,
                lipschitz: 0.0,
            },
            share: Share::new(rank, work.problem.data.rows()),
            slope: vec![T::ZERO; work.factors.x.len()],
        }
    }

    /// A step of plain length; returns how far X has moved.
    fn descend(&mut self, work: &mut Work<'_, T>, step: f64, share: f64) -> f64 {
        let Elementary {
            l1,
            sql2,
            lower,
            upper,
        } = self.term;
        let (l1, sql2, step) = (T::of(l1 * share), T::of(sql2 * share), T::of(step));
        let (lower, upper) = (T::of(lower), T::of(upper));
        let mut moved = 0.0;
        let (rank, first) = (work.problem.rank, work.atoms.first());
        let entries = work.factors.x.iter_mut().zip(&self.slope).enumerate();
        for (_, (x, &gradient)) in entries.filter(|(at, _)| at % rank >= first) {
            let new = (*x - step * (gradient + l1 * sign(*x) + sql2 * *x))
                .max(lower)
                .min(upper);
            moved += (new - *x).f64() * (new - *x).f64();
            *x = new;
        }
        moved.sqrt()
    }

    /// One step of plain length, whose reference is the largest curvature of a batch so far.
    fn plain_step(&mut self, work: &mut Work<'_, T>, share: f64) {
        let bound = largest_eigenvalue_bound(&self.share.curvature, work.problem.rank);
        self.pass.lipschitz = self.pass.lipschitz.max(bound).max(f64::MIN_POSITIVE);
        let done = work.memory.iteration as f64 / self.batches.count() as f64;
        let (first, power) = self.schedule;
        let step = first / (self.pass.lipschitz * (1.0 + done).powf(power));
        work.memory.step = step;
        self.share.slope(&mut self.slope, &work.factors.x);
        work.memory.displacement = self.descend(work, step, share);
    }

    /// One step in the metric of the pass, which begins if this is its first batch, of `seen` columns.
    fn metric_step(&mut self, work: &mut Work<'_, T>, seen: usize, share: f64) {
        let (rank, (first, power)) = (work.problem.rank, self.schedule);
        let Some(metric) = &mut self.metric else {
            return;
        };
        if work.memory.visited == 0 {
            gram_of_codes(&mut metric.matrix, work, (&self.share.curvature, seen));
            let choice = (metric.choice, rank);
            shape(&mut metric.matrix, choice, rank as f64 * T::EPSILON.f64());
            work.memory.step =
                step_of_pass(Step::Diminishing { first, power }, work.memory.pass, 1.0);
        }
        // What the subgradient of the penalty adds to the gradient, its linear term loses.
        let (l1, sql2) = (T::of(self.term.l1 * share), T::of(self.term.sql2 * share));
        for (linear, &x) in self.share.linear.iter_mut().zip(&work.factors.x) {
            *linear -= l1 * sign(x) + sql2 * x;
        }
        metric.before.copy_from_slice(&work.factors.x);
        let of_pass = (&*metric.matrix, work.memory.step);
        let of_batch = (&mut *self.share.curvature, &*self.share.linear);
        let how = (work.atoms.box_alone(), BETWEEN);
        let (x, room) = (&mut work.factors.x, &mut metric.linear);
        step_for_share(how, of_pass, x, of_batch, room);
        work.memory.displacement = distance_squared(&metric.before, &work.factors.x).sqrt();
    }

    fn end_pass(&mut self, work: &mut Work<'_, T>) {
        let rank = work.problem.rank;
        let objective = work.misfit.size()
            + self.pass.sum
            + work.atoms.value(&work.factors.x, rank)
            + work.codes.value(&work.factors.a, rank);
        work.memory.objective = Some(objective);
        self.pass.sum = 0.0;
        work.memory.visited = 0;
        work.memory.pass += 1;
        if self.rescales && work.balance().find(&mut work.scales, &work.factors) {
            work.factors.scale(&work.scales);
        }
    }
}

/// A subgradient of |x|.
fn sign<T: Lanes>(x: T) -> T {
    if x > T::ZERO {
        T::ONE
    } else if x < T::ZERO {
        -T::ONE
    } else {
        T::ZERO
    }
}

impl<T: Lanes> Method<T> for Sggd<T> {
    /// One batch.
    fn step(&mut self, work: &mut Work<'_, T>) {
        let rank = work.problem.rank;
        let range = self.batches.columns(work.memory.pass, work.memory.visited);
        let part = range.start * rank..range.end * rank;
        let x = std::mem::take(&mut work.factors.x);
        work.solve_codes(&x, range.clone(), work.effort);
        work.factors.x = x;
        let codes = &work.factors.a[part];
        let seen = range.len();
        let share = seen as f64 / work.problem.data.cols() as f64;
        if let Some(shares) = work.misfit.shares() {
            self.pass.sum += shares.share(&work.factors.x, codes, range, &mut self.share);
        }
        match self.metric {
            None => self.plain_step(work, share),
            Some(_) => self.metric_step(work, seen, share),
        }
        work.memory.visited += 1;
        if work.memory.visited == self.batches.count() {
            self.end_pass(work);
        }
    }

    fn batches(&self) -> Option<&Batches> {
        Some(&self.batches)
    }

    fn start_over(&mut self, work: &mut Work<'_, T>) {
        work.memory.visited = 0;
    }

    fn note_errors(&mut self, _: &Work<'_, T>, _: &[T], _: f64, ledger: &mut Ledger) {
        ledger.set(Source::Sampling, Level::Unknown);
    }

    fn describe(&self, setting: &mut Setting) {
        setting.method = Kind::Subgradient;
    }

    fn numbers(&self) -> Value {
        json!({ "sggd": self.pass })
    }

    fn set_numbers(&mut self, saved: &Value, _: &Work<'_, T>) -> Result<(), Error> {
        self.pass = own_numbers(saved, "sggd")?;
        Ok(())
    }

    fn arrays(&mut self) -> Vec<(&'static str, &mut Vec<T>)> {
        let metric = self.metric.as_mut().map(|metric| &mut metric.matrix);
        metric
            .map(|matrix| ("metric", matrix))
            .into_iter()
            .collect()
    }
}
