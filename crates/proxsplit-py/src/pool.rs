//! The threads of computations. A pool belongs to one process: after a fork its threads exist in the parent only, and work that
//! is handed to it in the child would wait for ever. So rayon's global pool is never used, and a pool of another process is left alone.

use crate::error::refuse;
use pyo3::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::mem::ManuallyDrop;
use std::sync::{Arc, Mutex};

/// A pool, its owner and the number of threads that was asked for.
struct Owned {
    process: u32,
    threads: usize,
    // Never dropped in a process that does not own it: its locks may be held by threads that are gone.
    pool: ManuallyDrop<Arc<ThreadPool>>,
}

static LATEST: Mutex<Option<Owned>> = Mutex::new(None);

/// Runs `work` without the interpreter's lock on `threads` threads (0: one a core).
pub(crate) fn compute<R: Send>(
    py: Python,
    threads: usize,
    work: impl FnOnce() -> R + Send,
) -> PyResult<R> {
    let pool = pool(threads)?;
    Ok(py.detach(|| pool.install(work)))
}

/// The same on threads of its own, for work that waits for other work of this process.
pub(crate) fn compute_apart<R: Send>(
    py: Python,
    threads: usize,
    work: impl FnOnce() -> R + Send,
) -> PyResult<R> {
    let pool = new(threads)?;
    Ok(py.detach(|| pool.install(work)))
}

fn new(threads: usize) -> PyResult<ThreadPool> {
    ThreadPoolBuilder::new()
        .num_threads(threads)
        .thread_name(|i| format!("proxsplit-{i}"))
        .build()
        .map_err(refuse)
}

/// The latest pool if it fits, else a new one.
pub(crate) fn pool(threads: usize) -> PyResult<Arc<ThreadPool>> {
    let process = std::process::id();
    // Never waits: a thread of the parent may have held the lock when the process was forked, and it is not here to let go.
    if let Ok(latest) = LATEST.try_lock()
        && let Some(owned) = &*latest
        && (owned.process, owned.threads) == (process, threads)
    {
        return Ok(Arc::clone(&owned.pool));
    }
    let pool = Arc::new(new(threads)?);
    let owned = Owned {
        process,
        threads,
        pool: ManuallyDrop::new(Arc::clone(&pool)),
    };
    let earlier = LATEST
        .try_lock()
        .ok()
        .and_then(|mut latest| latest.replace(owned));
    if let Some(earlier) = earlier.filter(|earlier| earlier.process == process) {
        drop(ManuallyDrop::into_inner(earlier.pool));
    }
    Ok(pool)
}
