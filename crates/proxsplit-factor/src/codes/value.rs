//! The value of a term over a whole factor, and what the graph adds to value and slope.

use super::{Side, Term, atoms, representable};
use crate::misfit::ROUNDINGS;
use crate::products::{Lanes, PART, in_order};
use proxsplit::Elementary;
use rayon::prelude::*;

impl<T: Lanes> Term<'_, T> {
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
