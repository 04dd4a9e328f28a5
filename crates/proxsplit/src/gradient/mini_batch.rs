//! The gradient of a random sample of the terms, scaled up to the whole sum.

use super::GradientSource;
use crate::ledger::{Level, Source};
use crate::linalg::vec::scale;
use crate::order::{VisitOrder, Visits};
use crate::{Error, FiniteSum, Real};

/// ∇̃f(x) = c Σ_{t ∈ B} ∇f_t(x), with a new batch B in every iteration.
///
/// For draws with replacement c = T/|B|. Where a pass visits every term once, c is the number of its batches, so that every
/// term weighs the same over a pass: T/|B| would count the terms of a short last batch more often than the others.
pub struct MiniBatch<'a, T: Real = f64> {
    f: &'a dyn FiniteSum<T>,
    visits: Visits,
    batch: usize,
}

crate::opaque!(MiniBatch<'_, T>, T: Real);

impl<'a, T: Real> MiniBatch<'a, T> {
    /// Batches of `size` terms in the given order; the sequence depends on the seed only.
    pub fn new(
        f: &'a dyn FiniteSum<T>,
        size: usize,
        order: VisitOrder,
        seed: u64,
    ) -> Result<Self, Error> {
        Ok(Self {
            f,
            visits: Visits::new(f.terms(), size, order, seed)?,
            batch: 0,
        })
    }
}

impl<T: Real> GradientSource<T> for MiniBatch<'_, T> {
    fn estimate(&mut self, x: &[T], _: f64, out: &mut [T]) -> Level {
        if self.batch == self.visits.batches() {
            self.visits.next_pass();
            self.batch = 0;
        }
        let batch = self.visits.batch(self.batch);
        self.batch += 1;
        out.fill(T::ZERO);
        self.f.add_gradient(batch, x, out);
        let (terms, size) = (self.f.terms(), batch.len());
        let replaced = self.visits.order() == VisitOrder::Random;
        let weight = if replaced {
            terms as f64 / size as f64
        } else {
            self.visits.batches() as f64
        };
        scale(T::of(weight), out);
        if size == terms && !replaced {
            Level::Bounded(0.0)
        } else {
            Level::Unknown
        }
    }

    fn source(&self) -> Source {
        Source::Sampling
    }

    /// Draws with replacement are independent; batches of a pass that visits every term once are not.
    fn is_unbiased(&self) -> bool {
        self.visits.order() == VisitOrder::Random
    }

    fn passes(&self) -> f64 {
        let last = self.visits.batch(self.batch.saturating_sub(1));
        last.len() as f64 / self.f.terms() as f64
    }
}
