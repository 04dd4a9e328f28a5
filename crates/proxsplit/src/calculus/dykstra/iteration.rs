//! The iteration, and how far it is from the end.
//!
//! With q_i = ηp_i and p_i ∈ ∂ψ_i(e_i), ψ_i*(p_i) = ⟨p_i, e_i⟩ − ψ_i(e_i) is known without an oracle for ψ_i*, and so is the gap
//! Σ_i ψ_i(x) − ψ_i(e_i) − ⟨p_i, x − e_i⟩. Primal and dual are both strongly convex in x, hence ‖x − x*‖² ≤ η·gap.
//!
//! The gap needs an x that lies in all sets. Near is not enough: two planes at an angle of 1e-8 have points that are 1e-8 away
//! from both and 1 away from their intersection. So a set counts as met only if its projection moves x by no more than
//! rounding, and what the multiplier p_i could make of that is added to the gap.

use super::super::value_near;
use crate::linalg::vec::{distance, norm};
use crate::{Prox, Real, scratch};

/// When to stop.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in crate::calculus) struct Limits {
    /// Accuracy to reach, relative to the size of the vectors.
    pub(in crate::calculus) tolerance: f64,
    pub(in crate::calculus) rounds: usize,
}

/// A few units in the last place: each operator that a point went through has rounded it.
const ROUNDED: f64 = 16.0;

impl Limits {
    /// How far from a set, relatively, a point may be that counts as one of it.
    pub(in crate::calculus) fn nearness<T: Real>(self) -> f64 {
        self.tolerance.max(ROUNDED * T::EPSILON.f64())
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            tolerance: 1e-8,
            rounds: 2000,
        }
    }
}

/// How far an iteration came.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Reached {
    /// Rounds over all terms.
    pub rounds: usize,
    /// The accuracy of the result.
    pub accuracy: Accuracy,
    /// Whether that is the tolerance asked for, or all that the precision of the numbers allows.
    pub converged: bool,
}

/// What is known of the result x.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Accuracy {
    /// ‖x − x*‖ is at most this, by the duality gap; sets are met up to rounding.
    Distance(f64),
    /// x is outside the domain of some term, so that there is no gap; this bounds its distance to every domain. It says
    /// nothing of the distance to x*, and if the domains have no common point it does not go to 0.
    Infeasibility(f64),
}

impl Reached {
    /// A proved bound on the distance to the exact point, if there is one.
    pub fn error(&self) -> Option<f64> {
        match self.accuracy {
            Accuracy::Distance(bound) => Some(bound),
            Accuracy::Infeasibility(_) => None,
        }
    }
}

/// The iteration on terms 0..count.
pub(in crate::calculus) fn solve<'a, T: Real>(
    count: usize,
    term: impl Fn(usize) -> &'a dyn Prox<T>,
    x: &mut [T],
    step: T,
    limits: Limits,
) -> Reached {
    let n = x.len();
    let size = norm(x);
    let mut reached = Reached {
        rounds: 0,
        accuracy: Accuracy::Distance(0.0),
        converged: n == 0 || count == 0,
    };
    scratch::with((2 * count + 1) * n, |buffer: &mut [T]| {
        let (y, buffer) = buffer.split_at_mut(n);
        let (moved, points) = buffer.split_at_mut(count * n);
        y.copy_from_slice(x);
        moved.fill(T::ZERO);
        while !reached.converged && reached.rounds < limits.rounds.max(1) {
            let mut errors = Some(0.0f64);
            let blocks = moved.chunks_exact_mut(n).zip(points.chunks_exact_mut(n));
            for (i, (moved, point)) in blocks.enumerate() {
                let error = advance(term(i), x, moved, point, step);
                errors = errors.and_then(|so_far| Some(so_far + error?));
            }
            let scale = size.max(norm(x));
            let blocks = || moved.chunks_exact(n).zip(points.chunks_exact(n));
            let span = blocks().fold(0.0f64, |span, (_, point)| span.max(distance(x, point)));
            let slacks = blocks().enumerate();
            let gap: f64 = slacks
                .map(|(i, block)| slack(term(i), x, block, step))
                .sum();
            reached.rounds += 1;
            reached.accuracy = match errors {
                Some(_) if gap.is_finite() => Accuracy::Distance(gap.sqrt() + drift(x, y, moved)),
                _ => Accuracy::Infeasibility(span),
            };
            let bound = reached.error().unwrap_or(f64::INFINITY);
            // Once nothing moves but rounding, the bound is as good as it gets.
            reached.converged =
                bound <= limits.tolerance * scale || span <= 4.0 * T::EPSILON.f64() * scale;
        }
    });
    let moved = restore(count, term, (x, size), limits);
    if let Accuracy::Distance(bound) = &mut reached.accuracy {
        *bound += moved;
    }
    reached
}

/// e ← P(x + q), q ← x + q − e, x ← e, where q = ηp. Returns the error of the prox, if it is known and does no harm: a
/// homogeneous term needs no e but only a q in the domain of ψ*, which the iterations of this crate keep exactly.
fn advance<T: Real>(
    term: &dyn Prox<T>,
    x: &mut [T],
    moved: &mut [T],
    point: &mut [T],
    step: T,
) -> Option<f64> {
    for ((point, moved), &x) in point.iter_mut().zip(&mut *moved).zip(&*x) {
        *moved += x;
        *point = *moved;
    }
    let error = term.prox_with_error(point, step);
    for ((x, moved), &point) in x.iter_mut().zip(moved).zip(&*point) {
        *moved -= point;
        *x = point;
    }
    error.filter(|&error| error == 0.0 || term.form().homogeneous)
}

/// η(ψ(x) − ψ(e)) − ⟨q, x − e⟩, one term of η·gap; not negative but for rounding. For a homogeneous ψ it is ηψ(x) − ⟨q, x⟩.
fn slack<T: Real>(term: &dyn Prox<T>, x: &[T], (moved, point): (&[T], &[T]), step: T) -> f64 {
    let outside = if term.form().is_set() {
        beyond(term, x)
    } else {
        0.0
    };
    if outside > ROUNDED * T::EPSILON.f64() * norm(x) {
        return f64::INFINITY;
    }
    let homogeneous = term.form().homogeneous;
    let from = |i: usize| if homogeneous { 0.0 } else { point[i].f64() };
    let linear: f64 = (0..x.len())
        .map(|i| moved[i].f64() * (x[i].f64() - from(i)))
        .sum();
    if term.form().is_set() {
        return linear.abs() + norm(moved) * outside;
    }
    let base = if homogeneous { 0.0 } else { term.value(point) };
    (step.f64() * (term.value(x) - base) - linear).abs()
}

/// The distance from x to a set.
fn beyond<T: Real>(set: &dyn Prox<T>, x: &[T]) -> f64 {
    scratch::with(x.len(), |p: &mut [T]| {
        p.copy_from_slice(x);
        set.prox(p, T::ONE);
        distance(x, p)
    })
}

/// ‖x + Σ_i q_i − y‖, which is 0 but for rounding.
fn drift<T: Real>(x: &[T], y: &[T], moved: &[T]) -> f64 {
    let n = x.len();
    let off = (0..n).map(|i| {
        let total: f64 = moved.iter().skip(i).step_by(n).map(|q| q.f64()).sum();
        x[i].f64() + total - y[i].f64()
    });
    off.map(|off| off * off).sum::<f64>().sqrt()
}

/// Moves x into the domains of all terms, as near as the tolerance, since a point outside would have an infinite value; returns
/// by how much.
///
/// Projections in turn, onto domains that are no sets by proxes of a short step, which hardly move what lies inside. Cones
/// that have only 0 in common are never met by a nonzero point, however small: beside y, of norm `size`, it is 0.
fn restore<'a, T: Real>(
    count: usize,
    term: impl Fn(usize) -> &'a dyn Prox<T>,
    (x, size): (&mut [T], f64),
    limits: Limits,
) -> f64 {
    let value = |x: &[T]| -> f64 {
        let values = (0..count).map(|i| value_near(term(i), x, limits.nearness::<T>()));
        values.sum()
    };
    if value(x) != f64::INFINITY {
        return 0.0;
    }
    scratch::with(x.len(), |from: &mut [T]| {
        from.copy_from_slice(x);
        for _ in 0..limits.rounds {
            if norm(x) <= limits.tolerance * size {
                x.fill(T::ZERO);
            }
            for i in 0..count {
                term(i).prox(x, T::of(limits.tolerance * limits.tolerance));
            }
            if value(x) != f64::INFINITY {
                break;
            }
        }
        distance(from, x)
    })
}
