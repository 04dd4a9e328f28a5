//! A refused input is a `ValueError`; what the user's own code raises is kept and comes out unchanged.

use pyo3::exceptions::{PyKeyboardInterrupt, PyValueError};
use pyo3::prelude::*;
use std::sync::{Mutex, PoisonError};

/// A refused input as a `ValueError` with the same words.
pub(crate) fn refuse(error: impl std::fmt::Display) -> PyErr {
    PyValueError::new_err(error.to_string())
}

/// The first exception that the user's code raised in a run. Once there is one, that code is not called any more.
#[derive(Default)]
pub(crate) struct Raised {
    first: Mutex<Option<PyErr>>,
}

impl Raised {
    /// The result, or `None` if there was an exception now or before.
    pub(crate) fn attempt<R>(&self, work: impl FnOnce(Python) -> PyResult<R>) -> Option<R> {
        if self.is_set() {
            return None;
        }
        Python::attach(|py| match work(py) {
            Ok(result) => Some(result),
            Err(error) => {
                *self.first.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
                None
            }
        })
    }

    /// Whether there was an exception.
    pub(crate) fn is_set(&self) -> bool {
        let first = self.first.lock().unwrap_or_else(PoisonError::into_inner);
        first.is_some()
    }

    /// `Err` with the exception, if there was one.
    pub(crate) fn come_out(self) -> PyResult<()> {
        let first = self.first.into_inner();
        first
            .unwrap_or_else(PoisonError::into_inner)
            .map_or(Ok(()), Err)
    }

    /// The same, but Ctrl-C comes back as a value: the run has a best point that should not be lost.
    pub(crate) fn come_out_unless_interrupted(self, py: Python) -> PyResult<Option<Py<PyAny>>> {
        match self.come_out() {
            Ok(()) => Ok(None),
            Err(error) if error.is_instance_of::<PyKeyboardInterrupt>(py) => {
                Ok(Some(error.into_value(py).into_any()))
            }
            Err(error) => Err(error),
        }
    }
}
