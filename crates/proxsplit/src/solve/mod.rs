//! Solvers: endless iterators over small records. Stopping, printing and tracing are the business of [`crate::run()`].

mod algorithm;
mod incremental;
mod panoc;
mod point;
mod probe;
mod seen;
mod sggd;
mod splitting;
mod working_set;

pub use algorithm::Algorithm;
pub use incremental::{IncrementalSplitting, Passes};
pub use panoc::Panoc;
pub use sggd::{Sggd, Split, Subgradient};
pub use splitting::Splitting;
pub use working_set::WorkingSet;

use crate::certificate::{Assumption, AtPoint};
use crate::ledger::Ledger;
#[cfg(feature = "serde")]
use crate::number::null_is_nan;
use crate::{Class, Lipschitz};

/// One iteration of a solver.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Progress {
    /// How many iterations have been made.
    pub iteration: u64,
    /// Passes over the data so far.
    pub passes: f64,
    /// η of this iteration.
    pub step: f64,
    /// ‖xᵏ⁺¹ − xᵏ‖. A small one does not mean that x is stationary.
    #[cfg_attr(feature = "serde", serde(deserialize_with = "null_is_nan"))]
    pub displacement: f64,
    /// Φ as the method has seen it on its way, where that costs nothing.
    #[cfg_attr(feature = "serde", serde(default))]
    pub objective: Option<f64>,
}

impl Progress {
    /// Nothing has been done yet.
    pub const START: Self = Self {
        iteration: 0,
        passes: 0.0,
        step: 0.0,
        displacement: 0.0,
        objective: None,
    };
}

/// How the steps of a solver are justified.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Method {
    /// Proximal splitting with 0 < η < 2/L, on exact or inexact gradients.
    Splitting,
    /// Proximal splitting on exact gradients with a line search that makes Φ decrease.
    Descent,
    /// Any steps on exact gradients that lower the forward–backward envelope enough, with a step that is checked again and again.
    Envelope,
    /// Descent on the coordinates that are farthest from stationary, by at least a part of what a plain step on them would gain.
    WorkingSet,
    /// Proximal splitting whose steps follow the local curvature; proved for convex problems.
    Adaptive,
    /// Proximal splitting with errors that follow the moves, and steps so short that both vanish.
    Following,
    /// The same with longer steps whose descent is checked at every look; where the check fails, the run is taken back and the step is
    /// halved.
    Guarded,
    /// Any passes, with descent passes again and again in between, each of which begins no higher than the last one ended.
    Monotone,
    /// A subgradient step, which no theorem here covers.
    Subgradient,
}

/// What is known of a run besides its numbers; decides which theorem covers it.
#[derive(Debug, Clone, PartialEq)]
#[allow(clippy::struct_excessive_bools)] // Independent facts, each with a name.
pub struct Setting {
    /// The class of g.
    pub class: Class,
    /// Whether f is known to be convex.
    pub convex: bool,
    /// L, known, estimated or unknown.
    pub lipschitz: Lipschitz,
    /// The least and the greatest η so far; `None` before the first step.
    pub steps: Option<(f64, f64)>,
    /// The kind of step.
    pub method: Method,
    /// Whether the steps go to zero, with Σ η = ∞.
    pub vanishing: bool,
    /// Whether Σ η² < ∞, too.
    pub square_summable: bool,
    /// Whether the steps shorten by themselves where they have a floor, so that it falls with them.
    pub adapts: bool,
    /// K, if the method has one of its own in place of the table's.
    pub constant: Option<f64>,
    /// The largest errors since the last look, by source.
    pub ledger: Ledger,
    /// What the method assumes besides.
    pub assumptions: Vec<Assumption>,
}

/// A method that can be run: an endless iterator that ends only when its iterates are no longer finite.
pub trait Solver: Iterator<Item = Progress> {
    /// Looks at the current point, or at the one that would be returned in its place. May cost a pass over the data.
    fn measure(&mut self) -> AtPoint;

    /// What a look costs, in passes.
    fn look_cost(&self) -> f64 {
        1.0
    }

    /// The residual at the current point, if the method has seen it on its way. Told where a look costs something, so that there
    /// are none in vain.
    fn seen_residual(&self) -> Option<f64> {
        None
    }

    /// Seconds that were spent before the first step, told once: a run counts them.
    fn take_set_up(&mut self) -> f64 {
        0.0
    }

    /// What is known of this run since the last look.
    fn setting(&self) -> Setting;

    /// What Φ is nowhere below, asked once at the end of a run if no look has told it; at most the work of `passes` passes.
    fn lower_bound(&self, passes: f64) -> Option<f64> {
        let _ = passes;
        None
    }

    /// Keeps the point of the last look, to be returned if no better one comes.
    fn keep(&mut self);

    /// Goes to the point that was kept; the run is over.
    fn settle(&mut self);
}
