//! Ctrl-C: the run ends at the next moment at which its result is valid.

use proxsplit::{Observer, Row, Session};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// The exit code of a run that was interrupted: 128 and the number of the signal.
pub(crate) const EXIT_CODE: u8 = 130;

/// Signals that come this soon after the first are the same request: some programs send it to the process and to its group.
const SAME: Duration = Duration::from_millis(250);

/// Becomes true when the user asks to stop.
#[derive(Debug, Clone)]
pub(crate) struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// Listens from now on. A second Ctrl-C ends the program at once.
    pub(crate) fn listen() -> anyhow::Result<Self> {
        let asked = Arc::new(AtomicBool::new(false));
        let seen = Arc::clone(&asked);
        let mut first = None;
        ctrlc::set_handler(move || {
            seen.store(true, Ordering::Relaxed);
            if first.get_or_insert_with(Instant::now).elapsed() > SAME {
                std::process::exit(EXIT_CODE.into());
            }
        })?;
        Ok(Self(asked))
    }

    pub(crate) fn is_asked(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// `Break` when the user has asked to stop.
    pub(crate) fn flow(&self) -> ControlFlow<()> {
        if self.is_asked() {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    }
}

impl<S: ?Sized> Observer<S> for Interrupt {
    fn moved(&mut self, _: &Session, _: &mut S) -> ControlFlow<()> {
        self.flow()
    }

    fn looked(&mut self, _: &Row, _: &Session, _: &mut S) -> ControlFlow<()> {
        self.flow()
    }
}
