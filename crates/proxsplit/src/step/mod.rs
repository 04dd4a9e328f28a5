//! Step rules: how η_k is chosen, one file each.
//!
//! Eq.38 asks for c ≤ η_k ≤ min(1, 2/L − c), where L belongs to the whole of f. For a sum of T terms that L is up to
//! T·max L_t, and the steps between the terms of a pass use the same η_k.

mod adaptive;
mod backtracking;
mod barzilai_borwein;
mod bold_driver;
mod constant;
mod descent;
mod diminishing;
mod given;
mod guarded;
mod text;

pub use adaptive::Adaptive;
pub use backtracking::Backtracking;
pub use barzilai_borwein::BarzilaiBorwein;
pub use bold_driver::BoldDriver;
pub use constant::Constant;
pub use diminishing::Diminishing;
pub use given::Given;
pub use guarded::Guarded;
pub use text::Choice;

use crate::Lipschitz;
use crate::solve::Method;

/// A rule for η_k.
pub trait StepRule: Send {
    /// η_k if it is fixed in advance: incremental passes need to know it before they start. `None` if the rule learns
    /// from the run; then [`StepRule::propose`] is asked.
    fn scheduled(&self, iteration: u64) -> Option<f64>;

    /// η_k from what the last move has shown of f; there is no last move in the first iteration.
    fn propose(&mut self, _last: Option<Curvature>) -> f64 {
        self.scheduled(0).unwrap_or(1.0)
    }

    /// How the steps are justified. For [`Method::Descent`], trial points are evaluated and judged.
    fn method(&self) -> Method {
        Method::Splitting
    }

    /// `None` to accept the trial point, or the shorter step to try next.
    fn judge(&mut self, _trial: &Trial) -> Option<f64> {
        None
    }

    /// Whether the rule wants to know Φ after every step, see [`StepRule::keeps`]. This costs an evaluation of f.
    fn watches(&self) -> bool {
        false
    }

    /// Whether a step from Φ = `before` to `after` is kept; if not, it is taken back. NaN stands for a point that is not finite.
    fn keeps(&mut self, _before: f64, _after: f64) -> bool {
        true
    }

    /// Whether Φ is checked at every look, as [`Guarded`] says. For gradient sources whose errors follow the moves.
    fn is_guarded(&self) -> bool {
        false
    }

    /// The check at a look. If it has failed, the run is taken back to the last point that has passed it.
    fn checked(&mut self, _passed: bool) {}

    /// Whether η_k → 0 with Σ η_k = ∞.
    fn vanishes(&self) -> bool {
        false
    }

    /// Whether Σ η_k² < ∞, too: then the noise of samples dies out.
    fn is_square_summable(&self) -> bool {
        false
    }

    /// The L that the steps rest on, if the rule has one or has observed one.
    fn lipschitz(&self) -> Lipschitz {
        Lipschitz::Unknown
    }
}

/// What a move Δx from one iterate to the next has shown: Δg is the change of the gradient.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Curvature {
    /// ‖Δx‖²
    pub moved: f64,
    /// ‖Δg‖²
    pub changed: f64,
    /// ⟨Δx, Δg⟩
    pub product: f64,
}

impl Curvature {
    /// ‖Δg‖/‖Δx‖, a lower bound of L.
    pub fn lipschitz(&self) -> f64 {
        (self.changed / self.moved).sqrt()
    }
}

/// A trial point x⁺ of a line search.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Trial {
    /// η
    pub step: f64,
    /// Φ(x)
    pub before: f64,
    /// Φ(x⁺)
    pub after: f64,
    /// ‖x⁺ − x‖²
    pub moved: f64,
    /// ⟨∇f(x⁺) − ∇f(x), x⁺ − x⟩, if the gradients are exact.
    pub product: Option<f64>,
    /// Differences of Φ below this are rounding.
    pub rounding: f64,
}

impl<R: StepRule + ?Sized> StepRule for Box<R> {
    fn scheduled(&self, iteration: u64) -> Option<f64> {
        (**self).scheduled(iteration)
    }
    fn propose(&mut self, last: Option<Curvature>) -> f64 {
        (**self).propose(last)
    }
    fn method(&self) -> Method {
        (**self).method()
    }
    fn judge(&mut self, trial: &Trial) -> Option<f64> {
        (**self).judge(trial)
    }
    fn watches(&self) -> bool {
        (**self).watches()
    }
    fn keeps(&mut self, before: f64, after: f64) -> bool {
        (**self).keeps(before, after)
    }
    fn is_guarded(&self) -> bool {
        (**self).is_guarded()
    }
    fn checked(&mut self, passed: bool) {
        (**self).checked(passed);
    }
    fn vanishes(&self) -> bool {
        (**self).vanishes()
    }
    fn is_square_summable(&self) -> bool {
        (**self).is_square_summable()
    }
    fn lipschitz(&self) -> Lipschitz {
        (**self).lipschitz()
    }
}
