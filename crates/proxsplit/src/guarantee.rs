//! Which theorem covers a run: the range of the step and the classes of f and g decide.

use crate::solve::{Method, Setting};
use crate::{Class, Lipschitz};
use serde::Serialize;
use std::fmt;

/// How a step stands to the range c ≤ η ≤ min(1, 2/L − c) of eq.38.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum StepRange {
    /// η < 2/L with a known L.
    Inside {
        /// L
        lipschitz: f64,
    },
    /// η < 2/L with an L that was observed on the way; the true one may be larger.
    InsideEstimate {
        /// The estimate of L.
        lipschitz: f64,
    },
    /// η ≥ 2/L.
    Violated {
        /// L
        lipschitz: f64,
    },
    /// Nothing is known of L.
    Unknown,
}

impl StepRange {
    /// Compares the latest step with L.
    pub fn of(setting: &Setting) -> Self {
        match setting.lipschitz {
            Lipschitz::Known(l) | Lipschitz::Estimated(l) if setting.step * l >= 2.0 => {
                StepRange::Violated { lipschitz: l }
            }
            Lipschitz::Known(lipschitz) => StepRange::Inside { lipschitz },
            Lipschitz::Estimated(lipschitz) => StepRange::InsideEstimate { lipschitz },
            Lipschitz::Unknown => StepRange::Unknown,
        }
    }
}

impl fmt::Display for StepRange {
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        match self {
            StepRange::Inside { lipschitz } => {
                write!(out, "inside the range of eq.38 (L = {lipschitz:.3e})")
            }
            StepRange::InsideEstimate { lipschitz } => {
                write!(
                    out,
                    "inside the range of eq.38 for an estimated L = {lipschitz:.3e}"
                )
            }
            StepRange::Violated { lipschitz } => {
                write!(out, "outside the range of eq.38 (L = {lipschitz:.3e})")
            }
            StepRange::Unknown => out.write_str("not comparable with eq.38: L is unknown"),
        }
    }
}

/// The theorem that covers a run.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Guarantee {
    /// f and g are convex and gradients exact: limit points are global minimizers.
    Minimizer,
    /// Exact gradients and steps inside eq.38, or sufficient decrease: limit points have ρ(x) = 0.
    Stationary,
    /// Theorem "Convergence": the errors stay bounded, and limit points have ‖ρ(x)‖ ≤ K·ε̄ with ε̄ = η·`error`.
    Neighbourhood {
        /// The level of ‖e‖ in the ledger.
        error: f64,
    },
    /// Nothing is claimed beyond the numbers at the returned point.
    None {
        /// The assumption that fails.
        because: &'static str,
    },
}

impl Guarantee {
    /// The strongest statement whose assumptions hold.
    pub fn of(setting: &Setting) -> Self {
        let exact = setting.ledger.is_exact();
        let convex = setting.convex && setting.class == Class::Convex;
        match (setting.class, setting.method) {
            (_, Method::Subgradient) => {
                return Guarantee::None {
                    because: "subgradient steps are not covered by the splitting theorem",
                };
            }
            (Class::Nonconvex, _) => {
                return Guarantee::None {
                    because: "g is nonconvex, and the theorem needs a convex g",
                };
            }
            (Class::WeaklyConvex { .. }, Method::Splitting | Method::Adaptive) => {
                return Guarantee::None {
                    because: "g is weakly convex, and only exact descent steps are covered",
                };
            }
            (_, Method::Descent) => {}
            (Class::Convex, Method::Adaptive) if convex && exact => {}
            (Class::Convex, Method::Splitting | Method::Adaptive) => match StepRange::of(setting) {
                StepRange::Violated { .. } => {
                    return Guarantee::None {
                        because: "the step is not below 2/L",
                    };
                }
                StepRange::Unknown => {
                    return Guarantee::None {
                        because: "L is unknown",
                    };
                }
                StepRange::Inside { .. } | StepRange::InsideEstimate { .. } => {}
            },
        }
        match (exact || setting.diminishing, convex) {
            (true, true) => Guarantee::Minimizer,
            (true, false) => Guarantee::Stationary,
            (false, _) if !setting.ledger.is_known() => Guarantee::None {
                because: "the level of one of the errors is unknown",
            },
            (false, _) => Guarantee::Neighbourhood {
                error: setting.ledger.total(),
            },
        }
    }
}

impl fmt::Display for Guarantee {
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Guarantee::Minimizer => out.write_str("convex problem: limit points are minimizers"),
            Guarantee::Stationary => out.write_str("limit points are stationary"),
            Guarantee::Neighbourhood { error } => {
                write!(
                    out,
                    "limit points are stationary up to a multiple of the error level {error:.2e}"
                )
            }
            Guarantee::None { because } => write!(out, "no theorem covers this run: {because}"),
        }
    }
}
