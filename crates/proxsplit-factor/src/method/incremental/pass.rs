//! The end of a pass, and how the first one begins.

use super::{BETWEEN, Incremental, SHORTEST, prox_step};
use crate::balance::Balance;
use crate::codes::Quadratic;
use crate::method::batch::keep_unused;
use crate::products::{Lanes, PART, copy, distance_squared, dot, gram, in_order, multiple};
use crate::settings::Step;
use crate::work::{NEARLY_EXACT, Work, scale_gram, scale_rows};
use proxsplit::internal::linalg::vec;
use rayon::prelude::*;

/// An automatic step is halved, and the pass taken back, if it raises the objective by more than this fraction.
pub(crate) const RISE: f64 = 0.1;

impl<T: Lanes> Incremental<T> {
    /// X ← what fits the batches of the first pass so far, as if they were all. Before there is a metric of all codes that is a better point
    /// to go on from than a step.
    pub(super) fn fit_seen(&mut self, work: &mut Work<'_, T>) {
        let all = work.problem.data.cols();
        let seen = all.min(work.memory.visited * self.batches.size());
        let share = T::of(all as f64 / seen as f64);
        for (gram, &curvature) in self.share.curvature.iter_mut().zip(&self.curvature) {
            *gram = share * curvature;
        }
        multiple(&mut self.room, share, &self.linear);
        let problem = Quadratic {
            gram: &self.share.curvature,
            linear: &self.room,
            rank: work.problem.rank,
            own: None,
            weights: None,
        };
        let (x, rank) = (&mut work.factors.x, work.problem.rank);
        work.atoms.solve(problem, x, BETWEEN);
        keep_unused(x, &self.start, &self.curvature, rank);
    }

    pub(super) fn end_pass(&mut self, work: &mut Work<'_, T>) {
        self.read_drift(work);
        self.whole(work);
        work.memory.displacement = distance_squared(&self.point, &work.factors.x).sqrt();
        let objective = self.objective(work);
        self.go_on(work, objective);
    }

    /// Judges a pass by its objective, and leaves everything as the next one expects it.
    pub(super) fn go_on(&mut self, work: &mut Work<'_, T>, objective: f64) {
        self.judge(work, objective);
        work.memory.visited = 0;
        work.memory.pass += 1;
        if work.memory.pass.is_power_of_two() {
            self.pass.known.lipschitz.turn();
            self.pass.known.constant.turn();
        }
        self.metric.copy_from_slice(&self.curvature);
        self.pass.has_metric = !self.is_sampled;
        self.clear();
        let balance = work.balance();
        if balance == Balance::Normalize && work.is_nearly_normal() {
            return;
        }
        if balance.find(&mut work.scales, &work.factors) {
            work.factors.scale(&work.scales);
            scale_gram(&mut self.metric, &work.scales.codes);
            scale_rows(&mut self.good, &work.scales.atoms);
        }
    }

    /// X ← M(X − ηΣ_t ∇f_t) from where the pass began.
    fn whole(&mut self, work: &mut Work<'_, T>) {
        let rank = work.problem.rank;
        let effort = NEARLY_EXACT.beside(work.problem.data.cols(), rank);
        if self.runs_ahead() {
            // Sweeps may begin anywhere: where the last batch has left X, which takes no copy.
            let problem = Quadratic {
                gram: &self.metric,
                linear: &self.linear,
                rank,
                own: None,
                weights: None,
            };
            return work.atoms.solve(problem, &mut work.factors.x, effort);
        }
        copy(&mut work.factors.x, &self.start);
        let metric = (&*self.metric, work.memory.step);
        let room = (&mut *self.share.curvature, &mut *self.share.linear);
        let how = (work.atoms, effort);
        prox_step(how, metric, &mut work.factors.x, &self.room, room);
    }

    /// Whether a pass is automatic, sees all codes, and changes all atoms by rows that share a curvature.
    pub(super) fn ends_with_pair(&self, work: &Work<'_, T>) -> bool {
        let data = work.problem.data;
        let is_shared = data.missing() == 0 && data.weights().features.is_none();
        let is_whole = !self.is_sampled && work.problem.fixed.count() == 0;
        self.runs_ahead() && is_shared && is_whole
    }

    /// The objective of the pair that an automatic pass ends with, X and the codes of the pass. Of other passes, and where rows of X have
    /// curvatures of their own or a pass may miss some codes, what was seen at the moving points.
    fn objective(&mut self, work: &Work<'_, T>) -> f64 {
        let rank = work.problem.rank;
        // Both factors lie in their sets.
        let codes = work.misfit.size() + work.codes.penalty(&work.factors.a, rank);
        if !self.ends_with_pair(work) {
            return codes + self.pass.sum + work.atoms.penalty(&self.point, rank);
        }
        // ½⟨AAᵀ, XᵀX⟩ − ⟨AYᵀ, X⟩, where the problem of the step had AYᵀ and a ridge.
        let x = &work.factors.x;
        gram(&mut self.share.curvature, x, rank);
        let square = dot(&self.share.curvature, &self.curvature);
        let ridge = self.ridge().f64();
        let parts = x.par_chunks(PART).zip(self.linear.par_chunks(PART));
        let cross = in_order(parts.zip(self.start.par_chunks(PART)), &|(
            (x, linear),
            start,
        )| {
            vec::dot(linear, x) - ridge * vec::dot(start, x)
        });
        codes + 0.5 * square - cross + work.atoms.penalty(x, rank)
    }

    /// With an automatic step, takes back a pass that raised the objective, which is known about only where it was seen at moving points, and
    /// lets the others run ahead as it falls.
    fn judge(&mut self, work: &mut Work<'_, T>, objective: f64) {
        let rounding = T::EPSILON.f64().sqrt() * work.problem.data.square();
        let rose = work
            .memory
            .objective
            .is_some_and(|last| objective > last + RISE * last.abs() + rounding);
        let lost = rose || !objective.is_finite() || objective < -rounding;
        if lost && self.step == Step::Auto {
            work.factors.x.copy_from_slice(&self.good);
            self.pass.cap = (0.5 * work.memory.step).max(SHORTEST);
        } else {
            let gain = work.memory.objective.map(|last| last - objective);
            self.pass.rests = self.pass.momentum.see(gain, work.misfit.rounding());
            // The next pass writes its own point.
            std::mem::swap(&mut self.good, &mut self.point);
            work.memory.objective = Some(objective);
        }
    }
}
