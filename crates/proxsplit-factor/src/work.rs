//! What all methods share: the problem, the factors, and the memory of where a run is.

use crate::balance::Scales;
use crate::codes::{Effort, Quadratic, Term};
use crate::problem::{Factors, Problem};
use crate::products::{Lanes, dot, gram};
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// Effort of an ordinary inner solve. Less would cost passes; more would be lost on problems that change with every pass, above
/// all on small data, where sweeps are dear beside products.
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
    pub(crate) memory: Memory,
}

impl<'a, T: Lanes> Work<'a, T> {
    pub(crate) fn new(problem: Problem<'a, T>, factors: Factors<T>) -> Self {
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
        let own = self.problem.data.own_of_columns(x, &range);
        self.problem.data.with_columns(xy, x, range);
        gram(&mut self.gx, x, rank);
        let problem = Quadratic {
            gram: &self.gx,
            linear: xy,
            rank,
            own,
        };
        self.codes.solve(problem, &mut self.factors.a[part], effort);
    }

    /// Atoms for the codes `a` whose AYᵀ and AAᵀ are in the buffers, improved from where they are.
    pub(crate) fn solve_atoms(&mut self, a: &[T], effort: Effort) {
        let data = self.problem.data;
        let problem = Quadratic {
            gram: &self.ga,
            linear: &self.ya,
            rank: self.problem.rank,
            own: data.own_of_rows(a, 0..data.cols()),
        };
        self.atoms.solve(problem, &mut self.factors.x, effort);
    }

    /// ½‖Y − XA‖² + ψ₀(X) + ψ(A) for the codes `a` whose AYᵀ and AAᵀ are in the buffers.
    pub(crate) fn objective_for(&mut self, a: &[T]) -> f64 {
        let rank = self.problem.rank;
        gram(&mut self.gx, &self.factors.x, rank);
        self.misfit(a) + self.atoms.penalty(&self.factors.x, rank) + self.codes.penalty(a, rank)
    }

    /// Whether an atom is zero or used by no sample, by the XᵀX and AAᵀ in the buffers.
    pub(crate) fn has_dead_atoms(&self) -> bool {
        let lives = |gram: &[T]| {
            gram.iter()
                .step_by(self.problem.rank + 1)
                .all(|&g| g > T::ZERO)
        };
        !(lives(&self.gx) && lives(&self.ga))
    }

    /// Whether the columns of X, whose XᵀX is in the buffers, have norms near 1: near enough to wait with scaling.
    pub(crate) fn is_nearly_normal(&self) -> bool {
        let squares = self.gx.iter().step_by(self.problem.rank + 1);
        squares.into_iter().all(|s| (0.25..=4.0).contains(&s.f64()))
    }

    /// ½‖Y − XA‖² for the codes `a` from the buffers AYᵀ, AAᵀ and XᵀX.
    pub(crate) fn misfit(&self, a: &[T]) -> f64 {
        let (data, x) = (self.problem.data, &self.factors.x);
        let cross = dot(x, &self.ya);
        let product = data.observed_square((x, &self.gx), (a, &self.ga), &(0..data.cols()));
        (0.5 * data.square() - cross + 0.5 * product).max(0.0)
    }

    /// The size of what cancels in a misfit: ½‖Y‖² and the products of XᵀX and AAᵀ, which are in the buffers.
    pub(crate) fn size_of_parts(&self) -> f64 {
        let products = self.gx.iter().zip(&self.ga);
        let size: f64 = products.map(|(x, a)| (x.f64() * a.f64()).abs()).sum();
        0.5 * self.problem.data.square() + size
    }

    /// What a batch of columns, whose codes and XᵀY, XᵀX and AAᵀ are there, adds to the misfit beside ½‖Y‖².
    pub(crate) fn share_of_misfit(&self, range: Range<usize>) -> f64 {
        let rank = self.problem.rank;
        let part = range.start * rank..range.end * rank;
        let (x, a) = (&self.factors.x, &self.factors.a[part.clone()]);
        let data = self.problem.data;
        let product = data.observed_square((x, &self.gx), (a, &self.ga), &range);
        0.5 * product - dot(&self.xy[part], a)
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

#[cfg(test)]
mod tests {
    use super::{NEARLY_EXACT, Work};
    use crate::products::{Data, gram};
    use crate::{Factors, Missing, Problem};
    use proxsplit::data::{Dense, Elements, Order};
    use proxsplit::linalg::Mat;
    use proxsplit::prox::{Huber, NonNegL1};
    use proxsplit::set::{L2Ball, Simplex};
    use proxsplit::{Error, Prox};

    /// Half-steps of alternating minimization with gaps, for every kind of term.
    #[test]
    fn with_gaps_the_objective_never_rises() -> Result<(), Error> {
        let (m, n, rank) = (20, 30, 4);
        let y: Vec<f64> = (0..m * n)
            .map(|at| match (at * 7 + at / m) % 10 {
                0..4 => f64::NAN,
                rest => rest as f64,
            })
            .collect();
        let dense = Dense::new(m, n, Order::ColumnMajor, Elements::F64(&y))?;
        let data = Data::<f64>::with_missing(dense.into(), 5.0, Missing::Nan)?;
        let (l1, huber) = (NonNegL1::new(0.01)?, Huber::new(0.05, 0.1)?);
        let (ball, simplex) = (L2Ball::new(1.0)?, Simplex::new(1.0)?);
        let cases: [(&dyn Prox<f64>, &dyn Prox<f64>); 4] =
            [(&l1, &l1), (&huber, &huber), (&ball, &l1), (&l1, &simplex)];
        for (number, (atoms, codes)) in cases.into_iter().enumerate() {
            let problem = Problem::new(&data, rank, atoms, codes)?;
            let x = Mat::from_fn(m, rank, |i, k| ((i * 3 + k * 5) % 7) as f64 / 20.0);
            let start = Factors::new(&x, Mat::from_fn(rank, n, |_, _| 0.25))?;
            let mut work = Work::new(problem, start);
            let mut last = f64::INFINITY;
            for _ in 0..40 {
                let x = work.factors.x.clone();
                work.solve_codes(&x, 0..n, NEARLY_EXACT);
                let a = work.factors.a.clone();
                data.with_rows(&mut work.ya, &a, 0..n);
                gram(&mut work.ga, &a, rank);
                for atoms_too in [false, true] {
                    if atoms_too {
                        work.solve_atoms(&a, NEARLY_EXACT);
                    }
                    let now = work.objective_for(&a);
                    assert!(now <= last + 1e-9, "case {number}: {last} to {now}");
                    last = now;
                }
            }
        }
        Ok(())
    }
}
