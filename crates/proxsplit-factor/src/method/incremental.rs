//! `incremental`: eq.32 on mini-batches of columns, in the metric H = AAᵀ, or with H = ‖AAᵀ‖·I in its plain form.
//!
//! x^{k,t+1} = O(x^{k,t} − η∇f_t(x^{k,t})), xᵏ⁺¹ = M(xᵏ − ηΣ_t ∇f_t(x^{k,t})), where M is the prox in the metric H/η and O is the
//! same or the identity. In this metric η is about 1 for the sum of all terms, whatever the data's scale.
//!
//! The automatic schedule knows most of the drift e = Σ[∇f_t(xᵏ) − ∇f_t(x^{k,t})]: for the codes of the pass it is Σ H_t(xᵏ − x^{k,t}),
//! which costs next to nothing. M takes that part off the sum and makes a step of 1 in the metric Σ H_t; what is left is the error of codes
//! that belong to x^{k,t}, whose level falls with η. While the residual at xᵏ stands clear of what was taken off, η is kept;
//! once they are at one level it shrinks. And passes begin ahead of xᵏ, as those of `batch` do: in xᵏ⁺¹ that is one more error of the
//! gradient, H(x̂ᵏ − xᵏ), which vanishes where X settles, and it is measured with the others. With a scalar metric the automatic schedule
//! only shortens η: the iteration is eq.32 as it is printed.

mod close;
mod drift;
mod metric;
mod pass;
mod steps;
#[cfg(test)]
mod tests;

use super::momentum::Momentum;
use super::pass_metric::{gram_of_codes, shape, step_of_pass};
use super::{Method, own_numbers};
use crate::codes::{Ahead, Effort, Term, run_ahead};
use crate::misfit::Share;
use crate::products::{Lanes, add, copy, times_difference, times_plus};
use crate::settings::{Inner, Metric, Step};
use crate::visits::Batches;
use crate::work::{NEARLY_EXACT, Work};
use drift::Known;
pub(crate) use drift::{FLOOR, SHRINK};
pub(crate) use pass::RISE;
use proxsplit::internal::linalg::vec::axpy;
use proxsplit::internal::scratch;
use proxsplit::ledger::{Ledger, Level, Source};
use proxsplit::solve::{Method as Kind, Setting};
use proxsplit::{Error, Lipschitz};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::borrow::Cow;
use std::ops::Range;
pub(crate) use steps::{prox_step, step_for_share};

/// The shortest automatic step.
pub(crate) const SHORTEST: f64 = 1e-3;
/// With O = identity nothing holds the points of a pass back in directions that the codes hardly use: this fraction of the mean
/// curvature is added to the metric there. With O = prox only rounding must be kept away.
const DAMPING: f64 = 1e-2;
/// Sweeps over X between two batches: what they lack of O is part of the drift.
pub(crate) const BETWEEN: Effort = Effort {
    sweeps: 4,
    tolerance: 3e-2,
};

/// The numbers of a pass.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
struct Pass {
    /// Σ f_t − ½‖Y‖² so far.
    sum: f64,
    /// Whether AAᵀ of the codes of the pass before is the metric of an automatic schedule, which the new codes of the first batch are not
    /// worth another Gram matrix to.
    has_metric: bool,
    /// The longest step whose floor is not reached.
    cap: f64,
    /// How far ahead the passes of an automatic schedule begin, and whether the next one does.
    momentum: Momentum,
    rests: bool,
    /// The largest ‖e‖ since the last look: measured if a pass began at a look, else estimated. What the codes lack of exact ones is part
    /// of a measured one.
    drift: Option<Level>,
    /// What is known of the steps so far.
    known: Known,
}

/// The state of the method.
pub(crate) struct Incremental<T> {
    batches: Batches,
    inner: Inner,
    step: Step,
    choice: Metric,
    /// Xᵀ before the pass.
    point: Vec<T>,
    /// Xᵀ where the pass began, which may be ahead of that.
    start: Vec<T>,
    /// Σ_t C_t so far, where ∇f_t(x) = H_t x − C_t at the start of the pass.
    linear: Vec<T>,
    /// Σ_t H_t(start − x^{k,t}) so far, which is 0 after the first batch and is written by the second.
    drift: Vec<T>,
    /// H
    metric: Vec<T>,
    /// Σ_t H_t so far.
    curvature: Vec<T>,
    pass: Pass,
    share: Share<T>,
    /// Gradients, and the linear terms of steps.
    room: Vec<T>,
    /// ∇f at the start of the pass, if it was measured there.
    exact: Option<Vec<T>>,
    /// Xᵀ at the start of the last pass that was not taken back.
    good: Vec<T>,
    is_sampled: bool,
}

impl<T: Lanes> Incremental<T> {
    pub(crate) fn new(work: &Work<'_, T>, batches: Batches, choice: (Inner, Step, Metric)) -> Self {
        let rank = work.problem.rank;
        let zeros = vec![T::ZERO; work.factors.x.len()];
        let (inner, step, choice) = choice;
        Self {
            inner,
            step,
            choice,
            point: work.factors.x.clone(),
            start: work.factors.x.clone(),
            linear: zeros.clone(),
            drift: zeros.clone(),
            metric: vec![T::ZERO; rank * rank],
            curvature: vec![T::ZERO; rank * rank],
            pass: Pass {
                sum: 0.0,
                has_metric: false,
                cap: 1.0,
                momentum: Momentum::START,
                rests: false,
                drift: None,
                known: Known::default(),
            },
            share: Share::new(rank, work.problem.data.rows()),
            room: zeros,
            exact: None,
            good: work.factors.x.clone(),
            is_sampled: batches.is_sampled(),
            batches,
        }
    }

    /// Adds what a batch has found at X, which left the start of the pass before it unless it is the first.
    fn take_share(&mut self, work: &mut Work<'_, T>, range: Range<usize>) {
        axpy(T::ONE, &self.share.curvature, &mut self.curvature);
        if work.memory.visited == 0 {
            return std::mem::swap(&mut self.linear, &mut self.share.linear);
        }
        add(T::ONE, &self.share.linear, &mut self.linear);
        let drift = (&mut *self.drift, work.memory.visited > 1);
        let moved = (&*self.start, &*work.factors.x);
        times_difference(drift, &self.share.curvature, moved, work.problem.rank);
        self.see_gaps(work, range);
    }

    /// Rows with gaps or with small weights have less curvature than H_t. What (start − x^{k,t}) lacks by it is no drift, but belongs
    /// to C_t at the start of the pass.
    fn see_gaps(&mut self, work: &mut Work<'_, T>, range: Range<usize>) {
        let data = work.problem.data;
        if data.missing() == 0 && data.weights().features.is_none() {
            return;
        }
        let rank = work.problem.rank;
        self.room.copy_from_slice(&self.start);
        axpy(-T::ONE, &work.factors.x, &mut self.room);
        let codes = &work.factors.a[range.start * rank..range.end * rank];
        let Some(shares) = work.misfit.shares() else {
            return;
        };
        scratch::with(self.room.len(), |lacking: &mut [T]| {
            lacking.fill(T::ZERO);
            shares.add_lacking(lacking, &self.room, (codes, &self.share), range);
            axpy(T::ONE, lacking, &mut self.linear);
            axpy(-T::ONE, lacking, &mut self.drift);
        });
    }

    /// sum ← Σ_t ∇f_t(x^{k,t}) of so many batches.
    fn sum_gradients(&self, sum: &mut [T], batches: usize) {
        let rank = self.curvature.len().isqrt();
        let less = (-T::ONE, &*self.linear);
        times_plus(sum, (&self.curvature, &self.start), less, rank);
        if batches > 1 {
            add(-T::ONE, &self.drift, sum);
        }
    }

    /// Whether what is known of the drift is taken off and passes begin ahead.
    fn runs_ahead(&self) -> bool {
        self.step == Step::Auto && self.choice == Metric::Gram
    }

    /// Goes to where the next pass begins.
    fn leave(&mut self, work: &mut Work<'_, T>) {
        if !self.runs_ahead() || self.pass.rests {
            return copy(&mut self.point, &work.factors.x);
        }
        // What runs ahead is written anew.
        std::mem::swap(&mut self.point, &mut work.factors.x);
        let how = Ahead::of(self.pass.momentum.beta, work.atoms.elementary);
        run_ahead(&mut work.factors.x, &self.point, &self.good, how);
        // Bounds of free atoms are none of fixed ones.
        work.problem
            .fixed
            .put(&mut work.factors.x, work.problem.rank);
    }

    /// η of M.
    fn whole_step(&self, work: &Work<'_, T>) -> f64 {
        if self.runs_ahead() {
            1.0
        } else {
            work.memory.step
        }
    }

    /// The metric and the step of a pass. The first pass has no codes yet but those of its first batch.
    fn begin_pass(&mut self, work: &mut Work<'_, T>, seen: usize) {
        let rank = work.problem.rank;
        copy(&mut self.start, &work.factors.x);
        if !(self.runs_ahead() && self.pass.has_metric) {
            gram_of_codes(&mut self.metric, work, (&self.share.curvature, seen));
        }
        let damping = match self.inner {
            Inner::Prox => rank as f64 * T::EPSILON.f64(),
            Inner::Identity => DAMPING,
        };
        shape(&mut self.metric, (self.choice, rank), damping);
        work.memory.step = step_of_pass(self.step, work.memory.pass, self.pass.cap);
        let step = self.whole_step(work);
        let (least, greatest) = self.pass.known.steps.unwrap_or((step, step));
        self.pass.known.steps = Some((least.min(step), greatest.max(step)));
    }

    /// X ← O(X − η∇f_t(X)) for the batch that was seen last.
    fn step_between(&mut self, work: &mut Work<'_, T>) {
        let term = match self.inner {
            Inner::Prox => work.atoms,
            Inner::Identity => Term::unconstrained(work.atoms),
        };
        // What the first batch has found is all so far.
        let linear = match work.memory.visited {
            1 => &self.linear,
            _ => &self.share.linear,
        };
        let metric = (&*self.metric, work.memory.step);
        let share = (&mut *self.share.curvature, &**linear);
        step_for_share(
            (term, BETWEEN),
            metric,
            &mut work.factors.x,
            share,
            &mut self.room,
        );
    }

    /// Forgets the sums of a pass; those of whole factors are written anew by the first batch.
    fn clear(&mut self) {
        self.curvature.fill(T::ZERO);
        self.pass.sum = 0.0;
    }
}

impl<T: Lanes> Method<T> for Incremental<T> {
    /// One batch.
    fn step(&mut self, work: &mut Work<'_, T>) {
        let rank = work.problem.rank;
        if work.memory.visited == 0 {
            self.leave(work);
        }
        let range = self.batches.columns(work.memory.pass, work.memory.visited);
        let part = range.start * rank..range.end * rank;
        let x = std::mem::take(&mut work.factors.x);
        work.solve_codes(&x, range.clone(), work.effort);
        work.factors.x = x;
        let codes = &work.factors.a[part];
        if let Some(shares) = work.misfit.shares() {
            self.pass.sum += shares.share(&work.factors.x, codes, range.clone(), &mut self.share);
        }
        if work.memory.visited == 0 {
            self.begin_pass(work, range.len());
        }
        if let Some(term) = self.closes(work) {
            let objective = self.close(work, term);
            return self.go_on(work, objective);
        }
        self.take_share(work, range);
        work.memory.visited += 1;
        if work.memory.visited < self.batches.count() {
            if work.memory.pass == 0 && self.runs_ahead() && self.inner == Inner::Prox {
                return self.fit_seen(work);
            }
            self.step_between(work);
        } else {
            self.end_pass(work);
        }
    }

    fn batches(&self) -> Option<&Batches> {
        Some(&self.batches)
    }

    /// Begins a pass at factors that were changed from outside.
    fn start_over(&mut self, work: &mut Work<'_, T>) {
        for x in [&mut self.point, &mut self.start, &mut self.good] {
            x.copy_from_slice(&work.factors.x);
        }
        self.exact = None;
        self.pass.has_metric = false;
        self.clear();
        work.memory.visited = 0;
    }

    /// Notes the largest drift since the last look, relative to `scale`, and remembers ∇f = `slope` where a pass begins, so that the
    /// drift of that pass can be measured.
    fn note_errors(&mut self, work: &Work<'_, T>, slope: &[T], scale: f64, ledger: &mut Ledger) {
        let relative = match self.pass.drift.take() {
            Some(Level::Measured(e)) => Level::Measured(e / scale),
            Some(Level::Estimated(e)) => Level::Estimated(e / scale),
            _ => Level::Unknown,
        };
        if self.is_sampled {
            ledger.set(Source::Sampling, Level::Unknown);
        } else {
            ledger.set(Source::IncrementalDrift, relative);
        }
        self.exact = (work.memory.visited == 0).then(|| slope.to_vec());
    }

    /// What is known of the steps, in the metric of the passes.
    fn describe(&self, setting: &mut Setting) {
        setting.method = Kind::Splitting;
        setting.steps = self.pass.known.steps;
        setting.lipschitz = self
            .pass
            .known
            .lipschitz
            .largest()
            .map_or(Lipschitz::Unknown, Lipschitz::Estimated);
        setting.constant = self.pass.known.constant.largest();
    }

    /// X as it may be returned. Between two batches of a pass with O = identity it has left its set: there it is what M makes of
    /// the gradients so far, a step of those batches alone.
    fn settled<'w>(&self, work: &'w Work<'_, T>) -> Cow<'w, [T]> {
        if self.inner == Inner::Prox || work.memory.visited == 0 {
            return Cow::Borrowed(&work.factors.x);
        }
        let mut x = self.start.clone();
        let (mut scaled, mut linear) = (self.metric.clone(), self.start.clone());
        let metric = (&*self.metric, work.memory.step);
        let mut sum = vec![T::ZERO; x.len()];
        self.sum_gradients(&mut sum, work.memory.visited);
        let room = (&mut *scaled, &mut *linear);
        let how = (work.atoms, NEARLY_EXACT);
        prox_step(how, metric, &mut x, &sum, room);
        Cow::Owned(x)
    }

    fn numbers(&self) -> Value {
        json!({ "incremental": self.pass })
    }

    fn set_numbers(&mut self, saved: &Value, _: &Work<'_, T>) -> Result<(), Error> {
        self.pass = own_numbers(saved, "incremental")?;
        Ok(())
    }

    fn arrays(&mut self) -> Vec<(&'static str, &mut Vec<T>)> {
        vec![
            ("x-point", &mut self.point),
            ("x-start", &mut self.start),
            ("linear", &mut self.linear),
            ("drift", &mut self.drift),
            ("metric", &mut self.metric),
            ("curvature", &mut self.curvature),
            ("x-good", &mut self.good),
        ]
    }

    fn measured(&mut self) -> Option<(&'static str, &mut Option<Vec<T>>)> {
        Some(("exact", &mut self.exact))
    }
}

/// This fraction of the mean of the diagonal.
fn ridge<T: Lanes>(metric: &[T], rank: usize, fraction: f64) -> T {
    let trace: f64 = metric.iter().step_by(rank + 1).map(|m| m.f64()).sum();
    T::of(fraction * trace / rank as f64)
}

/// Adds this fraction of the mean of the diagonal to it.
pub(crate) fn damp<T: Lanes>(metric: &mut [T], rank: usize, fraction: f64) {
    let ridge = ridge(metric, rank, fraction);
    metric
        .iter_mut()
        .step_by(rank + 1)
        .for_each(|m| *m += ridge);
}
