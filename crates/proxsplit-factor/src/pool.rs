//! Work that consists of many short parallel loops, on threads that stay awake between them.
//!
//! A pass over small data takes a few milliseconds and has about twenty such loops. Between two of them the other threads of the pool would
//! fall asleep, and waking them costs a tenth of the pass.

use std::sync::atomic::{AtomicBool, Ordering};

/// Attempts to find work after which a thread may sleep: a tenth of a millisecond or two.
const PATIENCE: usize = 2000;

/// Calls `work` on a thread of the pool, where its parallel loops begin at once, while the other threads wait for them awake.
pub(crate) fn on_the_pool<R: Send>(work: impl FnOnce() -> R + Send) -> R {
    rayon::scope(|_| {
        let step = Step {
            owner: rayon::current_thread_index(),
            is_done: AtomicBool::new(false),
        };
        let others = rayon::current_num_threads() - 1;
        let work = || {
            let result = work();
            step.is_done.store(true, Ordering::Release);
            result
        };
        rayon::join(work, || step.stay_awake(others)).0
    })
}

/// Work that is being done.
struct Step {
    /// The thread that does it.
    owner: Option<usize>,
    is_done: AtomicBool,
}

impl Step {
    /// Keeps so many threads awake, each of which takes part in the work.
    fn stay_awake(&self, threads: usize) {
        if threads > 1 {
            rayon::join(|| self.take_part(), || self.stay_awake(threads - 1));
        } else {
            self.take_part();
        }
    }

    /// Does what is to be done until the work is, or nothing was for a while. The owner, which comes here while it waits for a part
    /// that another thread has taken, must go back to its work.
    fn take_part(&self) {
        let mut idle = 0;
        let is_owner = rayon::current_thread_index() == self.owner;
        while !is_owner && idle < PATIENCE && !self.is_done.load(Ordering::Acquire) {
            idle = match rayon::yield_now() {
                Some(rayon::Yield::Executed) => 0,
                _ => idle + 1,
            };
            std::hint::spin_loop();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::on_the_pool;
    use rayon::prelude::*;

    /// Loops inside of it, and several of it at once, for any number of threads.
    #[test]
    fn everything_is_done() {
        for threads in [1, 2, 3, 7] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
            let sum = |n: usize| -> usize { (0..n).into_par_iter().sum() };
            let many = || -> usize { (0..20).map(|_| on_the_pool(|| sum(1000) + sum(10))).sum() };
            let both = || rayon::join(many, many);
            let found = pool.build().map(|pool| pool.install(both)).ok();
            assert_eq!(
                found,
                Some((20 * 499_545, 20 * 499_545)),
                "{threads} threads"
            );
        }
    }
}
