//! Which theorem covers a run, with its assumptions and its constant.
//!
//! With ‖e‖ ≤ ē and Δ = xᵏ⁺¹ − xᵏ, the prox inequality at xᵏ⁺¹ against xᵏ and the descent lemma give
//!
//! | g | descent of a step | conclusion |
//! |---|---|---|
//! | convex, η < 2/L | Φ⁺ ≤ Φ − (2−ηL)/(2η)·‖Δ‖² + ē‖Δ‖ | liminf ‖ρ_η‖ ≤ ē·(1 + 2/(2−ηL)) |
//! | any, η < 1/L | Φ⁺ ≤ Φ − (1−ηL)/(2η)·‖Δ‖² + ē‖Δ‖ | liminf dist(0, ∂Φ(x⁺)) ≤ ē·(1 + 2(1+ηL)/(1−ηL)) |
//!
//! and with c = the bracket, the least ‖Δ‖ of N steps is at most (ē + √(ē² + 4c·D/N))/(2c), D = Φ(x⁰) − inf Φ.

use crate::ledger::{Ledger, Level, Source};
use crate::solve::{Method, Setting};
use crate::{Class, Lipschitz};
use serde::Serialize;
use std::fmt;

/// How firmly something is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Standing {
    /// It cannot be otherwise.
    Proved,
    /// Seen in this run, at every step or look.
    Measured,
    /// A rule of thumb.
    Estimated,
    /// It does not hold.
    Violated,
    /// Nobody knows.
    Unknown,
}

/// One assumption of a theorem.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Assumption {
    /// A short name for programs.
    pub name: &'static str,
    /// How firmly it is known to hold.
    pub standing: Standing,
    /// What it says, with its numbers.
    pub text: String,
}

/// What the theorem promises.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Guarantee {
    /// f and g are convex and errors vanish: limit points are global minimizers.
    Minimizer,
    /// Errors vanish: limit points are stationary.
    Stationary,
    /// Some limit point has a residual of at most `radius` = K·ē.
    Neighbourhood {
        /// ē, the largest level of the errors.
        error: f64,
        /// K·ē
        radius: f64,
    },
    /// Steps that vanish and sums of squares that converge: the expected stationarity vanishes along a subsequence.
    InExpectation,
    /// Nothing is claimed beyond the numbers at the point.
    None {
        /// The assumption that fails.
        because: &'static str,
    },
}

/// What is known of the method, whatever the point.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct OfMethod {
    /// What the theorem promises if its assumptions hold.
    pub guarantee: Guarantee,
    /// The assumptions, each with its standing.
    pub assumptions: Vec<Assumption>,
    /// K, where errors do not vanish.
    pub constant: Option<f64>,
    /// The least ‖xᵏ⁺¹ − xᵏ‖ that the rate of the theorem allows for the steps made so far.
    pub rate: Option<f64>,
    /// The largest errors of the second half of the run, by source.
    pub errors: Ledger,
    /// The least and the greatest step, unless a line search chose them.
    pub steps: Option<(f64, f64)>,
}

/// Errors that vanish with the step.
const DRIFT: [Source; 1] = [Source::IncrementalDrift];

impl OfMethod {
    /// Weighs the assumptions. `start_gap` is Φ(x⁰) − inf Φ if a bound on it is known, `iterations` the steps made.
    pub fn new(setting: &Setting, start_gap: Option<f64>, iterations: u64) -> Self {
        let mut assumptions = vec![step_assumption(setting), error_assumption(setting)];
        assumptions.extend(setting.assumptions.iter().cloned());
        let errors = setting.ledger;
        let curve = Curve::of(setting);
        let guarantee = guarantee(setting, &assumptions, curve);
        let level = if errors.is_known() {
            errors.total()
        } else {
            f64::NAN
        };
        let rate = curve
            .zip(start_gap)
            .filter(|_| iterations > 0 && !matches!(guarantee, Guarantee::None { .. }))
            .map(|(curve, gap)| curve.least_move(level, gap / iterations as f64))
            .filter(|rate| rate.is_finite());
        Self {
            constant: match guarantee {
                Guarantee::Neighbourhood { .. } => curve.map(|curve| curve.constant),
                _ => None,
            },
            guarantee,
            assumptions,
            rate,
            errors,
            steps: setting.steps.filter(|_| setting.method != Method::Descent),
        }
    }
}

/// The numbers of the table at the greatest step, where they are worst.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Curve {
    /// The bracket (2−ηL)/(2η), or (1−ηL)/(2η).
    bracket: f64,
    /// K
    pub(crate) constant: f64,
}

impl Curve {
    /// `None` if the step is outside its range, or L is unknown.
    pub(crate) fn of(setting: &Setting) -> Option<Self> {
        let (_, greatest) = setting.steps?;
        let product = greatest * setting.lipschitz.value()?;
        let curve = match setting.class {
            Class::Convex => Self {
                bracket: (2.0 - product) / (2.0 * greatest),
                constant: 1.0 + 2.0 / (2.0 - product),
            },
            _ => Self {
                bracket: (1.0 - product) / (2.0 * greatest),
                constant: 1.0 + 2.0 * (1.0 + product) / (1.0 - product),
            },
        };
        (curve.bracket > 0.0 && greatest > 0.0).then_some(Self {
            constant: setting.constant.unwrap_or(curve.constant),
            ..curve
        })
    }

    fn least_move(self, level: f64, gain: f64) -> f64 {
        let c = self.bracket;
        (level + (level * level + 4.0 * c * gain).sqrt()) / (2.0 * c)
    }
}

fn guarantee(setting: &Setting, assumptions: &[Assumption], curve: Option<Curve>) -> Guarantee {
    let errors = &setting.ledger;
    let none = |because| Guarantee::None { because };
    if setting.method == Method::Subgradient {
        return none("subgradient steps are not covered by the splitting theorem");
    }
    if errors
        .get(Source::Sampling)
        .is_some_and(|level| level.value() != Some(0.0))
    {
        return if setting.square_summable && setting.class != Class::Nonconvex {
            Guarantee::InExpectation
        } else {
            none("the error of a sample has no bound, and the steps do not vanish")
        };
    }
    let fails = |standing| matches!(standing, Standing::Violated | Standing::Unknown);
    if let Some(failed) = assumptions.iter().find(|a| fails(a.standing)) {
        return none(match failed.name {
            "step" if failed.standing == Standing::Violated => "the step is too long",
            "step" => "L is unknown",
            "errors" => "the level of one of the errors is unknown",
            name => name,
        });
    }
    let vanishing: &[Source] = if setting.vanishing { &DRIFT } else { &[] };
    if errors.is_exact_but_for(vanishing) {
        return match setting.convex && setting.class == Class::Convex {
            true => Guarantee::Minimizer,
            false => Guarantee::Stationary,
        };
    }
    match curve {
        None => none("the errors do not vanish, and nothing bounds what they do to this method"),
        Some(curve) => Guarantee::Neighbourhood {
            error: errors.total(),
            radius: curve.constant * errors.total(),
        },
    }
}

fn step_assumption(setting: &Setting) -> Assumption {
    let (name, limit, symbol) = match setting.class {
        Class::Convex => ("step", 2.0, "2/L"),
        _ => ("step", 1.0, "1/L"),
    };
    let convex = setting.convex && setting.class == Class::Convex;
    match setting.method {
        Method::Descent => {
            let text = "Φ falls enough in every step, by a line search".into();
            return Assumption {
                name,
                standing: Standing::Measured,
                text,
            };
        }
        Method::Monotone => {
            let text = "no accepted pass raises the objective, and passes without momentum come again and again".into();
            return Assumption {
                name,
                standing: Standing::Measured,
                text,
            };
        }
        Method::Adaptive if convex && setting.ledger.is_exact() => {
            let text = "the step follows the local curvature of a convex problem".into();
            return Assumption {
                name,
                standing: Standing::Proved,
                text,
            };
        }
        Method::Splitting | Method::Adaptive | Method::Subgradient => {}
    }
    let Some((least, greatest)) = setting.steps else {
        let text = format!("0 < η < {symbol}: no step has been made");
        return Assumption {
            name,
            standing: Standing::Proved,
            text,
        };
    };
    let range = if least == greatest {
        format!("η = {least:.3e}")
    } else {
        format!("η from {least:.3e} to {greatest:.3e}")
    };
    let (standing, known) = match setting.lipschitz {
        Lipschitz::Unknown => (Standing::Unknown, "L is unknown".to_owned()),
        Lipschitz::Known(l) | Lipschitz::Estimated(l) if greatest * l >= limit => {
            (Standing::Violated, format!("{symbol} = {:.3e}", limit / l))
        }
        Lipschitz::Known(l) => (Standing::Proved, format!("{symbol} = {:.3e}", limit / l)),
        Lipschitz::Estimated(l) => (
            Standing::Estimated,
            format!("{symbol} = {:.3e} if L ≤ {l:.3e} (estimated)", limit / l),
        ),
    };
    let relation = match standing {
        Standing::Violated => "violated",
        Standing::Unknown => "cannot be checked",
        _ => "holds",
    };
    let text = format!("0 < η < {symbol} {relation}: {range}, {known}");
    Assumption {
        name,
        standing,
        text,
    }
}

fn error_assumption(setting: &Setting) -> Assumption {
    let errors = &setting.ledger;
    let standing = errors
        .entries()
        .fold(Standing::Proved, |standing, (source, level)| {
            let of_level = match level {
                Level::Bounded(_) => Standing::Proved,
                Level::Measured(_) => Standing::Measured,
                Level::Estimated(_) if source == Source::Rounding => Standing::Proved,
                Level::Estimated(_) => Standing::Estimated,
                Level::Unknown => Standing::Unknown,
            };
            match (standing, of_level) {
                (Standing::Unknown, _) | (_, Standing::Unknown) => Standing::Unknown,
                (Standing::Estimated, _) | (_, Standing::Estimated) => Standing::Estimated,
                (Standing::Measured, _) | (_, Standing::Measured) => Standing::Measured,
                _ => Standing::Proved,
            }
        });
    let text = if errors.is_exact() {
        "gradients are exact up to rounding".into()
    } else if setting.vanishing && errors.is_exact_but_for(&DRIFT) {
        "the drift of a pass vanishes with the step".into()
    } else if errors.is_known() {
        format!("‖e‖ ≤ {:.2e} in the second half of the run", errors.total())
    } else {
        "the level of one of the errors is unknown".into()
    };
    Assumption {
        name: "errors",
        standing,
        text,
    }
}

impl fmt::Display for Guarantee {
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Guarantee::Minimizer => out.write_str("limit points are minimizers"),
            Guarantee::Stationary => out.write_str("limit points are stationary"),
            Guarantee::Neighbourhood { error, radius } => write!(
                out,
                "some limit point has a residual of at most {radius:.2e} = {:.2}·ē, ē = {error:.2e}",
                radius / error
            ),
            Guarantee::InExpectation => out.write_str(
                "in expectation, if the variance of the samples is bounded: some subsequence becomes stationary",
            ),
            Guarantee::None { because } => write!(out, "no theorem covers this run: {because}"),
        }
    }
}
