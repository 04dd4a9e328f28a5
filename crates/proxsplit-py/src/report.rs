//! Reports as plain Python values.

use numpy::PyArray1;
use proxsplit::certificate::Certificate;
use proxsplit::{Level, Row, Verdict};
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// The fields of a certificate, for `proxsplit.Certificate`.
pub(crate) fn certificate<'py>(
    py: Python<'py>,
    certificate: &Certificate,
) -> PyResult<Bound<'py, PyDict>> {
    let fields = PyDict::new(py);
    fields.set_item("objective", certificate.objective)?;
    fields.set_item("residual", certificate.residual)?;
    fields.set_item("scaled_residual", certificate.scaled_residual)?;
    fields.set_item("stationarity", certificate.stationarity)?;
    fields.set_item("tolerance", certificate.tolerance)?;
    fields.set_item("step", certificate.step)?;
    fields.set_item("step_range", certificate.range.to_string())?;
    fields.set_item("passes", certificate.passes)?;
    let errors = PyDict::new(py);
    for (source, level) in certificate.errors.entries() {
        let kind = match level {
            Level::Measured(_) => "measured",
            Level::Bounded(_) => "bounded",
            Level::Estimated(_) => "estimated",
            Level::Unknown => "unknown",
        };
        errors.set_item(source.to_string(), (kind, level.value()))?;
    }
    fields.set_item("errors", errors)?;
    fields.set_item("guarantee", certificate.guarantee.to_string())?;
    fields.set_item("verdict", verdict(&certificate.verdict))?;
    fields.set_item("words", certificate.words())?;
    Ok(fields)
}

fn verdict(verdict: &Verdict) -> &'static str {
    match verdict {
        Verdict::Stationary => "stationary",
        Verdict::AtErrorFloor => "at the error floor",
        Verdict::NotConverged(_) => "not converged",
        Verdict::Diverged { .. } => "diverged",
    }
}

/// The rows of a run as columns.
pub(crate) fn trace<'py>(py: Python<'py>, rows: &[Row]) -> PyResult<Bound<'py, PyDict>> {
    let columns = PyDict::new(py);
    let column = |read: fn(&Row) -> f64| PyArray1::from_iter(py, rows.iter().map(read));
    columns.set_item("iteration", column(|row| row.progress.iteration as f64))?;
    columns.set_item("passes", column(|row| row.progress.passes))?;
    columns.set_item("seconds", column(|row| row.seconds))?;
    columns.set_item("step", column(|row| row.progress.step))?;
    columns.set_item("objective", column(|row| row.measure.objective))?;
    columns.set_item("residual", column(|row| row.measure.residual))?;
    columns.set_item("scaled_residual", column(|row| row.measure.scaled_residual))?;
    Ok(columns)
}
