//! Reports as plain Python values.

use numpy::PyArray1;
use proxsplit::certificate::{Assumption, AtPoint, Certificate, OfMethod, Pair, Standing};
use proxsplit::{Ledger, Level, Row};
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// The fields of a certificate, for `proxsplit.Certificate`.
pub(crate) fn certificate<'py>(
    py: Python<'py>,
    certificate: &Certificate,
) -> PyResult<Bound<'py, PyDict>> {
    let fields = PyDict::new(py);
    fields.set_item("verdict", certificate.verdict.code())?;
    fields.set_item("words", certificate.words())?;
    fields.set_item("tolerance", certificate.tolerance)?;
    fields.set_item("start_objective", certificate.start_objective)?;
    fields.set_item("passes", certificate.passes)?;
    fields.set_item("at_point", at_point(py, &certificate.at_point)?)?;
    fields.set_item("of_method", of_method(py, &certificate.of_method)?)?;
    fields.set_item("details", certificate.details())?;
    Ok(fields)
}

fn at_point<'py>(py: Python<'py>, at: &AtPoint) -> PyResult<Bound<'py, PyDict>> {
    let fields = PyDict::new(py);
    fields.set_item("objective", at.objective)?;
    fields.set_item("residual", at.residual)?;
    fields.set_item("reference_step", at.reference_step)?;
    fields.set_item("prox_error", at.prox_error)?;
    fields.set_item("gradient_error", at.gradient_error)?;
    fields.set_item("scale", at.scale)?;
    fields.set_item("rounding", at.rounding)?;
    fields.set_item("fall", at.fall)?;
    fields.set_item("gap", at.gap)?;
    fields.set_item("lower_bound", at.lower_bound)?;
    fields.set_item("feasible", at.feasible)?;
    let pair = at.pair.as_ref().map(|pair| of_pair(py, pair)).transpose()?;
    fields.set_item("pair", pair)?;
    Ok(fields)
}

/// The two factors of an estimator: W holds the codes, H the atoms.
fn of_pair<'py>(py: Python<'py>, pair: &Pair) -> PyResult<Bound<'py, PyDict>> {
    let fields = PyDict::new(py);
    fields.set_item("residual_W", pair.residual_a)?;
    fields.set_item("residual_H", pair.residual_x)?;
    fields.set_item("scale_W", pair.scale_a)?;
    fields.set_item("scale_H", pair.scale_x)?;
    fields.set_item("codes_gap", pair.codes_gap)?;
    fields.set_item("dead_atoms", pair.dead_atoms)?;
    fields.set_item("escape", pair.escape)?;
    Ok(fields)
}

fn of_method<'py>(py: Python<'py>, of: &OfMethod) -> PyResult<Bound<'py, PyDict>> {
    let fields = PyDict::new(py);
    fields.set_item("guarantee", of.promise())?;
    let assumptions = of.assumptions.iter().map(|a| assumption(py, a));
    fields.set_item("assumptions", assumptions.collect::<PyResult<Vec<_>>>()?)?;
    fields.set_item("constant", of.constant)?;
    fields.set_item("rate", of.rate)?;
    fields.set_item("errors", errors(py, &of.errors)?)?;
    fields.set_item("steps", of.steps)?;
    Ok(fields)
}

fn assumption<'py>(py: Python<'py>, assumption: &Assumption) -> PyResult<Bound<'py, PyDict>> {
    let fields = PyDict::new(py);
    fields.set_item("name", assumption.name)?;
    fields.set_item("standing", standing(assumption.standing))?;
    fields.set_item("text", &assumption.text)?;
    Ok(fields)
}

fn standing(standing: Standing) -> &'static str {
    match standing {
        Standing::Proved => "proved",
        Standing::Measured => "measured",
        Standing::Estimated => "estimated",
        Standing::Violated => "violated",
        _ => "unknown",
    }
}

/// `{source: (kind, level)}`
fn errors<'py>(py: Python<'py>, ledger: &Ledger) -> PyResult<Bound<'py, PyDict>> {
    let errors = PyDict::new(py);
    for (source, level) in ledger.entries() {
        let kind = match level {
            Level::Measured(_) => "measured",
            Level::Bounded(_) => "bounded",
            Level::Estimated(_) => "estimated",
            Level::Unknown => "unknown",
        };
        errors.set_item(source.to_string(), (kind, level.value()))?;
    }
    Ok(errors)
}

/// The rows of a run as columns; NaN where a pass was not looked at.
pub(crate) fn trace<'py>(py: Python<'py>, rows: &[Row]) -> PyResult<Bound<'py, PyDict>> {
    let columns = PyDict::new(py);
    let column = |read: fn(&Row) -> f64| PyArray1::from_iter(py, rows.iter().map(read));
    columns.set_item("iteration", column(|row| row.progress.iteration as f64))?;
    columns.set_item("passes", column(|row| row.progress.passes))?;
    columns.set_item("seconds", column(|row| row.seconds))?;
    columns.set_item("step", column(|row| row.progress.step))?;
    columns.set_item("objective", column(Row::objective))?;
    columns.set_item("residual", column(Row::residual))?;
    columns.set_item("gap", column(gap))?;
    Ok(columns)
}

/// The duality gap of a look; NaN where there is none.
pub(crate) fn gap(row: &Row) -> f64 {
    row.at.and_then(|at| at.gap).unwrap_or(f64::NAN)
}
