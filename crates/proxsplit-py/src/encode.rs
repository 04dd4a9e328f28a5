//! Codes for fixed components, and the audit of factors from anywhere.

use crate::array::Data;
use crate::error::refuse;
use crate::factor::{columns, missing as named_missing, operator, rows};
use crate::scalar::Scalar;
use crate::threads::interruptible;
use numpy::PyReadonlyArray2;
use proxsplit_factor::{self as factor, Factors, Missing, Problem};
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// W for the components H, each row on its own.
#[pyfunction]
#[pyo3(signature = (data, h, term, threads, missing=None))]
pub(crate) fn encode<'py>(
    data: Data<'py>,
    h: &Bound<'py, PyAny>,
    term: &str,
    threads: usize,
    missing: Option<&str>,
) -> PyResult<Bound<'py, PyAny>> {
    let missing = named_missing(missing)?;
    if h.extract::<PyReadonlyArray2<f32>>().is_ok() {
        encode_as::<f32>(&data, h, (term, missing), threads)
    } else {
        encode_as::<f64>(&data, h, (term, missing), threads)
    }
}

fn encode_as<'py, T: Scalar>(
    data: &Data<'py>,
    h: &Bound<'py, PyAny>,
    (term, missing): (&str, Missing),
    threads: usize,
) -> PyResult<Bound<'py, PyAny>> {
    let (matrix, atoms, term) = (data.matrix()?.t(), columns::<T>(h)?, operator(term)?);
    let codes = interruptible(h.py(), threads, |_| {
        let data = factor::Data::with_missing(matrix, 1.0, missing)?;
        factor::encode(&data, &atoms, T::operator(&term))
    })?;
    Ok(rows(h.py(), codes.map_err(refuse)?, atoms.cols())?.into_any())
}

/// What is true of W and H, as the fields of `proxsplit.Audit`.
#[pyfunction]
#[pyo3(signature = (data, w, h, codes, atoms, missing=None))]
pub(crate) fn audit<'py>(
    data: Data<'py>,
    w: &Bound<'py, PyAny>,
    h: &Bound<'py, PyAny>,
    codes: &str,
    atoms: &str,
    missing: Option<&str>,
) -> PyResult<Bound<'py, PyDict>> {
    let missing = named_missing(missing)?;
    if h.extract::<PyReadonlyArray2<f32>>().is_ok() {
        audit_as::<f32>(&data, (w, h), (codes, atoms), missing)
    } else {
        audit_as::<f64>(&data, (w, h), (codes, atoms), missing)
    }
}

fn audit_as<'py, T: Scalar>(
    data: &Data<'py>,
    (w, h): (&Bound<'py, PyAny>, &Bound<'py, PyAny>),
    (codes, atoms): (&str, &str),
    missing: Missing,
) -> PyResult<Bound<'py, PyDict>> {
    let factors = Factors::new(&columns::<T>(h)?, columns(w)?).map_err(refuse)?;
    let (matrix, codes, atoms) = (data.matrix()?.t(), operator(codes)?, operator(atoms)?);
    let found = interruptible(h.py(), 0, |_| {
        let data = factor::Data::with_missing(matrix, 1.0, missing)?;
        let problem = Problem::new(
            &data,
            factors.rank(),
            T::operator(&atoms),
            T::operator(&codes),
        )?;
        factor::audit(problem, &factors)
    })?;
    let audit = found.map_err(refuse)?;
    let fields = PyDict::new(h.py());
    fields.set_item("objective", audit.objective)?;
    fields.set_item("misfit", audit.misfit)?;
    fields.set_item("relative_error", audit.relative_error)?;
    fields.set_item("best_objective", audit.best_objective)?;
    fields.set_item("residual_X", audit.residual_x)?;
    fields.set_item("scaled_residual_X", audit.scaled_residual_x)?;
    fields.set_item("residual_A", audit.residual_a)?;
    fields.set_item("sparsity_X", audit.sparsity_x)?;
    fields.set_item("sparsity_A", audit.sparsity_a)?;
    fields.set_item("dead_atoms", audit.dead_atoms)?;
    fields.set_item("scale_is_degenerate", audit.scale_is_degenerate)?;
    fields.set_item("balance_gain", audit.balance_gain)?;
    Ok(fields)
}
