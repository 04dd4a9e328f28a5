//! PANOC⁺: Algorithm 1 with a better next point.
//!
//! x̄ = P_γ(x − γ∇f(x)) is the plain step. A quasi-Newton step is tried in its place, and shorter ones along the same line, and
//! the first is taken that lowers the merit enough: Φ, if the path stays in the domain of g, else the forward–backward envelope
//!
//! φ_γ(x) = f(x) + ⟨∇f(x), x̄ − x⟩ + g(x̄) + ‖x̄ − x‖²/2γ ≤ Φ(x).
//!
//! If none does, the plain step is taken, which does if γ < 1/L. No L is needed: γ is halved whenever
//! f(x̄) ≤ f(x) + ⟨∇f(x), x̄ − x⟩ + α‖x̄ − x‖²/2γ fails. Where that holds, φ_γ(x) ≥ Φ(x̄); so it is enough to look again and again
//! (whenever the residual is a decade off, and every few steps) for φ_γ to be bounded from below. Every step ends by a part of
//! ‖x̄ − x‖²/γ below a running mean of merits, which therefore falls; then Σ‖x̄ − x‖² is finite, and limit points are fixed points of
//! the plain step.
//!
//! L. Stella, A. Themelis, P. Sopasakis, P. Patrinos, A simple and efficient algorithm for nonlinear model predictive control, 2017;
//! A. De Marchi, A. Themelis, Proximal gradient algorithms under local Lipschitz gradient continuity, 2022.

mod direction;
mod iteration;
mod memory;
mod model;
mod spectral;

use super::point::Point;
use super::seen::Seen;
use super::{Method, Setting, Solver};
use crate::certificate::AtPoint;
use crate::ledger::{Ledger, Level, Source};
use crate::{Error, Lipschitz, Prox, Real, Smooth};
use direction::Direction;
use iteration::Envelope;
use spectral::Spectral;

/// γ stays below this part of 1/L.
const ALPHA: f64 = 0.95;
/// The part of the plain step's descent that is asked for.
const BETA: f64 = 0.5;
/// Steps without a check of γ, at most.
const CHECK: u32 = 16;
/// γ grows at most so often: for the theorem it must come to rest.
const GROWTHS: u32 = 200;

/// Quasi-Newton steps for f + g with exact gradients: for any f and any g, no L needed.
///
/// ```
/// use proxsplit::smooth::FnSmooth;
/// use proxsplit::{Panoc, Stop, run, set::BoxSet};
/// // Rosenbrock's valley in a box.
/// let f = FnSmooth::new(2, |x: &[f64], grad: &mut [f64]| {
///     let (a, b) = (1.0 - x[0], x[1] - x[0] * x[0]);
///     grad.copy_from_slice(&[-2.0 * a - 400.0 * x[0] * b, 200.0 * b]);
///     a * a + 100.0 * b * b
/// })?;
/// let g = BoxSet::new(-2.0, 2.0)?;
/// let mut solver = Panoc::new(&f, &g, &[-1.2, 1.0])?;
/// let report = run(&mut solver, &Stop::default(), ());
/// assert!(report.converged() && (solver.x()[0] - 1.0).abs() < 1e-4);
/// # Ok::<(), proxsplit::Error>(())
/// ```
pub struct Panoc<'a, T: Real = f64> {
    point: Point<'a, T>,
    step: f64,               // γ; 0 before the first step
    first: f64,              // the first γ
    probed: f64,             // the curvature that the first gradients show
    plain: Vec<T>,           // x̄
    envelope: Envelope,      // φ_γ(x)
    direction: Direction<T>, // where to go from x
    spectral: Spectral,      // what else to try
    trial: Vec<T>,           // x⁺
    gradient: Vec<T>,        // ∇f(x⁺)
    plain_of_trial: Vec<T>,  // its x̄
    checked: f64,            // ‖x̄ − x‖/γ when γ was checked last
    unchecked: u32,          // steps since then
    growths: u32,            // how often γ may still grow
    is_finite: bool,         // whether the last value of f was
    is_inside: bool,         // whether x is known to be in the domain of g
    merit: f64,              // Φ(x) if it is, else φ_γ(x)
    tried: f64,              // the same at the last trial point
    seen: Seen,
    ledger: Ledger, // the largest errors since the last look
    looked: bool,   // whether the last thing done was a look
    displacement: f64,
    steps: Option<(f64, f64)>, // the least and the greatest γ
    iteration: u64,
    passes: f64,
}

crate::opaque!(Panoc<'_, T>, T: Real);

impl<'a, T: Real> Panoc<'a, T> {
    /// Minimizes f + g from `start`, which is copied, and moved into the domain of g if it lies outside. Refuses an f whose gradients
    /// are not exact.
    pub fn new(f: &'a dyn Smooth<T>, g: &'a dyn Prox<T>, start: &[T]) -> Result<Self, Error> {
        if !f.is_exact() {
            let cause = "the line search of Panoc needs exact gradients, but those of f are inexact: use Splitting";
            return Err(Error::Incompatible(cause.into()));
        }
        let zeros = || vec![T::ZERO; start.len()];
        Ok(Self {
            point: Point::new(f, g, start)?,
            step: 0.0,
            first: 1.0,
            probed: 0.0,
            plain: zeros(),
            envelope: Envelope::NONE,
            direction: Direction::new(g, start.len()),
            spectral: Spectral::new(),
            trial: zeros(),
            gradient: zeros(),
            plain_of_trial: zeros(),
            checked: f64::INFINITY,
            unchecked: 0,
            growths: GROWTHS,
            is_finite: true,
            is_inside: true,
            merit: f64::INFINITY,
            tried: f64::INFINITY,
            seen: Seen::new(Lipschitz::Unknown),
            ledger: Ledger::default(),
            looked: false,
            displacement: 0.0,
            steps: None,
            iteration: 0,
            passes: 0.0,
        })
    }

    /// Measures residuals at 1/L with this L, if it is larger than what the run meets. Steps do not need it, and f is not asked by
    /// itself: its answer may cost dozens of passes.
    #[must_use]
    pub fn lipschitz(mut self, l: Lipschitz) -> Self {
        self.seen = Seen::new(l);
        self
    }

    /// The current point.
    pub fn x(&self) -> &[T] {
        &self.point.x
    }

    /// The point of the last look, which the row of the trace is about: x or, if g is not convex, P_γ(x − γ∇f(x)).
    pub fn looked_at(&self) -> &[T] {
        self.point.looked_at().0
    }

    /// The current point.
    pub fn into_x(self) -> Vec<T> {
        self.point.x
    }

    /// Whether x itself may be outside the domain of g, or lack the zeros of x̄, and is not replaced by the look.
    fn must_step_back(&self) -> bool {
        !self.point.looks_beyond() && !self.is_inside
    }
}

impl<T: Real> Solver for Panoc<'_, T> {
    fn measure(&mut self) -> AtPoint {
        self.prepare();
        if self.checked == f64::INFINITY {
            // Else a γ that is too long could look at a point far above x.
            self.check();
        }
        if self.must_step_back() {
            self.plain_step();
        }
        let beyond = self.point.looks_beyond();
        self.passes += if beyond { 1.0 } else { 0.0 };
        // A γ that has been checked on the way needs no check here, and a shorter step shows no less.
        let is_checked = self.checked < f64::INFINITY;
        let own = (beyond || is_checked).then_some(self.step);
        let otherwise = if is_checked { self.step } else { self.first };
        let reference = self.seen.reference(own, otherwise);
        let is_safe = is_checked && reference <= self.step || self.seen.is_safe(reference);
        let at = self.point.measure(reference, is_safe);
        self.seen.refute(self.point.refuted());
        self.ledger
            .raise(Source::Rounding, Level::Estimated(at.rounding));
        self.looked = true;
        at
    }

    fn look_cost(&self) -> f64 {
        if self.must_step_back() || self.point.looks_beyond() {
            1.0
        } else {
            0.0
        }
    }

    fn setting(&self) -> Setting {
        Setting {
            class: self.point.g.class(),
            convex: self.point.f.is_convex(),
            lipschitz: self.seen.so_far(),
            steps: self.steps,
            method: Method::Envelope,
            vanishing: false,
            square_summable: false,
            adapts: false,
            constant: None,
            ledger: self.ledger,
            assumptions: self.point.escape().into_iter().collect(),
        }
    }

    fn keep(&mut self) {
        self.point.keep();
    }

    fn settle(&mut self) {
        self.point.settle();
    }
}

#[cfg(test)]
mod tests;
