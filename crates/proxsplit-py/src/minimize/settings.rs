//! How to run: stopping, step rule, gradient source.

use crate::error::refuse;
use crate::scalar::Scalar;
use proxsplit::gradient::{IncrementalPass, Inner, MiniBatch, Page, Saga, usual_batch};
use proxsplit::order::VisitOrder;
use proxsplit::solve::Algorithm;
use proxsplit::step::{Choice, Given, StepRule};
use proxsplit::{FiniteSum, Lipschitz, Looks, Prox, Smooth, Splitting, Stop};
use pyo3::prelude::*;
use std::time::Duration;

/// The text form of a rule, or the steps themselves.
#[derive(FromPyObject)]
enum Step {
    Rule(String),
    Given(Vec<f64>),
}

/// How to run.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Settings {
    method: String,
    batch_size: Option<usize>,
    order: String,
    inner: String,
    seed: u64,
    step: Step,
    tol: f64,
    atol: f64,
    passes: f64,
    seconds: Option<f64>,
    check_every: Option<f64>,
    gap: Option<f64>,
}

impl Settings {
    pub(super) fn stop(&self) -> Stop {
        let seconds = self.seconds.map(Duration::try_from_secs_f64);
        Stop {
            residual: self.atol,
            relative: self.tol,
            passes: self.passes,
            time: seconds.and_then(Result::ok).unwrap_or(Duration::MAX),
            looks: self.check_every.map_or(Looks::Growing, Looks::Every),
            gap: self.gap,
            ..Stop::default()
        }
    }

    /// Whether gradients are exact and nothing is said of the steps. Options that are not used then must be right all the same.
    pub(super) fn is_plain(&self) -> PyResult<bool> {
        self.order.parse::<VisitOrder>().map_err(refuse)?;
        self.inner.parse::<Inner>().map_err(refuse)?;
        let is_auto = matches!(&self.step, Step::Rule(text) if text == "auto");
        Ok(self.is_batch()? && is_auto)
    }

    /// Whether gradients are whole.
    pub(super) fn is_batch(&self) -> PyResult<bool> {
        Ok(self.algorithm()? == Algorithm::Batch)
    }

    fn algorithm(&self) -> PyResult<Algorithm> {
        self.method.parse().map_err(refuse)
    }

    /// `Ok` if the steps do not have to be learned from gradients that are off.
    pub(super) fn accepts_errors(&self, lipschitz: Lipschitz) -> PyResult<()> {
        let known = match &self.step {
            Step::Given(_) => true,
            Step::Rule(text) if text == "auto" => lipschitz != Lipschitz::Unknown,
            Step::Rule(text) => {
                let choice: Choice = text.parse().map_err(refuse)?;
                matches!(choice, Choice::Constant(_) | Choice::Diminishing { .. })
            }
        };
        if known {
            return Ok(());
        }
        Err(refuse(
            "fun reports an error of its gradient, and steps cannot be adapted to inexact gradients: give options={'lipschitz': L}, or a step as a number, a list of numbers or 'diminishing:FIRST,POWER'",
        ))
    }

    /// The solver with the step rule that was asked for.
    pub(super) fn step<'a, T: Scalar>(
        &self,
        solver: Splitting<'a, T>,
        f: &dyn Smooth<T>,
        start: &[T],
    ) -> PyResult<Splitting<'a, T>> {
        let rule: Option<Box<dyn StepRule>> = match &self.step {
            Step::Rule(text) => {
                let choice: Choice = text.parse().map_err(refuse)?;
                let learns = matches!(
                    choice,
                    Choice::Backtracking | Choice::BarzilaiBorwein | Choice::Adaptive
                );
                let first = if learns { first_step(f, start) } else { 1.0 };
                choice.rule(first).map_err(refuse)?
            }
            Step::Given(steps) => Some(Box::new(Given::new(steps.clone()).map_err(refuse)?)),
        };
        match rule {
            None => Ok(solver),
            Some(rule) if !self.is_batch()? && rule.scheduled(0).is_none() => Err(refuse(
                "this method needs its steps in advance: give a number, a list of numbers or 'diminishing:FIRST,POWER'",
            )),
            Some(rule) => Ok(solver.step(rule)),
        }
    }

    /// The solver with the gradient source that was asked for.
    pub(super) fn source<'a, T: Scalar>(
        &self,
        solver: Splitting<'a, T>,
        f: &'a dyn FiniteSum<T>,
        g: &'a dyn Prox<T>,
    ) -> PyResult<Splitting<'a, T>> {
        let order = self.order.parse().map_err(refuse)?;
        let inner = self.inner.parse().map_err(refuse)?;
        let visits = (self.batch_size.unwrap_or(1), order, self.seed);
        let size = self.batch_size.unwrap_or_else(|| usual_batch(f.terms()));
        Ok(match self.algorithm()? {
            Algorithm::Batch => solver,
            Algorithm::Incremental => {
                solver.gradient(IncrementalPass::new(f, g, inner, visits).map_err(refuse)?)
            }
            Algorithm::MiniBatch => {
                solver.gradient(MiniBatch::new(f, visits.0, visits.1, visits.2).map_err(refuse)?)
            }
            Algorithm::Page => {
                solver.gradient(Page::new(f, size, order, self.seed).map_err(refuse)?)
            }
            Algorithm::Saga => {
                solver.gradient(Saga::new(f, size, order, self.seed).map_err(refuse)?)
            }
            other => {
                return Err(refuse(format!(
                    "method '{other}' does not work with a function of your own: use batch, incremental, mini-batch, page or saga"
                )));
            }
        })
    }
}

/// 1/L, with the L that is known or an estimate.
fn first_step<T: Scalar>(f: &dyn Smooth<T>, start: &[T]) -> f64 {
    let lipschitz = match f.lipschitz() {
        Lipschitz::Unknown => proxsplit::smooth::lipschitz::estimate(f, start, 0),
        known => known,
    };
    let l = lipschitz.value().filter(|l| *l > 0.0 && l.is_finite());
    l.map_or(1.0, |l| 1.0 / l)
}
