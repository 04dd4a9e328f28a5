//! The acceptance test of the rules with a line search: sufficient decrease below the worst of the last few values.
//!
//! Wright, Nowak and Figueiredo, *Sparse reconstruction by separable approximation*, 2009, eq.22. Near a solution the
//! differences of Φ drown in rounding; there the curvature along the step decides, as in Hager and Zhang, *A new
//! conjugate gradient method with guaranteed descent*, 2005.

use super::Trial;

const MEMORY: usize = 8;
const DECREASE: f64 = 1e-3;

/// The longest step of a line search, as a multiple of its first: limit points are stationary only if the steps are bounded.
pub(super) const LONGEST: f64 = 1e10;

/// Accepts x⁺ if Φ(x⁺) ≤ max of the last `memory` values of Φ − (σ/2η)‖x⁺ − x‖², σ = 1e-3.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Descent {
    memory: usize,
    values: [f64; MEMORY],
    next: usize,
}

impl Descent {
    /// Compares with the last eight values.
    pub(super) fn nonmonotone() -> Self {
        Self {
            memory: MEMORY,
            values: [f64::NEG_INFINITY; MEMORY],
            next: 0,
        }
    }

    /// Compares with the last value only.
    pub(super) fn monotone() -> Self {
        Self {
            memory: 1,
            ..Self::nonmonotone()
        }
    }

    /// `None` if the trial is accepted, or the step to try next.
    pub(super) fn judge(&mut self, trial: &Trial) -> Option<f64> {
        let worst = self.values[..self.memory]
            .iter()
            .fold(trial.before, |a, &b| a.max(b));
        let needed = DECREASE / (2.0 * trial.step) * trial.moved;
        let gained = worst - needed - trial.after;
        let flat = trial
            .product
            .is_none_or(|product| product <= trial.moved / trial.step);
        let accepted = gained > trial.rounding || (gained >= -trial.rounding && flat);
        if !accepted && trial.moved > 0.0 {
            return Some(trial.step * 0.5);
        }
        self.values[self.next] = trial.after;
        self.next = (self.next + 1) % self.memory;
        None
    }
}
