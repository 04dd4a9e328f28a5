//! Solvers: endless iterators over small records. Stopping, printing and tracing are the business of [`crate::run()`].

mod incremental;
mod point;
mod sggd;
mod splitting;

pub use incremental::{IncrementalSplitting, Passes};
pub use sggd::{Sggd, Split, Subgradient};
pub use splitting::Splitting;

use crate::ledger::Ledger;
use crate::{Class, Lipschitz};
use serde::{Deserialize, Serialize};

/// One iteration of a solver.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Progress {
    /// How many iterations have been made.
    pub iteration: u64,
    /// Passes over the data so far.
    pub passes: f64,
    /// η of this iteration.
    pub step: f64,
    /// ‖xᵏ⁺¹ − xᵏ‖. A small one does not mean that x is stationary.
    pub displacement: f64,
}

/// What is true at the current point, by the exact gradient.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Measure {
    /// Φ(x)
    pub objective: f64,
    /// ‖ρ(x)‖, ρ(x) = x − P_1(x − ∇f(x)).
    pub residual: f64,
    /// ‖ρ_η(x)‖, ρ_η(x) = (x − P_η(x − η∇f(x)))/η with the solver's step.
    pub scaled_residual: f64,
}

impl Measure {
    /// How far x is from stationary: the larger of both residuals; for a nonconvex g only ‖ρ_η‖ has a meaning.
    pub fn stationarity(&self, class: Class) -> f64 {
        match class {
            Class::Convex => self.residual.max(self.scaled_residual),
            _ => self.scaled_residual,
        }
    }
}

/// How the steps of a solver are justified.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// Proximal splitting with steps in the range of eq.38, on exact or inexact gradients.
    Splitting,
    /// Proximal splitting on exact gradients with a line search that makes Φ decrease.
    Descent,
    /// Proximal splitting whose steps follow the local curvature; proved for convex problems.
    Adaptive,
    /// A subgradient step, which no theorem here covers.
    Subgradient,
}

/// What is known of a run besides its numbers; decides which theorem covers it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Setting {
    /// The class of g.
    pub class: Class,
    /// Whether f is known to be convex.
    pub convex: bool,
    /// L, known, estimated or unknown.
    pub lipschitz: Lipschitz,
    /// The latest η.
    pub step: f64,
    /// The kind of step.
    pub method: Method,
    /// Whether the steps go to zero.
    pub diminishing: bool,
    /// The errors, by source.
    pub ledger: Ledger,
}

/// A method that can be run: an endless iterator that ends only when its iterates are no longer finite.
pub trait Solver: Iterator<Item = Progress> {
    /// Objective and residuals at the current point. May cost a pass over the data.
    fn measure(&mut self) -> Measure;

    /// What is known of this run.
    fn setting(&self) -> Setting;
}
