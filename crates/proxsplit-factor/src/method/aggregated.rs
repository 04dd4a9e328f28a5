//! `aggregated`: mini-batches with accumulated statistics AAᵀ and AYᵀ.
//!
//! A visit solves the codes of its batch at the current X, exchanges their share of the statistics, and improves X for the
//! statistics of all batches seen so far. From the second pass on this is block coordinate descent on F(X, A) with the blocks X and
//! the codes of each batch, every one of which is visited in every pass: the objective never rises.
//! In the spirit of J. Mairal, F. Bach, J. Ponce, G. Sapiro, Online learning for matrix factorization and sparse coding,
//! 2010, with every share refreshed on every visit.

use super::{Method, own_numbers};
use crate::codes::Effort;
use crate::look;
use crate::products::{Lanes, add, copy, distance_squared};
use crate::revive::revive;
use crate::visits::Batches;
use crate::work::{NEARLY_EXACT, Work, scale_rows};
use proxsplit::Error;
use proxsplit::solve::{Method as Kind, Setting};
use serde_json::{Value, json};

/// Sweeps over X at every visit.
const ATOMS: Effort = Effort {
    sweeps: 4,
    tolerance: 1e-2,
};

/// Passes after which AYᵀ is made anew.
const REFRESH: u64 = 16;

/// The state of the method.
pub(crate) struct Aggregated<T> {
    batches: Batches,
    /// AAᵀ
    ga: Vec<T>,
    /// AYᵀ
    ya: Vec<T>,
    /// Columns that have a share in the statistics.
    seen: usize,
    before: Vec<T>,
    share: Vec<T>,
    small: Vec<T>,
}

impl<T: Lanes> Aggregated<T> {
    pub(crate) fn new(work: &Work<'_, T>, batches: Batches) -> Self {
        let rank = work.problem.rank;
        Self {
            ga: vec![T::ZERO; rank * rank],
            ya: vec![T::ZERO; work.factors.x.len()],
            before: vec![T::ZERO; rank * batches.size()],
            share: vec![T::ZERO; work.factors.x.len()],
            small: vec![T::ZERO; rank * rank],
            seen: 0,
            batches,
        }
    }

    /// Shows the statistics to the misfit. In the first pass, what was seen stands for all columns: the term of X, which belongs
    /// to all of them, would be too strong beside a few, and kill atoms that the others need.
    fn show(&self, work: &mut Work<'_, T>) {
        let share = T::of(work.problem.data.cols() as f64 / self.seen as f64);
        if let Some(shares) = work.misfit.shares() {
            shares.see_sums(&self.ya, &self.ga, share);
        }
    }

    /// By how much more than one value the statistics are rounded: N exchanges of shares leave about √N roundings behind, and a value
    /// is allowed 16.
    fn roundings(&self) -> f64 {
        let exchanges = REFRESH as f64 * self.batches.count() as f64;
        (exchanges.sqrt() / 16.0).max(1.0)
    }

    fn end_pass(&mut self, work: &mut Work<'_, T>) {
        let rank = work.problem.rank;
        work.memory.visited = 0;
        work.memory.pass += 1;
        // Exchanged shares leave rounding behind. The Gram matrix of all codes is cheap to have anew, AYᵀ now and then.
        let data = work.problem.data;
        data.gram_of_codes(&mut self.ga, &work.factors.a, (rank, 0));
        self.show(work);
        let a = std::mem::take(&mut work.factors.a);
        let mut objective = work.objective_for(&a);
        // In the first pass the statistics of a part stand for all.
        if work.memory.pass > 1 {
            work.note_rise(work.memory.objective, objective, (&a, self.roundings()));
        }
        // What they had gathered until now is no rise.
        if work.memory.pass.is_multiple_of(REFRESH) {
            data.with_rows(&mut self.ya, &a, 0..data.cols());
            self.show(work);
            objective = work.objective_for(&a);
        }
        work.factors.a = a;
        work.memory.objective = Some(objective);
        if look::is_time_for(work.memory.pass) && work.has_dead_atoms() && revive(work) {
            self.start_over(work);
        }
        let balance = work.balance();
        if balance.find(&mut work.scales, &work.factors) {
            work.factors.scale(&work.scales);
            scale_rows(&mut self.ya, &work.scales.codes);
            data.gram_of_codes(&mut self.ga, &work.factors.a, (rank, 0));
        }
    }
}

impl<T: Lanes> Method<T> for Aggregated<T> {
    /// One batch.
    fn step(&mut self, work: &mut Work<'_, T>) {
        let rank = work.problem.rank;
        let range = self.batches.columns(work.memory.pass, work.memory.visited);
        let part = range.start * rank..range.end * rank;
        let size = range.len();
        let before = &mut self.before[..part.len()];
        before.copy_from_slice(&work.factors.a[part.clone()]);
        let x = std::mem::take(&mut work.factors.x);
        work.solve_codes(&x, range.clone(), NEARLY_EXACT);
        work.factors.x = x;

        // In the first pass the start's codes have no share yet.
        if work.memory.pass == 0 {
            before.fill(T::ZERO);
        }
        let now = &work.factors.a[part];
        let data = work.problem.data;
        for (codes, sign) in [(&*before, -T::ONE), (now, T::ONE)] {
            data.gram_of_codes(&mut self.small, codes, (rank, range.start));
            add(sign, &self.small, &mut self.ga);
        }
        for (before, &now) in before.iter_mut().zip(now) {
            *before = now - *before;
        }
        if let Some(shares) = work.misfit.shares() {
            shares.linear(&mut self.share, before, range);
        }
        add(T::ONE, &self.share, &mut self.ya);

        copy(&mut self.share, &work.factors.x);
        self.seen = work.problem.data.cols().min(self.seen + size);
        self.show(work);
        let a = std::mem::take(&mut work.factors.a);
        work.solve_atoms(&a, ATOMS);
        work.factors.a = a;
        work.memory.displacement = distance_squared(&self.share, &work.factors.x).sqrt();
        work.memory.visited += 1;
        if work.memory.visited == self.batches.count() {
            self.end_pass(work);
        }
    }

    fn batches(&self) -> Option<&Batches> {
        Some(&self.batches)
    }

    /// Makes the statistics anew.
    fn start_over(&mut self, work: &mut Work<'_, T>) {
        let n = work.problem.data.cols();
        let (data, rank) = (work.problem.data, work.problem.rank);
        data.gram_of_codes(&mut self.ga, &work.factors.a, (rank, 0));
        data.with_rows(&mut self.ya, &work.factors.a, 0..n);
        self.seen = n;
        if work.memory.pass == 0 {
            work.memory.pass = 1;
        }
        work.memory.visited = 0;
    }

    fn describe(&self, setting: &mut Setting) {
        setting.method = Kind::Monotone;
        setting.vanishing = false;
    }

    fn numbers(&self) -> Value {
        json!({ "aggregated": self.seen })
    }

    fn set_numbers(&mut self, saved: &Value, _: &Work<'_, T>) -> Result<(), Error> {
        self.seen = own_numbers(saved, "aggregated")?;
        Ok(())
    }

    fn arrays(&mut self) -> Vec<(&'static str, &mut Vec<T>)> {
        vec![("aa", &mut self.ga), ("ay", &mut self.ya)]
    }
}
