//! ‖A‖², the largest eigenvalue of AᵀA: exact for matrices with a short side, bounded from both sides for nonnegative
//! ones, otherwise estimated.

mod lanczos;
mod perron;

use crate::data::rows::Design;
use crate::linalg::dense::{Mat, View, multiply, symmetric_eigenvalues};
use crate::{Lipschitz, Real};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

/// Longest short side whose Gram matrix is worth its eigenvalues.
pub(super) const SHORT: usize = 512;
/// Most multiplications spent on a Gram matrix, about a second.
const EFFORT: usize = 1 << 33;
/// An estimate from below is raised by this.
pub(super) const MARGIN: f64 = 1.05;

/// ‖A‖²: known (an upper bound, rounding included) or estimated.
pub(super) fn norm_squared<T: Real>(design: &Design<'_, T>) -> Lipschitz {
    let short = design.rows().min(design.cols());
    let effort = short.saturating_mul(design.rows().saturating_mul(design.cols()));
    if short <= SHORT && effort <= EFFORT {
        let gram = gram(design);
        if let Some(eigenvalues) = symmetric_eigenvalues(&gram) {
            let largest = eigenvalues.last().copied().unwrap_or(0.0);
            let trace: f64 = (0..short).map(|i| gram[(i, i)]).sum();
            let long = design.rows().max(design.cols());
            let rounding = f64::EPSILON * (long + 10 * short) as f64;
            return Lipschitz::Known(largest + rounding * trace);
        }
    }
    if design.is_nonnegative()
        && let Some(bound) = perron::bound(design)
    {
        return Lipschitz::Known(bound);
    }
    Lipschitz::Estimated(MARGIN * lanczos::largest(design))
}

/// AᵀA or AAᵀ, whichever is smaller.
fn gram<T: Real>(design: &Design<'_, T>) -> Mat<f64> {
    const SLAB: usize = 256;
    let (rows, cols) = (design.rows(), design.cols());
    let short = rows.min(cols);
    let mut gram = Mat::zeros(short, short);
    let mut tile = vec![0.0; SLAB * short];
    for start in (0..rows.max(cols)).step_by(SLAB) {
        let slab = start..rows.max(cols).min(start + SLAB);
        let len = slab.len();
        let tile = &mut tile[..len * short];
        // A tile stands row by row, so it reads as a column-major matrix of the transposed shape.
        let a = if cols <= rows {
            design.tile(slab, 0..cols, tile);
            View::new(tile, short, len)
        } else {
            design.tile(0..rows, slab, tile);
            View::new(tile, len, short).t()
        };
        multiply(gram.data_mut(), a, a.t(), true);
    }
    gram
}

/// A start for iterations that seek an eigenvector.
pub(super) fn random_vector<T: Real>(len: usize, seed: u64) -> Vec<T> {
    let mut random = Pcg64::seed_from_u64(seed);
    (0..len)
        .map(|_| T::of(random.random_range(-1.0..1.0)))
        .collect()
}
