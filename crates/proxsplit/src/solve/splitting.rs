//! Algorithm 1, inexact proximal splitting: xᵏ⁺¹ = P_η^g(xᵏ − η·∇̃f(xᵏ)).

mod iteration;

use super::point::Point;
use super::{Measure, Method, Setting, Solver};
use crate::gradient::GradientSource;
use crate::ledger::{Ledger, Level, Source};
use crate::linalg::vec;
use crate::step::{BarzilaiBorwein, BoldDriver, Constant, StepRule};
use crate::{Error, Lipschitz, Prox, Real, Smooth};

/// The one iteration: a gradient step on f, exact or not, then the prox of g.
///
/// The errors of the gradient need not vanish and the steps need not shrink; no descent is enforced unless the step
/// rule asks for it. By default the gradient is exact and the steps are Barzilai–Borwein's; with a gradient source
/// the default is a constant step min(1, 1/L), and for incremental passes [`BoldDriver`] that begins there.
///
/// ```
/// use proxsplit::data::{Dense, Elements, Order};
/// use proxsplit::{Splitting, Stop, prox::L1, run, smooth::LeastSquares};
/// let design = Dense::new(2, 2, Order::RowMajor, Elements::F64(&[2.0, 0.0, 0.0, 1.0]))?;
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
    lipschitz: Lipschitz,
    ledger: Ledger,
    step: f64,
    iteration: u64,
    passes: f64,
}

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

    /// The current point.
    pub fn into_x(self) -> Vec<T> {
        self.point.x
    }

    /// The rule that was asked for, or the default.
    fn rule(&mut self) -> &mut (dyn StepRule + 'a) {
        if self.rule.is_none() && self.lipschitz == Lipschitz::Unknown {
            self.lipschitz = crate::smooth::lipschitz::estimate(self.point.f, &self.point.x, 0);
        }
        let (first, constant) = (self.first_step(), Constant::within(self.lipschitz));
        let constant = constant.unwrap_or(Constant::UNIT);
        let source = self.source.as_ref().map(|source| source.source());
        let rule = self.rule.get_or_insert_with(|| match source {
            None => BarzilaiBorwein::new(first).map_or(Box::new(constant), |rule| Box::new(rule)),
            Some(Source::IncrementalDrift) => {
                BoldDriver::new(first.min(1.0)).map_or(Box::new(constant), |rule| Box::new(rule))
            }
            Some(_) => Box::new(constant),
        });
        rule.as_mut()
    }

    /// 1/L, or 1 if nothing is known of L.
    fn first_step(&self) -> f64 {
        let l = self.lipschitz.value().filter(|l| *l > 0.0 && l.is_finite());
        l.map_or(1.0, |l| 1.0 / l)
    }
}

impl<T: Real> Solver for Splitting<'_, T> {
    fn measure(&mut self) -> Measure {
        if self.source.is_none() {
            self.find_gradient(self.step);
        }
        let iteration = self.iteration;
        let scheduled = self.rule().scheduled(iteration);
        let step = if self.step > 0.0 {
            self.step
        } else {
            scheduled.unwrap_or(self.first_step())
        };
        let measure = self.point.measure(step);
        if self
            .source
            .as_ref()
            .is_none_or(|source| source.source() != Source::Rounding)
        {
            let rounding = T::EPSILON.f64() * vec::norm(&self.point.gradient);
            self.ledger
                .set(Source::Rounding, Level::Estimated(rounding));
        }
        measure
    }

    fn setting(&self) -> Setting {
        let rule = self.rule.as_deref();
        let method = rule.map_or(Method::Splitting, StepRule::method);
        let observed = rule.map_or(Lipschitz::Unknown, StepRule::lipschitz);
        Setting {
            class: self.point.g.class(),
            convex: self.point.f.is_convex(),
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
