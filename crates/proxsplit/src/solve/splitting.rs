//! Algorithm 1, inexact proximal splitting: xᵏ⁺¹ = P_η^g(xᵏ − η·∇̃f(xᵏ)).

use super::{Measure, Method, Progress, Setting, Solver};
use crate::error::{Error, all_finite, length};
use crate::gradient::GradientSource;
use crate::ledger::{Ledger, Level, Source};
use crate::linalg::vec;
use crate::step::{BarzilaiBorwein, Constant, Curvature, StepRule, Trial};
use crate::{Lipschitz, Prox, Real, Smooth};
use std::mem::swap;

/// The one iteration: a gradient step on f, exact or not, then the prox of g.
///
/// The errors of the gradient need not vanish and the steps need not shrink; no descent is enforced unless the step
/// rule asks for it. By default the gradient is exact and the steps are Barzilai–Borwein's; with a gradient source
/// the default is a constant step min(1, 1/L).
///
/// ```
/// use proxsplit::{Matrix, Splitting, Stop, data::*, prox::L1, run, smooth::LeastSquares};
/// let design = [2.0, 0.0, 0.0, 1.0];
/// let design = Dense::new(2, 2, Order::RowMajor, Elements::F64(&design))?;
/// let f = LeastSquares::new(design.into(), &[4.0, 0.5])?;
/// let g = L1::new(1.0)?;
/// let mut solver = Splitting::new(&f, &g, &[0.0, 0.0])?;
/// let report = run(&mut solver, &Stop::default(), ());
/// assert!(report.converged());
/// assert!((solver.x()[0] - 1.75).abs() < 1e-6 && solver.x()[1] == 0.0);
/// # Ok::<(), proxsplit::Error>(())
/// ```
pub struct Splitting<'a, T: Real = f64> {
    f: &'a dyn Smooth<T>,
    g: &'a dyn Prox<T>,
    source: Option<Box<dyn GradientSource<T> + 'a>>,
    rule: Option<Box<dyn StepRule + 'a>>,
    x: Vec<T>,          // xᵏ
    trial: Vec<T>,      // xᵏ⁺¹ while it is made, xᵏ⁻¹ afterwards
    gradient: Vec<T>,   // ∇̃f(xᵏ)
    previous: Vec<T>,   // ∇̃f(xᵏ⁻¹)
    exact: Vec<T>,      // ∇f(xᵏ), where it differs from ∇̃f(xᵏ); else empty
    probe: Vec<T>,      // the prox point of a residual
    value: Option<f64>, // f(xᵏ), if the exact gradient at xᵏ is at hand
    estimated: bool,    // whether `gradient` is ∇̃f(xᵏ) already
    lipschitz: Lipschitz,
    ledger: Ledger,
    step: f64,
    iteration: u64,
    passes: f64,
}

impl<'a, T: Real> Splitting<'a, T> {
    /// Minimizes f + g from `start`, which is copied, and moved into the domain of g if it lies outside.
    pub fn new(f: &'a dyn Smooth<T>, g: &'a dyn Prox<T>, start: &[T]) -> Result<Self, Error> {
        length("start", start, f.dim())?;
        all_finite("start", start)?;
        g.fits(start.len())?;
        let mut x = start.to_vec();
        if g.value(&x).is_infinite() {
            g.prox(&mut x, T::ONE);
        }
        let zeros = vec![T::ZERO; x.len()];
        Ok(Self {
            f,
            g,
            source: None,
            rule: None,
            trial: zeros.clone(),
            gradient: zeros.clone(),
            previous: zeros.clone(),
            exact: Vec::new(),
            probe: zeros,
            x,
            value: None,
            estimated: false,
            lipschitz: f.lipschitz(),
            ledger: Ledger::default(),
            step: 0.0,
            iteration: 0,
            passes: 0.0,
        })
    }

    /// Takes ∇̃f from a source instead of the exact gradient.
    #[must_use]
    pub fn gradient(mut self, source: impl GradientSource<T> + 'a) -> Self {
        self.ledger.set(source.source(), Level::Unknown);
        self.exact = vec![T::ZERO; self.x.len()];
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
        &self.x
    }

    /// The current point.
    pub fn into_x(self) -> Vec<T> {
        self.x
    }

    /// Changes the current point from outside, for methods that share the measuring.
    pub(super) fn move_by(&mut self, change: impl FnOnce(&mut [T])) -> &[T] {
        change(&mut self.x);
        (self.value, self.estimated) = (None, false);
        &self.x
    }

    /// The rule that was asked for, or the default.
    fn rule(&mut self) -> &mut (dyn StepRule + 'a) {
        if self.lipschitz == Lipschitz::Unknown && self.rule.is_none() {
            self.lipschitz = crate::smooth::lipschitz::estimate(self.f, &self.x, 0);
        }
        let (exact, lipschitz) = (self.source.is_none(), self.lipschitz);
        let rule = self.rule.get_or_insert_with(|| {
            let first = lipschitz
                .value()
                .filter(|l| *l > 0.0 && l.is_finite())
                .map_or(1.0, |l| 1.0 / l);
            match (BarzilaiBorwein::new(first), Constant::within(lipschitz)) {
                (Ok(rule), _) if exact => Box::new(rule),
                (_, Some(rule)) => Box::new(rule),
                _ => Box::new(Constant::UNIT),
            }
        });
        rule.as_mut()
    }

    /// gradient ← ∇̃f(x)
    fn estimate(&mut self, step: f64) {
        match &mut self.source {
            None => {
                if self.value.is_none() {
                    self.value = Some(self.f.gradient(&self.x, &mut self.gradient));
                    self.passes += 1.0;
                }
            }
            Some(source) => {
                let mut level = source.estimate(&self.x, step, &mut self.gradient);
                self.passes += source.passes();
                if self.value.is_some() && level == Level::Unknown {
                    level = Level::Measured(vec::distance(&self.exact, &self.gradient));
                }
                if level != Level::Unknown {
                    self.ledger.set(source.source(), level);
                }
            }
        }
        self.estimated = true;
    }

    /// What the last move has shown, once there was one.
    fn curvature(&self) -> Option<Curvature> {
        let (x, last) = (&self.x, &self.trial);
        (self.iteration > 0).then(|| Curvature {
            moved: vec::distance_squared(x, last),
            changed: vec::distance_squared(&self.gradient, &self.previous),
            product: vec::dot_of_differences((x, last), (&self.gradient, &self.previous)),
        })
    }

    /// trial ← P_η(x − η·previous), where `previous` holds the direction of this iteration.
    fn try_step(&mut self, step: f64) {
        let eta = T::of(step);
        for ((trial, &x), &g) in self.trial.iter_mut().zip(&self.x).zip(&self.previous) {
            *trial = x - eta * g;
        }
        let error = self.g.prox_with_error(&mut self.trial, eta);
        if error > 0.0 {
            self.ledger.set(Source::Prox, Level::Bounded(error / step));
        }
    }

    /// Shortens the step until the rule is content with the trial point.
    fn search(&mut self, mut step: f64) -> f64 {
        let value = match self.value {
            Some(value) => value,
            None => self.f.value(&self.x),
        };
        let before = value + self.g.value(&self.x);
        let rounding = 8.0 * T::EPSILON.f64() * before.abs();
        self.value = None;
        loop {
            self.try_step(step);
            let smooth = if self.source.is_none() {
                self.passes += 1.0;
                let value = self.f.gradient(&self.trial, &mut self.gradient);
                self.value = Some(value);
                value
            } else {
                self.f.value(&self.trial)
            };
            let after = smooth + self.g.value(&self.trial);
            let after = if after.is_nan() { f64::INFINITY } else { after };
            let moved = vec::distance_squared(&self.trial, &self.x);
            let trial = Trial {
                step,
                before,
                after,
                moved,
                rounding,
            };
            match self.rule().judge(&trial) {
                Some(shorter) if shorter > f64::MIN_POSITIVE => step = shorter,
                _ => return step,
            }
        }
    }

    /// The residual of step η at x: ‖x − P_η(x − η∇f(x))‖/η.
    fn residual(&mut self, step: f64) -> f64 {
        let gradient = if self.source.is_none() {
            &self.gradient
        } else {
            &self.exact
        };
        let eta = T::of(step);
        for ((p, &x), &g) in self.probe.iter_mut().zip(&self.x).zip(gradient) {
            *p = x - eta * g;
        }
        self.g.prox(&mut self.probe, eta);
        vec::distance(&self.x, &self.probe) / step
    }
}

impl<T: Real> Iterator for Splitting<'_, T> {
    type Item = Progress;

    /// One iteration; `None` if the next point is not finite, and then x stays the last finite one.
    fn next(&mut self) -> Option<Progress> {
        let iteration = self.iteration;
        let scheduled = self.rule().scheduled(iteration);
        if !self.estimated || self.source.is_some() {
            self.estimate(scheduled.unwrap_or(self.step));
        }
        let curvature = if scheduled.is_none() {
            self.curvature()
        } else {
            None
        };
        let proposed = scheduled.unwrap_or_else(|| self.rule().propose(curvature));
        let limit = self.g.class().step_limit();
        let step = proposed.min(0.99 * limit);
        // From here on `previous` is the direction at x; `gradient` is free for the one at the trial point.
        swap(&mut self.gradient, &mut self.previous);
        self.estimated = false;
        let step = if self.rule().method() == Method::Descent {
            self.estimated = self.source.is_none();
            self.search(step)
        } else {
            self.value = None;
            self.try_step(step);
            step
        };
        let displacement = vec::distance(&self.x, &self.trial);
        if !displacement.is_finite() {
            return None;
        }
        swap(&mut self.x, &mut self.trial);
        self.step = step;
        self.iteration += 1;
        Some(Progress {
            iteration: self.iteration,
            passes: self.passes,
            step,
            displacement,
        })
    }
}

impl<T: Real> Solver for Splitting<'_, T> {
    fn measure(&mut self) -> Measure {
        let value = match self.value {
            Some(value) => value,
            None if self.source.is_none() => {
                self.estimate(self.step);
                self.value.unwrap_or(f64::NAN)
            }
            None => self.f.gradient(&self.x, &mut self.exact),
        };
        self.value = Some(value);
        let gradient = if self.source.is_none() {
            &self.gradient
        } else {
            &self.exact
        };
        let size = vec::norm(gradient);
        if !matches!(&self.source, Some(source) if source.source() == Source::Rounding) {
            self.ledger
                .set(Source::Rounding, Level::Estimated(T::EPSILON.f64() * size));
        }
        let residual = self.residual(1.0);
        let iteration = self.iteration;
        let step = if self.step > 0.0 {
            self.step
        } else {
            self.rule()
                .scheduled(iteration)
                .unwrap_or_else(|| self.lipschitz.value().map_or(1.0, |l| 1.0 / l))
        };
        let scaled_residual = self.residual(step);
        Measure {
            objective: value + self.g.value(&self.x),
            residual,
            scaled_residual,
        }
    }

    fn setting(&self) -> Setting {
        let rule = self.rule.as_deref();
        let method = rule.map_or(Method::Splitting, StepRule::method);
        let observed = rule.map_or(Lipschitz::Unknown, StepRule::lipschitz);
        Setting {
            class: self.g.class(),
            convex: self.f.is_convex(),
            lipschitz: if self.lipschitz == Lipschitz::Unknown {
                observed
            } else {
                self.lipschitz
            },
            step: self.step,
            method: if self.source.is_none() {
                method
            } else {
                Method::Splitting
            },
            diminishing: rule.is_some_and(StepRule::vanishes),
            ledger: self.ledger,
        }
    }
}
