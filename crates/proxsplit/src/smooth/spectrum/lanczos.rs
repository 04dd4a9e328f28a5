//! The largest eigenvalue of AᵀA by the Lanczos process, from below.
//!
//! Cornelius Lanczos, "An iteration method for the solution of the eigenvalue problem", 1950. Without
//! reorthogonalization: lost orthogonality repeats eigenvalues, but the largest stays right.

use crate::Real;
use crate::data::rows::Design;
use crate::linalg::dense::{Mat, symmetric_eigenvalues};
use crate::linalg::vec::{dot, norm};

/// Most products with AᵀA.
const ROUNDS: usize = 64;
/// The eigenvalue is looked at this often.
const LOOK: usize = 8;

/// Close to ‖A‖², usually within a few thousandths.
pub(super) fn largest<T: Real>(design: &Design<'_, T>) -> f64 {
    let mut v = super::random_vector::<T>(design.cols(), 0);
    let mut before = vec![T::ZERO; v.len()];
    let mut image = before.clone();
    // The tridiagonal matrix of the process: its diagonal, and what stands beside it.
    let (mut diagonal, mut beside) = (Vec::new(), Vec::new());
    let (mut length, mut reached) = (norm(&v), 0.0);
    while length > 0.0 && diagonal.len() < ROUNDS {
        for v in &mut v {
            *v = T::of(v.f64() / length);
        }
        image.fill(T::ZERO);
        design.sweep(design.all(), &v, Some(&mut image), |_, z| (z * z, z));
        let alpha = dot(&image, &v);
        let beta = beside.last().copied().unwrap_or(0.0);
        for ((w, &v), &before) in image.iter_mut().zip(&v).zip(&before) {
            *w = T::of(w.f64() - alpha * v.f64() - beta * before.f64());
        }
        diagonal.push(alpha);
        length = norm(&image);
        std::mem::swap(&mut before, &mut v);
        std::mem::swap(&mut v, &mut image);
        if diagonal.len() % LOOK == 0 || length <= 1e-6 * alpha {
            let now = top(&diagonal, &beside);
            if now <= 1.001 * reached || length <= 1e-6 * alpha {
                return now;
            }
            reached = now;
        }
        beside.push(length);
    }
    top(&diagonal, &beside)
}

/// The largest eigenvalue of a symmetric tridiagonal matrix.
fn top(diagonal: &[f64], beside: &[f64]) -> f64 {
    let n = diagonal.len();
    let matrix = Mat::from_fn(n, n, |i, j| match i.abs_diff(j) {
        0 => diagonal[i],
        1 => beside[i.min(j)],
        _ => 0.0,
    });
    let eigenvalues = symmetric_eigenvalues(&matrix).unwrap_or_default();
    // Each entry of the diagonal is a lower bound too.
    let largest = eigenvalues.last().or(diagonal.first());
    largest.copied().unwrap_or(0.0)
}
