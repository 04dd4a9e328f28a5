//! The iteration, and how far it is from the end.
//!
//! Since p_i is a subgradient at e_i, ψ_i*(p_i) = ⟨p_i, e_i⟩ − ψ_i(e_i) is known without an oracle for ψ_i*, and so is the gap
//! Σ_i ψ_i(x) − ψ_i(e_i) − ⟨p_i, x − e_i⟩. Primal and dual are both strongly convex in x, hence ‖x − x*‖² ≤ η·gap.

use crate::calculus::value_near;
use crate::linalg::vec::{distance, norm};
use crate::{Prox, Real, scratch};

/// When to stop.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in crate::calculus) struct Limits {
    /// Accuracy to reach, relative to the size of the vectors.
    pub(in crate::calculus) tolerance: f64,
    pub(in crate::calculus) rounds: usize,
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
pub enum Accuracy {
    /// ‖x − x*‖ is at most this, by the duality gap; sets count as met within the tolerance.
    Distance(f64),
    /// x is outside the domain of some term, so that there is no gap; this bounds its distance to every domain. It says
    /// nothing of the distance to x*, and if the domains have no common point it does not go to 0.
    Infeasibility(f64),
}

impl Reached {
    /// A bound on the distance to the exact point; +∞ if none is known.
    pub fn error(&self) -> f64 {
        match self.accuracy {
            Accuracy::Distance(bound) => bound,
            Accuracy::Infeasibility(_) => f64::INFINITY,
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
    scratch::with(2 * count * n, |buffer: &mut [T]| {
        let (moved, points) = buffer.split_at_mut(count * n);
        moved.fill(T::ZERO);
        let mut reached = Reached {
            rounds: 0,
            accuracy: Accuracy::Infeasibility(f64::INFINITY),
            converged: n == 0 || count == 0,
        };
        while !reached.converged && reached.rounds < limits.rounds.max(1) {
            let blocks = moved.chunks_exact_mut(n).zip(points.chunks_exact_mut(n));
            for (i, (moved, point)) in blocks.enumerate() {
                advance(term(i), x, moved, point, step);
            }
            let scale = size.max(norm(x));
            let span = points
                .chunks_exact(n)
                .fold(0.0, |span: f64, point| span.max(distance(x, point)));
            let blocks = moved.chunks_exact(n).zip(points.chunks_exact(n));
            let gap: f64 = blocks
                .enumerate()
                .map(|(i, block)| slack(term(i), x, block, step, limits.tolerance))
                .sum();
            reached.rounds += 1;
            reached.accuracy = if gap.is_finite() {
                Accuracy::Distance(gap.sqrt())
            } else {
                Accuracy::Infeasibility(span)
            };
            // Once nothing moves but rounding, the bound is as good as it gets.
            reached.converged = reached.error() <= limits.tolerance * scale
                || span <= 4.0 * T::EPSILON.f64() * scale;
        }
        if reached.rounds == 0 {
            reached.accuracy = Accuracy::Distance(0.0);
        }
        reached
    })
}

/// e ← P(x + q), q ← x + q − e, x ← e, where q = ηp.
fn advance<T: Real>(term: &dyn Prox<T>, x: &mut [T], moved: &mut [T], point: &mut [T], step: T) {
    for ((point, moved), &x) in point.iter_mut().zip(&mut *moved).zip(&*x) {
        *moved += x;
        *point = *moved;
    }
    term.prox(point, step);
    for ((x, moved), &point) in x.iter_mut().zip(moved).zip(&*point) {
        *moved -= point;
        *x = point;
    }
}

/// η(ψ(x) − ψ(e)) − ⟨q, x − e⟩, one term of η·gap; not negative but for rounding.
fn slack<T: Real>(
    term: &dyn Prox<T>,
    x: &[T],
    (moved, point): (&[T], &[T]),
    step: T,
    tolerance: f64,
) -> f64 {
    let rise = value_near(term, x, tolerance) - term.value(point);
    let linear: f64 = (0..x.len())
        .map(|i| moved[i].f64() * (x[i].f64() - point[i].f64()))
        .sum();
    (step.f64() * rise - linear).abs()
}
