//! Long computations: on a thread of their own, while the caller's thread looks out for Ctrl-C.

use pyo3::prelude::*;
use std::panic::resume_unwind;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

/// How often signals are looked at.
const PATIENCE: Duration = Duration::from_millis(50);
/// How long a computation may take to end after Ctrl-C. A start or a pass over large data may need longer: then it is left to
/// itself, and its result is dropped.
const GRACE: Duration = Duration::from_millis(600);

/// What a computation has found, and the exception of a signal that came meanwhile.
pub(crate) struct Outcome<R> {
    pub(crate) result: R,
    pub(crate) signal: Option<PyErr>,
}

impl<R> Outcome<PyResult<R>> {
    /// The result, unless it was interrupted or failed.
    pub(crate) fn whole(self) -> PyResult<R> {
        match self.signal {
            Some(signal) => Err(signal),
            None => self.result,
        }
    }
}

/// Runs `work(py, stop)` on a thread of its own, which should let go of the interpreter while it computes. On Ctrl-C `stop` becomes
/// true and the result is awaited for a moment; `Err` with the signal if it does not come.
pub(crate) fn interruptible<R: Send + 'static>(
    py: Python,
    work: impl FnOnce(Python, &AtomicBool) -> R + Send + 'static,
) -> PyResult<Outcome<R>> {
    let stop = Arc::new(AtomicBool::new(false));
    let (done, wait) = channel();
    let seen = Arc::clone(&stop);
    let worker = thread::Builder::new()
        .name("proxsplit".into())
        .spawn(move || {
            // Nobody waits for the result of an abandoned run.
            let result = Python::attach(|py| work(py, &seen));
            drop(done.send(result));
        })?;
    let (result, signal) = py.detach(move || watch(&wait, &stop));
    match (result, signal) {
        (Some(result), signal) => Ok(Outcome { result, signal }),
        (None, Some(signal)) => Err(signal),
        (None, None) => match worker.join() {
            Err(panic) => resume_unwind(panic),
            Ok(()) => unreachable!("a worker ends with a result or a panic"),
        },
    }
}

/// Waits for the result. Without one, the signal tells whether the worker was abandoned or has panicked.
fn watch<R>(wait: &Receiver<R>, stop: &AtomicBool) -> (Option<R>, Option<PyErr>) {
    let mut signal: Option<(PyErr, Instant)> = None;
    loop {
        match wait.recv_timeout(PATIENCE) {
            Ok(result) => return (Some(result), signal.map(|(error, _)| error)),
            Err(RecvTimeoutError::Disconnected) => return (None, None),
            Err(RecvTimeoutError::Timeout) => {}
        }
        match &signal {
            Some((_, since)) if since.elapsed() > GRACE => {
                return (None, signal.map(|(error, _)| error));
            }
            Some(_) => {}
            None => {
                // The method itself is not general enough in its lifetime.
                #[allow(clippy::redundant_closure_for_method_calls)]
                let checked = Python::attach(|py| py.check_signals());
                signal = checked.err().map(|error| (error, Instant::now()));
                stop.store(signal.is_some(), Ordering::Relaxed);
            }
        }
    }
}
