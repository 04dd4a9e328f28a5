//! Atoms under a term of the whole atom (balls, total variation, groups): one atom after the other, each exactly.
//!
//! With the other atoms fixed, x_k minimizes (G_kk/2)‖x_k − z‖² + ψ₀(x_k), z = x_k − (XG − C)_k/G_kk: a prox with step 1/G_kk. If rows
//! have weights w_i, the largest of them bounds the curvature of all, and the move to z is shortened to w_i/w of itself.

use super::{Effort, Quadratic, with_rows};
use crate::products::Lanes;
use proxsplit::Prox;
use proxsplit::internal::linalg::vec::{axpy, distance_squared};
use proxsplit::internal::scratch;

pub(super) fn sweep<T: Lanes>(
    problem: &Quadratic<'_, T>,
    factor: &mut [T],
    (term, start): (&dyn Prox<T>, usize),
    effort: Effort,
) {
    let (rank, m) = (problem.rank, factor.len() / problem.rank);
    with_rows(problem.linear, rank, |linear| {
        let mut first = 0.0;
        change(factor, rank, |atoms| {
            for round in 0..effort.sweeps {
                let mut moved = 0.0;
                for k in start..rank {
                    moved += update(problem, atoms, &linear[k * m..(k + 1) * m], (term, k));
                }
                if round == 0 {
                    first = moved;
                }
                if moved <= effort.tolerance * effort.tolerance * first {
                    break;
                }
            }
        });
    });
}

/// Solves for atom k; returns G_kk‖δ‖².
fn update<T: Lanes>(
    problem: &Quadratic<'_, T>,
    atoms: &mut [T],
    linear: &[T],
    (term, k): (&dyn Prox<T>, usize),
) -> f64 {
    let (rank, m) = (problem.rank, linear.len());
    let row = &problem.gram[k * rank..(k + 1) * rank];
    let curvature = row[k];
    if curvature <= T::ZERO {
        return 0.0;
    }
    scratch::with(m, |z: &mut [T]| {
        z.copy_from_slice(linear);
        for (j, atom) in atoms.chunks_exact(m).enumerate() {
            if j != k {
                axpy(-row[j], atom, z);
            }
        }
        for z in &mut *z {
            *z /= curvature;
        }
        let atom = &mut atoms[k * m..(k + 1) * m];
        let curvature = match problem.weights {
            None => curvature,
            Some(weights) => curvature * shorten(z, atom, weights),
        };
        term.prox(z, T::ONE / curvature);
        let moved = curvature.f64() * distance_squared(z, atom);
        atom.copy_from_slice(z);
        moved
    })
}

/// z ← x + (w_i/w)(z − x); returns w, the largest weight.
fn shorten<T: Lanes>(z: &mut [T], x: &[T], weights: &[T]) -> T {
    let largest = weights.iter().fold(T::ZERO, |largest, &w| largest.max(w));
    for ((z, &x), &weight) in z.iter_mut().zip(x).zip(weights) {
        *z = x + weight / largest * (*z - x);
    }
    largest
}

/// Calls `work` with the atoms of Xᵀ one after the other, and writes them back.
fn change<T: Lanes>(factor: &mut [T], rank: usize, work: impl FnOnce(&mut [T])) {
    let m = factor.len() / rank;
    scratch::with(factor.len(), |atoms: &mut [T]| {
        for (i, column) in factor.chunks_exact(rank).enumerate() {
            for (k, &value) in column.iter().enumerate() {
                atoms[k * m + i] = value;
            }
        }
        work(atoms);
        for (i, column) in factor.chunks_exact_mut(rank).enumerate() {
            for (k, value) in column.iter_mut().enumerate() {
                *value = atoms[k * m + i];
            }
        }
    });
}

/// Changes every atom of Xᵀ from `first` on.
pub(super) fn change_each<T: Lanes>(
    factor: &mut [T],
    (rank, first): (usize, usize),
    mut work: impl FnMut(&mut [T]),
) {
    let m = factor.len() / rank;
    change(factor, rank, |atoms| {
        atoms.chunks_exact_mut(m).skip(first).for_each(&mut work);
    });
}

/// Looks at every atom of Xᵀ from `first` on.
pub(super) fn for_each<T: Lanes>(
    factor: &[T],
    (rank, first): (usize, usize),
    mut look: impl FnMut(&[T]),
) {
    let m = factor.len() / rank;
    with_rows(factor, rank, |atoms| {
        atoms.chunks_exact(m).skip(first).for_each(&mut look);
    });
}
