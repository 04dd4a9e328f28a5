//! `sggd`: the stochastic generalized (sub)gradient method, the paper's baseline.
//!
//! X ← Π(X − η_k(∇f_t(X) + (|t|/T)·s)), s ∈ ∂ψ₀(X), η_k = η₀/(L·(1 + k/batches)^p), Π the projection on the box of X.

use super::{Method, own_numbers};
use crate::codes::largest_eigenvalue_bound;
use crate::misfit::Share;
use crate::products::Lanes;
use crate::visits::Batches;
use crate::work::{NEARLY_EXACT, Work};
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
        schedule: (f64, f64),
        term: Elementary,
    ) -> Self {
        Self {
            batches,
            schedule,
            term,
            pass: Pass {
                sum: 0.0,
                lipschitz: 0.0,
            },
            share: Share::new(work.problem.rank, work.problem.data.rows()),
        }
    }

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
        let entries = work.factors.x.iter_mut().zip(&self.share.slope).enumerate();
        for (_, (x, &gradient)) in entries.filter(|(at, _)| at % rank >= first) {
            let sign = if *x > T::ZERO {
                T::ONE
            } else if *x < T::ZERO {
                -T::ONE
            } else {
                T::ZERO
            };
            let new = (*x - step * (gradient + l1 * sign + sql2 * *x))
                .max(lower)
                .min(upper);
            moved += (new - *x).f64() * (new - *x).f64();
            *x = new;
        }
        moved.sqrt()
    }
}

impl<T: Lanes> Method<T> for Sggd<T> {
    /// One batch.
    fn step(&mut self, work: &mut Work<'_, T>) {
        let rank = work.problem.rank;
        let range = self.batches.columns(work.memory.pass, work.memory.visited);
        let part = range.start * rank..range.end * rank;
        let x = std::mem::take(&mut work.factors.x);
        work.solve_codes(&x, range.clone(), NEARLY_EXACT);
        work.factors.x = x;
        let codes = &work.factors.a[part];
        let share = range.len() as f64 / work.problem.data.cols() as f64;
        if let Some(shares) = work.misfit.shares() {
            self.pass.sum += shares.share(&work.factors.x, codes, range, &mut self.share);
        }

        let bound = largest_eigenvalue_bound(&self.share.curvature, rank);
        self.pass.lipschitz = self.pass.lipschitz.max(bound).max(f64::MIN_POSITIVE);
        let done = work.memory.iteration as f64 / self.batches.count() as f64;
        let (first, power) = self.schedule;
        let step = first / (self.pass.lipschitz * (1.0 + done).powf(power));
        work.memory.step = step;
        work.memory.displacement = self.descend(work, step, share);
        work.memory.visited += 1;
        if work.memory.visited == self.batches.count() {
            let objective = work.misfit.size()
                + self.pass.sum
                + work.atoms.value(&work.factors.x, rank)
                + work.codes.value(&work.factors.a, rank);
            work.memory.objective = Some(objective);
            self.pass.sum = 0.0;
            work.memory.visited = 0;
            work.memory.pass += 1;
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
        Vec::new()
    }
}
