//! The end of an ordinary pass of an automatic schedule, by one walk through X.
//!
//! It adds what the last batch has found, compares the drift with the residual, makes the whole step and finds the objective: what
//! [`Incremental::end_pass`] does one after the other in general. Data with many features have large X, and each walk costs.

use super::Incremental;
use crate::codes::{
    Stretch, Sweeps, Term, Whose, in_stretches, largest_eigenvalue_bound, residual_of_sizes,
};
use crate::problem::Factors;
use crate::products::{Lanes, dot, small_product};
use crate::work::{NEARLY_EXACT, Work};
use proxsplit::Elementary;
use proxsplit::internal::linalg::vec;
use proxsplit::internal::scratch;
use proxsplit::ledger::Level;

impl<T: Lanes> Incremental<T> {
    /// The term of X, and the first coordinate that moves, if the batch that was seen last ends a pass that can be closed so. A look before
    /// the pass has no say in it: no bit may depend on when one looks.
    pub(super) fn closes(&self, work: &Work<'_, T>) -> Option<(Elementary, usize)> {
        let is_last = work.memory.visited > 0 && work.memory.visited + 1 == self.batches.count();
        let term = work.atoms.swept();
        term.filter(|_| is_last && self.ends_with_pair(work))
    }

    /// Ends the pass; returns the objective of X and the codes of the pass.
    pub(super) fn close(&mut self, work: &mut Work<'_, T>, term: (Elementary, usize)) -> f64 {
        let rank = work.problem.rank;
        vec::axpy(T::ONE, &self.share.curvature, &mut self.curvature);
        self.take_own_metric();
        let largest = largest_eigenvalue_bound(&self.curvature, rank);
        let step = 1.0 / largest.max(f64::MIN_POSITIVE);
        let effort = NEARLY_EXACT.beside(work.problem.data.cols(), rank);
        let (atoms, x) = (work.atoms, &mut work.factors.x);
        let has_drift = work.memory.visited > 1;
        // The slope at the start is kept where the drift is to be measured.
        let mut room = std::mem::take(&mut self.room);
        let kept = self.exact.is_some().then_some(&mut *room);
        let whole = Stretch::of(x, kept);
        let (found, square) = scratch::with(rank * rank, |of_x: &mut [T]| {
            let found = Sweeps::with((&self.metric, rank), term, effort, |sweeps| {
                self.walk_through(whole, (sweeps, &mut *of_x), (atoms, step), has_drift)
            });
            (found, dot(of_x, &self.curvature))
        });
        self.room = room;
        let drift = found.drift.sqrt();
        let sizes = [found.residual, found.slope, found.start].map(f64::sqrt);
        let residual = residual_of_sizes::<T>(sizes, step);
        self.compare(residual, drift, work.memory.step);
        let level = match self.exact.take() {
            Some(exact) => Level::Measured(self.measure_drift(exact, work)),
            None => Level::Estimated(drift),
        };
        self.note_drift(level);
        work.memory.displacement = found.moved.sqrt();
        // Both factors lie in their sets.
        let Factors { x, a, .. } = &work.factors;
        let penalties = work.codes.penalty(a, rank) + work.atoms.penalty(x, rank);
        // ½⟨AAᵀ, XᵀX⟩ − ⟨AYᵀ, X⟩
        work.misfit.size() + penalties + 0.5 * square - found.cross
    }

    /// The walk, with the step of the residual; finds XᵀX.
    fn walk_through(
        &self,
        x: Stretch<'_, T>,
        (sweeps, of_x): (&Sweeps<'_, T>, &mut [T]),
        (atoms, step): (Term<'_, T>, f64),
        has_drift: bool,
    ) -> Found {
        let (rank, ridge) = (self.curvature.len().isqrt(), self.ridge());
        let gram = (of_x, Whose::New);
        let change = |stretch: Stretch<'_, T>| {
            let Stretch { numbers, new, .. } = stretch;
            let start = &self.start[numbers.clone()];
            scratch::with(3 * new.len(), |room: &mut [T]| {
                let (linear, room) = room.split_at_mut(new.len());
                let (slope, drift) = room.split_at_mut(new.len());
                // Σ_t C_t
                linear.copy_from_slice(&self.linear[numbers.clone()]);
                vec::axpy(T::ONE, &self.share.linear[numbers.clone()], linear);
                // Σ_t H_t(start − x^{k,t})
                slope.copy_from_slice(start);
                vec::axpy(-T::ONE, new, slope);
                small_product(drift, &self.share.curvature, slope, rank);
                if has_drift {
                    vec::axpy(T::ONE, &self.drift[numbers.clone()], drift);
                }
                // The slope at the start of the pass for its codes.
                small_product(slope, &self.curvature, start, rank);
                vec::axpy(-T::ONE, linear, slope);
                if let Some(kept) = stretch.ahead {
                    kept.copy_from_slice(slope);
                }
                let residual = atoms.moved_in_part(start, slope, T::of(step));
                vec::axpy(ridge, start, linear);
                // Sweeps may begin anywhere: where the last batch has left X.
                sweeps.improve(new, linear);
                let of_ridge = ridge.f64() * vec::dot(start, new);
                [
                    vec::dot(drift, drift),
                    residual * residual,
                    vec::dot(slope, slope),
                    vec::dot(start, start),
                    vec::distance_squared(&self.point[numbers], new),
                    vec::dot(new, linear) - of_ridge,
                ]
            })
        };
        let sums = in_stretches(rank, x, gram, &change);
        let [drift, residual, slope, start, moved, cross] = sums;
        Found {
            drift,
            residual,
            slope,
            start,
            moved,
            cross,
        }
    }
}

/// Sums over X.
struct Found {
    /// Those of squares: of the drift, of the residual times its step, of the slope at the start, of the start, and of X − xᵏ.
    drift: f64,
    residual: f64,
    slope: f64,
    start: f64,
    moved: f64,
    /// ⟨X, AYᵀ⟩
    cross: f64,
}
