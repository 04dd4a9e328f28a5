//! The inner problem for many columns at once: min_a ½‖y_t − Xa‖² + ψ(a) through G = XᵀX and c_t = Xᵀy_t.
//!
//! The rows of X are found in the same way from G = AAᵀ and C = AYᵀ; only what the operator acts on differs. Elementary
//! terms go through vectorized coordinate sweeps, other separable ones through plain coordinate sweeps, terms of
//! whole codes through accelerated proximal gradients, terms of whole atoms through sweeps over atoms.

pub(crate) mod active_set;
mod atoms;
mod columns;
mod coupled;
mod entries;
#[cfg(test)]
mod tests;
mod tiles;
mod weighted;

use crate::graph::Graph;
use crate::misfit::ROUNDINGS;
use crate::products::{Lanes, PART, distance_squared, in_order};
use proxsplit::internal::linalg::vec::norm;
use proxsplit::internal::parallel::Each;
use proxsplit::internal::scratch;
use proxsplit::{Elementary, Prox};
use rayon::prelude::*;

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

    /// The value of the term, summed over the factor's vectors, and of the graph.
    pub(crate) fn value(&self, factor: &[T], rank: usize) -> f64 {
        self.value_apart(factor, rank) + self.value_of_graph(factor, rank)
    }

    fn value_of_graph(&self, factor: &[T], rank: usize) -> f64 {
        self.graph
            .map_or(0.0, |graph| graph.value(factor, (rank, self.first)))
    }

    /// slope ← slope + that of the graph; returns 1/(1/η + ‖L‖), the step with its curvature, or 1 if nothing curves: then any will do.
    pub(crate) fn add_graph(
        &self,
        slope: &mut [T],
        factor: &[T],
        (rank, step): (usize, f64),
    ) -> f64 {
        let mut curvature = 1.0 / step;
        if let Some(graph) = self.graph {
            graph.add(slope, factor, rank, (T::ONE, -T::ONE));
            curvature += graph.norm();
        }
        if curvature > 0.0 {
            representable::<T>(1.0 / curvature)
        } else {
            1.0
        }
    }

    /// ‖F·diag(d)‖, the size of what cancels in the slope of the graph; 0 without one.
    pub(crate) fn scale_of_graph(&self, factor: &[T], rank: usize) -> f64 {
        self.weighted_by_degrees(factor, (rank, 2)).sqrt()
    }

    /// What rounding of the factor can do to the graph's value E: it moves √E, a seminorm, by at most its own at ε|F|, √(2ε²Σ d_i‖f_i‖²).
    pub(crate) fn rounding_of_graph(&self, factor: &[T], rank: usize) -> f64 {
        let moved = ROUNDINGS * T::EPSILON.f64();
        let moved = moved * (2.0 * self.weighted_by_degrees(factor, (rank, 1))).sqrt();
        moved * (2.0 * self.value_of_graph(factor, rank).sqrt() + moved)
    }

    /// Σ d_iᵖ‖f_i‖²; 0 without a graph.
    fn weighted_by_degrees(&self, factor: &[T], (rank, power): (usize, i32)) -> f64 {
        let Some(graph) = self.graph else {
            return 0.0;
        };
        let square = |(node, column): (usize, &[T])| {
            let own = &column[self.first..];
            graph.degree(node).f64().powi(power) * proxsplit::internal::linalg::vec::dot(own, own)
        };
        factor.chunks_exact(rank).enumerate().map(square).sum()
    }

    fn value_apart(&self, factor: &[T], rank: usize) -> f64 {
        if let Some(term) = self.elementary {
            return elementary_value(term, factor, (rank, self.first));
        }
        match self.side {
            Side::Codes => {
                let parts = factor.par_chunks(rank * 1024);
                in_order(parts, &|codes| {
                    codes.chunks(rank).map(|a| self.prox.value(a)).sum()
                })
            }
            Side::Atoms => {
                let mut sum = 0.0;
                atoms::for_each(factor, (rank, self.first), |atom| {
                    sum += self.prox.value(atom);
                });
                sum
            }
        }
    }

    /// The same for a factor that lies in its set.
    pub(crate) fn penalty(&self, factor: &[T], rank: usize) -> f64 {
        match self.elementary {
            Some(term) if term.l1 == 0.0 && term.sql2 == 0.0 => self.value_of_graph(factor, rank),
            _ => self.value(factor, rank),
        }
    }

    /// factor ← P_η(factor), vector by vector.
    pub(crate) fn project(&self, factor: &mut [T], rank: usize, step: T) {
        match self.side {
            Side::Codes => factor
                .par_chunks_mut(rank * 1024)
                .each(&|codes| codes.chunks_mut(rank).for_each(|a| self.prox.prox(a, step))),
            // Entries that have nothing to do with each other need not be put in order first.
            Side::Atoms if self.elementary.is_some() && self.first == 0 => factor
                .par_chunks_mut(PART)
                .each(&|part| self.prox.prox(part, step)),
            Side::Atoms => atoms::change_each(factor, (rank, self.first), |atom| {
                self.prox.prox(atom, step);
            }),
        }
    }

    /// Changes every vector of the factor, one after the other.
    pub(crate) fn change_each(
        &self,
        factor: &mut [T],
        rank: usize,
        mut work: impl FnMut(&mut [T]),
    ) {
        match self.side {
            Side::Codes => factor.chunks_mut(rank).for_each(work),
            Side::Atoms => atoms::change_each(factor, (rank, self.first), |atom| work(atom)),
        }
    }

    /// Which factor it belongs to.
    pub(crate) fn side(&self) -> Side {
        self.side
    }

    /// ‖F − P_η(F − η·slope)‖/η, and what a stopped prox may hide from it; `None` if that is unknown.
    pub(crate) fn residual(
        &self,
        factor: &[T],
        slope: &[T],
        (rank, step): (usize, f64),
    ) -> (f64, Option<f64>) {
        let eta = T::of(step);
        let (square, error) = if self.elementary.is_some() && self.first == 0 {
            (self.moved_by_parts(factor, slope, eta), Some(0.0))
        } else {
            self.moved(factor, slope, (rank, eta))
        };
        let seen = square.sqrt() / step;
        // Where F − η·slope rounds to F, any F would look stationary.
        let slope = norm(slope);
        let is_lost = step * slope <= T::EPSILON.f64() * norm(factor);
        let residual = if is_lost { seen.max(slope) } else { seen };
        (residual, error.map(|error| error / step))
    }

    /// ‖F − P_η(F − η·slope)‖², and what a stopped prox may hide from the norm.
    fn moved(&self, factor: &[T], slope: &[T], (rank, eta): (usize, T)) -> (f64, Option<f64>) {
        scratch::with(factor.len(), |moved: &mut [T]| {
            descend(moved, (factor, slope), eta);
            let error = self.prox_with_error(moved, rank, eta);
            if self.first > 0 {
                let pairs = moved.chunks_exact_mut(rank).zip(factor.chunks_exact(rank));
                pairs.for_each(|(m, f)| m[..self.first].copy_from_slice(&f[..self.first]));
            }
            (distance_squared(factor, moved), error)
        })
    }

    /// The same where entries have nothing to do with each other, without room for another factor.
    fn moved_by_parts(&self, factor: &[T], slope: &[T], eta: T) -> f64 {
        let parts = factor.par_chunks(PART).zip(slope.par_chunks(PART));
        in_order(parts, &|(factor, slope)| {
            scratch::with(factor.len(), |moved: &mut [T]| {
                descend(moved, (factor, slope), eta);
                self.prox.prox(moved, eta);
                distance_squared(factor, moved)
            })
        })
    }

    /// factor ← P_η(factor), vector by vector, and a bound on how far that is from exact.
    fn prox_with_error(&self, factor: &mut [T], rank: usize, step: T) -> Option<f64> {
        if self.elementary.is_some() {
            self.project(factor, rank, step);
            return Some(0.0);
        }
        let mut square = Some(0.0);
        self.change_each(factor, rank, |vector| {
            let error = self.prox.prox_with_error(vector, step);
            square = square.zip(error).map(|(sum, error)| sum + error * error);
        });
        square.map(f64::sqrt)
    }
}

/// moved ← F − η·slope
fn descend<T: Lanes>(moved: &mut [T], (factor, slope): (&[T], &[T]), eta: T) {
    for (moved, (&value, &slope)) in moved.iter_mut().zip(factor.iter().zip(slope)) {
        *moved = value - eta * slope;
    }
}

/// A step that is finite in the type of the factors.
pub(crate) fn representable<T: Lanes>(step: f64) -> f64 {
    step.min(T::MAX.f64())
}

/// The value over the rows from `first` on.
fn elementary_value<T: Lanes>(
    term: Elementary,
    factor: &[T],
    (rank, first): (usize, usize),
) -> f64 {
    let (lower, upper) = (T::of(term.lower), T::of(term.upper));
    let of_part = |part: &[T]| {
        if part.iter().any(|&v| v < lower || v > upper) {
            return f64::INFINITY;
        }
        let mut sum = 0.0;
        if term.l1 > 0.0 {
            sum += term.l1 * proxsplit::internal::linalg::vec::norm1(part);
        }
        if term.sql2 > 0.0 {
            sum += 0.5 * term.sql2 * proxsplit::internal::linalg::vec::dot(part, part);
        }
        sum
    };
    if first == 0 {
        return in_order(factor.par_chunks(PART), &of_part);
    }
    let parts = factor.par_chunks(rank * 1024);
    in_order(parts, &|part| {
        let columns = part.chunks_exact(rank);
        columns.map(|column| of_part(&column[first..])).sum()
    })
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
