//! Whoever watches a run: progress bars, traces, checkpoints, Ctrl-C, callbacks.

use super::{Row, Session};
use std::ops::ControlFlow;

/// Sees a run from outside and may end it as interrupted by `Break`.
///
/// The second parameter is the solver's type, for observers that look into it; closures over [`Row`] watch any solver.
pub trait Observer<S: ?Sized> {
    /// After every step; must be cheap.
    fn moved(&mut self, _session: &Session, _solver: &mut S) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    /// After every look.
    fn looked(&mut self, row: &Row, session: &Session, solver: &mut S) -> ControlFlow<()>;
}

impl<S: ?Sized> Observer<S> for () {
    fn looked(&mut self, _: &Row, _: &Session, _: &mut S) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

impl<S: ?Sized, F: FnMut(&Row) -> ControlFlow<()>> Observer<S> for F {
    fn looked(&mut self, row: &Row, _: &Session, _: &mut S) -> ControlFlow<()> {
        self(row)
    }
}

impl<S: ?Sized, A: Observer<S>, B: Observer<S>> Observer<S> for (A, B) {
    fn moved(&mut self, session: &Session, solver: &mut S) -> ControlFlow<()> {
        either(self.0.moved(session, solver), self.1.moved(session, solver))
    }

    fn looked(&mut self, row: &Row, session: &Session, solver: &mut S) -> ControlFlow<()> {
        either(
            self.0.looked(row, session, solver),
            self.1.looked(row, session, solver),
        )
    }
}

/// Breaks if one of two observers does; both are always asked.
fn either(a: ControlFlow<()>, b: ControlFlow<()>) -> ControlFlow<()> {
    if a.is_break() { a } else { b }
}
