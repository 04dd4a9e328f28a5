//! The incremental form, eq.32: a pass over the terms of f, then xᵏ⁺¹ = P_η^g(xᵏ − η Σ_t ∇f_t(x^{k,t})).

use super::{Progress, Setting, Solver, Splitting};
use crate::certificate::AtPoint;
use crate::gradient::{IncrementalPass, Inner};
use crate::order::VisitOrder;
use crate::step::StepRule;
use crate::{Error, FiniteSum, Prox, Real};

/// How the terms of a sum are visited in a pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Passes {
    /// O between two batches: identity, or the prox.
    pub inner: Inner,
    /// Terms in a batch; the paper's T is the number of batches.
    pub batch: usize,
    /// The order of the terms.
    pub order: VisitOrder,
    /// The seed of the order.
    pub seed: u64,
}

impl Default for Passes {
    fn default() -> Self {
        Self {
            inner: Inner::Identity,
            batch: 1,
            order: VisitOrder::Reshuffled,
            seed: 0,
        }
    }
}

/// [`Splitting`] whose gradient comes from an incremental pass.
///
/// With g = h + δ(·|X) and O = identity or prox these are the four variants of the paper's Table 1; with g = 0 it is the
/// incremental gradient method, with g an indicator and O = identity the projected one. The default step is
/// [`BoldDriver`](crate::step::BoldDriver) from min(1, 1/L), with the L of the whole sum: it evaluates Φ after every
/// pass, which counts as a second one.
///
/// ```
/// use proxsplit::data::{Dense, Elements, StorageOrder};
/// use proxsplit::{IncrementalSplitting, Passes, Stop, prox::L1, run, smooth::LeastSquares, step::Diminishing};
/// let design = Dense::new(4, 1, StorageOrder::RowMajor, Elements::F64(&[1.0, 2.0, 1.0, 3.0]))?;
/// let f = LeastSquares::new(design, &[2.0, 4.0, 2.0, 6.0])?; // every row says x = 2
/// let g = L1::new(0.15)?;
/// let mut solver = IncrementalSplitting::new(&f, &g, &[0.0_f64], Passes { batch: 2, ..Passes::default() })?
///     .step(Diminishing::new(0.05, 0.6)?)?;
/// run(&mut solver, &Stop { passes: 500.0, ..Stop::default() }, ());
/// assert!((solver.x()[0] - 1.99).abs() < 1e-3);
/// # Ok::<(), proxsplit::Error>(())
/// ```
pub struct IncrementalSplitting<'a, T: Real = f64> {
    outer: Splitting<'a, T>,
}

crate::opaque!(IncrementalSplitting<'_, T>, T: Real);

impl<'a, T: Real> IncrementalSplitting<'a, T> {
    /// Minimizes Σ_t f_t + g from `start`.
    pub fn new(
        f: &'a dyn FiniteSum<T>,
        g: &'a dyn Prox<T>,
        start: &[T],
        passes: Passes,
    ) -> Result<Self, Error> {
        let pass = IncrementalPass::new(
            f,
            g,
            passes.inner,
            (passes.batch, passes.order, passes.seed),
        )?;
        Ok(Self {
            outer: Splitting::new(f, g, start)?.gradient(pass),
        })
    }

    /// Chooses the steps: constant, diminishing, given or bold. Rules that learn from gradients are refused, because η must be
    /// known before a pass begins.
    pub fn step(self, rule: impl StepRule + 'a) -> Result<Self, Error> {
        if rule.scheduled(0).is_none() {
            let cause = "an incremental pass needs its step in advance: use Constant, Diminishing, Given or BoldDriver";
            return Err(Error::Incompatible(cause.into()));
        }
        Ok(Self {
            outer: self.outer.step(rule),
        })
    }

    /// The current point.
    pub fn x(&self) -> &[T] {
        self.outer.x()
    }

    /// The current point.
    pub fn into_x(self) -> Vec<T> {
        self.outer.into_x()
    }
}

impl<T: Real> Iterator for IncrementalSplitting<'_, T> {
    type Item = Progress;

    /// One major iteration, a whole pass.
    fn next(&mut self) -> Option<Progress> {
        self.outer.next()
    }
}

impl<T: Real> Solver for IncrementalSplitting<'_, T> {
    fn measure(&mut self) -> AtPoint {
        self.outer.measure()
    }

    fn look_cost(&self) -> f64 {
        self.outer.look_cost()
    }

    fn setting(&self) -> Setting {
        self.outer.setting()
    }

    fn keep(&mut self) {
        self.outer.keep();
    }

    fn settle(&mut self) {
        self.outer.settle();
    }
}
