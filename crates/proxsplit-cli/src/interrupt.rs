//! Ctrl-C: the run ends at the next moment at which its result is valid.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Signals that come this soon after the first are the same request: some programs send it to the process and to its group.
const SAME: Duration = Duration::from_secs(1);

/// Becomes true when the user asks to stop.
#[derive(Debug, Clone)]
pub(crate) struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// Listens from now on. A later second Ctrl-C ends the program at once.
    pub(crate) fn listen() -> anyhow::Result<Self> {
        let asked = Arc::new(AtomicBool::new(false));
        let seen = Arc::clone(&asked);
        let mut first = None;
        ctrlc::set_handler(move || {
            seen.store(true, Ordering::Relaxed);
            if first.get_or_insert_with(Instant::now).elapsed() > SAME {
                std::process::exit(130);
            }
        })?;
        Ok(Self(asked))
    }

    pub(crate) fn is_asked(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}
