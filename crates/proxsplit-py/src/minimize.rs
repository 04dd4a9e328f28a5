//! One run of [`Splitting`] on a problem whose parts may be Python functions.

use crate::callable::{PyProx, PySmooth};
use crate::error::{Raised, refuse};
use crate::operator::Term;
use crate::report;
use crate::scalar::Scalar;
use numpy::{PyArray1, PyReadonlyArray1};
use proxsplit::gradient::{IncrementalPass, Inner, MiniBatch};
use proxsplit::order::Order;
use proxsplit::step::{Choice, Given, StepRule};
use proxsplit::{
    Class, FiniteSum, Lipschitz, Measure, Progress, Prox, Report, Row, Smooth, Solver, Splitting,
    Stop,
};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::ops::ControlFlow;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// f as the package hands it over.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Function {
    whole: Py<PyAny>,
    terms: Option<(usize, Py<PyAny>)>,
    lipschitz: Option<f64>,
    convex: bool,
}

/// g: an operator of the catalogue, or the functions x ↦ g(x), (x, η) ↦ P_η^g(x) and the modulus of weak convexity.
#[derive(FromPyObject)]
pub(crate) enum Nonsmooth<'py> {
    Operator(Bound<'py, Term>),
    Functions(Py<PyAny>, Py<PyAny>, f64),
}

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
    batch_size: usize,
    order: String,
    inner: String,
    seed: u64,
    step: Step,
    tol: f64,
    atol: f64,
    passes: f64,
    seconds: Option<f64>,
    check_every: f64,
}

impl Settings {
    fn stop(&self) -> Stop {
        let seconds = self.seconds.map(Duration::try_from_secs_f64);
        Stop {
            residual: self.atol,
            relative: self.tol,
            passes: self.passes,
            time: seconds.and_then(Result::ok).unwrap_or(Duration::MAX),
            check_every: self.check_every,
            at_floor: true,
        }
    }

    /// The solver with the step rule that was asked for.
    fn step<'a, T: Scalar>(
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
            Some(rule) if self.method != "batch" && rule.scheduled(0).is_none() => Err(refuse(
                "this method needs its steps in advance: give a number, a list of numbers or 'diminishing:FIRST,POWER'",
            )),
            Some(rule) => Ok(solver.step(rule)),
        }
    }

    /// The solver with the gradient source that was asked for.
    fn source<'a, T: Scalar>(
        &self,
        solver: Splitting<'a, T>,
        f: &'a dyn FiniteSum<T>,
        g: &'a dyn Prox<T>,
    ) -> PyResult<Splitting<'a, T>> {
        let order = match self.order.as_str() {
            "cyclic" => Order::Cyclic,
            "reshuffled" => Order::Reshuffled,
            "random" => Order::Random,
            other => return Err(unknown("order", other)),
        };
        let inner = match self.inner.as_str() {
            "identity" => Inner::Identity,
            "prox" => Inner::Prox,
            other => return Err(unknown("inner", other)),
        };
        let visits = (self.batch_size, order, self.seed);
        Ok(match self.method.as_str() {
            "batch" => solver,
            "incremental" => {
                solver.gradient(IncrementalPass::new(f, g, inner, visits).map_err(refuse)?)
            }
            "mini-batch" => {
                solver.gradient(MiniBatch::new(f, visits.0, visits.1, visits.2).map_err(refuse)?)
            }
            other => return Err(unknown("method", other)),
        })
    }
}

fn unknown(what: &str, name: &str) -> PyErr {
    PyValueError::new_err(format!("{what} {name:?} is not known"))
}

/// Shows the point of a solver to the callback.
struct Shown<'a, T: Scalar> {
    solver: Splitting<'a, T>,
    point: &'a Mutex<Vec<T>>,
}

impl<T: Scalar> Iterator for Shown<'_, T> {
    type Item = Progress;
    fn next(&mut self) -> Option<Progress> {
        self.solver.next()
    }
}

impl<T: Scalar> Solver for Shown<'_, T> {
    fn measure(&mut self) -> Measure {
        let measure = self.solver.measure();
        let mut point = self.point.lock().unwrap_or_else(PoisonError::into_inner);
        point.clear();
        point.extend_from_slice(self.solver.x());
        measure
    }
    fn setting(&self) -> proxsplit::solve::Setting {
        self.solver.setting()
    }
}

/// Minimizes f + g from `x0`. `observe(row, x)` sees every look at the run and ends it by returning true.
#[pyfunction]
pub(crate) fn minimize<'py>(
    x0: &Bound<'py, PyAny>,
    f: Function,
    g: Nonsmooth<'py>,
    settings: Settings,
    observe: Option<Py<PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    if let Ok(x0) = x0.extract::<PyReadonlyArray1<f32>>() {
        minimize_as(&x0, f, &g, &settings, observe.as_ref())
    } else {
        minimize_as(
            &x0.extract::<PyReadonlyArray1<f64>>()?,
            f,
            &g,
            &settings,
            observe.as_ref(),
        )
    }
}

fn minimize_as<'py, T: Scalar>(
    x0: &PyReadonlyArray1<'py, T>,
    f: Function,
    g: &Nonsmooth<'py>,
    settings: &Settings,
    observe: Option<&Py<PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let (py, start) = (x0.py(), x0.as_slice()?);
    let raised = Raised::default();
    let f = PySmooth {
        dim: start.len(),
        function: f.whole,
        terms: f.terms,
        lipschitz: f.lipschitz.map_or(Lipschitz::Unknown, Lipschitz::Known),
        convex: f.convex,
        raised: &raised,
    };
    let user;
    let g: &dyn Prox<T> = match g {
        Nonsmooth::Operator(term) => T::operator(&*term.get().term),
        Nonsmooth::Functions(value, prox, modulus) => {
            user = PyProx {
                value: value.clone_ref(py),
                prox: prox.clone_ref(py),
                class: class(*modulus),
                raised: &raised,
            };
            &user
        }
    };
    let point = Mutex::new(Vec::new());
    let result = py.detach(|| -> PyResult<_> {
        let solver = settings.source(Splitting::new(&f, g, start).map_err(refuse)?, &f, g)?;
        let solver = settings.step(solver, &f, start)?;
        let mut shown = Shown {
            solver,
            point: &point,
        };
        let report = run(&mut shown, &settings.stop(), &raised, |py, row| {
            tell(py, row, observe, &point)
        });
        Ok((report, shown.solver.into_x()))
    });
    raised.come_out()?;
    let (report, x) = result?;
    let answer = PyDict::new(py);
    answer.set_item("x", PyArray1::from_vec(py, x))?;
    answer.set_item("reason", report.reason.to_string())?;
    answer.set_item("certificate", report::certificate(py, &report.certificate)?)?;
    answer.set_item("trace", report::trace(py, &report.trace)?)?;
    Ok(answer)
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

fn class(modulus: f64) -> Class {
    match modulus {
        m if m <= 0.0 => Class::Convex,
        m if m.is_finite() => Class::WeaklyConvex { modulus: m },
        _ => Class::Nonconvex,
    }
}

/// Runs a solver; Ctrl-C and exceptions of the user's code end it.
fn run(
    solver: &mut dyn Solver,
    stop: &Stop,
    raised: &Raised,
    tell: impl Fn(Python, &Row) -> PyResult<bool>,
) -> Report {
    proxsplit::run(solver, stop, |row: &Row| {
        let told = raised.attempt(|py| {
            py.check_signals()?;
            tell(py, row)
        });
        match told {
            Some(false) => ControlFlow::Continue(()),
            Some(true) | None => ControlFlow::Break(()),
        }
    })
}

/// Calls `observe`; whether it wants to stop.
fn tell<T: Scalar>(
    py: Python,
    row: &Row,
    observe: Option<&Py<PyAny>>,
    point: &Mutex<Vec<T>>,
) -> PyResult<bool> {
    let Some(observe) = observe else {
        return Ok(false);
    };
    let x = {
        let point = point.lock().unwrap_or_else(PoisonError::into_inner);
        PyArray1::from_slice(py, &point)
    };
    let (at, measure) = (row.progress, row.measure);
    let numbers = (
        at.iteration,
        at.passes,
        at.step,
        measure.objective,
        measure.residual,
        measure.scaled_residual,
        row.seconds,
    );
    observe.call1(py, (numbers, x))?.is_truthy(py)
}
