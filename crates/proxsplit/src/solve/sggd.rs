//! The stochastic generalized gradient method, the baseline of the paper: x ← Π_X(x − η_k(∇̃f(x) + s)), s ∈ ∂ψ(x).

use super::point::Point;
use super::{Method, Passes, Progress, Setting, Solver};
use crate::certificate::AtPoint;
use crate::gradient::{GradientSource, MiniBatch};
use crate::ledger::{Ledger, Level};
use crate::linalg::vec;
use crate::step::StepRule;
use crate::{Error, FiniteSum, Lipschitz, Prox, Real};

/// A penalty that can name a subgradient.
pub trait Subgradient<T: Real = f64>: Send + Sync {
    /// out ← out + s for some s ∈ ∂ψ(x).
    fn add_subgradient(&self, x: &[T], out: &mut [T]);
}

/// The nonsmooth part of the problem as a subgradient method needs it: g = ψ + δ(·|X).
#[derive(Clone, Copy)]
pub struct Split<'a, T: Real = f64> {
    /// g, for the residual in the certificate.
    pub whole: &'a dyn Prox<T>,
    /// ψ
    pub penalty: &'a dyn Subgradient<T>,
    /// X
    pub set: &'a dyn Prox<T>,
}

crate::opaque!(Split<'_, T>, T: Real);

/// A step along minus a sampled subgradient, then a projection. The penalty is never proxed, so iterates are not sparse.
pub struct Sggd<'a, T: Real = f64> {
    point: Point<'a, T>,
    sample: MiniBatch<'a, T>,
    terms: Split<'a, T>,
    rule: Box<dyn StepRule + 'a>,
    direction: Vec<T>,
    before: Vec<T>,
    iteration: u64,
    passes: f64,
    longest: f64,
    step: f64,
}

crate::opaque!(Sggd<'_, T>, T: Real);

impl<'a, T: Real> Sggd<'a, T> {
    /// Minimizes Σ_t f_t + ψ over X from `start`, with the schedule `rule`; `passes.inner` has no meaning here.
    pub fn new(
        f: &'a dyn FiniteSum<T>,
        terms: Split<'a, T>,
        start: &[T],
        passes: Passes,
        rule: impl StepRule + 'a,
    ) -> Result<Self, Error> {
        if rule.scheduled(0).is_none() {
            let cause = "a subgradient method needs a schedule: use Diminishing, Constant or Given";
            return Err(Error::Incompatible(cause.into()));
        }
        let sample = MiniBatch::new(f, passes.batch, passes.order, passes.seed)?;
        let point = Point::new(f, terms.whole, start)?;
        let zeros = vec![T::ZERO; start.len()];
        let rule = Box::new(rule);
        let (direction, before) = (zeros.clone(), zeros);
        Ok(Self {
            point,
            sample,
            terms,
            rule,
            direction,
            before,
            iteration: 0,
            passes: 0.0,
            longest: 0.0,
            step: 0.0,
        })
    }

    /// The current point.
    pub fn x(&self) -> &[T] {
        &self.point.x
    }
}

impl<T: Real> Iterator for Sggd<'_, T> {
    type Item = Progress;

    /// One batch.
    fn next(&mut self) -> Option<Progress> {
        let step = self.rule.scheduled(self.iteration)?;
        let x = &mut self.point.x;
        self.before.copy_from_slice(x);
        self.sample.estimate(x, step, &mut self.direction);
        self.terms.penalty.add_subgradient(x, &mut self.direction);
        vec::axpy(-T::of(step), &self.direction, x);
        self.terms.set.prox(x, T::of(step));
        self.point.value = None;
        let displacement = vec::distance(x, &self.before);
        if !displacement.is_finite() {
            x.copy_from_slice(&self.before);
            return None;
        }
        self.iteration += 1;
        self.passes += self.sample.passes();
        self.step = step;
        self.longest = self.longest.max(step);
        Some(Progress {
            iteration: self.iteration,
            passes: self.passes,
            step,
            displacement,
            objective: None,
        })
    }
}

impl<T: Real> Solver for Sggd<'_, T> {
    fn measure(&mut self) -> AtPoint {
        let lipschitz = self.point.f.lipschitz();
        let l = lipschitz.value().filter(|l| *l > 0.0 && l.is_finite());
        let reference = match l {
            Some(l) => 1.0 / l.max(self.point.refuted().near),
            None => self.rule.scheduled(0).unwrap_or(1.0),
        };
        let is_safe = l.is_some() && matches!(lipschitz, Lipschitz::Known(_));
        self.point.measure(reference, is_safe)
    }

    fn setting(&self) -> Setting {
        let mut ledger = Ledger::default();
        ledger.set(self.sample.source(), Level::Unknown);
        Setting {
            class: self.point.g.class(),
            convex: self.point.f.is_convex(),
            lipschitz: self.point.f.lipschitz(),
            steps: (self.iteration > 0).then_some((self.step, self.longest)),
            method: Method::Subgradient,
            vanishing: self.rule.vanishes(),
            square_summable: self.rule.is_square_summable(),
            adapts: false,
            constant: None,
            ledger,
            assumptions: Vec::new(),
        }
    }

    fn keep(&mut self) {
        self.point.keep();
    }

    fn settle(&mut self) {
        self.point.settle();
    }
}

impl<T: Real> Subgradient<T> for crate::prox::L1 {
    /// W·sign(x), and 0 at 0.
    fn add_subgradient(&self, x: &[T], out: &mut [T]) {
        let weight = T::of(self.weight());
        for (out, &x) in out.iter_mut().zip(x) {
            if x > T::ZERO {
                *out += weight;
            } else if x < T::ZERO {
                *out -= weight;
            }
        }
    }
}
