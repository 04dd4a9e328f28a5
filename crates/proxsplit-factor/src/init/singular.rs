//! The positive parts of the leading singular pairs.
//!
//! Borrowed: C. Boutsidis, E. Gallopoulos, SVD based initialization: a head start for nonnegative matrix factorization, 2008;
//! the pairs by N. Halko, P. Martinsson, J. Tropp, Finding structure with randomness, 2011.

use crate::problem::{Factors, Problem};
use crate::products::{Lanes, gram};
use proxsplit::linalg::dense::{View, eigenvalues};
use rand::RngExt;
use rand_pcg::Pcg64;

/// Extra directions and power iterations of the randomized SVD.
pub(crate) const EXTRA: usize = 8;
pub(crate) const POWERS: usize = 2;

/// Leading left directions of Y as rows (l × m), orthonormal, and Q·Y (l × T).
fn range_of<T: Lanes>(problem: Problem<'_, T>, random: &mut Pcg64) -> (usize, Vec<T>, Vec<T>) {
    let (m, n) = (problem.data.rows(), problem.data.cols());
    let l = (problem.rank + EXTRA).min(m).min(n);
    let mut q = vec![T::ZERO; l * m];
    let mut b: Vec<T> = (0..l * n)
        .map(|_| T::of(random.random_range(-1.0..1.0)))
        .collect();
    for _ in 0..=POWERS {
        problem.data.with_rows(&mut q, &b, 0..n);
        orthonormalize(&mut q, l);
        problem.data.with_columns(&mut b, &q, 0..n);
    }
    (l, q, b)
}

/// Makes the rows of an l × n matrix orthonormal through the eigenvectors of its Gram matrix, twice for accuracy; rows
/// without a direction of their own become zero.
pub(crate) fn orthonormalize<T: Lanes>(rows: &mut [T], l: usize) {
    for _ in 0..2 {
        let mut g = vec![T::ZERO; l * l];
        gram(&mut g, rows, l);
        let Some((values, vectors)) = eigen(&g, l) else {
            return;
        };
        let largest = values.last().copied().unwrap_or(T::ZERO);
        let floor = largest * T::of(l as f64) * T::EPSILON;
        // Rows k of V diag(1/√λ) Vᵀ would keep the order; Vᵀ alone is enough here.
        let mut map = vec![T::ZERO; l * l];
        for k in 0..l {
            let size = if values[k] > floor {
                T::ONE / values[k].sqrt()
            } else {
                T::ZERO
            };
            for j in 0..l {
                map[j * l + k] = size * vectors[k * l + j];
            }
        }
        apply(&map, rows, l);
    }
}

/// Eigenvalues in increasing order, and eigenvectors as columns.
pub(crate) fn eigen<T: Lanes>(g: &[T], l: usize) -> Option<(Vec<T>, Vec<T>)> {
    let (mut values, mut vectors) = (vec![T::ZERO; l], vec![T::ZERO; l * l]);
    eigenvalues(View::new(g, l, l), &mut values, Some(&mut vectors)).then_some((values, vectors))
}

/// rows ← map·rows
pub(crate) fn apply<T: Lanes>(map: &[T], rows: &mut [T], l: usize) {
    let copy = rows.to_vec();
    crate::products::times(rows, map, &copy, l);
}

/// √σ times the larger of the two positive parts of every leading singular pair.
pub(super) fn positive_parts<T: Lanes>(problem: Problem<'_, T>, random: &mut Pcg64) -> Factors<T> {
    let rank = problem.rank;
    let (l, mut q, mut b) = range_of(problem, random);
    let mut g = vec![T::ZERO; l * l];
    gram(&mut g, &b, l);
    let mut values = vec![T::ZERO; l];
    if let Some((found, vectors)) = eigen(&g, l) {
        values = found;
        let mut map = vec![T::ZERO; l * l];
        for k in 0..l {
            for j in 0..l {
                map[j * l + k] = vectors[k * l + j];
            }
        }
        apply(&map, &mut q, l);
        apply(&map, &mut b, l);
    }
    let mut factors = Factors {
        rank,
        x: vec![T::ZERO; rank * problem.data.rows()],
        a: vec![T::ZERO; rank * problem.data.cols()],
    };
    for k in 0..rank.min(l) {
        let row = l - 1 - k;
        let sigma = values[row].max(T::ZERO).sqrt();
        let u: Vec<f64> = q.iter().skip(row).step_by(l).map(|v| v.f64()).collect();
        let v: Vec<f64> = b.iter().skip(row).step_by(l).map(|v| v.f64()).collect();
        let (sign, weight) = larger_part(&u, &v, sigma.f64());
        for (x, u) in factors.x.iter_mut().skip(k).step_by(rank).zip(&u) {
            *x = T::of((sign * u).max(0.0) * weight.0);
        }
        for (a, v) in factors.a.iter_mut().skip(k).step_by(rank).zip(&v) {
            *a = T::of((sign * v).max(0.0) * weight.1);
        }
    }
    factors
}

/// The sign of the pair whose positive parts are larger, and their weights. `v` carries the singular value.
fn larger_part(u: &[f64], v: &[f64], sigma: f64) -> (f64, (f64, f64)) {
    let norm = |values: &[f64], sign: f64| {
        let squares = values.iter().map(|v| (sign * v).max(0.0).powi(2));
        squares.sum::<f64>().sqrt()
    };
    let sizes = [1.0, -1.0].map(|sign| (sign, norm(u, sign), norm(v, sign)));
    let best = if sizes[0].1 * sizes[0].2 >= sizes[1].1 * sizes[1].2 {
        sizes[0]
    } else {
        sizes[1]
    };
    let (sign, u, v) = best;
    if u * v * sigma <= 0.0 {
        return (1.0, (0.0, 0.0));
    }
    let root = (u * v).sqrt();
    (sign, (root / u, root / v))
}
