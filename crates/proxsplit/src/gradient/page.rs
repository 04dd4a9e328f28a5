//! PAGE / SPIDER: the whole gradient now and then, and differences over small batches in between.
//!
//! g̃ᵏ = ∇f(xᵏ) at a refresh, else g̃ᵏ = g̃ᵏ⁻¹ + (T/|B|) Σ_{t∈B} (∇f_t(xᵏ) − ∇f_t(xᵏ⁻¹)).
//!
//! Whatever the batches, every difference changes the error by at most ℓ‖Δ‖, ℓ = L + T·max_t L_t, so that
//! ‖e_k‖ ≤ ℓ Σ_{j since the refresh} ‖Δ_j‖. Over the q steps from one refresh to the next,
//! Σ_k ‖e_k‖‖Δ_k‖ ≤ ℓ Σ_{j<k} ‖Δ_j‖‖Δ_k‖ ≤ W Σ_k ‖Δ_k‖² with W = ℓ(q − 1)/2. What follows for the run is in
//! [`Following`](super::Following).
//!
//! Z. Li, H. Bao, X. Zhang and P. Richtárik, PAGE: a simple and optimal probabilistic gradient estimator, 2021; C. Fang, C. J. Li,
//! Z. Lin and T. Zhang, SPIDER, 2018. Here refreshes are not drawn but come every q steps.

use super::trail::Trail;
use super::{Following, GradientSource, expected_smoothness};
use crate::ledger::{Level, Source};
use crate::linalg::vec::{axpy, norm, scale};
use crate::order::{VisitOrder, Visits};
use crate::{Error, FiniteSum, Lipschitz, Real};

/// Whole gradients every q steps, corrected by batches in between.
pub struct Page<'a, T: Real = f64> {
    f: &'a dyn FiniteSum<T>,
    visits: Visits,
    batch: usize,     // the next one of this pass
    period: usize,    // q
    age: usize,       // steps since the refresh
    fresh: bool,      // whether the estimate is the gradient at the trail's point
    started: bool,    // whether there is an estimate
    estimate: Vec<T>, // g̃
    change: Vec<T>,   // Σ_{t∈B} (∇f_t(xᵏ) − ∇f_t(xᵏ⁻¹)), scaled
    trail: Trail<T>,
    lipschitz: Lipschitz, // T·max_t L_t, or what the batches have shown of it
    passes: f64,
}

crate::opaque!(Page<'_, T>, T: Real);

impl<'a, T: Real> Page<'a, T> {
    /// Batches of `size` terms in the given order, which depends on the seed only. A refresh comes when the batches since the last one
    /// have cost a pass.
    pub fn new(
        f: &'a dyn FiniteSum<T>,
        size: usize,
        order: VisitOrder,
        seed: u64,
    ) -> Result<Self, Error> {
        let visits = Visits::new(f.terms(), size, order, seed)?;
        let zeros = vec![T::ZERO; f.dim()];
        Ok(Self {
            f,
            batch: 0,
            period: visits.batches().div_ceil(2) + 1,
            age: 0,
            fresh: false,
            started: false,
            estimate: zeros.clone(),
            change: zeros,
            trail: Trail::new(f.dim()),
            lipschitz: f.term_lipschitz().scaled(f.terms() as f64),
            visits,
            passes: 0.0,
        })
    }

    /// A whole gradient every `steps` ≥ 1 steps.
    #[must_use]
    pub fn refresh_every(mut self, steps: usize) -> Self {
        self.period = steps.max(1);
        self
    }

    /// ℓ = L + T·max_t L_t, where the L of a sum is at most T·max_t L_t.
    fn variation(&self) -> Lipschitz {
        match (self.lipschitz, self.f.lipschitz()) {
            (Lipschitz::Known(terms), Lipschitz::Known(whole)) => {
                Lipschitz::Known(terms + whole.min(terms))
            }
            (terms, _) => terms.scaled(2.0),
        }
    }

    fn refresh(&mut self, x: &[T]) {
        self.f.gradient(x, &mut self.estimate);
        self.trail.begin(x);
        (self.age, self.passes) = (0, 1.0);
        self.started = true;
    }

    /// g̃ ← g̃ + (T/|B|) Σ_{t∈B} (∇f_t(x) − ∇f_t(xᵏ⁻¹))
    fn correct(&mut self, x: &[T]) {
        if self.batch == self.visits.batches() {
            self.visits.next_pass();
            self.batch = 0;
        }
        let batch = self.visits.batch(self.batch);
        let weight = self.f.terms() as f64 / batch.len() as f64;
        self.change.fill(T::ZERO);
        self.f.add_gradient(batch, self.trail.x(), &mut self.change);
        scale(-T::ONE, &mut self.change);
        self.f.add_gradient(batch, x, &mut self.change);
        axpy(T::of(weight), &self.change, &mut self.estimate);
        self.batch += 1;
        self.passes = 2.0 / weight;
        let moved = self.trail.go(x);
        if !matches!(self.lipschitz, Lipschitz::Known(_)) && moved > 0.0 {
            let shown = weight * norm(&self.change) / moved;
            self.lipschitz = Lipschitz::Estimated(self.lipschitz.value().unwrap_or(0.0).max(shown));
        }
    }
}

impl<T: Real> GradientSource<T> for Page<'_, T> {
    fn estimate(&mut self, x: &[T], _: f64, out: &mut [T]) -> Level {
        if std::mem::take(&mut self.fresh) {
            self.passes = 0.0;
        } else if !self.started || self.age + 1 >= self.period {
            self.refresh(x);
        } else {
            self.age += 1;
            self.correct(x);
        }
        out.copy_from_slice(&self.estimate);
        super::level(self.variation(), self.trail.length())
    }

    fn source(&self) -> Source {
        Source::Stale
    }

    fn passes(&self) -> f64 {
        self.passes
    }

    fn following(&self) -> Option<Following> {
        let feedback = self.variation().scaled(0.5 * (self.period as f64 - 1.0));
        let smoothness = expected_smoothness(self.f, self.visits.size());
        Some(Following {
            feedback,
            step: smoothness.map(|l| 0.5 / l),
        })
    }

    fn restart(&mut self) {
        self.started = false;
        self.fresh = false;
    }

    fn exact(&mut self, x: &[T], gradient: &[T]) {
        self.estimate.copy_from_slice(gradient);
        self.trail.begin(x);
        self.age = 0;
        (self.fresh, self.started) = (true, true);
    }
}
