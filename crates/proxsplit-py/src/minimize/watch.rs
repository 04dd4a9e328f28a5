//! What the caller sees of a run while it goes on.

use crate::error::Raised;
use crate::scalar::Scalar;
use numpy::PyArray1;
use proxsplit::{Measure, Progress, Report, Row, Solver, Splitting, Stop};
use pyo3::prelude::*;
use std::ops::ControlFlow;
use std::sync::{Mutex, PoisonError};

/// Shows the point of a solver to the callback.
pub(super) struct Shown<'a, T: Scalar> {
    pub(super) solver: Splitting<'a, T>,
    pub(super) point: &'a Mutex<Vec<T>>,
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

/// Runs a solver; Ctrl-C and exceptions of the user's code end it.
pub(super) fn run(
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
pub(super) fn tell<T: Scalar>(
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
