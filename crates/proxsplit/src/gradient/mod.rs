//! Gradient sources: what e is in ∇̃f(x) = ∇f(x) − e(x), one file each.
//!
//! A solver without a source uses the exact gradient of its smooth term.

mod incremental;
mod injected;
mod mini_batch;
mod single_precision;

pub use incremental::{IncrementalPass, Inner, drift_bound, incrementality_bounds};
pub use injected::{Injected, Shape};
pub use mini_batch::MiniBatch;
pub use single_precision::SinglePrecision;

use crate::Real;
use crate::ledger::{Level, Source};

/// An approximate gradient of f. Its errors need not vanish.
pub trait GradientSource<T: Real = f64>: Send {
    /// out ← ∇̃f(x), and what is known of ‖e(x)‖. `step` is η of the iteration that will use it.
    ///
    /// A level that is `Unknown` is measured by the solver whenever it has the exact gradient at the same point.
    fn estimate(&mut self, x: &[T], step: f64, out: &mut [T]) -> Level;

    /// The line of the ledger that the error belongs to.
    fn source(&self) -> Source;

    /// Whether an estimate is a pass in which the point moves, so that its error depends on the step.
    fn is_pass(&self) -> bool {
        false
    }

    /// Whether, whatever came before, an estimate is ∇f(x) on average, up to what vanishes with the step. Asked of samples only:
    /// theorems about expectations need it.
    fn is_unbiased(&self) -> bool {
        false
    }

    /// Passes over the data that the last estimate has cost.
    fn passes(&self) -> f64 {
        1.0
    }
}
