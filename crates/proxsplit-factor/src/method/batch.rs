//! `batch`: alternating minimization with extrapolation.
//!
//! A pass solves the codes nearly exactly at the extrapolated X̂, then X for the extrapolated codes. Borrowed: A. Ang, N. Gillis,
//! Accelerating nonnegative matrix factorization algorithms using extrapolation, 2019: both factors run ahead of themselves by a
//! factor β that grows while the objective falls, and a pass that fails is followed by one without.
//!
//! Why it converges: after the passes 16, 32, 64, … comes a plain one, without extrapolation. It minimizes over every coordinate, or
//! block of them, exactly and in turn, at least once, so that F(X, A) falls by half the curvature times the square of the move;
//! and it begins at an objective that is no higher than where the plain pass before it ended, or there. So limit points of the
//! plain passes are those of plain alternating minimization (the spacer-step argument: W. Zangwill, Nonlinear programming,
//! 1969). Early-stopped inner solves are no error in this: each of their sweeps is such a descent. Passes in single precision are
//! part of the start: there are finitely many of them.

use super::momentum::Extrapolation;
use super::{Method, own_numbers};
use crate::balance::Balance;
use crate::codes::{Ahead, Running};
use crate::look;
use crate::misfit::Advance;
use crate::problem::Factors;
use crate::products::Lanes;
use crate::revive::revive;
use crate::visits::Batches;
use crate::work::{NEARLY_EXACT, SinglePrecision, Work};
use proxsplit::Error;
use proxsplit::solve::{Method as Kind, Setting};
use serde_json::{Value, json};

/// The last pass that may be in single precision.
pub(crate) const ROUGH: u64 = 100;

/// The state of the method.
pub(crate) struct Batch<T> {
    /// The factors of the pass before.
    old: Factors<T>,
    /// The extrapolated factors.
    ahead: Factors<T>,
    /// Where the last plain pass ended, once there was one.
    plain: Factors<T>,
    extrapolation: Extrapolation,
}

impl<T: Lanes> Batch<T> {
    pub(crate) fn new(start: &Factors<T>) -> Self {
        Self {
            old: start.clone(),
            ahead: start.clone(),
            // Zeros that nobody reads take no memory before they are written.
            plain: Factors {
                rank: start.rank,
                x: vec![T::ZERO; start.x.len()],
                a: vec![T::ZERO; start.a.len()],
            },
            extrapolation: Extrapolation::START,
        }
    }

    /// Both factors in turn; what runs ahead does so by `beta`. Returns the objective of X for the codes that ran ahead.
    fn pass(&mut self, work: &mut Work<'_, T>, beta: f64) -> f64 {
        let (rank, data) = (work.problem.rank, work.problem.data);
        let (m, n) = (data.rows(), data.cols());
        // What runs ahead is written anew below, so that the three sets of codes change places without copies.
        std::mem::swap(&mut self.old.a, &mut work.factors.a);
        std::mem::swap(&mut work.factors.a, &mut self.ahead.a);
        // Codes in sets that tie their entries together cannot run ahead without leaving them.
        let code_beta = work.codes.elementary.map_or(0.0, |_| beta);
        let codes = Running {
            rank,
            old: &self.old.a,
            new: &mut work.factors.a,
            ahead: &mut self.ahead.a,
            how: Ahead::of(code_beta, work.codes.elementary),
        };
        let effort = NEARLY_EXACT.beside(m, rank);
        let how = (&work.codes, effort);
        work.misfit.advance_codes(&self.ahead.x, codes, how);
        std::mem::swap(&mut self.old.x, &mut work.factors.x);
        std::mem::swap(&mut work.factors.x, &mut self.ahead.x);
        keep_unused(
            &mut work.factors.x,
            &self.old.x,
            &work.misfit.grams().a,
            rank,
        );
        let x = Running {
            rank,
            old: &self.old.x,
            new: &mut work.factors.x,
            ahead: &mut self.ahead.x,
            how: Ahead::of(beta, work.atoms.elementary),
        };
        let how = (&work.atoms, NEARLY_EXACT.beside(n, rank));
        let Advance { moved, misfit } = work.misfit.advance_atoms(x, &self.ahead.a, how);
        // Bounds of free atoms are none of fixed ones.
        work.problem.fixed.put(&mut self.ahead.x, rank);
        work.memory.displacement = moved.sqrt();
        work.memory.step = 1.0;
        work.objective_with(misfit, &self.ahead.a)
    }

    /// A pass without extrapolation from where the method is, or from where the last such pass ended if that is lower.
    fn plain_pass(&mut self, work: &mut Work<'_, T>) {
        let at = self.extrapolation;
        match (at.plain, work.memory.objective) {
            (Some(least), Some(now)) if least < now => {
                work.factors.clone_from(&self.plain);
                work.memory.objective = Some(least);
            }
            _ => work.factors.a.copy_from_slice(&self.ahead.a),
        }
        self.ahead.clone_from(&work.factors);
        let before = work.memory.objective;
        let objective = self.pass(work, 0.0);
        work.note_rise(before, objective, (&self.ahead.a, 1.0));
        work.memory.objective = Some(objective);
        self.plain.clone_from(&work.factors);
        self.extrapolation = Extrapolation {
            plain: Some(objective),
            next_plain: 2 * at.next_plain,
            ..at
        };
    }

    /// Lets β grow after a good pass. After one that gains little the extrapolation starts anew, after a bad one also β shrinks;
    /// a pass that loses more than the last good one gained is taken back.
    fn judge(&mut self, work: &mut Work<'_, T>, objective: f64) {
        let last_gain = self.extrapolation.momentum.gain;
        let gain = work.memory.objective.map(|last| last - objective);
        // Near a solution gains drown in rounding: that is no failure, or the method would stand still.
        let slack = work.misfit.rounding();
        let restarts = self.extrapolation.momentum.see(gain, slack);
        let is_failure = gain.is_some_and(|gain| gain < -slack);
        let is_large = gain.zip(last_gain).is_some_and(|(g, last)| -g > last);
        let is_taken_back = is_failure && is_large || objective.is_nan();
        if is_taken_back {
            // Going on from here would cost more passes than the one that is lost.
            work.factors.clone_from(&self.old);
        }
        if restarts || is_taken_back {
            self.ahead.clone_from(&work.factors);
        }
        self.extrapolation.is_known = !(restarts || is_taken_back);
        // What was known belongs to the codes that ran ahead, not to those that are back: to compare with it again would take back
        // every pass from here on.
        work.memory.objective = (!is_taken_back).then_some(objective);
        let is_hidden = gain.is_some_and(|gain| gain.abs() <= slack) || !objective.is_finite();
        if is_hidden {
            self.refine(work);
        }
    }

    /// Goes over to double precision, if it is not there yet. What was found in single precision is not compared with what follows.
    fn refine(&mut self, work: &mut Work<'_, T>) {
        if work.memory.single_precision != SinglePrecision::Now {
            return;
        }
        work.refine();
        work.misfit.see(&self.ahead.a);
        let objective = work.objective_for(&self.ahead.a);
        let is_known = work.memory.objective.is_some();
        work.memory.objective = is_known.then_some(objective);
        self.extrapolation.plain = None;
    }

    /// Balances scales and revives dead atoms.
    fn tidy(&mut self, work: &mut Work<'_, T>) {
        if look::is_time_for(work.memory.pass) && work.has_dead_atoms() {
            work.factors.a.copy_from_slice(&self.ahead.a);
            if revive(work) {
                self.ahead.clone_from(&work.factors);
                self.old.clone_from(&work.factors);
            }
        }
        // The best scales are those of X with its codes, not with the codes that run ahead of them, from which a plain pass begins.
        if self.extrapolation.is_plain_next(work.memory.pass) {
            return;
        }
        let balance = work.balance();
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

impl<T: Lanes> Method<T> for Batch<T> {
    /// One pass.
    fn step(&mut self, work: &mut Work<'_, T>) {
        if work.memory.pass >= ROUGH {
            self.refine(work);
        }
        if self.extrapolation.is_plain_next(work.memory.pass) {
            self.plain_pass(work);
        } else {
            let beta = self.extrapolation.momentum.beta;
            let objective = self.pass(work, beta);
            self.judge(work, objective);
        }
        work.memory.pass += 1;
        self.tidy(work);
    }

    fn batches(&self) -> Option<&Batches> {
        None
    }

    fn start_over(&mut self, work: &mut Work<'_, T>) {
        *self = Self::new(&work.factors);
    }

    fn describe(&self, setting: &mut Setting) {
        setting.method = Kind::Monotone;
        setting.vanishing = false;
    }

    fn numbers(&self) -> Value {
        json!({ "batch": self.extrapolation })
    }

    fn set_numbers(&mut self, saved: &Value, _: &Work<'_, T>) -> Result<(), Error> {
        self.extrapolation = own_numbers(saved, "batch")?;
        Ok(())
    }

    fn arrays(&mut self) -> Vec<(&'static str, &mut Vec<T>)> {
        vec![
            ("x-old", &mut self.old.x),
            ("a-old", &mut self.old.a),
            ("x-ahead", &mut self.ahead.x),
            ("a-ahead", &mut self.ahead.a),
            ("x-plain", &mut self.plain.x),
            ("a-plain", &mut self.plain.a),
        ]
    }
}

/// Atoms that no code uses have no problem to be solved: they stay what they were, which lies in their set.
pub(crate) fn keep_unused<T: Lanes>(x: &mut [T], old: &[T], gram: &[T], rank: usize) {
    for k in (0..rank).filter(|k| gram[k * (rank + 1)] <= T::ZERO) {
        let places = x.iter_mut().skip(k).step_by(rank);
        for (x, &old) in places.zip(old.iter().skip(k).step_by(rank)) {
            *x = old;
        }
    }
}
