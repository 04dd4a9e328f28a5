//! Linear models: a loss of Xβ + β₀ with any penalty and set, for one weight or for many, one after the other.

use crate::array::Data;
use crate::error::refuse;
use crate::factor::operator;
use crate::pool::compute;
use crate::report;
use crate::scalar::Scalar;
use crate::threads::interruptible;
use numpy::{PyArray1, PyArrayMethods, PyReadonlyArray1};
use proxsplit::calculus::ButLast;
use proxsplit::smooth::Linear;
use proxsplit::smooth::loss::{LOSSES, Named, Shape};
use proxsplit::text::Operator;
use proxsplit::{Error, Prox, Reason, Report, Row, Stop, path};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};

/// What to solve and how.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Settings {
    loss: String,
    term: String,
    /// Factors of the penalty's weights, one run for each.
    factors: Vec<f64>,
    intercept: bool,
    /// A number that divides the sum of the losses.
    count: f64,
    tol: f64,
    gap: Option<f64>,
    passes: f64,
    threads: usize,
    single: bool,
}

impl Settings {
    fn stop(&self) -> Stop {
        Stop {
            residual: 0.0,
            relative: self.tol,
            gap: self.gap,
            passes: self.passes,
            ..Stop::default()
        }
    }
}

struct Input {
    data: Py<PyAny>,
    targets: Py<PyAny>,
    weights: Option<Py<PyAny>>,
    settings: Settings,
}

/// Names of the losses, without their parameters.
#[pyfunction]
pub(crate) fn losses() -> Vec<&'static str> {
    let names = LOSSES.iter().map(|(name, _)| name.split(':').next());
    names.flatten().collect()
}

/// Solves for one weight after the other: `{"x": one row a weight, "reports": [...]}`.
#[pyfunction]
#[pyo3(signature = (data, targets, settings, weights=None))]
pub(crate) fn linear(
    py: Python<'_>,
    data: Py<PyAny>,
    targets: Py<PyAny>,
    settings: Settings,
    weights: Option<Py<PyAny>>,
) -> PyResult<Bound<'_, PyDict>> {
    let input = Input {
        data,
        targets,
        weights,
        settings,
    };
    let outcome = interruptible(py, move |py, stop| {
        let answer = if input.settings.single {
            linear_as::<f32>(py, &input, stop)
        } else {
            linear_as::<f64>(py, &input, stop)
        };
        answer.map(Bound::unbind)
    })?;
    Ok(outcome.whole()?.into_bound(py))
}

/// The factors from the least one with which 0 is a solution down to `ratio` of it.
#[pyfunction]
#[pyo3(signature = (data, targets, settings, count, ratio, weights=None))]
pub(crate) fn path_factors(
    py: Python<'_>,
    data: Py<PyAny>,
    targets: Py<PyAny>,
    settings: Settings,
    count: usize,
    ratio: f64,
    weights: Option<Py<PyAny>>,
) -> PyResult<Vec<f64>> {
    let input = Input {
        data,
        targets,
        weights,
        settings,
    };
    let data: Data = input.data.bind(py).extract()?;
    let matrix = data.matrix()?;
    let term = operator(&input.settings.term)?;
    with_model::<f64, _>(py, &input, matrix, false, |f| {
        path::factors(f, &term, count, ratio)
    })
}

/// Calls `work` with the model, on the threads that were asked for.
fn with_model<T: Scalar, R: Send>(
    py: Python<'_>,
    input: &Input,
    matrix: proxsplit::Matrix<'_>,
    intercept: bool,
    work: impl FnOnce(&dyn Linear<T>) -> Result<R, Error> + Send,
) -> PyResult<R> {
    let targets: PyReadonlyArray1<f64> = input.targets.bind(py).extract()?;
    let targets: Vec<T> = targets.as_slice()?.iter().map(|&b| T::of(b)).collect();
    let count = input.settings.count;
    let weights: Option<Vec<f64>> = match &input.weights {
        None => None,
        Some(weights) => {
            let weights: PyReadonlyArray1<f64> = weights.bind(py).extract()?;
            Some(weights.as_slice()?.iter().map(|w| w / count).collect())
        }
    };
    let loss: Named = input.settings.loss.parse().map_err(refuse)?;
    let found = compute(py, input.settings.threads, || {
        let shape = Shape {
            mean: weights.is_none(),
            intercept,
            weights: weights.as_deref(),
        };
        let f = loss.model::<T>(matrix, &targets, shape)?;
        work(&*f)
    })?;
    found.map_err(refuse)
}

fn linear_as<'py, T: Scalar>(
    py: Python<'py>,
    input: &Input,
    stop: &AtomicBool,
) -> PyResult<Bound<'py, PyDict>> {
    let settings = &input.settings;
    let data: Data = input.data.bind(py).extract()?;
    let matrix = data.matrix()?;
    let whole = operator(&settings.term)?;
    let terms = settings
        .factors
        .iter()
        .map(|&factor| whole.weighted(factor));
    let terms: Vec<Operator> = terms.collect::<Result<_, _>>().map_err(refuse)?;
    let (points, reports) = with_model::<T, _>(py, input, matrix, settings.intercept, |f| {
        follow(f, &terms, settings, stop)
    })?;
    let answer = PyDict::new(py);
    let rows = reports.len();
    let length = points.len() / rows.max(1);
    answer.set_item("x", PyArray1::from_vec(py, points).reshape([rows, length])?)?;
    let reports = reports.iter().map(|report| as_dict(py, report));
    answer.set_item("reports", reports.collect::<PyResult<Vec<_>>>()?)?;
    Ok(answer)
}

/// All points one after the other, and their reports.
fn follow<T: Scalar>(
    f: &dyn Linear<T>,
    terms: &[Operator],
    settings: &Settings,
    stop: &AtomicBool,
) -> Result<(Vec<T>, Vec<Report>), Error> {
    let free = settings.intercept;
    let framed: Vec<ButLast<&dyn Prox<T>>> = if free {
        let framed = terms
            .iter()
            .map(|g| ButLast::of::<T>(T::operator(g), f.dim() - 1));
        framed.collect::<Result<_, _>>()?
    } else {
        Vec::new()
    };
    let plain = terms.iter().map(|g| T::operator(g));
    let with_intercept = framed.iter().map(|g| g as &dyn Prox<T>);
    let all: Vec<&dyn Prox<T>> = if free {
        with_intercept.collect()
    } else {
        plain.collect()
    };
    let (mut points, mut reports) = (Vec::new(), Vec::new());
    let start = vec![T::ZERO; f.dim()];
    let watch = |_: &Row| {
        if stop.load(Ordering::Relaxed) {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    };
    path::follow(f, all, &start, &settings.stop(), watch, |x, report| {
        points.extend_from_slice(x);
        let is_over = report.reason == Reason::Interrupted;
        reports.push(report);
        if is_over {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    })?;
    Ok((points, reports))
}

fn as_dict<'py>(py: Python<'py>, report: &Report) -> PyResult<Bound<'py, PyDict>> {
    let fields = PyDict::new(py);
    fields.set_item("reason", report.reason.code())?;
    fields.set_item("certificate", report::certificate(py, &report.certificate)?)?;
    fields.set_item("trace", report::trace(py, &report.trace)?)?;
    Ok(fields)
}
