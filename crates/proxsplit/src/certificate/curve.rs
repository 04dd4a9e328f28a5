//! The numbers of the convergence theorem.
//!
//! With ‖e‖ ≤ ē and Δ = xᵏ⁺¹ − xᵏ, the prox inequality at xᵏ⁺¹ against xᵏ and the descent lemma give
//!
//! | g | Φ⁺ ≤ Φ − c‖Δ‖² + ē‖Δ‖ with c = | conclusion |
//! |---|---|---|
//! | convex, η < 2/L | (2−ηL)/(2η) | liminf ‖ρ_η‖ ≤ ē·(1 + 2/(2−ηL)) |
//! | weakly convex with modulus m, η < 2/(L+m) | (2−η(L+m))/(2η) | liminf dist(0, ∂Φ(x⁺)) ≤ ē·(1 + 2(1+ηL)/(2−η(L+m))) |
//! | any, η < 1/L | (1−ηL)/(2η) | liminf dist(0, ∂Φ(x⁺)) ≤ ē·(1 + 2(1+ηL)/(1−ηL)) |
//!
//! because Σ η_k = ∞ forces ‖Δ‖ ≤ ē/c again and again, and 0 ∈ ∂g(x⁺) + g̃ + Δ/η. The least ‖Δ‖ of N steps is at most
//! (ē + √(ē² + 4c·D/N))/(2c), D = Φ(x⁰) − inf Φ.
//!
//! The residual of a certificate is taken at the step 1/L. For convex g it is at most max(1, ηL) times ‖ρ_η‖, since
//! ‖P_η(x − ηs) − x‖ grows with η.

use crate::Class;
use crate::ledger::{Ledger, Level, Source};
use crate::solve::{Method, Setting};

/// The row of the table at the greatest step, where its numbers are worst.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Curve {
    /// c
    pub(crate) bracket: f64,
    /// K, by which errors are multiplied in the residual.
    pub(crate) constant: f64,
    /// ηL
    product: f64,
}

impl Curve {
    /// `None` if the step is outside its range, L is unknown, or the steps are not plain ones.
    pub(crate) fn of(setting: &Setting) -> Option<Self> {
        if matches!(setting.method, Method::Envelope | Method::WorkingSet) {
            return None;
        }
        let (_, step) = setting.steps?;
        let l = setting.lipschitz.value()?;
        let product = step * l;
        let room = room(setting.class, step, product);
        let constant = match setting.class {
            Class::Convex => (1.0 + 2.0 / room) * product.max(1.0),
            _ => 1.0 + 2.0 * (1.0 + product) / room,
        };
        let holds = step < limit(setting.class, l).0 && room > 0.0 && step > 0.0;
        holds.then_some(Self {
            bracket: room / (2.0 * step),
            constant: setting.constant.unwrap_or(constant),
            product,
        })
    }

    /// ē: the sum of all levels, where a stopped prox counts 2 + 3ηL/2 times its τ/η.
    ///
    /// A prox that is off by δ, ‖δ‖ ≤ τ, is no step with another gradient. But the exact results z = x − δ are: they come from one
    /// another by exact proxes with a gradient error of at most ‖δ‖(1/η + L). And the residual of x is within (2/η + L)τ of that of z,
    /// which K ≥ 2 turns into (1/η + L/2)τ more.
    pub(crate) fn level(&self, errors: &Ledger) -> f64 {
        let prox = errors.get(Source::Prox).and_then(Level::value);
        errors.total() + (1.0 + 1.5 * self.product) * prox.unwrap_or(0.0)
    }

    /// The least ‖Δ‖ of N steps at most, if `gain` is D/N.
    pub(crate) fn least_move(&self, level: f64, gain: f64) -> f64 {
        let c = self.bracket;
        (level + (level * level + 4.0 * c * gain.max(0.0)).sqrt()) / (2.0 * c)
    }
}

/// 2ηc: what the step leaves of the range of its class.
fn room(class: Class, step: f64, product: f64) -> f64 {
    match class {
        Class::Convex => 2.0 - product,
        Class::WeaklyConvex { modulus } => (2.0 - product - step * modulus).max(1.0 - product),
        Class::Nonconvex => 1.0 - product,
    }
}

/// The step up to which the table holds, and how it is written.
pub(super) fn limit(class: Class, lipschitz: f64) -> (f64, &'static str) {
    match class {
        Class::Convex => (2.0 / lipschitz, "2/L"),
        Class::WeaklyConvex { modulus } if modulus < lipschitz => {
            (2.0 / (lipschitz + modulus), "2/(L+m)")
        }
        _ => (1.0 / lipschitz, "1/L"),
    }
}
