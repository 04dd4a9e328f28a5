//! The scale between x_k and a_k: x_k·s and a_k/s give the same product, so the penalties alone decide on s.
//!
//! p(s) = W₁u·s + ½W₂U·s² + V₁v/s + ½V₂V/s² with u = ‖x_k‖₁, U = ‖x_k‖², v = ‖a_k‖₁, V = ‖a_k‖² is convex in log s. A graph adds
//! ½x_kᵀLx_k·s² or ½a_kᵀLa_k/s².

use crate::codes::Term;
use crate::graph::Graph;
use crate::problem::Factors;
use crate::products::{Lanes, chunk};
use proxsplit::internal::parallel::Each;
use proxsplit::internal::scratch;
use proxsplit::{Elementary, simd};
use pulp::{Simd, WithSimd};
use rayon::prelude::*;

/// What can be said of the scale.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Balance<'a, T> {
    /// No penalty on either factor: columns of X are kept at norm 1.
    Normalize,
    /// Penalties on both: the best scale of every pair is known.
    Optimal(Cost<'a, T>, Cost<'a, T>),
    /// A penalty on one factor only: it can be made as small as one likes by moving scale to the other.
    Degenerate,
    /// Bounded sets or other terms hold the scale.
    Fixed,
}

/// What the scale of a row of a factor costs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Cost<'a, T> {
    term: Elementary,
    graph: Option<&'a Graph<T>>,
}

impl<T: Lanes> Cost<'_, T> {
    fn is_penalized(self) -> bool {
        self.term.l1 > 0.0 || self.term.sql2 > 0.0 || self.graph.is_some()
    }

    fn is_cone(self) -> bool {
        let Elementary { lower, upper, .. } = self.term;
        (lower == 0.0 || lower == f64::NEG_INFINITY) && upper == f64::INFINITY
    }

    /// What is linear and what is quadratic in the scale of row k.
    fn parts(&self, size: Size, factor: &[T], (rank, k): (usize, usize)) -> (f64, f64) {
        let of_graph = |graph: &Graph<T>| 2.0 * graph.value_of_row(factor, (rank, k));
        let square = self.term.sql2 * size.square + self.graph.map_or(0.0, of_graph);
        (self.term.l1 * size.sum, square)
    }
}

impl<'a, T: Lanes> Balance<'a, T> {
    pub(crate) fn of(atoms: &Term<'a, T>, codes: &Term<'a, T>) -> Self {
        let cost = |term: &Term<'a, T>| {
            let graph = term.graph();
            term.elementary.map(|term| Cost { term, graph })
        };
        match (cost(atoms), cost(codes)) {
            (Some(x), Some(a)) if x.is_cone() && a.is_cone() => {
                match (x.is_penalized(), a.is_penalized()) {
                    (false, false) => Balance::Normalize,
                    (true, true) => Balance::Optimal(x, a),
                    _ => Balance::Degenerate,
                }
            }
            _ => Balance::Fixed,
        }
    }

    /// Finds the factors s_k for x_k and 1/s_k for a_k; `false` if there is nothing to be done.
    pub(crate) fn find(self, scales: &mut Scales<T>, factors: &Factors<T>) -> bool {
        if !self.is_free() {
            return false;
        }
        let rank = factors.rank;
        with_sizes(&factors.x, rank, |x| {
            with_sizes(&factors.a, rank, |a| {
                self.find_for(scales, (&factors.x, x), (&factors.a, a));
            });
        });
        true
    }

    /// Whether the scale is free, so that there is something to be found.
    pub(crate) fn is_free(self) -> bool {
        !matches!(self, Balance::Degenerate | Balance::Fixed)
    }

    /// The same with the sizes of all rows of both factors, three numbers each; only graphs look at a factor itself.
    pub(crate) fn find_for(self, scales: &mut Scales<T>, x: (&[T], &[f64]), a: (&[T], &[f64])) {
        let rank = scales.atoms.len();
        let scale = |k: usize, of_x: Size, of_a: Size| match self {
            Balance::Optimal(psi_x, psi_a) => {
                let at = (rank, k);
                best(psi_x.parts(of_x, x.0, at), psi_a.parts(of_a, a.0, at))
            }
            _ => 1.0 / of_x.square.sqrt(),
        };
        for k in scales.first..rank {
            let (of_x, of_a) = (Size::at(x.1, k), Size::at(a.1, k));
            let s = if of_x.is_dead() || of_a.is_dead() {
                1.0
            } else {
                scale(k, of_x, of_a)
            };
            let s = if s.is_finite() && s > 0.0 { s } else { 1.0 };
            (scales.atoms[k], scales.codes[k]) = (T::of(s), T::of(1.0 / s));
        }
    }
}

/// What every x_k and every a_k is multiplied by.
#[derive(Debug)]
pub(crate) struct Scales<T> {
    pub(crate) atoms: Vec<T>,
    pub(crate) codes: Vec<T>,
    /// The first pair whose scale is free.
    first: usize,
}

impl<T: Lanes> Scales<T> {
    pub(crate) fn new(rank: usize, first: usize) -> Self {
        Self {
            atoms: vec![T::ONE; rank],
            codes: vec![T::ONE; rank],
            first,
        }
    }
}

/// The size of one row of a factor.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Size {
    pub(crate) sum: f64,
    pub(crate) square: f64,
    pub(crate) nonzeros: f64,
}

impl Size {
    /// Row k among the numbers of all rows: their sums, then their squares, then their nonzeros.
    fn at(sizes: &[f64], k: usize) -> Self {
        let rank = sizes.len() / 3;
        Self {
            sum: sizes[k],
            square: sizes[rank + k],
            nonzeros: sizes[2 * rank + k],
        }
    }

    pub(crate) fn is_dead(&self) -> bool {
        self.nonzeros == 0.0
    }
}

/// The sizes of all rows of a K × n factor.
pub(crate) fn sizes<T: Lanes>(factor: &[T], rank: usize) -> Vec<Size> {
    with_sizes(factor, rank, |sizes| {
        (0..rank).map(|k| Size::at(sizes, k)).collect()
    })
}

/// Calls `look` with the sizes of all rows of a K × n factor, three numbers each, summed in fixed parts.
pub(crate) fn with_sizes<T: Lanes, R>(
    factor: &[T],
    rank: usize,
    look: impl FnOnce(&[f64]) -> R,
) -> R {
    let part = rank * chunk(factor.len() / rank);
    scratch::with(
        factor.len().div_ceil(part) * 3 * rank,
        |parts: &mut [f64]| {
            parts
                .par_chunks_mut(3 * rank)
                .zip(factor.par_chunks(part))
                .each(&|(sizes, factor)| {
                    sizes.fill(0.0);
                    simd::arch().dispatch(AddSizes { sizes, factor });
                });
            let (total, others) = parts.split_at_mut(3 * rank);
            for part in others.chunks_exact(3 * rank) {
                proxsplit::internal::linalg::vec::axpy(1.0, part, total);
            }
            look(total)
        },
    )
}

/// Adds the sizes of some columns.
struct AddSizes<'a, T> {
    sizes: &'a mut [f64],
    factor: &'a [T],
}

impl<T: Lanes> WithSimd for AddSizes<'_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let rank = self.sizes.len() / 3;
        let (sums, rest) = self.sizes.split_at_mut(rank);
        let (squares, nonzeros) = rest.split_at_mut(rank);
        for column in self.factor.chunks_exact(rank) {
            for k in 0..rank {
                let value = column[k].f64();
                sums[k] += value.abs();
                squares[k] += value * value;
                nonzeros[k] += if value == 0.0 { 0.0 } else { 1.0 };
            }
        }
    }
}

/// argmin_s p(s) of the parts that rise and fall with s, by Newton's method in log s from the balance of the dominant terms.
fn best(up: (f64, f64), down: (f64, f64)) -> f64 {
    let mut log = 0.5 * ((down.0 + down.1) / (up.0 + up.1)).ln();
    for _ in 0..60 {
        let s = log.exp();
        let (rise, fall) = ((up.0 * s, up.1 * s * s), (down.0 / s, down.1 / (s * s)));
        let slope = rise.0 + rise.1 - fall.0 - fall.1;
        let curvature = rise.0 + 2.0 * rise.1 + fall.0 + 2.0 * fall.1;
        let move_by = (slope / curvature).clamp(-2.0, 2.0);
        log -= move_by;
        if move_by.abs() <= 1e-14 {
            break;
        }
    }
    log.exp()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_closed_form_of_two_l1_terms() {
        let s = best((1e-5 * 300.0, 0.0), (10.0 * 7.0, 0.0));
        let exact = (10.0 * 7.0 / (1e-5 * 300.0_f64)).sqrt();
        assert!((s / exact - 1.0).abs() < 1e-12, "{s} is not {exact}");
    }

    #[test]
    fn no_other_scale_is_better() {
        let (up, down) = ((0.3 * 4.0, 2.0 * 3.0), (0.0, 5.0 * 0.5));
        let p = |s: f64| up.0 * s + 0.5 * up.1 * s * s + 0.5 * down.1 / (s * s);
        let s = best(up, down);
        for other in [0.5, 0.9, 0.999, 1.001, 1.1, 2.0] {
            assert!(p(s) <= p(s * other));
        }
    }
}
