//! Whoever sees a run from Python: Ctrl-C, exceptions of the user's code, callbacks, progress.

use crate::error::Raised;
use crate::report::gap;
use crate::scalar::Scalar;
use numpy::PyArray1;
use proxsplit::{Observer, Panoc, Row, Session, Splitting};
use pyo3::prelude::*;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// How often a run on the caller's own thread looks at signals.
const PATIENCE: Duration = Duration::from_millis(50);

fn go_on(whether: bool) -> ControlFlow<()> {
    if whether {
        ControlFlow::Continue(())
    } else {
        ControlFlow::Break(())
    }
}

/// Watches a run on a thread of its own: `stop` is set by the thread that waits. `observe(passes, objective, residual)` sees every
/// look and ends the run by returning true.
pub(crate) struct Background<'a> {
    pub(crate) stop: &'a AtomicBool,
    pub(crate) observe: Option<&'a Py<PyAny>>,
    pub(crate) raised: &'a Raised,
}

impl<S: ?Sized> Observer<S> for Background<'_> {
    fn moved(&mut self, _: &Session, _: &mut S) -> ControlFlow<()> {
        go_on(!self.stop.load(Ordering::Relaxed))
    }

    fn looked(&mut self, row: &Row, _: &Session, _: &mut S) -> ControlFlow<()> {
        let Some(observe) = self.observe else {
            return go_on(!self.stop.load(Ordering::Relaxed));
        };
        let numbers = (row.progress.passes, row.objective(), row.residual());
        let ends = self
            .raised
            .attempt(|py| observe.call1(py, numbers)?.is_truthy(py));
        go_on(ends == Some(false))
    }
}

/// Watches a run on the caller's thread. `observe(row, x)` sees every look and ends the run by returning true.
pub(crate) struct Foreground<'a> {
    pub(crate) observe: Option<&'a Py<PyAny>>,
    pub(crate) raised: &'a Raised,
    pub(crate) looked_out: Instant,
}

impl Foreground<'_> {
    fn call<T: Scalar>(&self, py: Python, row: &Row, x: &[T]) -> PyResult<bool> {
        py.check_signals()?;
        let Some(observe) = self.observe else {
            return Ok(false);
        };
        let at = row.progress;
        let numbers = (
            at.iteration,
            at.passes,
            at.step,
            row.objective(),
            row.residual(),
            gap(row),
            row.seconds,
        );
        let x = PyArray1::from_slice(py, x);
        observe.call1(py, (numbers, x))?.is_truthy(py)
    }
}

/// A solver whose latest point can be shown.
pub(crate) trait Shown {
    type Number: Scalar;

    /// The point of the last look.
    fn point(&self) -> &[Self::Number];
}

impl<T: Scalar> Shown for Splitting<'_, T> {
    type Number = T;

    fn point(&self) -> &[T] {
        self.looked_at()
    }
}

impl<T: Scalar> Shown for Panoc<'_, T> {
    type Number = T;

    fn point(&self) -> &[T] {
        self.looked_at()
    }
}

impl<S: Shown> Observer<S> for Foreground<'_> {
    fn moved(&mut self, _: &Session, _: &mut S) -> ControlFlow<()> {
        if self.looked_out.elapsed() > PATIENCE {
            self.looked_out = Instant::now();
            // The method itself is not general enough in its lifetime.
            #[allow(clippy::redundant_closure_for_method_calls)]
            self.raised.attempt(|py| py.check_signals());
        }
        go_on(!self.raised.is_set())
    }

    fn looked(&mut self, row: &Row, _: &Session, solver: &mut S) -> ControlFlow<()> {
        let ends = self.raised.attempt(|py| self.call(py, row, solver.point()));
        go_on(ends == Some(false))
    }
}
