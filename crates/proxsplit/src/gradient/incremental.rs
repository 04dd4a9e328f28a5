//! One incremental pass over the terms (eq.32): ∇̃f(xᵏ) = Σ_t ∇f_t(x^{k,t}) with
//! x^{k,1} = xᵏ, x^{k,t+1} = O(x^{k,t} − η∇f_t(x^{k,t})).
//!
//! Seen from the outer iteration this is a gradient with the error e(xᵏ) = Σ_t [∇f_t(xᵏ) − ∇f_t(x^{k,t})], the drift.

use super::GradientSource;
use crate::Error;
use crate::ledger::{Level, Source};
use crate::linalg::vec::axpy;
use crate::order::{VisitOrder, Visits};
use crate::{FiniteSum, Prox, Real};

/// The operator O between the terms of a pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "kebab-case")
)]
pub enum Inner {
    /// O = identity: one prox a pass.
    #[default]
    Identity,
    /// O = P_η^g: one prox a term.
    Prox,
}

crate::names!("inner operator", Inner: "identity" => Identity, "prox" => Prox);

/// A pass over all batches of terms, each evaluated where the ones before it have moved the point.
pub struct IncrementalPass<'a, T: Real = f64> {
    f: &'a dyn FiniteSum<T>,
    g: &'a dyn Prox<T>,
    inner: Inner,
    visits: Visits,
    started: bool,
    z: Vec<T>,    // x^{k,t}
    term: Vec<T>, // ∇f_t(x^{k,t})
}

crate::opaque!(IncrementalPass<'_, T>, T: Real);

impl<'a, T: Real> IncrementalPass<'a, T> {
    /// Batches of `size` terms of `f`, visited in the given order; O is taken from `g` if `inner` says so.
    pub fn new(
        f: &'a dyn FiniteSum<T>,
        g: &'a dyn Prox<T>,
        inner: Inner,
        visits: (usize, VisitOrder, u64),
    ) -> Result<Self, Error> {
        let (size, order, seed) = visits;
        let visits = Visits::new(f.terms(), size, order, seed)?;
        let zeros = vec![T::ZERO; f.dim()];
        Ok(Self {
            f,
            g,
            inner,
            visits,
            started: false,
            z: zeros.clone(),
            term: zeros,
        })
    }

    /// The same, and calls `minor(t, x^{k,t}, ∇f_t(x^{k,t}))` at every term: for tests and studies of the lemmas.
    pub fn traced(
        &mut self,
        x: &[T],
        step: f64,
        out: &mut [T],
        mut minor: impl FnMut(usize, &[T], &[T]),
    ) {
        if self.started {
            self.visits.next_pass();
        }
        self.started = true;
        out.fill(T::ZERO);
        self.z.copy_from_slice(x);
        let batches = self.visits.batches();
        for t in 0..batches {
            self.term.fill(T::ZERO);
            self.f
                .add_gradient(self.visits.batch(t), &self.z, &mut self.term);
            minor(t, &self.z, &self.term);
            axpy(T::ONE, &self.term, out);
            if t + 1 < batches {
                axpy(-T::of(step), &self.term, &mut self.z);
                if self.inner == Inner::Prox {
                    self.g.prox(&mut self.z, T::of(step));
                }
            }
        }
    }

    /// The batches of the pass that was made last.
    pub fn visits(&self) -> &Visits {
        &self.visits
    }
}

impl<T: Real> GradientSource<T> for IncrementalPass<'_, T> {
    fn estimate(&mut self, x: &[T], step: f64, out: &mut [T]) -> Level {
        self.traced(x, step, out, |_, _, _| {});
        if self.visits.batches() == 1 && self.visits.order() != VisitOrder::Random {
            Level::Bounded(0.0)
        } else {
            Level::Unknown
        }
    }

    /// Draws with replacement miss some terms and see others twice: that is sampling, also when they are as many as the terms.
    fn source(&self) -> Source {
        match self.visits.order() {
            VisitOrder::Random => Source::Sampling,
            VisitOrder::Cyclic | VisitOrder::Reshuffled => Source::IncrementalDrift,
        }
    }

    fn is_unbiased(&self) -> bool {
        self.visits.order() == VisitOrder::Random
    }

    fn is_pass(&self) -> bool {
        true
    }
}

/// The lemma "Incrementality error": ε_t ≤ 2ηL Σ_{j<t} (1+2ηL)^{t−1−j} β_j, with β_j = ‖∇f_j(xᵏ) + s^j‖. Entry t of
/// the result bounds ‖∇f_t(x^{k,t}) − ∇f_t(xᵏ)‖.
pub fn incrementality_bounds(step: f64, lipschitz: f64, betas: &[f64]) -> Vec<f64> {
    let growth = 1.0 + 2.0 * step * lipschitz;
    let mut sum = 0.0;
    let bound = |beta: &f64| {
        let before = 2.0 * step * lipschitz * sum;
        sum = growth * sum + beta;
        before
    };
    betas.iter().map(bound).collect()
}

/// The lemma "Bounded error" with its last lines mended: ‖e(xᵏ)‖ ≤ Σ_t ((1+2ηL)^{T−t} − 1) β_t, which goes to 0 with η.
pub fn drift_bound(step: f64, lipschitz: f64, betas: &[f64]) -> f64 {
    incrementality_bounds(step, lipschitz, betas).iter().sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sum_of_the_bounds_is_the_closed_form() {
        let (step, l, betas) = (0.1f64, 3.0, [1.0, 0.5, 2.0, 0.25]);
        let closed: f64 = (0..4)
            .map(|t| ((1.0f64 + 2.0 * step * l).powi(3 - t) - 1.0) * betas[t as usize])
            .sum();
        assert!((drift_bound(step, l, &betas) - closed).abs() < 1e-12);
        assert!(drift_bound(1e-9, l, &betas) < 1e-7);
    }
}
