//! What all methods share: the problem, the factors, and the memory of where a run is.

use crate::balance::Scales;
use crate::codes::{Effort, Quadratic, Term};
use crate::problem::{Factors, Problem};
use crate::products::{Lanes, dot, gram};
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// Effort of an ordinary inner solve. Less would cost passes, and more would be lost on problems that change with every pass:
/// 1e-3 took 1.7 times as long on small data, where sweeps are dear beside products, 1e-1 1.3 times as long on large ones.
pub(crate) const NEARLY_EXACT: Effort = Effort {
    sweeps: 50,
    tolerance: 3e-2,
};

/// Numbers that a checkpoint keeps.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(crate) struct Memory {
    /// Steps made.
    pub(crate) iteration: u64,
    /// Whole passes made.
    pub(crate) pass: u64,
    /// Batches visited in the current pass.
    pub(crate) visited: usize,
    /// The objective as the method sees it, without extra work.
    pub(crate) objective: Option<f64>,
    /// ‖X⁺ − X‖ of the last step.
    pub(crate) displacement: f64,
    /// η, in the method's metric.
    pub(crate) step: f64,
    /// Atoms that died and were drawn anew.
    pub(crate) revived: u64,
}

/// The problem and the factors of a run, with buffers.
pub(crate) struct Work<'a, T: Lanes> {
    pub(crate) problem: Problem<'a, T>,
    pub(crate) atoms: Term<'a, T>,
    pub(crate) codes: Term<'a, T>,
    pub(crate) factors: Factors<T>,
    /// XᵀY of a range of columns.
    pub(crate) xy: Vec<T>,
    /// AYᵀ
    pub(crate) ya: Vec<T>,
    /// XᵀX
    pub(crate) gx: Vec<T>,
    /// AAᵀ
    pub(crate) ga: Vec<T>,
    pub(crate) scales: Scales<T>,
    pub(crate) seed: u64,
    pub(crate) memory: Memory,
}

impl<'a, T: Lanes> Work<'a, T> {
    pub(crate) fn new(problem: Problem<'a, T>, factors: Factors<T>, seed: u64) -> Self {
        let square = vec![T::ZERO; problem.rank * problem.rank];
        let (atoms, codes) = problem.terms();
        Self {
            atoms,
            codes,
            xy: vec![T::ZERO; factors.a.len()],
            ya: vec![T::ZERO; factors.x.len()],
            gx: square.clone(),
            ga: square,
            scales: Scales::new(problem.rank),
            seed,
            memory: Memory {
                iteration: 0,
                pass: 0,
                visited: 0,
                objective: None,
                displacement: 0.0,
                step: 1.0,
                revived: 0,
            },
            problem,
            factors,
        }
    }

    /// Codes of a range of columns for the given Xᵀ, improved from where they are; leaves XᵀY and XᵀX in the buffers.
    pub(crate) fn solve_codes(&mut self, x: &[T], range: Range<usize>, effort: Effort) {
        let rank = self.problem.rank;
        let part = range.start * rank..range.end * rank;
        let xy = &mut self.xy[part.clone()];
        self.problem.data.with_columns(xy, x, range);
        gram(&mut self.gx, x, rank);
        let problem = Quadratic {
            gram: &self.gx,
            linear: xy,
            rank,
        };
        self.codes.solve(problem, &mut self.factors.a[part], effort);
    }

    /// Atoms for the statistics in the buffers, improved from where they are.
    pub(crate) fn solve_atoms(&mut self, effort: Effort) {
        let problem = Quadratic {
            gram: &self.ga,
            linear: &self.ya,
            rank: self.problem.rank,
        };
        self.atoms.solve(problem, &mut self.factors.x, effort);
    }

    /// ½‖Y − XA‖² + ψ₀(X) + ψ(A) for the codes `a` whose AYᵀ and AAᵀ are in the buffers.
    pub(crate) fn objective_for(&mut self, a: &[T]) -> f64 {
        let rank = self.problem.rank;
        gram(&mut self.gx, &self.factors.x, rank);
        self.misfit() + self.atoms.penalty(&self.factors.x, rank) + self.codes.penalty(a, rank)
    }

    /// Whether the columns of X, whose XᵀX is in the buffers, have norms near 1: near enough to wait with scaling.
    pub(crate) fn is_nearly_normal(&self) -> bool {
        let squares = self.gx.iter().step_by(self.problem.rank + 1);
        squares.into_iter().all(|s| (0.25..=4.0).contains(&s.f64()))
    }

    /// ½‖Y − XA‖² from the buffers AYᵀ, AAᵀ and XᵀX.
    pub(crate) fn misfit(&self) -> f64 {
        let cross = dot(&self.factors.x, &self.ya);
        (0.5 * self.problem.data.square() - cross + 0.5 * dot(&self.gx, &self.ga)).max(0.0)
    }
}

/// Rows of `factor` (K × n) times their weights.
pub(crate) fn scale_rows<T: Lanes>(factor: &mut [T], weights: &[T]) {
    use rayon::prelude::*;
    factor
        .par_chunks_mut(weights.len() * 4096)
        .for_each(|part| {
            for column in part.chunks_exact_mut(weights.len()) {
                for (value, &weight) in column.iter_mut().zip(weights) {
                    *value *= weight;
                }
            }
        });
}
