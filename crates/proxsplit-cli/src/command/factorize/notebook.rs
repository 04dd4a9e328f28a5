//! What is noted during a factorization: the zeros of both factors, checkpoints, and whether Ctrl-C was pressed.

use super::checkpoint::{Keeper, Position};
use crate::interrupt::Interrupt;
use crate::output;
use crate::record::{Sparsity, TraceRow};
use crate::scalar::Scalar;
use proxsplit::{Observer, Reason, Row, Session};
use proxsplit_factor::Factorization;
use serde::{Deserialize, Serialize};
use std::ops::ControlFlow;
use std::time::Instant;

/// Shares of zeros after an iteration.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(super) struct Zeros {
    iteration: u64,
    #[serde(flatten)]
    shares: Sparsity,
}

/// Watches one run.
pub(super) struct Notebook<'a> {
    keeper: &'a Keeper,
    interrupt: &'a Interrupt,
    last_save: Instant,
    /// One entry for every iteration with a row in the trace, in order.
    zeros: Vec<Zeros>,
}

impl<'a> Notebook<'a> {
    pub(super) fn new(keeper: &'a Keeper, interrupt: &'a Interrupt, zeros: Vec<Zeros>) -> Self {
        Self {
            keeper,
            interrupt,
            last_save: Instant::now(),
            zeros,
        }
    }

    /// The rows of `trace.jsonl`.
    pub(super) fn trace(&self, rows: &[Row]) -> Vec<TraceRow> {
        let with_zeros = |row: &Row| {
            let iteration = row.progress.iteration;
            let at = self.zeros.binary_search_by_key(&iteration, |z| z.iteration);
            TraceRow::new(row, at.ok().map(|at| self.zeros[at].shares))
        };
        rows.iter().map(with_zeros).collect()
    }

    fn note<T: Scalar>(&mut self, iteration: u64, solver: &Factorization<'_, T>) {
        let (x, a) = solver.factors().zeros();
        // A look comes after the glance at the same point, and replaces it.
        while self.zeros.last().is_some_and(|z| z.iteration >= iteration) {
            self.zeros.pop();
        }
        self.zeros.push(Zeros {
            iteration,
            shares: Sparsity { x, a },
        });
    }

    /// Writes a checkpoint. If that fails, the run goes on: its result is worth more.
    fn save<T: Scalar>(&mut self, session: &Session, solver: &mut Factorization<'_, T>) {
        let position = Position {
            session: session.save(),
            zeros: self.zeros.clone(),
        };
        if let Err(error) = self.keeper.save(solver, &position) {
            output::tell(&format!("warning: the checkpoint was not saved: {error:#}"));
        }
        self.last_save = Instant::now();
    }
}

impl<T: Scalar> Observer<Factorization<'_, T>> for &mut Notebook<'_> {
    fn moved(&mut self, session: &Session, solver: &mut Factorization<'_, T>) -> ControlFlow<()> {
        let now = session.progress().iteration;
        let latest = session.trace().last();
        if latest.is_some_and(|row| row.progress.iteration == now) {
            self.note(now, solver);
        }
        let flow = self.interrupt.flow();
        let Some(every) = self.keeper.every else {
            return flow;
        };
        let ends = match session.limit() {
            // There is nothing left to go on from.
            Some(Reason::Diverged) => return flow,
            limit => limit.is_some() || flow.is_break(),
        };
        // At the end, before the last look: a run with other limits would not look here.
        if ends || self.last_save.elapsed().as_secs_f64() >= every {
            self.save(session, solver);
        }
        flow
    }

    fn looked(
        &mut self,
        row: &Row,
        _: &Session,
        solver: &mut Factorization<'_, T>,
    ) -> ControlFlow<()> {
        self.note(row.progress.iteration, solver);
        ControlFlow::Continue(())
    }
}
