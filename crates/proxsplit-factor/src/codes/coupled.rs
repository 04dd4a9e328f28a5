//! Columns that a graph ties together: min Σ_t w_t(½a_tᵀG_ta_t − c_tᵀa_t) + Σψ(a_t) + ½tr(ALAᵀ).
//!
//! L is at most twice its diagonal, 2D. So with the neighbours held at â, ½tr(ALAᵀ) is at most a function that touches it there and
//! parts into columns, each with the curvature 2d_t: a round solves these as ever. Rounds run ahead of themselves like accelerated
//! proximal gradients, and start anew when the momentum points uphill (B. O'Donoghue, E. Candès, Adaptive restart for accelerated
//! gradient schemes, 2015).
//!
//! The first round does not run ahead: it lowers the objective by half the curvature times the square of its move. What later ones
//! reach is kept only if it is not above that, so that a solve is a descent like any sweep.

use super::{Effort, OwnGrams, Quadratic, Term};
use crate::graph::Graph;
use crate::products::{Lanes, distance_squared, in_order};
use proxsplit::Class;
use proxsplit::internal::linalg::vec::{dot, dot_of_differences, scale};
use proxsplit::internal::parallel::Each;
use proxsplit::internal::scratch;
use rayon::prelude::*;

/// The effort of a round, whose problem is not that of the next one.
const ROUND: Effort = Effort {
    sweeps: 4,
    tolerance: 0.1,
};
/// The most rounds of a solve, and the same where every round has to form Gram matrices of single columns.
const ROUNDS: usize = 100;
const OWN_ROUNDS: usize = 20;
/// A solve ends when a round moves by less than this fraction of the first one, if no larger one is asked for.
const TOLERANCE: f64 = 1e-4;
/// Columns of which one task finds a part of a sum.
const PART: usize = 256;

/// The problems of single columns in a round: w_tG_t + 2d_tI stands in the place of G.
struct Apart<'a, T> {
    problem: &'a Quadratic<'a, T>,
    graph: &'a Graph<T>,
}

impl<T: Lanes> Apart<'_, T> {
    /// own ← w_tG_t
    fn of_misfit(&self, own: &mut [T], line: usize) {
        match self.problem.own {
            Some(grams) => grams.gram(own, self.problem.gram, line),
            None => own.copy_from_slice(self.problem.gram),
        }
        scale(self.problem.weight(line), own);
    }

    /// out_t ← w_tc_t + d_t·â_t + Σ_j s_tj·â_j, what stands in the place of c_t.
    fn linear(&self, out: &mut [T], ahead: &[T]) {
        let rank = self.problem.rank;
        out.copy_from_slice(self.problem.linear);
        for (line, column) in out.chunks_exact_mut(rank).enumerate() {
            scale(self.problem.weight(line), column);
        }
        self.graph.add(out, ahead, rank, (T::ONE, T::ONE));
    }

    /// out ← a bound of all w_tG_t + 2d_tI.
    fn bound(&self, out: &mut [T]) {
        let largest = |values: &mut dyn Iterator<Item = T>| values.fold(T::ZERO, T::max);
        out.copy_from_slice(self.problem.gram);
        if let Some(weights) = self.problem.weights {
            scale(largest(&mut weights.iter().copied()), out);
        }
        let mut degrees = (0..self.graph.nodes()).map(|node| self.graph.degree(node));
        add_twice(out, largest(&mut degrees));
    }

    /// The objective but for a constant.
    fn value(&self, factor: &[T], term: &Term<'_, T>) -> f64 {
        let rank = self.problem.rank;
        let of_column = |(line, column): (usize, &[T])| {
            let c = &self.problem.linear[line * rank..(line + 1) * rank];
            scratch::with(rank * rank, |gram: &mut [T]| {
                self.of_misfit(gram, line);
                let rows = gram.chunks_exact(rank).zip(column);
                let square: f64 = rows.map(|(row, a)| a.f64() * dot(row, column)).sum();
                0.5 * square - self.problem.weight(line).f64() * dot(c, column)
            })
        };
        let parts = factor.par_chunks(rank * PART).enumerate();
        let quadratic = in_order(parts, &|(part, columns)| {
            let columns = columns.chunks_exact(rank);
            (part * PART..).zip(columns).map(of_column).sum()
        });
        quadratic + term.penalty(factor, rank)
    }
}

impl<T: Lanes> OwnGrams<T> for Apart<'_, T> {
    fn gram(&self, own: &mut [T], _: &[T], line: usize) {
        self.of_misfit(own, line);
        add_twice(own, self.graph.degree(line));
    }

    fn add_lacking(&self, out: &mut [T], whole: &[T], v: &[T]) {
        let rank = self.problem.rank;
        let columns = out.par_chunks_mut(rank).zip(v.par_chunks(rank));
        columns.enumerate().each(&|(line, (out, v))| {
            scratch::with(rank * rank, |own: &mut [T]| {
                self.gram(own, whole, line);
                let rows = own.chunks_exact(rank).zip(whole.chunks_exact(rank));
                for (out, (own, whole)) in out.iter_mut().zip(rows) {
                    *out += T::of(dot(whole, v) - dot(own, v));
                }
            });
        });
    }
}

/// G ← G + 2dI
fn add_twice<T: Lanes>(gram: &mut [T], degree: T) {
    let rank = gram.len().isqrt();
    for value in gram.iter_mut().step_by(rank + 1) {
        *value += degree + degree;
    }
}

/// Improves all columns of a factor.
pub(super) fn solve<T: Lanes>(
    term: &Term<'_, T>,
    graph: &Graph<T>,
    problem: &Quadratic<'_, T>,
    (factor, effort): (&mut [T], Effort),
) {
    let apart = Apart { problem, graph };
    let most = match problem.own {
        Some(_) => OWN_ROUNDS,
        None => ROUNDS,
    };
    let effort = Effort {
        sweeps: effort.sweeps.min(most),
        tolerance: effort.tolerance.max(TOLERANCE),
    };
    scratch::with(2 * factor.len(), |buffer: &mut [T]| {
        let (safe, ahead) = buffer.split_at_mut(factor.len());
        ahead.copy_from_slice(factor);
        apart.round(term, ahead, factor);
        let first = distance_squared(factor, ahead);
        safe.copy_from_slice(factor);
        apart.go_on(term, (factor, ahead), (first, effort));
        let is_no_higher = apart.value(factor, term) <= apart.value(safe, term);
        if !is_no_higher {
            factor.copy_from_slice(safe);
        }
    });
}

impl<T: Lanes> Apart<'_, T> {
    /// factor ← the columns that are best for the neighbours â, nearly.
    fn round(&self, term: &Term<'_, T>, ahead: &[T], factor: &mut [T]) {
        let problem = self.problem;
        scratch::with(problem.gram.len() + factor.len(), |buffer: &mut [T]| {
            let (bound, linear) = buffer.split_at_mut(problem.gram.len());
            self.bound(bound);
            self.linear(linear, ahead);
            factor.copy_from_slice(ahead);
            let apart = Quadratic {
                gram: bound,
                linear,
                rank: problem.rank,
                own: Some(self),
                weights: None,
            };
            term.solve_apart(apart, factor, ROUND);
        });
    }

    /// Rounds that run ahead, from the factor that the first one has moved by the square root of `first`.
    fn go_on(
        &self,
        term: &Term<'_, T>,
        (factor, ahead): (&mut [T], &mut [T]),
        (first, effort): (f64, Effort),
    ) {
        let has_momentum = term.prox.class() == Class::Convex;
        let mut weight = 1.0_f64;
        ahead.copy_from_slice(factor);
        scratch::with(factor.len(), |old: &mut [T]| {
            for _ in 1..effort.sweeps {
                old.copy_from_slice(factor);
                self.round(term, ahead, factor);
                let moved = distance_squared(factor, old);
                let is_uphill = dot_of_differences((ahead, factor), (factor, old)) > 0.0;
                let next = if is_uphill || !has_momentum {
                    1.0
                } else {
                    0.5 + (0.25 + weight * weight).sqrt()
                };
                let push = T::of(if next > 1.0 {
                    (weight - 1.0) / next
                } else {
                    0.0
                });
                for ((ahead, &new), &old) in ahead.iter_mut().zip(&*factor).zip(&*old) {
                    *ahead = new + push * (new - old);
                }
                weight = next;
                let is_done = moved <= effort.tolerance * effort.tolerance * first;
                if is_done || moved.is_nan() {
                    break;
                }
            }
        });
    }
}
