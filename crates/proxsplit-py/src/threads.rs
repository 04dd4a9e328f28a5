//! Long computations: on a thread of their own and a pool of the wanted size, while the caller's thread looks out for Ctrl-C.

use crate::error::refuse;
use pyo3::prelude::*;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

/// How often signals are looked at.
const PATIENCE: Duration = Duration::from_millis(50);

/// Runs `work(stop)` without the interpreter's lock on `threads` threads (0: one a core). On Ctrl-C `stop` becomes true, the
/// result is awaited, and the exception comes out.
pub(crate) fn interruptible<R: Send>(
    py: Python,
    threads: usize,
    work: impl FnOnce(&AtomicBool) -> R + Send,
) -> PyResult<R> {
    let pool = match threads {
        0 => None,
        _ => Some(
            rayon::ThreadPoolBuilder::new()
                .num_threads(threads)
                .build()
                .map_err(refuse)?,
        ),
    };
    let stop = AtomicBool::new(false);
    py.detach(|| {
        thread::scope(|scope| {
            let (done, wait) = channel::<()>();
            let stop = &stop;
            let worker = scope.spawn(move || {
                let _done = done;
                match pool {
                    None => work(stop),
                    Some(pool) => pool.install(|| work(stop)),
                }
            });
            let mut signal = Ok(());
            while wait.recv_timeout(PATIENCE) == Err(RecvTimeoutError::Timeout) {
                if signal.is_ok() {
                    // The method itself is not general enough in its lifetime.
                    #[allow(clippy::redundant_closure_for_method_calls)]
                    let checked = Python::attach(|py| py.check_signals());
                    signal = checked;
                    stop.store(signal.is_err(), Ordering::Relaxed);
                }
            }
            let result = worker.join().unwrap_or_else(|panic| resume_unwind(panic));
            signal.map(|()| result)
        })
    })
}
