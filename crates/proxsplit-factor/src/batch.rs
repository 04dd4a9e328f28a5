//! `batch`: alternating minimization with extrapolation, in passes that never raise the objective.
//!
//! A pass solves the codes at the extrapolated X̂, then X for the extrapolated codes. Borrowed: A. Ang, N. Gillis, Accelerating
//! nonnegative matrix factorization algorithms using extrapolation, 2019: both factors run ahead of themselves by a factor β
//! that grows while the objective falls.
//!
//! Why it converges: a pass that raises F(X, A) is taken back, and passes without extrapolation come again and again: after every
//! failure, whenever momentum is spent, and at least once in [`SPACER`] passes. Such a plain pass minimizes over every coordinate, or
//! block of them, exactly and in turn, at least once, so that F falls by half the curvature times the square of the move; limit
//! points of the plain passes are those of plain alternating minimization (the spacer-step argument: W. Zangwill,
//! Nonlinear programming, 1969). Early-stopped inner solves are no error in this: each of their sweeps is such a descent.

use crate::balance::Balance;
use crate::look;
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
    /// Passes since the last one without extrapolation, this one included; 0 if this is to be one.
    since_plain: u32,
    /// Plain passes that raised the objective by more than rounding: there should be none.
    pub(crate) rises: u32,
}

const START: Extrapolation = Extrapolation {
    beta: 0.5,
    cap: 1.0,
    good: 0.5,
    gain: None,
    since_plain: 0,
    rises: 0,
};
const GROWTH: f64 = 1.02;
const CAP_GROWTH: f64 = 1.01;
const FAILURE: f64 = 1.5;
/// Momentum that gains less than this share of the pass before is spent.
const SPENT: f64 = 0.5;
/// A plain pass comes at least so often.
const SPACER: u32 = 100;
/// Differences of objectives below this multiple of the rounding of ½‖Y‖² are none.
const ROUNDINGS: f64 = 16.0;

/// The state of the method. The pair of record, whose objective is known and never rises, is X with the codes of `ahead`.
pub(crate) struct Batch<T> {
    /// X of the pass before; its codes are free space between two passes.
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
        let is_plain = self.extrapolation.since_plain == 0;
        let beta = if is_plain {
            0.0
        } else {
            self.extrapolation.beta
        };
        if is_plain {
            self.ahead.x.copy_from_slice(&work.factors.x);
        }
        self.solve_codes(work, beta);
        let moved = self.solve_atoms(work, beta);
        work.memory.displacement = moved.sqrt();
        self.judge(work, is_plain);
        work.memory.pass += 1;
        self.tidy(work);
    }

    /// Codes at X̂ from those of the record, which stay as they are; then what runs ahead of them goes where the codes of the pass
    /// before were, so that the three sets change places with one copy.
    fn solve_codes(&mut self, work: &mut Work<'_, T>, beta: f64) {
        copy(&mut self.old.a, &self.ahead.a);
        std::mem::swap(&mut self.old.a, &mut work.factors.a);
        let n = work.problem.data.cols();
        work.solve_codes(&self.ahead.x, 0..n, NEARLY_EXACT);
        // Codes in sets that tie their entries together cannot run ahead without leaving them.
        let beta = work.codes.elementary.map_or(0.0, |_| beta);
        let bounds = bounds(work.codes.elementary);
        // The codes of the pass before are overwritten by what runs ahead of the new ones.
        run_ahead_in_place(&mut self.old.a, &work.factors.a, (beta, bounds));
    }

    /// X for the codes that run ahead, from X̂; X of the record stays in `old`. Returns ‖X⁺ − X‖².
    fn solve_atoms(&mut self, work: &mut Work<'_, T>, beta: f64) -> f64 {
        let (rank, n) = (work.problem.rank, work.problem.data.cols());
        let codes = &self.old.a;
        work.problem.data.with_rows(&mut work.ya, codes, 0..n);
        gram(&mut work.ga, codes, rank);
        std::mem::swap(&mut self.old.x, &mut work.factors.x);
        std::mem::swap(&mut work.factors.x, &mut self.ahead.x);
        keep_unused(&mut work.factors.x, &self.old.x, &work.ga, rank);
        work.solve_atoms(codes, NEARLY_EXACT);
        let bounds = bounds(work.atoms.elementary);
        run_ahead(
            &mut self.ahead.x,
            &work.factors.x,
            &self.old.x,
            (beta, bounds),
        )
    }

    /// Accepts a pass that does not raise the objective, and lets β grow; takes any other back, to be followed by a plain pass
    /// and a shorter β.
    fn judge(&mut self, work: &mut Work<'_, T>, is_plain: bool) {
        let objective = work.objective_for(&self.old.a);
        let before = self.extrapolation;
        let slack = ROUNDINGS * T::EPSILON.f64() * 0.5 * work.problem.data.square();
        let gain = work.memory.objective.map(|last| last - objective);
        let fell = gain.unwrap_or(0.0);
        let rose = fell < -slack || objective.is_nan();
        work.memory.step = 1.0;
        if rose && !is_plain {
            std::mem::swap(&mut work.factors.x, &mut self.old.x);
            copy(&mut work.factors.a, &self.ahead.a);
            self.extrapolation = Extrapolation {
                beta: before.beta / FAILURE,
                cap: before.good,
                since_plain: 0,
                ..before
            };
            return;
        }
        // The record moves on: its codes are those that ran ahead.
        std::mem::swap(&mut self.ahead.a, &mut self.old.a);
        let is_spent = before.gain.is_some_and(|last| fell < SPENT * last) && !is_plain;
        let is_time = before.since_plain + 1 >= SPACER;
        self.extrapolation = Extrapolation {
            beta: (before.beta * GROWTH).min(before.cap),
            cap: (before.cap * CAP_GROWTH).min(1.0),
            good: before.beta,
            gain,
            since_plain: if is_spent || is_time {
                0
            } else {
                before.since_plain + 1
            },
            rises: before.rises + u32::from(rose),
        };
        work.memory.objective = Some(objective);
    }

    /// Balances scales and revives dead atoms.
    fn tidy(&mut self, work: &mut Work<'_, T>) {
        if look::is_time_for(work.memory.pass) && work.has_dead_atoms() {
            copy(&mut work.factors.a, &self.ahead.a);
            if revive(work) {
                *self = Self {
                    extrapolation: self.extrapolation,
                    ..Self::new(&work.factors)
                };
                self.extrapolation.since_plain = 0;
            }
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

/// Atoms that no code uses have no problem to be solved: they stay what they were, which lies in their set.
fn keep_unused<T: Lanes>(x: &mut [T], old: &[T], gram: &[T], rank: usize) {
    for k in (0..rank).filter(|k| gram[k * (rank + 1)] <= T::ZERO) {
        let places = x.iter_mut().skip(k).step_by(rank);
        for (x, &old) in places.zip(old.iter().skip(k).step_by(rank)) {
            *x = old;
        }
    }
}

fn copy<T: Lanes>(to: &mut [T], from: &[T]) {
    to.par_chunks_mut(PART)
        .zip(from.par_chunks(PART))
        .for_each(|(to, from)| to.copy_from_slice(from));
}

/// old ← new + β(new − old), kept between the bounds.
fn run_ahead_in_place<T: Lanes>(
    old: &mut [T],
    new: &[T],
    (beta, (lower, upper)): (f64, (f64, f64)),
) {
    let (beta, lower, upper) = (T::of(beta), T::of(lower), T::of(upper));
    old.par_chunks_mut(PART)
        .zip(new.par_chunks(PART))
        .for_each(|(old, new)| {
            for (old, &new) in old.iter_mut().zip(new) {
                *old = (new + beta * (new - *old)).max(lower).min(upper);
            }
        });
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
