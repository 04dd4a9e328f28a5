//! Batches of consecutive columns, visited in an order that depends on the seed and the pass alone.

use proxsplit::Error;
use proxsplit::order::{VisitOrder, Visits};
use std::ops::Range;

/// The batches of a run.
#[derive(Debug, Clone)]
pub(crate) struct Batches {
    visits: Visits,
    order: Vec<usize>,
    pass: u64,
    size: usize,
    columns: usize,
}

impl Batches {
    pub(crate) fn new(
        columns: usize,
        size: usize,
        order: VisitOrder,
        seed: u64,
    ) -> Result<Self, Error> {
        let size = size.clamp(1, columns);
        let visits = Visits::new(columns.div_ceil(size), 1, order, seed)?;
        let mut batches = Self {
            visits,
            order: Vec::new(),
            pass: 0,
            size,
            columns,
        };
        batches.go_to(0);
        Ok(batches)
    }

    /// Whether batches are drawn with replacement, so that a pass may miss some.
    pub(crate) fn is_sampled(&self) -> bool {
        self.visits.order() == VisitOrder::Random
    }

    /// How many batches a pass has.
    pub(crate) fn count(&self) -> usize {
        self.columns.div_ceil(self.size)
    }

    /// Columns of a full batch.
    pub(crate) fn size(&self) -> usize {
        self.size
    }

    fn go_to(&mut self, pass: u64) {
        self.pass = pass;
        self.visits.go_to(pass);
        self.order.clear();
        let batches = 0..self.columns.div_ceil(self.size);
        self.order
            .extend(batches.map(|at| self.visits.batch(at)[0]));
    }

    /// The columns of visit `at` of a pass.
    pub(crate) fn columns(&mut self, pass: u64, at: usize) -> Range<usize> {
        if pass != self.pass {
            self.go_to(pass);
        }
        let start = self.order[at] * self.size;
        start..self.columns.min(start + self.size)
    }
}
