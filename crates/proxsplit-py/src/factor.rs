//! X ≈ WH. Rows of the data are samples here and columns in the crate: Y = Xᵀ, its atoms are Hᵀ and its codes Wᵀ.

use crate::array::Data;
use crate::error::{Raised, refuse};
use crate::pool::compute;
use crate::report;
use crate::scalar::Scalar;
use crate::threads::interruptible;
use crate::watch::Background;
use numpy::{PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray2};
use proxsplit::Mat;
use proxsplit::text::Operator;
use proxsplit::{Error, Prox, Report, Stop};
use proxsplit_factor::{
    self as factor, Factorization, Factors, Graph, Init, Loss, Method, Metric, Missing, Problem,
    Weights,
};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;

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
    seed: u64,
    method: String,
    batch_size: Option<usize>,
    metric: Option<String>,
    threads: usize,
    single: bool,
    missing: Option<String>,
    loss: String,
}

impl Settings {
    fn stop(&self) -> Stop {
        Stop {
            residual: 0.0,
            relative: self.tol,
            passes: self.passes,
            ..Stop::default()
        }
    }

    /// The metric of the steps; a method that takes none refuses it.
    fn metric(&self) -> PyResult<Option<Metric>> {
        let Some(text) = &self.metric else {
            return Ok(None);
        };
        if matches!(self.method.as_str(), "incremental" | "sggd") {
            return text.parse().map(Some).map_err(refuse);
        }
        let message = format!("metric={text:?} is only for method='incremental' and 'sggd'");
        Err(refuse(Error::Incompatible(message)))
    }

    fn of_the_run(&self) -> PyResult<factor::Settings> {
        Ok(factor::Settings {
            method: self.method.parse().map_err(refuse)?,
            init: self.init.parse().map_err(refuse)?,
            batch: self.batch_size,
            metric: self.metric()?,
            seed: self.seed,
            ..factor::Settings::default()
        })
    }
}

/// What Python hands over, with the functions that see the run.
struct Input {
    data: Py<PyAny>,
    settings: Settings,
    w: Option<Py<PyAny>>,
    h: Option<Py<PyAny>>,
    observe: Option<Py<PyAny>>,
    /// The first atoms, which are kept, as rows.
    fixed: Option<Py<PyAny>>,
    sample_weight: Option<Vec<f64>>,
    /// Similarities of samples and of features.
    graphs: Graphs,
}

/// Similarities of samples and of features, if there are some.
#[derive(Default)]
pub(crate) struct Graphs {
    pub(crate) samples: Option<Py<PyAny>>,
    pub(crate) features: Option<Py<PyAny>>,
}

impl Graphs {
    /// The same for the library: of features and of samples.
    pub(crate) fn read<T: Scalar>(&self, py: Python<'_>) -> PyResult<[Option<Graph<T>>; 2]> {
        let read = |graph: &Option<Py<PyAny>>| match graph {
            None => Ok(None),
            Some(graph) => {
                let data: Data = graph.bind(py).extract()?;
                Graph::new(data.matrix()?, 1.0).map(Some).map_err(refuse)
            }
        };
        Ok([read(&self.features)?, read(&self.samples)?])
    }
}

/// Factorizes the data, from W and H if they are given. `observe(passes, objective, residual)` sees every look at the run and ends it
/// by returning true. After Ctrl-C, "interrupt" is the exception to raise once the answer is kept.
#[pyfunction]
#[pyo3(signature = (data, settings, w=None, h=None, observe=None, fixed=None, sample_weight=None, graph=None, feature_graph=None))]
#[allow(clippy::too_many_arguments)] // Python names them.
pub(crate) fn factorize(
    py: Python<'_>,
    data: Py<PyAny>,
    settings: Settings,
    w: Option<Py<PyAny>>,
    h: Option<Py<PyAny>>,
    observe: Option<Py<PyAny>>,
    fixed: Option<Py<PyAny>>,
    sample_weight: Option<Vec<f64>>,
    graph: Option<Py<PyAny>>,
    feature_graph: Option<Py<PyAny>>,
) -> PyResult<Bound<'_, PyDict>> {
    let input = Input {
        data,
        settings,
        w,
        h,
        observe,
        fixed,
        sample_weight,
        graphs: Graphs {
            samples: graph,
            features: feature_graph,
        },
    };
    let outcome = interruptible(py, move |py, stop| {
        let answer = if input.settings.single {
            factorize_as::<f32>(py, &input, stop)
        } else {
            factorize_as::<f64>(py, &input, stop)
        };
        answer.map(Bound::unbind)
    })?;
    let answer = match (outcome.result, outcome.signal) {
        (Err(_), Some(signal)) => return Err(signal),
        (Err(error), None) => return Err(error),
        (Ok(answer), signal) => {
            let answer = answer.into_bound(py);
            answer.set_item("interrupt", signal.map(|signal| signal.into_value(py)))?;
            answer
        }
    };
    Ok(answer)
}

fn factorize_as<'py, T: Scalar>(
    py: Python<'py>,
    input: &Input,
    stop: &AtomicBool,
) -> PyResult<Bound<'py, PyDict>> {
    let settings = &input.settings;
    let data: Data = input.data.bind(py).extract()?;
    let start = start::<T>(py, input)?;
    let matrix = data.matrix()?.t();
    let (atoms, codes) = (operator(&settings.atoms)?, operator(&settings.codes)?);
    let choices = settings.of_the_run()?;
    let missing = missing(settings.missing.as_deref())?;
    let loss = loss(Some(&settings.loss))?;
    let fixed = match &input.fixed {
        Some(atoms) => Some(columns::<T>(atoms.bind(py))?),
        None => None,
    };
    let weights = Weights {
        samples: input.sample_weight.as_deref(),
        ..Weights::default()
    };
    let [features, samples] = input.graphs.read::<T>(py)?;
    let raised = Raised::default();
    let observer = Background {
        stop,
        observe: input.observe.as_ref(),
        raised: &raised,
    };
    let found = compute(py, settings.threads, || -> Result<_, Error> {
        let data = factor::Data::with_missing(matrix, 1.0, missing)?.with_weights(weights)?;
        let terms = (T::operator(&atoms), T::operator(&codes));
        let mut problem = Problem::new(&data, settings.rank, terms.0, terms.1)?
            .with_loss(loss)?
            .with_graphs(features.as_ref(), samples.as_ref())?;
        if let Some(fixed) = &fixed {
            problem = problem.with_fixed(fixed)?;
        }
        let mut run = Factorization::new(problem, choices, start)?;
        let report = proxsplit::run(&mut run, &settings.stop(), observer);
        let is_misfit = features.is_none() && samples.is_none();
        let (misfit, degenerate) = misfit((problem, is_misfit), terms, (&report, run.factors()))?;
        let picked = run.picked();
        Ok((report, picked, degenerate, misfit, run.factors().clone()))
    })?;
    raised.come_out()?;
    let (report, picked, degenerate, misfit, factors) = found.map_err(refuse)?;
    let answer = PyDict::new(py);
    answer.set_item("error", (2.0 * misfit).sqrt())?;
    answer.set_item("W", rows(py, factors.a(), factors.rank())?)?;
    answer.set_item("H", rows(py, factors.x(), matrix.rows())?)?;
    answer.set_item("method", picked)?;
    answer.set_item("degenerate", degenerate)?;
    answer.set_item("reason", report.reason.code())?;
    answer.set_item("certificate", report::certificate(py, &report.certificate)?)?;
    answer.set_item("trace", report::trace(py, &report.trace)?)?;
    Ok(answer)
}

/// ½‖Y − XA‖² or what the loss has in its place, and whether one penalty can be made as small as one likes by moving scale to the other factor.
///
/// Without penalties and graphs the objective is the misfit. With some it is not taken for their difference, which may be nothing but rounding.
fn misfit<T: Scalar>(
    (problem, has_no_graph): (Problem<'_, T>, bool),
    terms: (&dyn Prox<T>, &dyn Prox<T>),
    (report, factors): (&Report, &Factors<T>),
) -> Result<(f64, bool), Error> {
    let is_free = |term: &dyn Prox<T>, factor: &Mat<T>| {
        (0..factor.cols()).all(|j| term.value(factor.col(j)) == 0.0)
    };
    if has_no_graph && is_free(terms.0, &factors.x()) && is_free(terms.1, &factors.a()) {
        return Ok((report.certificate.at_point.objective, false));
    }
    factor::audit(problem, factors).map(|audit| (audit.misfit, audit.scale_is_degenerate))
}

/// The names that the library knows for each setting.
#[pyfunction]
pub(crate) fn choices() -> BTreeMap<&'static str, Vec<&'static str>> {
    BTreeMap::from([
        ("init", Init::ALL.iter().map(|init| init.name()).collect()),
        (
            "method",
            Method::ALL.iter().map(|method| method.name()).collect(),
        ),
        (
            "missing",
            Missing::ALL.iter().map(|missing| missing.name()).collect(),
        ),
    ])
}

/// Which entries of the data are missing, by name.
pub(crate) fn missing(name: Option<&str>) -> PyResult<Missing> {
    name.map_or(Ok(Missing::None), |name| name.parse().map_err(refuse))
}

/// The loss, by name.
pub(crate) fn loss(name: Option<&str>) -> PyResult<Loss> {
    name.map_or(Ok(Loss::default()), |name| name.parse().map_err(refuse))
}

pub(crate) fn operator(text: &str) -> PyResult<Operator> {
    text.parse().map_err(refuse)
}

/// W and H as the crate keeps them.
fn start<T: Scalar>(py: Python, input: &Input) -> PyResult<Option<Factors<T>>> {
    let (Some(w), Some(h)) = (&input.w, &input.h) else {
        return Ok(None);
    };
    Ok(Some(
        Factors::new(&columns(h.bind(py))?, columns(w.bind(py))?).map_err(refuse)?,
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
