//! For A ≥ 0 and any v > 0, ‖A‖² ≤ max_j (AᵀAv)_j / v_j, with equality at the Perron vector.
//!
//! Lothar Collatz, "Einschließungssatz für die charakteristischen Zahlen von Matrizen", 1942.

use crate::Real;
use crate::data::rows::Design;

/// Most products with AᵀA.
const ROUNDS: usize = 30;
/// A bound within this factor of ‖A‖² is good enough.
const TIGHT: f64 = 1.02;
/// A bound beyond this factor is worth less than an estimate.
const LOOSE: f64 = 1.25;

/// An upper bound of ‖A‖² for A ≥ 0, rounding included; `None` if power iteration does not bring it near ‖A‖².
pub(super) fn bound<T: Real>(design: &Design<'_, T>) -> Option<f64> {
    let mut v = vec![T::ONE; design.cols()];
    let mut image = v.clone();
    let (mut upper, mut lower) = (f64::INFINITY, 0.0_f64);
    for _ in 0..ROUNDS {
        image.fill(T::ZERO);
        let (squared, _) = design.sweep(design.all(), &v, Some(&mut image), |_, z| (z * z, z));
        let length: f64 = v.iter().map(|v| v.f64() * v.f64()).sum();
        lower = lower.max(squared / length);
        let ratios = image.iter().zip(&v).map(|(w, v)| w.f64() / v.f64());
        upper = upper.min(ratios.fold(0.0, f64::max));
        let largest = image.iter().fold(0.0, |a: f64, w| a.max(w.f64()));
        if upper <= TIGHT * lower || largest == 0.0 {
            break;
        }
        for (v, w) in v.iter_mut().zip(&image) {
            // The bound holds for every positive v; the floor keeps v positive.
            *v = T::of((w.f64() / largest).max(1e-6));
        }
    }
    // No sum cancels, so each rounding is relative.
    let roundings = (design.rows() + design.cols()) as f64 + 10.0;
    (upper <= LOOSE * lower).then_some(upper * (1.0 + roundings * T::EPSILON.f64()))
}
