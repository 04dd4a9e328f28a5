//! Algorithm 1, inexact proximal splitting: xᵏ⁺¹ = P_η^g(xᵏ − η·∇̃f(xᵏ)).

mod assumptions;
mod guard;
mod iteration;

use super::point::Point;
use super::seen::Seen;
use super::{Method, Setting, Solver};
use crate::certificate::{AtPoint, Curve};
use crate::gradient::GradientSource;
use crate::ledger::{Ledger, Level, Source};
use crate::step::{BarzilaiBorwein, BoldDriver, Constant, Guarded, StepRule};
use crate::{Class, Error, Lipschitz, Prox, Real, Smooth};
use guard::Guard;

/// An inexact gradient may be off by this part of R/K: K·ē, at which runs stop falling, is then below the residual R of the last look.
/// Where the error is larger than R, R may be all error, and the error falls by this part of 1/K.
const AFFORDED: f64 = 0.5;

/// The one iteration: a gradient step on f, exact or not, then the prox of g.
///
/// The errors of the gradient need not vanish and the steps need not shrink; no descent is enforced unless the step
/// rule asks for it. By default the gradient is exact and the steps are Barzilai–Borwein's; with a gradient source
/// the default is a constant step min(1, 1/L), for incremental passes [`BoldDriver`] that begins there, and for errors that follow
/// the moves [`Guarded`].
///
/// ```
/// use proxsplit::data::{Dense, Elements, StorageOrder};
/// use proxsplit::{Splitting, Stop, prox::L1, run, smooth::LeastSquares};
/// let design = Dense::new(2, 2, StorageOrder::RowMajor, Elements::F64(&[2.0, 0.0, 0.0, 1.0]))?;
/// let f = LeastSquares::new(design, &[4.0, 0.5])?;
/// let g = L1::new(1.0)?;
/// let mut solver = Splitting::new(&f, &g, &[0.0_f64, 0.0])?;
/// let report = run(&mut solver, &Stop::default(), ());
/// assert!(report.converged());
/// assert!((solver.x()[0] - 1.75).abs() < 1e-6 && solver.x()[1] == 0.0);
/// # Ok::<(), proxsplit::Error>(())
/// ```
pub struct Splitting<'a, T: Real = f64> {
    point: Point<'a, T>, // xᵏ
    source: Option<Box<dyn GradientSource<T> + 'a>>,
    rule: Option<Box<dyn StepRule + 'a>>,
    estimate: Vec<T>, // ∇̃f(xᵏ) if there is a source; else it is the gradient of the point
    previous: Vec<T>, // ∇̃f(xᵏ⁻¹)
    trial: Vec<T>,    // xᵏ⁺¹ while it is made, xᵏ⁻¹ afterwards
    seen: Seen,       // of exact gradients
    value_before: f64, // f(xᵏ⁻¹)
    error_before: f64, // the bound on the error of ∇f(xᵏ⁻¹), if f is not exact
    ledger: Ledger,   // the largest errors since the last look
    looked: bool,     // whether the last thing done was a look
    objective: Option<f64>, // Φ(xᵏ), for rules that watch it
    guard: Guard<T>,  // for rules that are guarded
    step: f64,        // the latest η
    steps: Option<(f64, f64)>, // the least and the greatest η
    iteration: u64,
    passes: f64,
}

crate::opaque!(Splitting<'_, T>, T: Real);

impl<'a, T: Real> Splitting<'a, T> {
    /// Minimizes f + g from `start`, which is copied, and moved into the domain of g if it lies outside.
    pub fn new(f: &'a dyn Smooth<T>, g: &'a dyn Prox<T>, start: &[T]) -> Result<Self, Error> {
        Ok(Self {
            point: Point::new(f, g, start)?,
            source: None,
            rule: None,
            estimate: Vec::new(),
            previous: vec![T::ZERO; start.len()],
            trial: vec![T::ZERO; start.len()],
            seen: Seen::new(f.lipschitz()),
            value_before: f64::NAN,
            error_before: 0.0,
            ledger: Ledger::default(),
            looked: false,
            objective: None,
            guard: Guard::default(),
            step: 0.0,
            steps: None,
            iteration: 0,
            passes: 0.0,
        })
    }

    /// Takes ∇̃f from a source instead of the exact gradient.
    #[must_use]
    pub fn gradient(mut self, source: impl GradientSource<T> + 'a) -> Self {
        self.ledger.set(source.source(), Level::Unknown);
        self.estimate = vec![T::ZERO; self.point.x.len()];
        self.source = Some(Box::new(source));
        self
    }

    /// Chooses the steps.
    #[must_use]
    pub fn step(mut self, rule: impl StepRule + 'a) -> Self {
        self.rule = Some(Box::new(rule));
        self
    }

    /// The current point.
    pub fn x(&self) -> &[T] {
        &self.point.x
    }

    /// The point of the last look, which the row of the trace is about: x or, if g is not convex, P_η(x − η∇f(x)).
    pub fn looked_at(&self) -> &[T] {
        self.point.looked_at().0
    }

    /// The current point.
    pub fn into_x(self) -> Vec<T> {
        self.point.x
    }

    /// The rule that was asked for, or the default.
    fn rule(&mut self) -> &mut (dyn StepRule + 'a) {
        let rule = self.rule.take().unwrap_or_else(|| self.default_rule());
        &mut **self.rule.insert(rule)
    }

    fn default_rule(&mut self) -> Box<dyn StepRule + 'a> {
        // Differences of inexact gradients over short ways say nothing of L.
        if self.seen.given == Lipschitz::Unknown && self.point.f.is_exact() {
            self.seen.given = crate::smooth::lipschitz::estimate(self.point.f, &self.point.x, 0);
        }
        // Where g is not convex in any way, the theorem asks for η < 1/L.
        let safety = match self.point.g.class() {
            Class::Nonconvex => 2.0,
            Class::Convex | Class::WeaklyConvex { .. } => 1.0,
        };
        let constant = Constant::within(self.seen.given.scaled(safety)).unwrap_or(Constant::UNIT);
        let first = self.first_step();
        let Some(source) = &self.source else {
            return match BarzilaiBorwein::new(first) {
                Ok(rule) if self.point.f.is_exact() => Box::new(rule),
                _ => Box::new(constant),
            };
        };
        if let Some(follows) = source.following() {
            let bold = follows.step.unwrap_or(first / 3.0) / safety;
            return Guarded::new(bold).map_or(Box::new(constant), |rule| Box::new(rule));
        }
        if source.is_pass() {
            return BoldDriver::new(first.min(1.0))
                .map_or(Box::new(constant), |rule| Box::new(rule));
        }
        Box::new(constant)
    }

    /// 1/L, or 1 if nothing is known of L.
    fn first_step(&self) -> f64 {
        let step = self.seen.given.value().map(f64::recip);
        step.filter(|step| *step > 0.0 && step.is_finite())
            .unwrap_or(1.0)
    }

    /// What is known of L: by f or, if it knows nothing, by the rule.
    fn seen(&self) -> Seen {
        let rule = self.rule.as_deref();
        let mut seen = self.seen;
        if seen.given == Lipschitz::Unknown {
            seen.given = rule.map_or(Lipschitz::Unknown, StepRule::lipschitz);
        }
        seen
    }
}

impl<T: Real> Solver for Splitting<'_, T> {
    fn measure(&mut self) -> AtPoint {
        if self.source.is_none() {
            self.find_gradient(self.step);
        } else if self.rule().is_guarded() {
            self.check();
        }
        let otherwise = self.rule().scheduled(0).unwrap_or(1.0);
        let beyond = self.point.looks_beyond();
        self.passes += if beyond { 1.0 } else { 0.0 };
        let own = beyond.then_some(self.step);
        let reference = self.seen().reference(own, otherwise);
        let at = self
            .point
            .measure(reference, self.seen().is_safe(reference));
        self.seen.refute(self.point.refuted());
        let of_source = self.source.as_ref().map(GradientSource::source);
        if of_source != Some(Source::Rounding) {
            self.ledger
                .raise(Source::Rounding, Level::Estimated(at.rounding));
        }
        self.looked = true;
        if !self.point.f.is_exact() {
            let constant = Curve::of(&self.setting()).map_or(3.0, |curve| curve.constant);
            let size = at.residual.max(at.gradient_error.unwrap_or(0.0));
            self.point.accuracy = AFFORDED * size / constant;
        }
        at
    }

    fn look_cost(&self) -> f64 {
        // The exact gradient of a look serves the next step, too.
        if self.source.is_none() && !self.point.looks_beyond() {
            0.0
        } else {
            1.0
        }
    }

    fn setting(&self) -> Setting {
        let rule = self.rule.as_deref();
        let method = rule.map_or(Method::Splitting, StepRule::method);
        let plain = Setting {
            class: self.point.g.class(),
            convex: self.point.f.is_convex(),
            lipschitz: self.seen().so_far(),
            steps: self.steps,
            method: if self.source.is_none() && self.point.f.is_exact() {
                method
            } else {
                Method::Splitting
            },
            vanishing: rule.is_some_and(StepRule::vanishes),
            square_summable: rule.is_some_and(StepRule::is_square_summable),
            adapts: rule.is_some_and(StepRule::watches),
            constant: None,
            ledger: self.ledger,
            assumptions: self.assumptions(),
        };
        match self.source.as_ref().and_then(GradientSource::following) {
            None => plain,
            Some(follows) => self.of_following(plain, &follows),
        }
    }

    fn keep(&mut self) {
        self.point.keep();
    }

    fn settle(&mut self) {
        self.point.settle();
        self.objective = None;
    }
}
