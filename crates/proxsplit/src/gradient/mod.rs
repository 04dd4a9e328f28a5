//! Gradient sources: what e is in ∇̃f(x) = ∇f(x) − e(x), one file each.
//!
//! A solver without a source uses the exact gradient of its smooth term.

mod incremental;
mod injected;
mod mini_batch;
mod page;
mod saga;
mod single_precision;
mod stale;
mod trail;

pub use incremental::{IncrementalPass, Inner, drift_bound, incrementality_bounds};
pub use injected::{Injected, Shape};
pub use mini_batch::MiniBatch;
pub use page::Page;
pub use saga::Saga;
pub use single_precision::SinglePrecision;
pub use stale::Stale;

use crate::ledger::{Level, Source};
use crate::{FiniteSum, Lipschitz, Real};

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

    /// What is known of errors that follow the moves of the run; `None` if they do not.
    fn following(&self) -> Option<Following> {
        None
    }

    /// Forgets what was remembered of earlier points: the next estimate is exact. Asked of sources with errors that follow the moves.
    fn restart(&mut self) {}

    /// Tells the exact gradient at the point of the next estimate, where somebody has computed it for another reason.
    fn exact(&mut self, _x: &[T], _gradient: &[T]) {}
}

impl<T: Real, S: GradientSource<T> + ?Sized> GradientSource<T> for Box<S> {
    fn estimate(&mut self, x: &[T], step: f64, out: &mut [T]) -> Level {
        (**self).estimate(x, step, out)
    }
    fn source(&self) -> Source {
        (**self).source()
    }
    fn is_pass(&self) -> bool {
        (**self).is_pass()
    }
    fn is_unbiased(&self) -> bool {
        (**self).is_unbiased()
    }
    fn passes(&self) -> f64 {
        (**self).passes()
    }
    fn following(&self) -> Option<Following> {
        (**self).following()
    }
    fn restart(&mut self) {
        (**self).restart();
    }
    fn exact(&mut self, x: &[T], gradient: &[T]) {
        (**self).exact(x, gradient);
    }
}

/// Errors that follow the moves: ‖e_k‖ ≤ Σ_{j<k} w_{kj}‖Δ_j‖ over moves since a point at which e was 0, with finite sums of the w.
///
/// By ab ≤ (a² + b²)/2 there is a W with Σ_k ‖e_k‖‖Δ_k‖ ≤ W Σ_k ‖Δ_k‖². The sum of the inequality of descent over all steps,
/// Φ⁺ ≤ Φ − c‖Δ‖² + ‖e‖‖Δ‖ with c = (2 − ηL)/(2η) for convex g, is then (c − W) Σ_k ‖Δ_k‖² ≤ Φ(x⁰) − inf Φ. If c > W, moves vanish,
/// and the errors with them; since 0 ∈ ∂g(x⁺) + ∇f(x) − e + Δ/η, all limit points are stationary. c > W means η < 2/(L + 2W).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Following {
    /// W
    pub feedback: Lipschitz,
    /// A constant step that mostly serves, far above 2/(L + 2W): a run that tries it must check the descent.
    pub step: Option<f64>,
}

/// The size of batches for [`Page`] and [`Saga`] unless another one is asked for: ⌈√T⌉, so that there are as many batches as terms in one.
pub fn usual_batch(terms: usize) -> usize {
    let root = terms.isqrt();
    (root + usize::from(root * root < terms)).max(1)
}

/// The level of an error of at most ℓ·way.
fn level(lipschitz: Lipschitz, way: f64) -> Level {
    match lipschitz {
        _ if way == 0.0 => Level::Bounded(0.0),
        Lipschitz::Known(l) => Level::Bounded(l * way),
        Lipschitz::Estimated(l) => Level::Estimated(l * way),
        Lipschitz::Unknown => Level::Unknown,
    }
}

/// 𝓛 with E‖∇̃f(x) − ∇̃f(y)‖² ≤ 𝓛²‖x − y‖², about, for batches of b of the T terms: T((b−1)L/T + (1−b/T) max_t L_t)/b. N. Gazagnadou,
/// R. M. Gower and J. Salmon, Optimal mini-batch and step sizes for SAGA, 2019.
fn expected_smoothness<T: Real>(f: &dyn FiniteSum<T>, size: usize) -> Option<f64> {
    let (terms, size) = (f.terms() as f64, size as f64);
    let whole = f.lipschitz().value()?;
    let term = f.term_lipschitz().value()?;
    let smoothness = ((size - 1.0) * whole + (1.0 - size / terms) * terms * term) / size;
    let smoothness = smoothness.max(whole);
    (smoothness > 0.0 && smoothness.is_finite()).then_some(smoothness)
}
