//! The scale between x_k and a_k: x_k·s and a_k/s give the same product, so the penalties alone decide on s.
//!
//! p(s) = W₁u·s + ½W₂U·s² + V₁v/s + ½V₂V/s² with u = ‖x_k‖₁, U = ‖x_k‖², v = ‖a_k‖₁, V = ‖a_k‖² is convex in log s.

use crate::codes::Term;
use crate::products::Lanes;
use proxsplit::Elementary;
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

    /// The factors s_k for Xᵀ and 1/s_k for A, if anything is to be done.
    pub(crate) fn scales<T: Lanes>(self, x: &[T], a: &[T], rank: usize) -> Option<[Vec<T>; 2]> {
        let scale: Box<dyn Fn(Size, Size) -> f64> = match self {
            Balance::Normalize => Box::new(|x, _| 1.0 / x.square.sqrt()),
            Balance::Optimal(psi_x, psi_a) => Box::new(move |x, a| best((psi_x, x), (psi_a, a))),
            Balance::Degenerate | Balance::Fixed => return None,
        };
        let (x, a) = (sizes(x, rank), sizes(a, rank));
        let scales: Vec<f64> = x
            .into_iter()
            .zip(a)
            .map(|(x, a)| {
                if x.is_dead() || a.is_dead() {
                    1.0
                } else {
                    scale(x, a)
                }
            })
            .map(|s| if s.is_finite() && s > 0.0 { s } else { 1.0 })
            .collect();
        Some([
            scales.iter().map(|&s| T::of(s)).collect(),
            scales.iter().map(|&s| T::of(1.0 / s)).collect(),
        ])
    }
}

/// The size of one row of a factor.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Size {
    pub(crate) sum: f64,
    pub(crate) square: f64,
    pub(crate) nonzeros: usize,
}

impl Size {
    pub(crate) fn is_dead(&self) -> bool {
        self.nonzeros == 0
    }
}

/// The sizes of all rows of a K × n factor.
pub(crate) fn sizes<T: Lanes>(factor: &[T], rank: usize) -> Vec<Size> {
    let parts: Vec<Vec<Size>> = factor
        .par_chunks(rank * 4096)
        .map(|part| {
            let mut sizes = vec![Size::default(); rank];
            for column in part.chunks_exact(rank) {
                for (size, value) in sizes.iter_mut().zip(column) {
                    let value = value.f64();
                    size.sum += value.abs();
                    size.square += value * value;
                    size.nonzeros += usize::from(value != 0.0);
                }
            }
            sizes
        })
        .collect();
    let mut total = vec![Size::default(); rank];
    for part in &parts {
        for (total, part) in total.iter_mut().zip(part) {
            total.sum += part.sum;
            total.square += part.square;
            total.nonzeros += part.nonzeros;
        }
    }
    total
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
            nonzeros: 9,
        };
        let a = Size {
            sum: 1.0,
            square: 0.5,
            nonzeros: 2,
        };
        let p = |s: f64| 0.3 * 4.0 * s + 0.5 * 2.0 * 3.0 * s * s + 0.5 * 5.0 * 0.5 / (s * s);
        let s = best((psi_x, x), (psi_a, a));
        for other in [0.5, 0.9, 0.999, 1.001, 1.1, 2.0] {
            assert!(p(s) <= p(s * other));
        }
    }
}
