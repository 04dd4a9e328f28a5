//! An estimate of L for any smooth term.

use super::spectrum::{MARGIN, random_vector};
use crate::linalg::vec::{distance, norm};
use crate::{Lipschitz, Real, Smooth};

/// The Lipschitz constant of ∇f near x, from differences of gradients: a power iteration on
/// v ↦ (∇f(x + hv) − ∇f(x))/h, which tends to the eigenvector of the Hessian with the largest |eigenvalue|.
///
/// The largest ratio seen, raised by 5 % because it comes from below. It costs at most 40 gradients and says nothing of
/// points far from x. `Unknown` if a gradient is not finite or does not change.
///
/// ```
/// use proxsplit::smooth::{FnSmooth, lipschitz};
/// let f = FnSmooth::new(2, |x: &[f64], grad: &mut [f64]| {
///     grad.copy_from_slice(&[3.0 * x[0], x[1]]);
///     (3.0 * x[0] * x[0] + x[1] * x[1]) / 2.0
/// })?;
/// let l = lipschitz::estimate(&f, &[1.0, 1.0], 7).value().unwrap();
/// assert!(3.0 <= l && l <= 3.2);
/// # Ok::<(), proxsplit::Error>(())
/// ```
pub fn estimate<T: Real>(f: &dyn Smooth<T>, x: &[T], seed: u64) -> Lipschitz {
    debug_assert_eq!(x.len(), f.dim());
    let mut direction = random_vector::<f64>(x.len(), seed);
    let mut at_x = vec![T::ZERO; x.len()];
    let mut at_y = vec![T::ZERO; x.len()];
    let mut y = vec![T::ZERO; x.len()];
    f.gradient(x, &mut at_x);
    // Wide enough to rise above rounding, narrow enough to stay near x.
    let width = T::EPSILON.f64().cbrt() * (1.0 + norm(x));
    let mut largest = 0.0_f64;
    for round in 0..40 {
        let length = norm(&direction);
        if length == 0.0 {
            break;
        }
        for ((y, &x), d) in y.iter_mut().zip(x).zip(&direction) {
            *y = x + T::of(width * d / length);
        }
        f.gradient(&y, &mut at_y);
        // The step as it came out after rounding.
        let ratio = distance(&at_y, &at_x) / distance(&y, x);
        if !ratio.is_finite() {
            return Lipschitz::Unknown;
        }
        let gained = ratio - largest;
        largest = largest.max(ratio);
        if round > 4 && gained <= 1e-3 * largest {
            break;
        }
        for ((d, &at_y), &at_x) in direction.iter_mut().zip(&at_y).zip(&at_x) {
            *d = at_y.f64() - at_x.f64();
        }
    }
    if largest > 0.0 {
        Lipschitz::Estimated(MARGIN * largest)
    } else {
        Lipschitz::Unknown
    }
}
