//! X ≈ WH. Rows of the data are samples here and columns in the crate: Y = Xᵀ, its atoms are Hᵀ and its codes Wᵀ.

use crate::array::Data;
use crate::error::{Raised, refuse};
use crate::report;
use crate::scalar::Scalar;
use crate::threads::interruptible;
use numpy::{PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray2};
use proxsplit::linalg::dense::Mat;
use proxsplit::solve::Setting;
use proxsplit::text::Operator;
use proxsplit::{Error, Measure, Progress, Prox, Report, Row, Solver, Stop};
use proxsplit_factor::{self as factor, Factorization, Factors, Init, Method, Missing, Problem};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};

/// How to factorize.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Settings {
    rank: usize,
    codes: String,
    atoms: String,
    init: String,
    tol: f64,
    passes: f64,
    check_every: f64,
    seed: u64,
    method: String,
    batch_size: Option<usize>,
    threads: usize,
    single: bool,
    missing: Option<String>,
}

impl Settings {
    fn stop(&self) -> Stop {
        Stop {
            residual: 0.0,
            relative: self.tol,
            passes: self.passes,
            check_every: self.check_every,
            ..Stop::default()
        }
    }

    fn of_the_run(&self) -> PyResult<factor::Settings> {
        let method = match self.method.as_str() {
            "auto" => Method::Auto,
            "batch" => Method::Batch,
            "incremental" => Method::Incremental,
            "aggregated" => Method::Aggregated,
            "sggd" => Method::Sggd,
            other => {
                return Err(refuse(format!(
                    "method = {other:?}, but it must be auto, batch, incremental, aggregated or sggd"
                )));
            }
        };
        let init = match self.init.as_str() {
            "auto" => Init::Auto,
            "nndsvd" => Init::Nndsvd,
            "nndsvda" => Init::Nndsvda,
            "nndsvdar" => Init::Nndsvdar,
            _ => Init::Random,
        };
        Ok(factor::Settings {
            method,
            init,
            batch: self.batch_size,
            seed: self.seed,
            ..factor::Settings::default()
        })
    }
}

/// Factorizes the data, from W and H if they are given. `observe(passes, objective, residual)` sees every look at the run.
#[pyfunction]
#[pyo3(signature = (data, settings, w=None, h=None, observe=None))]
pub(crate) fn factorize<'py>(
    py: Python<'py>,
    data: Data<'py>,
    settings: Settings,
    w: Option<&Bound<'py, PyAny>>,
    h: Option<&Bound<'py, PyAny>>,
    observe: Option<Py<PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    if settings.single {
        let start = start::<f32>(w, h)?;
        factorize_as(py, &data, &settings, start, observe.as_ref())
    } else {
        let start = start::<f64>(w, h)?;
        factorize_as(py, &data, &settings, start, observe.as_ref())
    }
}

fn factorize_as<'py, T: Scalar>(
    py: Python<'py>,
    data: &Data<'py>,
    settings: &Settings,
    start: Option<Factors<T>>,
    observe: Option<&Py<PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let matrix = data.matrix()?.t();
    let (atoms, codes) = (operator(&settings.atoms)?, operator(&settings.codes)?);
    let choices = settings.of_the_run()?;
    let missing = missing(settings.missing.as_deref())?;
    let raised = Raised::default();
    let found = interruptible(py, settings.threads, |stop| -> Result<_, Error> {
        let data = factor::Data::with_missing(matrix, 1.0, missing)?;
        let problem = Problem::new(
            &data,
            settings.rank,
            T::operator(&atoms),
            T::operator(&codes),
        )?;
        let run = Factorization::new(problem, choices, start)?;
        let mut run = Stoppable { run, stop };
        let report = proxsplit::run(&mut run, &settings.stop(), |row: &Row| {
            tell(row, observe, &raised)
        });
        run.run.polish();
        let picked = run.run.picked();
        Ok((
            report,
            picked,
            run.run.warnings(),
            run.run.factors().clone(),
        ))
    });
    raised.come_out()?;
    let (report, picked, warnings, factors) = found?.map_err(refuse)?;
    let answer = PyDict::new(py);
    answer.set_item("error", misfit(&report, &factors, (&atoms, &codes)))?;
    answer.set_item("W", rows(py, factors.a(), factors.rank())?)?;
    let features = matrix.rows();
    answer.set_item("H", rows(py, factors.x(), features)?)?;
    answer.set_item("method", picked)?;
    answer.set_item("warnings", warnings)?;
    answer.set_item("reason", report.reason.to_string())?;
    answer.set_item("certificate", report::certificate(py, &report.certificate)?)?;
    answer.set_item("trace", report::trace(py, &report.trace)?)?;
    Ok(answer)
}

/// Which entries of the data are missing, by name.
pub(crate) fn missing(name: Option<&str>) -> PyResult<Missing> {
    match name {
        None => Ok(Missing::None),
        Some("nan") => Ok(Missing::Nan),
        Some("unstored") => Ok(Missing::Unstored),
        Some(other) => Err(refuse(format!(
            "missing = {other:?}, but it must be None, 'nan' or 'unstored'"
        ))),
    }
}

pub(crate) fn operator(text: &str) -> PyResult<Operator> {
    text.parse().map_err(refuse)
}

/// W and H as the crate keeps them.
fn start<T: Scalar>(
    w: Option<&Bound<PyAny>>,
    h: Option<&Bound<PyAny>>,
) -> PyResult<Option<Factors<T>>> {
    let (Some(w), Some(h)) = (w, h) else {
        return Ok(None);
    };
    Ok(Some(
        Factors::new(&columns(h)?, columns(w)?).map_err(refuse)?,
    ))
}

/// A C-ordered array of n rows as the matrix that has them as columns: the same numbers.
pub(crate) fn columns<T: Scalar>(array: &Bound<PyAny>) -> PyResult<Mat<T>> {
    let array: PyReadonlyArray2<T> = array.extract()?;
    let (count, length) = (array.as_array().nrows(), array.as_array().ncols());
    Mat::new(length, count, array.as_slice()?.to_vec()).map_err(refuse)
}

/// The columns of a matrix as the rows of a C-ordered array: the same numbers.
pub(crate) fn rows<T: Scalar>(
    py: Python<'_>,
    matrix: Mat<T>,
    length: usize,
) -> PyResult<Bound<'_, PyArray2<T>>> {
    let data = matrix.into_data();
    let count = data.len() / length.max(1);
    PyArray1::from_vec(py, data).reshape([count, length])
}

/// ‖Y − XA‖ from the objective and the penalties.
fn misfit<T: Scalar>(report: &Report, factors: &Factors<T>, terms: (&Operator, &Operator)) -> f64 {
    let sum = |matrix: &Mat<T>, term: &Operator| -> f64 {
        let term: &dyn Prox<T> = T::operator(term);
        (0..matrix.cols()).map(|j| term.value(matrix.col(j))).sum()
    };
    let penalties = sum(&factors.x(), terms.0) + sum(&factors.a(), terms.1);
    (2.0 * (report.certificate.objective - penalties))
        .max(0.0)
        .sqrt()
}

/// Tells the caller where the run is.
fn tell(row: &Row, observe: Option<&Py<PyAny>>, raised: &Raised) -> ControlFlow<()> {
    let Some(observe) = observe else {
        return ControlFlow::Continue(());
    };
    let numbers = (
        row.progress.passes,
        row.measure.objective,
        row.measure.residual,
    );
    match raised.attempt(|py| observe.call1(py, numbers)) {
        Some(_) => ControlFlow::Continue(()),
        None => ControlFlow::Break(()),
    }
}

/// A run that ends at the next batch when it is told to.
struct Stoppable<'a, T: Scalar> {
    run: Factorization<'a, T>,
    stop: &'a AtomicBool,
}

impl<T: Scalar> Iterator for Stoppable<'_, T> {
    type Item = Progress;
    fn next(&mut self) -> Option<Progress> {
        if self.stop.load(Ordering::Relaxed) {
            return None;
        }
        self.run.next()
    }
}

impl<T: Scalar> Solver for Stoppable<'_, T> {
    fn measure(&mut self) -> Measure {
        self.run.measure()
    }
    fn setting(&self) -> Setting {
        self.run.setting()
    }
}
