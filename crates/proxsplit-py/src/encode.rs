//! Codes for fixed components, and the audit of factors from anywhere.

use crate::array::Data;
use crate::error::refuse;
use crate::factor::{
    Graphs, columns, loss as named_loss, missing as named_missing, operator, rows,
};
use crate::pool::compute;
use crate::scalar::Scalar;
use crate::threads::interruptible;
use numpy::PyReadonlyArray2;
use proxsplit::text::Operator;
use proxsplit_factor::{self as factor, Audit, Factors, Loss, Missing, Problem};
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// W for the components H, each row on its own.
#[pyfunction]
#[pyo3(signature = (data, h, term, threads, missing=None, loss=None))]
pub(crate) fn encode(
    py: Python<'_>,
    data: Py<PyAny>,
    h: Py<PyAny>,
    term: String,
    threads: usize,
    missing: Option<&str>,
    loss: Option<&str>,
) -> PyResult<Py<PyAny>> {
    let (missing, loss) = (named_missing(missing)?, named_loss(loss)?);
    let outcome = interruptible(py, move |py, _| {
        let (data, h) = (data.bind(py).extract()?, h.bind(py));
        if h.extract::<PyReadonlyArray2<f32>>().is_ok() {
            encode_as::<f32>(&data, h, (&term, missing, loss), threads)
        } else {
            encode_as::<f64>(&data, h, (&term, missing, loss), threads)
        }
    })?;
    outcome.whole()
}

fn encode_as<T: Scalar>(
    data: &Data<'_>,
    h: &Bound<'_, PyAny>,
    (term, missing, loss): (&str, Missing, Loss),
    threads: usize,
) -> PyResult<Py<PyAny>> {
    let (matrix, atoms, term) = (data.matrix()?.t(), columns::<T>(h)?, operator(term)?);
    let codes = compute(h.py(), threads, || {
        let data = factor::Data::with_missing(matrix, 1.0, missing)?;
        factor::encode(&data, loss, &atoms, T::operator(&term))
    })?;
    let codes = rows(h.py(), codes.map_err(refuse)?, atoms.cols())?;
    Ok(codes.into_any().unbind())
}

/// What is true of W and H, as the fields of `proxsplit.Audit`.
#[pyfunction]
#[pyo3(signature = (data, w, h, codes, atoms, missing=None, loss=None, graph=None, feature_graph=None))]
#[allow(clippy::too_many_arguments)] // Python's keywords.
pub(crate) fn audit(
    py: Python<'_>,
    data: Py<PyAny>,
    w: Py<PyAny>,
    h: Py<PyAny>,
    codes: String,
    atoms: String,
    missing: Option<&str>,
    loss: Option<&str>,
    graph: Option<Py<PyAny>>,
    feature_graph: Option<Py<PyAny>>,
) -> PyResult<Py<PyDict>> {
    let kind = (named_missing(missing)?, named_loss(loss)?);
    let graphs = Graphs {
        samples: graph,
        features: feature_graph,
    };
    let outcome = interruptible(py, move |py, _| {
        let (data, w, h) = (data.bind(py).extract()?, w.bind(py), h.bind(py));
        let terms = (operator(&codes)?, operator(&atoms)?);
        let found = if h.extract::<PyReadonlyArray2<f32>>().is_ok() {
            audit_as::<f32>(&data, (w, h), (&terms, &graphs), kind)
        } else {
            audit_as::<f64>(&data, (w, h), (&terms, &graphs), kind)
        };
        fields(py, found?).map(Bound::unbind)
    })?;
    outcome.whole()
}

fn audit_as<T: Scalar>(
    data: &Data<'_>,
    (w, h): (&Bound<'_, PyAny>, &Bound<'_, PyAny>),
    ((codes, atoms), graphs): (&(Operator, Operator), &Graphs),
    (missing, loss): (Missing, Loss),
) -> PyResult<Audit> {
    let factors = Factors::new(&columns::<T>(h)?, columns(w)?).map_err(refuse)?;
    let matrix = data.matrix()?.t();
    let [features, samples] = graphs.read::<T>(h.py())?;
    let found = compute(h.py(), 0, || {
        let data = factor::Data::with_missing(matrix, 1.0, missing)?;
        let terms = (T::operator(atoms), T::operator(codes));
        let problem = Problem::new(&data, factors.rank(), terms.0, terms.1)?
            .with_loss(loss)?
            .with_graphs(features.as_ref(), samples.as_ref())?;
        factor::audit(problem, &factors)
    })?;
    found.map_err(refuse)
}

fn fields(py: Python<'_>, audit: Audit) -> PyResult<Bound<'_, PyDict>> {
    let fields = PyDict::new(py);
    fields.set_item("objective", audit.objective)?;
    fields.set_item("misfit", audit.misfit)?;
    fields.set_item("misfit_rounding", audit.misfit_rounding)?;
    fields.set_item("relative_error", audit.relative_error)?;
    fields.set_item("best_objective", audit.best_objective)?;
    fields.set_item("residual_X", audit.residual_x)?;
    fields.set_item("residual_A", audit.residual_a)?;
    fields.set_item("scale_X", audit.scale_x)?;
    fields.set_item("scale_A", audit.scale_a)?;
    fields.set_item("sparsity_X", audit.sparsity_x)?;
    fields.set_item("sparsity_A", audit.sparsity_a)?;
    fields.set_item("dead_atoms", audit.dead_atoms)?;
    fields.set_item("escape", audit.escape)?;
    fields.set_item("outside", audit.outside.map(|outside| outside.to_string()))?;
    fields.set_item("scale_is_degenerate", audit.scale_is_degenerate)?;
    fields.set_item("balance_gain", audit.balance_gain)?;
    Ok(fields)
}
