//! What all methods share: the problem, the factors, and the memory of where a run is.

use crate::balance::{Balance, Scales};
use crate::codes::{Effort, Term};
use crate::misfit::rough::Rough;
use crate::misfit::{Misfit, rounding_of};
use crate::problem::{Factors, Problem};
use crate::products::Lanes;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// Effort of an ordinary inner solve. Less would cost passes; more would be lost on problems that change with every pass, above
/// all on small data, where sweeps are expensive compared with the products.
pub(crate) const NEARLY_EXACT: Effort = Effort {
    sweeps: 50,
    tolerance: 3e-2,
};

/// Ranks above this make sweeps a large part of a pass (`bench/run passes`). There they may cost this share of the product before
/// them, but a few are always worth their time.
const HIGH: usize = 40;
const WORTH: f64 = 0.2;
const FEW: usize = 4;

/// Sweeps that are enough for every accuracy that is asked for.
const SWEEPS: usize = 5000;

impl Effort {
    /// The same, with no more sweeps than are worth their cost after a product that met `length` entries a line; a sweep meets `rank`.
    pub(crate) fn beside(self, length: usize, rank: usize) -> Self {
        if rank <= HIGH {
            return self;
        }
        let affordable = (WORTH * length as f64 / rank as f64) as usize;
        Self {
            sweeps: self.sweeps.min(affordable.max(FEW)),
            ..self
        }
    }

    /// What a user asks for: an end when a sweep moves the codes by less than this fraction of their first move.
    pub(crate) fn until(tolerance: f64) -> Self {
        Self {
            sweeps: SWEEPS,
            tolerance,
        }
    }
}

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
    /// Dead atoms that were reinitialized.
    pub(crate) revived: u64,
    /// Passes without momentum that raised the objective by more than rounding: there should be none.
    #[serde(default)]
    pub(crate) rises: u64,
    #[serde(default)]
    pub(crate) single_precision: SinglePrecision,
}

/// Whether passes are in single precision, as the first ones of a run in double precision may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum SinglePrecision {
    #[default]
    Never,
    Now,
    Before,
}

impl Memory {
    /// Nothing has been done yet.
    pub(crate) const START: Self = Self {
        iteration: 0,
        pass: 0,
        visited: 0,
        objective: None,
        displacement: 0.0,
        step: 1.0,
        revived: 0,
        rises: 0,
        single_precision: SinglePrecision::Never,
    };
}

/// The problem and the factors of a run, with buffers.
pub(crate) struct Work<'a, T: Lanes> {
    pub(crate) problem: Problem<'a, T>,
    pub(crate) atoms: Term<'a, T>,
    pub(crate) codes: Term<'a, T>,
    pub(crate) factors: Factors<T>,
    pub(crate) misfit: Box<dyn Misfit<T> + 'a>,
    pub(crate) scales: Scales<T>,
    /// Whether the scale between X and A is set anew where it is free.
    pub(crate) rescales: bool,
    /// The effort of an inner solve of a mini-batch.
    pub(crate) effort: Effort,
    pub(crate) memory: Memory,
}

impl<'a, T: Lanes> Work<'a, T> {
    pub(crate) fn new(
        problem: Problem<'a, T>,
        misfit: Box<dyn Misfit<T> + 'a>,
        factors: Factors<T>,
    ) -> Self {
        let (atoms, codes) = problem.terms();
        Self {
            atoms,
            codes,
            misfit,
            scales: Scales::new(problem.rank, problem.fixed.count()),
            rescales: true,
            effort: NEARLY_EXACT.beside(problem.data.rows(), problem.rank),
            memory: Memory::START,
            problem,
            factors,
        }
    }

    /// What is to be done about the scale between X and A.
    pub(crate) fn balance(&self) -> Balance<'a, T> {
        if self.rescales {
            Balance::of(&self.atoms, &self.codes)
        } else {
            Balance::Fixed
        }
    }

    /// Makes passes in single precision from here on, if the problem allows it; whether it does.
    pub(crate) fn coarsen(&mut self) -> bool {
        let Some(rough) = Rough::new(self.problem) else {
            return false;
        };
        self.misfit = Box::new(rough);
        self.memory.single_precision = SinglePrecision::Now;
        true
    }

    /// Makes passes in the precision of T from here on.
    pub(crate) fn refine(&mut self) {
        self.misfit.refine();
        if self.memory.single_precision == SinglePrecision::Now {
            self.memory.single_precision = SinglePrecision::Before;
        }
    }

    /// Codes of a range of columns for the given Xᵀ, improved from where they are.
    pub(crate) fn solve_codes(&mut self, x: &[T], range: Range<usize>, effort: Effort) {
        let rank = self.problem.rank;
        let codes = &mut self.factors.a[range.start * rank..range.end * rank];
        self.misfit
            .solve_codes(x, codes, range, (&self.codes, effort));
    }

    /// Atoms for the codes `a`, which the misfit has seen, improved from where they are.
    pub(crate) fn solve_atoms(&mut self, a: &[T], effort: Effort) {
        let x = &mut self.factors.x;
        self.misfit.solve_atoms(x, a, (&self.atoms, effort));
    }

    /// The objective for the codes `a`, which the misfit has seen.
    pub(crate) fn objective_for(&mut self, a: &[T]) -> f64 {
        let misfit = self.misfit.value(&self.factors.x, a);
        self.objective_with(misfit, a)
    }

    /// The same if the misfit is known.
    pub(crate) fn objective_with(&self, misfit: f64, a: &[T]) -> f64 {
        let (x, rank) = (&self.factors.x, self.problem.rank);
        misfit + self.atoms.penalty(x, rank) + self.codes.penalty(a, rank)
    }

    /// Counts a pass without momentum that raised the objective by more than rounding, of which there is `more` than of one value.
    pub(crate) fn note_rise(
        &mut self,
        before: Option<f64>,
        after: f64,
        (codes, more): (&[T], f64),
    ) {
        let rank = self.problem.rank;
        let of_graphs = self.atoms.rounding_of_graph(&self.factors.x, rank)
            + self.codes.rounding_of_graph(codes, rank);
        // Penalties are sums, too, and no more than the whole.
        let of_sums = rounding_of::<T>(after.abs());
        let slack = more * self.misfit.rounding() + of_sums + of_graphs;
        let rose = before.is_some_and(|before| after > before + slack);
        self.memory.rises += u64::from(rose);
    }

    /// Whether a free atom is zero or used by no sample, at the X and the codes of the last objective.
    pub(crate) fn has_dead_atoms(&mut self) -> bool {
        let (rank, free) = (self.problem.rank, self.problem.fixed.count());
        let lives = |gram: &[T]| {
            let mut free = gram.iter().step_by(rank + 1).skip(free);
            free.all(|&g| g > T::ZERO)
        };
        let grams = self.misfit.grams();
        !(lives(&grams.x) && lives(&grams.a))
    }

    /// Whether the free columns of the X of the last objective have norms near 1: near enough to wait with scaling.
    pub(crate) fn is_nearly_normal(&mut self) -> bool {
        let squares = self.misfit.grams().x.iter().step_by(self.problem.rank + 1);
        let mut free = squares.skip(self.atoms.first());
        free.all(|s| (0.25..=4.0).contains(&s.f64()))
    }
}

/// Rows of `factor` (K × n) times their weights.
pub(crate) fn scale_rows<T: Lanes>(factor: &mut [T], weights: &[T]) {
    use proxsplit::internal::parallel::Each;
    use rayon::prelude::*;
    factor.par_chunks_mut(weights.len() * 4096).each(&|part| {
        for column in part.chunks_exact_mut(weights.len()) {
            for (value, &weight) in column.iter_mut().zip(weights) {
                *value *= weight;
            }
        }
    });
}

/// FFᵀ ← the same for rows of F times their weights.
pub(crate) fn scale_gram<T: Lanes>(gram: &mut [T], weights: &[T]) {
    scale_rows(gram, weights);
    for (column, &weight) in gram.chunks_exact_mut(weights.len()).zip(weights) {
        proxsplit::internal::linalg::vec::scale(weight, column);
    }
}

#[cfg(test)]
mod tests {
    use super::{NEARLY_EXACT, Work};
    use crate::products::Data;
    use crate::{Factors, Graph, Missing, Problem};
    use proxsplit::Mat;
    use proxsplit::data::{Dense, Elements, StorageOrder};
    use proxsplit::prox::{Huber, NonNegL1};
    use proxsplit::set::{L2Ball, Simplex};
    use proxsplit::{Error, Prox};

    /// A ring with chords.
    fn ring(nodes: usize) -> Result<Graph<f64>, Error> {
        let similar = |at: usize| match (at % nodes).abs_diff(at / nodes) {
            1 => 0.3,
            7 => 0.01,
            _ => 0.0,
        };
        let similar: Vec<f64> = (0..nodes * nodes).map(similar).collect();
        let dense = Dense::new(
            nodes,
            nodes,
            StorageOrder::ColumnMajor,
            Elements::F64(&similar),
        )?;
        Graph::new(dense.into(), 1.0)
    }

    /// Half-steps of alternating minimization with gaps, for every kind of term, with and without graphs.
    #[test]
    fn with_gaps_the_objective_never_rises() -> Result<(), Error> {
        let (m, n, rank) = (20, 30, 4);
        let y: Vec<f64> = (0..m * n)
            .map(|at| match (at * 7 + at / m) % 10 {
                0..4 => f64::NAN,
                rest => rest as f64,
            })
            .collect();
        let dense = Dense::new(m, n, StorageOrder::ColumnMajor, Elements::F64(&y))?;
        let data = Data::<f64>::with_missing(dense.into(), 5.0, Missing::Nan)?;
        let (l1, huber) = (NonNegL1::new(0.01)?, Huber::new(0.05, 0.1)?);
        let (ball, simplex) = (L2Ball::new(1.0)?, Simplex::new(1.0)?);
        let cases: [(&dyn Prox<f64>, &dyn Prox<f64>); 4] =
            [(&l1, &l1), (&huber, &huber), (&ball, &l1), (&l1, &simplex)];
        let (features, samples) = (ring(m)?, ring(n)?);
        let graphs = [(None, None), (Some(&features), Some(&samples))];
        let all = (0..8).map(|number| (number, cases[number / 2], graphs[number % 2]));
        for (number, (atoms, codes), graphs) in all {
            let problem = Problem::new(&data, rank, atoms, codes)?;
            let problem = problem.with_graphs(graphs.0, graphs.1)?;
            let x = Mat::from_fn(m, rank, |i, k| ((i * 3 + k * 5) % 7) as f64 / 20.0);
            let start = Factors::new(&x, Mat::from_fn(rank, n, |_, _| 0.25))?;
            let mut work = Work::new(problem, problem.misfit(), start);
            let mut last = f64::INFINITY;
            for _ in 0..40 {
                let x = work.factors.x.clone();
                work.solve_codes(&x, 0..n, NEARLY_EXACT);
                let a = work.factors.a.clone();
                work.misfit.see(&a);
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
