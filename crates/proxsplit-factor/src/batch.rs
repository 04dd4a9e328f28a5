//! `batch`: Algorithm 1 on φ(X) in the metric AAᵀ, with extrapolation.
//!
//! A pass solves the codes nearly exactly at the extrapolated X̂, then the prox step in the metric AAᵀ, which is the problem in
//! X for fixed codes. Borrowed: A. Ang, N. Gillis, Accelerating nonnegative matrix factorization algorithms using
//! extrapolation, 2019: both factors run ahead of themselves by a factor β that grows while the objective falls, and a
//! pass that fails is followed by one without.

use crate::balance::Balance;
use crate::problem::Factors;
use crate::products::{Lanes, PART, gram, in_order};
use crate::revive::revive;
use crate::work::{NEARLY_EXACT, Work};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// The extrapolation's numbers.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(crate) struct Extrapolation {
    beta: f64,
    /// β must not grow beyond this.
    cap: f64,
    /// The last β that did well.
    good: f64,
    /// How much the last good pass gained, if there was one.
    gain: Option<f64>,
}

const START: Extrapolation = Extrapolation {
    beta: 0.5,
    cap: 1.0,
    good: 0.5,
    gain: None,
};
const GROWTH: f64 = 1.02;
const CAP_GROWTH: f64 = 1.01;
const FAILURE: f64 = 1.5;
/// Momentum that gains less than this share of the pass before is spent.
const SPENT: f64 = 0.5;

/// The state of the method.
pub(crate) struct Batch<T> {
    /// The factors of the pass before.
    pub(crate) old: Factors<T>,
    /// The extrapolated factors.
    pub(crate) ahead: Factors<T>,
    pub(crate) extrapolation: Extrapolation,
}

impl<T: Lanes> Batch<T> {
    pub(crate) fn new(start: &Factors<T>) -> Self {
        Self {
            old: start.clone(),
            ahead: start.clone(),
            extrapolation: START,
        }
    }

    /// One pass.
    pub(crate) fn step(&mut self, work: &mut Work<'_, T>) {
        let (rank, n) = (work.problem.rank, work.problem.data.cols());
        let beta = self.extrapolation.beta;
        // What runs ahead is written anew below, so that the three sets of codes change places without copies.
        std::mem::swap(&mut self.old.a, &mut work.factors.a);
        std::mem::swap(&mut work.factors.a, &mut self.ahead.a);
        work.solve_codes(&self.ahead.x, 0..n, NEARLY_EXACT);
        // Codes in sets that tie their entries together cannot run ahead without leaving them.
        let code_beta = work.codes.elementary.map_or(0.0, |_| beta);
        let bounds = bounds(work.codes.elementary);
        run_ahead(
            &mut self.ahead.a,
            &work.factors.a,
            &self.old.a,
            (code_beta, bounds),
        );

        work.problem
            .data
            .with_rows(&mut work.ya, &self.ahead.a, 0..n);
        gram(&mut work.ga, &self.ahead.a, rank);
        std::mem::swap(&mut self.old.x, &mut work.factors.x);
        std::mem::swap(&mut work.factors.x, &mut self.ahead.x);
        work.solve_atoms(&self.ahead.a, NEARLY_EXACT);
        let bounds = self::bounds(work.atoms.elementary);
        let moved = run_ahead(
            &mut self.ahead.x,
            &work.factors.x,
            &self.old.x,
            (beta, bounds),
        );
        work.memory.displacement = moved.sqrt();
        self.judge(work);
        work.memory.pass += 1;
        self.tidy(work);
    }

    /// Lets β grow after a good pass. After one that gains little the extrapolation starts anew, after a bad one also β shrinks;
    /// a pass that loses more than the last good one gained is taken back.
    fn judge(&mut self, work: &mut Work<'_, T>) {
        let mut objective = work.objective_for(&self.ahead.a);
        let before = self.extrapolation;
        let gain = work.memory.objective.map(|last| last - objective);
        let fell = gain.unwrap_or(0.0);
        self.extrapolation = if fell < 0.0 {
            if before.gain.is_some_and(|last| -fell > last) {
                // Going on from here would cost more passes than the one that is lost.
                work.factors.copy_from(&self.old);
                objective += fell;
            }
            self.ahead.copy_from(&work.factors);
            Extrapolation {
                beta: before.beta / FAILURE,
                cap: before.good,
                ..before
            }
        } else {
            if before.gain.is_some_and(|last| fell < SPENT * last) {
                self.ahead.copy_from(&work.factors);
            }
            Extrapolation {
                beta: (before.beta * GROWTH).min(before.cap),
                cap: (before.cap * CAP_GROWTH).min(1.0),
                good: before.beta,
                gain,
            }
        };
        work.memory.objective = Some(objective);
        work.memory.step = 1.0;
    }

    /// Balances scales and revives dead atoms.
    fn tidy(&mut self, work: &mut Work<'_, T>) {
        if revive(work) {
            self.ahead.copy_from(&work.factors);
            self.old.copy_from(&work.factors);
            work.memory.objective = None;
        }
        let balance = Balance::of(&work.atoms, &work.codes);
        if balance == Balance::Normalize && work.is_nearly_normal() {
            return;
        }
        if balance.find(&mut work.scales, &work.factors) {
            for factors in [&mut work.factors, &mut self.old, &mut self.ahead] {
                factors.scale(&work.scales);
            }
        }
    }
}

/// The interval of a term's entries.
fn bounds(term: Option<proxsplit::Elementary>) -> (f64, f64) {
    term.map_or((f64::NEG_INFINITY, f64::INFINITY), |t| (t.lower, t.upper))
}

/// ahead ← new + β(new − old), kept between the bounds; returns ‖new − old‖².
fn run_ahead<T: Lanes>(
    ahead: &mut [T],
    new: &[T],
    old: &[T],
    (beta, (lower, upper)): (f64, (f64, f64)),
) -> f64 {
    let (beta, lower, upper) = (T::of(beta), T::of(lower), T::of(upper));
    let parts = ahead
        .par_chunks_mut(PART)
        .zip(new.par_chunks(PART).zip(old.par_chunks(PART)));
    in_order(parts.map(|(ahead, (new, old))| {
        for ((ahead, &new), &old) in ahead.iter_mut().zip(new).zip(old) {
            *ahead = (new + beta * (new - old)).max(lower).min(upper);
        }
        proxsplit::linalg::vec::distance_squared(new, old)
    }))
}
