//! SAGA and aggregated gradients: the last gradient of every batch is remembered.
//!
//! With G = Σ_b m_b over the remembered gradients and the batch B of this step,
//! g̃ = G + ω(∇f_B(x) − m_B), and then m_B ← ∇f_B(x). ω = N, the number of batches, is SAGA; ω = 1 is the aggregated gradient method
//! (IAG, SAG). For a linear model a remembered gradient is one number a row.
//!
//! e = Σ_{b≠B} (∇f_b(x) − m_b) + (1 − ω)(∇f_B(x) − m_B), so that ‖e_k‖ ≤ ℓ(Σ_{b≠B} d_b + |ω − 1| d_B), where ℓ bounds the L of
//! a batch and d_b ≤ Σ_{j since the last visit of b} ‖Δ_j‖. No visit is more than m steps ago: N if the order is cyclic, 2N − 1 if it is
//! reshuffled. So ‖e_k‖ ≤ Σ_{j<k} w_{kj}‖Δ_j‖ with Σ_j w_{kj} ≤ ℓm(N − 1 + |ω − 1|), and a move counts in at most m − 1 steps
//! before the next visit of each of the N batches, and ω − 1 times at that visit: Σ_k w_{kj} ≤ ℓN(m − 1 + |ω − 1|). By
//! ab ≤ (a² + b²)/2, Σ_k ‖e_k‖‖Δ_k‖ ≤ W Σ_k ‖Δ_k‖² with W half the sum of the two. What follows for the run is in
//! [`Following`](super::Following).
//!
//! A. Defazio, F. Bach and S. Lacoste-Julien, SAGA, 2014; D. Blatt, A. Hero and H. Gauchman, A convergent incremental gradient method
//! with a constant step size, 2007; M. Gürbüzbalaban, A. Ozdaglar and P. Parrilo, On the convergence rate of incremental aggregated
//! gradient algorithms, 2017.

use super::trail::Trail;
use super::{Following, GradientSource, expected_smoothness};
use crate::ledger::{Level, Source};
use crate::linalg::vec::norm;
use crate::order::{VisitOrder, Visits};
use crate::{Error, FiniteSum, Lipschitz, Real};

/// Gradients of batches, each remembered since its last visit.
pub struct Saga<'a, T: Real = f64> {
    f: &'a dyn FiniteSum<T>,
    members: Visits, // which terms are in a batch, for good
    turns: Visits,   // in which order the batches come
    turn: usize,     // the next batch of this pass
    emphasis: f64,   // ω
    memory: Memory<T>,
    filled: bool,
    sum: Vec<f64>,  // G, which many small changes are added to
    change: Vec<T>, // ∇f_B(x) − m_B
    trail: Trail<T>,
    visited: Vec<f64>,    // the trail's length at the last visit of every batch
    lipschitz: Lipschitz, // ℓ, or what the batches have shown of it
    passes: f64,
}

crate::opaque!(Saga<'_, T>, T: Real);

/// The remembered gradients.
enum Memory<T> {
    /// ∇f_b, one after the other.
    Gradients(Vec<T>),
    /// s_t where ∇f_t(x) = s_t(x)·a_t, and room for those of a batch.
    Slopes(Vec<f64>, Vec<f64>),
}

impl<'a, T: Real> Saga<'a, T> {
    /// Batches of `size` terms, drawn once, whose order is cyclic or reshuffled in every pass.
    pub fn new(
        f: &'a dyn FiniteSum<T>,
        size: usize,
        order: VisitOrder,
        seed: u64,
    ) -> Result<Self, Error> {
        if order == VisitOrder::Random {
            let cause = "with the order 'random' a batch may never be visited again, so its stored gradient gives no bound: use cyclic or reshuffled";
            return Err(Error::Incompatible(cause.into()));
        }
        let members = Visits::new(f.terms(), size, order, seed)?;
        let batches = members.batches();
        let memory = if f.linear().is_some() {
            Memory::Slopes(vec![0.0; f.terms()], vec![0.0; members.size()])
        } else {
            Memory::Gradients(vec![T::ZERO; batches * f.dim()])
        };
        Ok(Self {
            f,
            turns: Visits::new(batches, 1, order, seed)?,
            turn: 0,
            emphasis: batches as f64,
            memory,
            filled: false,
            sum: vec![0.0; f.dim()],
            change: vec![T::ZERO; f.dim()],
            trail: Trail::new(f.dim()),
            visited: vec![0.0; batches],
            lipschitz: f.term_lipschitz().scaled(members.size() as f64),
            members,
            passes: 0.0,
        })
    }

    /// The aggregated gradient method: ω = 1 in place of SAGA's N.
    #[must_use]
    pub fn aggregated(mut self) -> Self {
        self.emphasis = 1.0;
        self
    }

    /// How many numbers are remembered of the terms: one a row for linear models, else a gradient a batch.
    pub fn remembered(&self) -> usize {
        match &self.memory {
            Memory::Gradients(all) => all.len(),
            Memory::Slopes(all, _) => all.len(),
        }
    }

    /// change ← ∇f_B(x) − m_B; m_B ← ∇f_B(x)
    fn visit(&mut self, b: usize, x: &[T]) {
        let (batch, change) = (self.members.batch(b), &mut self.change);
        change.fill(T::ZERO);
        match &mut self.memory {
            Memory::Gradients(all) => {
                let kept = &mut all[b * x.len()..(b + 1) * x.len()];
                self.f.add_gradient(batch, x, change);
                for (kept, change) in kept.iter_mut().zip(change) {
                    let new = *change;
                    *change = new - *kept;
                    *kept = new;
                }
            }
            Memory::Slopes(all, room) => {
                let Some(model) = self.f.linear() else { return };
                let room = &mut room[..batch.len()];
                model.slopes_of(batch, x, room);
                for (&t, new) in batch.iter().zip(&mut *room) {
                    let old = std::mem::replace(&mut all[t], *new);
                    *new -= old;
                }
                model.add_rows(batch, room, change);
            }
        }
    }

    /// Visits all batches at x.
    fn fill(&mut self, x: &[T]) {
        match &mut self.memory {
            Memory::Gradients(all) => all.fill(T::ZERO),
            Memory::Slopes(all, _) => all.fill(0.0),
        }
        self.sum.fill(0.0);
        for b in 0..self.members.batches() {
            self.visit(b, x);
            self.add_change();
        }
        self.trail.begin(x);
        self.visited.fill(0.0);
        self.filled = true;
        self.passes = 1.0;
    }

    /// G ← G + change
    fn add_change(&mut self) {
        for (sum, change) in self.sum.iter_mut().zip(&self.change) {
            *sum += change.f64();
        }
    }

    fn next_turn(&mut self) -> usize {
        if self.turn == self.turns.batches() {
            self.turns.next_pass();
            self.turn = 0;
        }
        self.turn += 1;
        self.turns.batch(self.turn - 1)[0]
    }

    /// Σ_{b≠B} d_b + |ω − 1| d_B, where d_b is bounded by the way since the last visit of b.
    fn distances(&self, current: usize) -> f64 {
        let way = |visited: &f64| self.trail.length() - visited;
        let all: f64 = self.visited.iter().map(way).sum();
        all + ((self.emphasis - 1.0).abs() - 1.0) * way(&self.visited[current])
    }

    /// Where ℓ is not known, what this visit has shown of it.
    fn observe(&mut self, b: usize) {
        let way = self.trail.length() - self.visited[b];
        if !matches!(self.lipschitz, Lipschitz::Known(_)) && way > 0.0 {
            let shown = norm(&self.change) / way;
            self.lipschitz = Lipschitz::Estimated(self.lipschitz.value().unwrap_or(0.0).max(shown));
        }
    }
}

impl<T: Real> GradientSource<T> for Saga<'_, T> {
    fn estimate(&mut self, x: &[T], _: f64, out: &mut [T]) -> Level {
        if !self.filled {
            self.fill(x);
            for (out, &sum) in out.iter_mut().zip(&self.sum) {
                *out = T::of(sum);
            }
            return Level::Bounded(0.0);
        }
        let b = self.next_turn();
        self.trail.go(x);
        self.visit(b, x);
        self.observe(b);
        let level = super::level(self.lipschitz, self.distances(b));
        self.visited[b] = self.trail.length();
        for ((out, &sum), change) in out.iter_mut().zip(&self.sum).zip(&self.change) {
            *out = T::of(sum + self.emphasis * change.f64());
        }
        self.add_change();
        self.passes = self.members.batch(b).len() as f64 / self.f.terms() as f64;
        level
    }

    fn source(&self) -> Source {
        Source::Stale
    }

    fn passes(&self) -> f64 {
        self.passes
    }

    fn following(&self) -> Option<Following> {
        let batches = self.visited.len() as f64;
        let longest = match self.turns.order() {
            VisitOrder::Cyclic => batches,
            _ => 2.0 * batches - 1.0,
        };
        let more = (self.emphasis - 1.0).abs();
        let sums = longest * (batches - 1.0 + more) + batches * (longest - 1.0 + more);
        let smoothness = expected_smoothness(self.f, self.members.size());
        Some(Following {
            feedback: self.lipschitz.scaled(0.5 * sums),
            step: smoothness.map(|l| 1.0 / (3.0 * l)),
        })
    }

    fn restart(&mut self) {
        self.filled = false;
    }
}
