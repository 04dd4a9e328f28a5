//! An estimate of L where no bound is known: the largest ‖∇f(x + d) − ∇f(x)‖/‖d‖ that power iteration finds around x.

use crate::linalg::vec;
use crate::{Lipschitz, Real, Smooth};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

/// Rounds of power iteration: enough for two digits, which is what a step needs.
const ROUNDS: usize = 12;

/// Power iteration on differences of the gradient: d ← the direction in which ∇f has just changed. The result is
/// raised by a tenth, because it comes from below.
pub fn estimate<T: Real>(f: &dyn Smooth<T>, x: &[T], seed: u64) -> Lipschitz {
    let n = x.len();
    let mut random = Pcg64::seed_from_u64(seed);
    let mut direction: Vec<T> = (0..n)
        .map(|_| T::of(random.random_range(-1.0..1.0)))
        .collect();
    let (mut moved, mut here, mut there) = (x.to_vec(), vec![T::ZERO; n], vec![T::ZERO; n]);
    f.gradient(x, &mut here);
    // Long enough to rise above the rounding of the gradient, short enough to stay local.
    let length = T::EPSILON.f64().sqrt().sqrt() * (1.0 + vec::norm(x));
    let mut largest: f64 = 0.0;
    for _ in 0..ROUNDS {
        let size = vec::norm(&direction);
        if size == 0.0 || !size.is_finite() {
            break;
        }
        vec::scale(T::of(length / size), &mut direction);
        moved.copy_from_slice(x);
        vec::axpy(T::ONE, &direction, &mut moved);
        f.gradient(&moved, &mut there);
        let change = vec::distance(&there, &here) / length;
        if !change.is_finite() {
            break;
        }
        largest = largest.max(change);
        for ((d, &there), &here) in direction.iter_mut().zip(&there).zip(&here) {
            *d = there - here;
        }
    }
    if largest > 0.0 {
        Lipschitz::Estimated(1.1 * largest)
    } else {
        Lipschitz::Unknown
    }
}
