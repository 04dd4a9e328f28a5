//! The inner problem for many columns at once: min_a ½‖y_t − Xa‖² + ψ(a) through G = XᵀX and c_t = Xᵀy_t.
//!
//! The rows of X are found in the same way from G = AAᵀ and C = AYᵀ; only what the operator acts on differs. Elementary
//! terms go through vectorized coordinate sweeps, other separable ones through plain coordinate sweeps, terms of
//! whole codes through accelerated proximal gradients, terms of whole atoms through sweeps over atoms.

pub(crate) mod active_set;
mod ahead;
mod atoms;
mod columns;
mod coupled;
mod entries;
mod residual;
#[cfg(test)]
mod tests;
mod tiles;
mod value;
mod walk;
mod weighted;

pub(crate) use ahead::{Ahead, Running, run_ahead};
pub(crate) use residual::residual_of_sizes;
pub(crate) use tiles::Sweeps;
pub(crate) use walk::{Stretch, Sums, Whose, in_stretches, walk};

use crate::graph::Graph;
use crate::products::Lanes;
use proxsplit::internal::scratch;
use proxsplit::prox::Zero;
use proxsplit::{Elementary, Prox};

/// A prox step that moves a point into the domain of a term and hardly farther. Much shorter ones would drown in rounding where a
/// set's multiplier is divided by the step.
pub(crate) const TOUCH: f64 = 1e-6;

/// Gram matrices of single lines, in the place of one that they share.
pub(crate) trait OwnGrams<T>: Sync {
    /// own (K × K) ← G_l; `whole` is G, which is larger than all of them.
    fn gram(&self, own: &mut [T], whole: &[T], line: usize);

    /// out_l ← out_l + (G − G_l)·v_l for every line l.
    fn add_lacking(&self, out: &mut [T], whole: &[T], v: &[T]);
}

/// w_t(½aᵀGa − c_tᵀa) for all columns t.
#[derive(Clone, Copy)]
pub(crate) struct Quadratic<'a, T> {
    /// G, K × K.
    pub(crate) gram: &'a [T],
    /// c_t, K × n.
    pub(crate) linear: &'a [T],
    /// K
    pub(crate) rank: usize,
    /// What stands in the place of G for every column, if entries are missing or have weights of their own.
    pub(crate) own: Option<&'a dyn OwnGrams<T>>,
    /// w_t; 1 if absent. Where it is 0, so is c_t.
    pub(crate) weights: Option<&'a [T]>,
}

/// How hard to try.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Effort {
    /// The largest number of sweeps.
    pub(crate) sweeps: usize,
    /// A tile is done when a sweep moves it by less than this fraction of its first move.
    pub(crate) tolerance: f64,
}

/// Which factor a term belongs to: its operator acts on columns of A, or on columns of X, which are rows of Xᵀ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    Codes,
    Atoms,
}

/// The term of one factor.
#[derive(Clone, Copy)]
pub(crate) struct Term<'a, T> {
    pub(crate) prox: &'a dyn Prox<T>,
    pub(crate) elementary: Option<Elementary>,
    side: Side,
    /// The first vector that it acts on; those before it are kept as they are.
    first: usize,
    /// What ties the columns of the factor together, if anything does.
    graph: Option<&'a Graph<T>>,
}

impl<'a, T: Lanes> Term<'a, T> {
    pub(crate) fn new(prox: &'a dyn Prox<T>, side: Side) -> Self {
        Self {
            prox,
            elementary: prox.elementary(),
            side,
            first: 0,
            graph: None,
        }
    }

    /// An elementary term without an operator of its own.
    pub(crate) fn of_elementary(elementary: Elementary, side: Side) -> Self {
        Self {
            elementary: Some(elementary),
            ..Self::new(&Zero, side)
        }
    }

    /// The same for the atoms from this one on.
    pub(crate) fn from(self, first: usize) -> Self {
        Self { first, ..self }
    }

    /// The same and the penalty of a graph on the columns of the factor.
    pub(crate) fn with_graph(self, graph: Option<&'a Graph<T>>) -> Self {
        Self { graph, ..self }
    }

    /// What ties the columns of the factor together.
    pub(crate) fn graph(&self) -> Option<&'a Graph<T>> {
        self.graph
    }

    /// The first vector that it acts on.
    pub(crate) fn first(&self) -> usize {
        self.first
    }

    /// The same factor without its term.
    pub(crate) fn unconstrained(self) -> Self {
        Self {
            elementary: Some(Elementary::ZERO),
            ..self
        }
    }

    /// The same factor with the box of an elementary term, and without its penalty.
    pub(crate) fn box_alone(self) -> Self {
        let elementary = self.elementary.map(|term| Elementary {
            l1: 0.0,
            sql2: 0.0,
            ..term
        });
        Self { elementary, ..self }
    }

    /// Improves the columns of `factor` (K × n) for the quadratic plus this term.
    pub(crate) fn solve(&self, problem: Quadratic<'_, T>, factor: &mut [T], effort: Effort) {
        match self.graph {
            None => self.solve_apart(problem, factor, effort),
            Some(graph) => coupled::solve(self, graph, &problem, (factor, effort)),
        }
    }

    /// The same without the graph.
    fn solve_apart(&self, problem: Quadratic<'_, T>, factor: &mut [T], effort: Effort) {
        let (prox, own, first) = (self.prox, problem.own, self.first);
        match (self.elementary, prox.separable(), self.side) {
            (Some(term), _, _) if own.is_none() && weighted::folds(&problem, term) => {
                weighted::fold(&problem, term, |problem, term| {
                    tiles::sweep(problem, factor, (term, first), effort);
                });
            }
            (Some(term), _, _) => {
                entries::sweep_elementary(&problem, factor, (term, first), effort);
            }
            (None, Some(term), side) => {
                entries::sweep_separable(&problem, factor, (term, side, first), effort);
            }
            (None, None, Side::Codes) if own.is_none() && problem.weights.is_none() => {
                columns::descend(&problem, factor, prox, effort);
            }
            (None, None, Side::Codes) => entries::descend(&problem, factor, prox, effort),
            (None, None, Side::Atoms) => match own {
                None => atoms::sweep(&problem, factor, (prox, first), effort),
                Some(own) => self.step_in_shared_metric((&problem, own), factor, effort),
            },
        }
    }

    /// An atom as a whole meets rows with a G each. The G that they would share without gaps is an upper bound of all, and with
    /// the current product in the gaps the slope is exact: a prox step in that metric.
    fn step_in_shared_metric(
        &self,
        (problem, own): (&Quadratic<'_, T>, &dyn OwnGrams<T>),
        factor: &mut [T],
        effort: Effort,
    ) {
        scratch::with(factor.len(), |linear: &mut [T]| {
            linear.copy_from_slice(problem.linear);
            own.add_lacking(linear, problem.gram, factor);
            let filled = Quadratic {
                linear,
                own: None,
                ..*problem
            };
            atoms::sweep(&filled, factor, (self.prox, self.first), effort);
        });
    }

    /// The elementary term and the first coordinate that moves, if columns are solved by [`Sweeps`].
    pub(crate) fn swept(&self) -> Option<(Elementary, usize)> {
        let term = self.elementary.filter(|_| self.graph.is_none());
        term.map(|term| (term, self.first))
    }

    /// Which factor it belongs to.
    pub(crate) fn side(&self) -> Side {
        self.side
    }
}

/// A step that is finite in the type of the factors.
pub(crate) fn representable<T: Lanes>(step: f64) -> f64 {
    step.min(T::MAX.f64())
}

/// An upper bound on the largest eigenvalue of G: the smaller of its Frobenius and its row-sum norm.
pub(crate) fn largest_eigenvalue_bound<T: Lanes>(gram: &[T], rank: usize) -> f64 {
    let frobenius = proxsplit::internal::linalg::vec::norm(gram);
    let rows = gram
        .chunks(rank)
        .map(proxsplit::internal::linalg::vec::norm1)
        .fold(0.0, f64::max);
    frobenius.min(rows)
}

/// out ← G·column − c
#[inline(always)]
pub(crate) fn gradient<T: Lanes>(gram: &[T], column: &[T], linear: &[T], out: &mut [T]) {
    for ((out, &c), row) in out
        .iter_mut()
        .zip(linear)
        .zip(gram.chunks_exact(column.len()))
    {
        let mut sum = -c;
        for (&g, &a) in row.iter().zip(column) {
            sum += g * a;
        }
        *out = sum;
    }
}

/// Calls `work` with the transposed of a K × n matrix: rows one after the other.
pub(crate) fn with_rows<T: Lanes, R>(
    factor: &[T],
    rank: usize,
    work: impl FnOnce(&mut [T]) -> R,
) -> R {
    let n = factor.len() / rank;
    scratch::with(factor.len(), |rows: &mut [T]| {
        for (t, column) in factor.chunks_exact(rank).enumerate() {
            for (k, &value) in column.iter().enumerate() {
                rows[k * n + t] = value;
            }
        }
        work(rows)
    })
}
