//! Checks of an operator against its definition, for the tests of this crate and for operators of your own.
//!
//! ```
//! use proxsplit::{check, prox::L1};
//! check::prox_at::<f64>(&L1::new(0.3)?, &[1.0, -0.2, 0.0], 0.5, 1).unwrap();
//! # Ok::<(), proxsplit::Error>(())
//! ```

mod conjugate;
mod smooth;
pub use conjugate::conjugate_at;
pub use smooth::{gradient_at, terms_at};

use crate::linalg::vec::{distance, distance_squared, norm};
use crate::{Prox, Real};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

/// Relative tolerance of the checks in the precision of `T`.
fn tolerance<T: Real>() -> f64 {
    if T::EPSILON.f64() < 1e-10 { 1e-9 } else { 2e-4 }
}

/// g(z) + ‖z − y‖²/2η
fn objective<T: Real>(g: &dyn Prox<T>, z: &[T], y: &[T], step: f64) -> f64 {
    g.value(z) + distance_squared(z, y) / (2.0 * step)
}

fn prox_of<T: Real>(g: &dyn Prox<T>, y: &[T], step: f64) -> Vec<T> {
    let mut p = y.to_vec();
    g.prox(&mut p, T::of(step));
    p
}

/// P_η^g(y) is finite, lies in the domain, and no rival has a lower prox objective: random points near and far, points
/// of the domain and the segments to them, single coordinates moved, zeroed, mirrored or copied from y.
pub fn prox_at<T: Real>(g: &dyn Prox<T>, y: &[T], step: f64, seed: u64) -> Result<(), String> {
    let p = prox_of(g, y, step);
    let at = |what: &str| format!("{what}: y = {y:?}, step = {step}, prox = {p:?}");
    if p.iter().any(|p| !p.is_finite()) {
        return Err(at("the prox is not finite"));
    }
    let reached = objective(g, &p, y, step);
    if !reached.is_finite() {
        return Err(at("the prox lies outside the domain"));
    }
    let size = norm(y).max(norm(&p));
    let slack = tolerance::<T>() * (reached.abs() + size * size / step + f64::MIN_POSITIVE);
    let mut outcome = Ok(());
    rivals(g, &p, y, step, seed, |z| {
        let rival = objective(g, z, y, step);
        if rival < reached - slack {
            outcome = Err(at(&format!(
                "{z:?} has objective {rival}, lower than {reached}"
            )));
        }
    });
    outcome
}

fn rivals<T: Real>(
    g: &dyn Prox<T>,
    p: &[T],
    y: &[T],
    step: f64,
    seed: u64,
    mut rival: impl FnMut(&[T]),
) {
    let mut random = Pcg64::seed_from_u64(seed);
    let mut uniform = move || random.random_range(-1.0..1.0);
    let size = (norm(y).max(norm(p)) / (p.len().max(1) as f64).sqrt()).max(1e-3);
    let mut z = p.to_vec();
    rival(y);
    rival(&vec![T::ZERO; p.len()]);
    for round in 0..60 {
        let scale = size * [1e-3, 1e-2, 0.1, 1.0, 4.0][round % 5];
        let centre = if round % 2 == 0 { p } else { y };
        for (z, &c) in z.iter_mut().zip(centre) {
            *z = c + T::of(scale * uniform());
        }
        rival(&z);
        // A point of the domain, and the segment from the prox to it.
        g.prox(&mut z, T::of(step * [0.1, 1.0, 3.0][round % 3]));
        rival(&z);
        for share in [1e-3, 0.1, 0.5] {
            let between: Vec<T> = p
                .iter()
                .zip(&z)
                .map(|(&p, &z)| p + T::of(share) * (z - p))
                .collect();
            rival(&between);
        }
    }
    for i in 0..p.len() {
        z.copy_from_slice(p);
        let moves = [-1.0, -0.1, -1e-3, 1e-3, 0.1, 1.0].map(|m| p[i] + T::of(m * size));
        for moved in moves.into_iter().chain([T::ZERO, T::ONE, y[i], -p[i]]) {
            z[i] = moved;
            rival(&z);
        }
    }
}

/// ‖P(a) − P(b)‖ ≤ ‖a − b‖, which holds for every convex g.
pub fn nonexpansive_at<T: Real>(
    g: &dyn Prox<T>,
    a: &[T],
    b: &[T],
    step: f64,
) -> Result<(), String> {
    let images = distance(&prox_of(g, a, step), &prox_of(g, b, step));
    let slack = tolerance::<T>() * (norm(a) + norm(b));
    if images <= distance(a, b) + slack {
        return Ok(());
    }
    Err(format!(
        "expansive: a = {a:?}, b = {b:?}, step = {step}: {images} > {}",
        distance(a, b)
    ))
}

/// The lemma "Prox-Monotonicity" for convex g: for η₁ < η₂, q(η) = ‖P_η(y − ηz) − y‖ does not decrease and q(η)/η does
/// not increase.
pub fn monotone_at<T: Real>(
    g: &dyn Prox<T>,
    y: &[T],
    z: &[T],
    steps: (f64, f64),
) -> Result<(), String> {
    let q = |step: f64| {
        let moved: Vec<T> = y
            .iter()
            .zip(z)
            .map(|(&y, &z)| y - T::of(step) * z)
            .collect();
        distance(&prox_of(g, &moved, step), y)
    };
    let (short, long) = steps;
    let (q1, q2) = (q(short), q(long));
    let slack = tolerance::<T>() * (norm(y) + long * norm(z) + q2);
    if q1 > q2 + slack {
        return Err(format!(
            "q decreases: y = {y:?}, z = {z:?}: q({short}) = {q1}, q({long}) = {q2}"
        ));
    }
    if q2 / long > (q1 + slack) / short {
        return Err(format!(
            "p increases: y = {y:?}, z = {z:?}: q({short}) = {q1}, q({long}) = {q2}"
        ));
    }
    Ok(())
}

#[cfg(test)]
pub(crate) use tests::{contract, extremes, vector};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Class;
    use proptest::prelude::*;

    /// Vectors with ordinary entries, zeros, ties, and now and then huge or tiny ones.
    pub(crate) fn vector(len: usize) -> impl Strategy<Value = Vec<f64>> {
        let entry = prop_oneof![
            8 => -3.0..3.0f64,
            4 => prop::sample::select(vec![0.0, 0.5, -0.5, 1.0, -1.0, 2.0]),
            1 => -1e5..1e5f64,
            1 => -1e-5..1e-5f64,
        ];
        prop::collection::vec(entry, len)
    }

    /// Everything that a correct operator must satisfy, in both precisions, for vectors of length `len`.
    pub(crate) fn contract<G: Prox<f64> + Prox<f32>>(g: &G, len: usize) {
        precision::<f64>(g, len);
        precision::<f32>(g, len);
    }

    /// The prox of huge, tiny and mixed entries is still the minimizer, in both precisions.
    pub(crate) fn extremes<G: Prox<f64> + Prox<f32>>(g: &G, len: usize) {
        for (k, scale) in [1e100, 1e-100, 1e20, 1e-20].into_iter().enumerate() {
            let uniform: Vec<f64> = (0..len)
                .map(|i| scale * ((i * 5 % 7) as f64 - 3.0))
                .collect();
            let mixed: Vec<f64> = (0..len)
                .map(|i| if i % 2 == 0 { scale } else { 1.0 })
                .collect();
            for y in [uniform, mixed] {
                for step in [1e-3, 1.0, 1e3] {
                    prox_at::<f64>(g, &y, step, 1).unwrap();
                    if k >= 2 {
                        let single: Vec<f32> = y.iter().map(|&y| y as f32).collect();
                        prox_at::<f32>(g, &single, step, 1).unwrap();
                    }
                }
            }
        }
    }

    fn precision<T: Real>(g: &dyn Prox<T>, len: usize) {
        g.fits(len).unwrap();
        assert!(g.value(&prox_of(g, &vec![T::ZERO; len], 1.0)).is_finite());
        if g.fits(0).is_ok() {
            assert!(prox_of(g, &[], 1.0).is_empty());
            assert!(g.value(&[]) == 0.0 || g.value(&[]).is_infinite());
        }
        let convex = g.class() == Class::Convex;
        let case = (
            vector(len),
            vector(len),
            -2.0..1.0f64,
            -2.0..1.0f64,
            any::<u64>(),
        );
        let config = ProptestConfig {
            cases: 150,
            failure_persistence: None,
            ..ProptestConfig::default()
        };
        proptest!(config, |((y, z, log_a, log_b, seed) in case)| {
            let y: Vec<T> = y.into_iter().map(T::of).collect();
            let z: Vec<T> = z.into_iter().map(T::of).collect();
            let (a, b) = (10f64.powf(log_a), 10f64.powf(log_b));
            prox_at(g, &y, a, seed).map_err(TestCaseError::fail)?;
            if convex {
                nonexpansive_at(g, &y, &z, a).map_err(TestCaseError::fail)?;
                conjugate_at(g, &y, &z, a).map_err(TestCaseError::fail)?;
                let feasible = prox_of(g, &y, a);
                monotone_at(g, &feasible, &z, (a.min(b), a.max(b))).map_err(TestCaseError::fail)?;
            }
            prop_assert!(convex || g.conjugate(&z).is_none() && g.polar(&z).is_none());
            let mirrored: Vec<T> = y.iter().map(|&y| -y).collect();
            let once = prox_of(g, &z, a);
            let free = |p: &[T]| g.value(p) == 0.0;
            let indicator = free(&prox_of(g, &y, a)) && free(&prox_of(g, &mirrored, a)) && free(&once);
            if indicator && g.value(&z) == f64::INFINITY {
                // Projecting again changes nothing.
                let twice = prox_of(g, &once, a);
                prop_assert!(distance(&once, &twice) <= tolerance::<T>() * (norm(&once) + 1e-30));
            }
            if let Some(elementary) = g.elementary() {
                let entries: Vec<T> = y.iter().map(|y| T::of(elementary.prox(y.f64(), a))).collect();
                prop_assert!(distance(&entries, &prox_of(g, &y, a)) <= tolerance::<T>() * norm(&y));
            }
            if let Some(separable) = g.separable() {
                let mut diagonal = y.clone();
                separable.prox_diagonal(&mut diagonal, &vec![T::of(a); len]);
                prop_assert!(distance(&diagonal, &prox_of(g, &y, a)) <= tolerance::<T>() * norm(&y));
            }
        });
    }
}
