//! Checks of conjugates against their definition.

use super::{prox_of, tolerance};
use crate::linalg::vec::{dot, norm, norm_inf, norm1};
use crate::{Prox, Real};

/// The Fenchel–Young inequality g(z) + g*(s) ≥ ⟨s, z⟩ at all pairs of points at hand, with equality at s = (y − p)/η,
/// p = P_η^g(y), which is a subgradient of g at p; and [`Prox::polar`] is the edge of the domain of g*. `Ok` if g has no
/// conjugate.
pub fn conjugate_at<T: Real>(g: &dyn Prox<T>, y: &[T], z: &[T], step: f64) -> Result<(), String> {
    let p = prox_of(g, y, step);
    let s = subgradient(g, y, &p, step);
    let Some(conjugate) = g.conjugate(&s) else {
        return Ok(());
    };
    // s carries the rounding of y and p, divided by the step.
    let size = norm(&p) + norm(y);
    let blur = size / step + norm(&s);
    let slack = tolerance::<T>() * (size * blur + g.value(&p).abs() + conjugate.abs());
    let excess = g.value(&p) + conjugate - dot(&s, &p);
    if excess.abs() > slack && !(excess == f64::INFINITY && is_thin(g, &s)) {
        return Err(format!(
            "g(p) + g*(s) = <s, p> + {excess:e} at a subgradient: y = {y:?}, step = {step}, p = {p:?}, s = {s:?}, g* = {conjugate}"
        ));
    }
    for s in [&s[..], y, z] {
        for point in [&p[..], z, &prox_of(g, z, step)] {
            young(g, point, s)?;
        }
        edge(g, s)?;
    }
    Ok(())
}

/// g(z) + g*(s) ≥ ⟨s, z⟩
fn young<T: Real>(g: &dyn Prox<T>, z: &[T], s: &[T]) -> Result<(), String> {
    let (value, conjugate) = (g.value(z), g.conjugate(s).unwrap_or(f64::INFINITY));
    let slack = tolerance::<T>() * (norm(z) * norm(s) + value.abs() + conjugate.abs());
    if value + conjugate >= dot(z, s) - slack {
        return Ok(());
    }
    Err(format!(
        "g(z) + g*(s) < <s, z>: z = {z:?}, s = {s:?}, g = {value}, g* = {conjugate}"
    ))
}

/// (y − p)/η, moved into the domain of g* where rounding has left it outside.
fn subgradient<T: Real>(g: &dyn Prox<T>, y: &[T], p: &[T], step: f64) -> Vec<T> {
    let pairs = y.iter().zip(p);
    let mut s: Vec<T> = pairs
        .map(|(y, p)| T::of((y.f64() - p.f64()) / step))
        .collect();
    if g.form().homogeneous {
        // The projection on the domain, by Moreau's identity.
        for _ in 0..3 {
            let beyond = prox_of(g, &s, 1.0);
            s.iter_mut().zip(&beyond).for_each(|(s, &b)| *s -= b);
        }
    }
    if let Some(polar) = g.polar(&s).filter(|t| t.is_finite() && *t > 1.0) {
        let inwards = 1.0 / (polar * (1.0 + 4.0 * T::EPSILON.f64()));
        for s in &mut s {
            *s = T::of(s.f64() * inwards);
        }
    }
    s
}

/// Whether the domain of g* is too thin to hold s after rounding: part of a subspace. Such sets have tests of their own.
fn is_thin<T: Real>(g: &dyn Prox<T>, s: &[T]) -> bool {
    g.form().is_set() && !g.form().homogeneous && g.polar(s) == Some(f64::INFINITY)
}

/// s divided by a little more than g°(s) lies in the domain, by a little less does not.
fn edge<T: Real>(g: &dyn Prox<T>, s: &[T]) -> Result<(), String> {
    let Some(polar) = g.polar(s) else {
        return Ok(());
    };
    let finite = |by: f64| {
        let divided: Vec<T> = s.iter().map(|s| T::of(s.f64() / by)).collect();
        g.conjugate(&divided).is_some_and(f64::is_finite)
    };
    let fine = if polar == 0.0 {
        // Small enough that no exponential overflows; a power of two, so that no entry is rounded out of a thin cone.
        finite((1e12 * (1.0 + norm1(s))).log2().ceil().exp2())
    } else if polar == f64::INFINITY {
        !finite(1.0)
    } else {
        // Numbers so small that their quotients lose digits say nothing.
        let (above, below) = (tolerance::<T>().min(1e-5), 1e3 * tolerance::<T>());
        norm_inf(s) < 1e-30 || finite(polar * (1.0 + above)) && !finite(polar * (1.0 - below))
    };
    if fine {
        return Ok(());
    }
    Err(format!(
        "polar = {polar} is not the edge of the domain of the conjugate: s = {s:?}"
    ))
}
