//! The scale between x_k and a_k: x_k·s and a_k/s give the same product, so the penalties alone decide on s.
//!
//! p(s) = W₁u·s + ½W₂U·s² + V₁v/s + ½V₂V/s² with u = ‖x_k‖₁, U = ‖x_k‖², v = ‖a_k‖₁, V = ‖a_k‖² is convex in log s.

use crate::codes::Term;
use crate::problem::Factors;
use crate::products::Lanes;
use proxsplit::{Elementary, scratch};
use rayon::prelude::*;

/// What can be said of the scale.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Balance {
    /// No penalty on either factor: columns of X are kept at norm 1.
    Normalize,
    /// Penalties on both: the best scale of every pair is known.
    Optimal(Elementary, Elementary),
    /// A penalty on one factor only: it can be made as small as one likes by moving scale to the other.
    Degenerate,
    /// Bounded sets or other terms hold the scale.
    Fixed,
}

impl Balance {
    pub(crate) fn of<T: Lanes>(atoms: &Term<'_, T>, codes: &Term<'_, T>) -> Self {
        let is_cone = |t: Elementary| {
            (t.lower == 0.0 || t.lower == f64::NEG_INFINITY) && t.upper == f64::INFINITY
        };
        let is_penalized = |t: Elementary| t.l1 > 0.0 || t.sql2 > 0.0;
        match (atoms.elementary, codes.elementary) {
            (Some(x), Some(a)) if is_cone(x) && is_cone(a) => {
                match (is_penalized(x), is_penalized(a)) {
                    (false, false) => Balance::Normalize,
                    (true, true) => Balance::Optimal(x, a),
                    _ => Balance::Degenerate,
                }
            }
            _ => Balance::Fixed,
        }
    }

    /// Finds the factors s_k for x_k and 1/s_k for a_k; `false` if there is nothing to be done.
    pub(crate) fn find<T: Lanes>(self, scales: &mut Scales<T>, factors: &Factors<T>) -> bool {
        if !self.is_free() {
            return false;
        }
        let rank = factors.rank;
        with_sizes(&factors.x, rank, |x| {
            with_sizes(&factors.a, rank, |a| self.find_for(scales, x, a));
        });
        true
    }

    /// Whether the scale is free, so that there is something to be found.
    pub(crate) fn is_free(self) -> bool {
        !matches!(self, Balance::Degenerate | Balance::Fixed)
    }

    /// The same from the sizes of all rows of both factors, three numbers each.
    pub(crate) fn find_for<T: Lanes>(self, scales: &mut Scales<T>, x: &[f64], a: &[f64]) {
        let scale = |x: Size, a: Size| match self {
            Balance::Optimal(psi_x, psi_a) => best((psi_x, x), (psi_a, a)),
            _ => 1.0 / x.square.sqrt(),
        };
        for k in scales.first..scales.atoms.len() {
            let (x, a) = (Size::at(x, k), Size::at(a, k));
            let s = if x.is_dead() || a.is_dead() {
                1.0
            } else {
                scale(x, a)
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
    /// Row k among the numbers of all rows.
    fn at(sizes: &[f64], k: usize) -> Self {
        Self {
            sum: sizes[3 * k],
            square: sizes[3 * k + 1],
            nonzeros: sizes[3 * k + 2],
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
    let part = rank * 4096;
    scratch::with(
        factor.len().div_ceil(part) * 3 * rank,
        |parts: &mut [f64]| {
            parts
                .par_chunks_mut(3 * rank)
                .zip(factor.par_chunks(part))
                .for_each(|(sizes, factor)| {
                    sizes.fill(0.0);
                    for column in factor.chunks_exact(rank) {
                        for (size, value) in sizes.chunks_exact_mut(3).zip(column) {
                            let value = value.f64();
                            size[0] += value.abs();
                            size[1] += value * value;
                            size[2] += f64::from(u8::from(value != 0.0));
                        }
                    }
                });
            let (total, others) = parts.split_at_mut(3 * rank);
            for part in others.chunks_exact(3 * rank) {
                proxsplit::linalg::vec::axpy(1.0, part, total);
            }
            look(total)
        },
    )
}

/// argmin_s p(s), by Newton's method in log s from the balance of the dominant terms.
fn best((psi_x, x): (Elementary, Size), (psi_a, a): (Elementary, Size)) -> f64 {
    let up = (psi_x.l1 * x.sum, psi_x.sql2 * x.square);
    let down = (psi_a.l1 * a.sum, psi_a.sql2 * a.square);
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
        let l1 = |weight| Elementary {
            l1: weight,
            ..Elementary::ZERO
        };
        let size = |sum| Size {
            sum,
            ..Size::default()
        };
        let s = best((l1(1e-5), size(300.0)), (l1(10.0), size(7.0)));
        let exact = (10.0 * 7.0 / (1e-5 * 300.0_f64)).sqrt();
        assert!((s / exact - 1.0).abs() < 1e-12, "{s} is not {exact}");
    }

    #[test]
    fn no_other_scale_is_better() {
        let term = |l1, sql2| Elementary {
            l1,
            sql2,
            ..Elementary::ZERO
        };
        let (psi_x, psi_a) = (term(0.3, 2.0), term(0.0, 5.0));
        let x = Size {
            sum: 4.0,
            square: 3.0,
            nonzeros: 9.0,
        };
        let a = Size {
            sum: 1.0,
            square: 0.5,
            nonzeros: 2.0,
        };
        let p = |s: f64| 0.3 * 4.0 * s + 0.5 * 2.0 * 3.0 * s * s + 0.5 * 5.0 * 0.5 / (s * s);
        let s = best((psi_x, x), (psi_a, a));
        for other in [0.5, 0.9, 0.999, 1.001, 1.1, 2.0] {
            assert!(p(s) <= p(s * other));
        }
    }
}
