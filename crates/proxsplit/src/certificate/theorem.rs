//! Which theorem covers a run, with its assumptions and its constant.

use super::assumption::{Assumption, Standing, of_errors, of_steps};
use super::curve::Curve;
use crate::Class;
use crate::bound::at_most;
use crate::ledger::{Ledger, Source};
use crate::solve::{Method, Setting};
use std::fmt;

/// What the theorem promises.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize),
    serde(rename_all = "kebab-case")
)]
#[non_exhaustive]
pub enum Guarantee {
    /// f and g are convex and errors vanish: limit points are global minimizers.
    Minimizer,
    /// Errors vanish: limit points are stationary.
    Stationary,
    /// Passes with momentum and without: limit points of those without are stationary.
    PlainStationary,
    /// Errors vanish, but so slowly that Φ need not converge: some limit point is stationary, if iterates stay bounded.
    SomeStationary,
    /// Some limit point has a residual of at most `radius` = K·ē, if iterates stay bounded.
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

/// What is known about the method, whatever the point.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
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

/// A stretch of a run from its start, for the rate.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Stretch {
    /// Φ(x⁰) − inf Φ, at most.
    pub(crate) start_gap: Option<f64>,
    /// The steps made.
    pub(crate) iterations: u64,
    /// The largest errors of all of them.
    pub(crate) errors: Ledger,
}

/// Errors that vanish with the step.
pub(super) const DRIFT: [Source; 1] = [Source::IncrementalDrift];

/// Whether the errors vanish because the moves do, and they follow them.
pub(super) fn follow_moves(setting: &Setting) -> bool {
    matches!(setting.method, Method::Following | Method::Guarded)
        && setting.ledger.is_exact_but_for(&[Source::Stale])
}

impl OfMethod {
    /// Weighs the assumptions. The ledger of `setting` has the largest errors of the second half of the run.
    pub(crate) fn new(setting: &Setting, stretch: &Stretch) -> Self {
        let mut assumptions = vec![of_steps(setting), of_errors(setting)];
        assumptions.extend(setting.assumptions.iter().cloned());
        let curve = Curve::of(setting);
        let guarantee = guarantee(setting, &assumptions, curve);
        let is_covered = !matches!(guarantee, Guarantee::None { .. });
        Self {
            // A floor is judged by K, whether the rest of the theorem holds or not.
            constant: curve
                .filter(|_| !setting.ledger.is_exact() && !follow_moves(setting))
                .map(|curve| curve.constant),
            // A look at a g that is not convex is one prox step ahead, so that Φ(x⁰) itself is not known.
            rate: curve
                // Steps that were taken back count for nothing.
                .filter(|_| setting.method != Method::Guarded)
                .filter(|_| is_covered && setting.class == Class::Convex)
                .and_then(|curve| stretch.rate(&curve)),
            guarantee,
            assumptions,
            errors: setting.ledger,
            steps: setting.steps.filter(|_| {
                !matches!(
                    setting.method,
                    Method::Descent | Method::Envelope | Method::WorkingSet
                )
            }),
        }
    }

    /// What the theorem promises, with the condition that it rests on if that is only estimated.
    pub fn promise(&self) -> String {
        let claims = !matches!(self.guarantee, Guarantee::None { .. });
        if claims && self.rests_on_estimates() {
            format!("if the estimates below hold: {}", self.guarantee)
        } else {
            self.guarantee.to_string()
        }
    }

    /// What the rate says in words, with the same condition.
    pub(super) fn rate_in_words(&self) -> Option<String> {
        let condition = if self.rests_on_estimates() {
            "if the estimates above hold: "
        } else {
            ""
        };
        self.rate
            .map(|rate| at_most(rate, 2))
            .map(|rate| format!("{condition}at least one step so far moved x by at most {rate}"))
    }

    fn rests_on_estimates(&self) -> bool {
        let is_estimated = |a: &Assumption| a.standing == Standing::Estimated;
        self.assumptions.iter().any(is_estimated)
    }
}

impl Stretch {
    fn rate(&self, curve: &Curve) -> Option<f64> {
        let gap = self.start_gap.filter(|_| self.iterations > 0)?;
        let level = self.errors.is_known().then(|| curve.level(&self.errors))?;
        let rate = curve.least_move(level, gap / self.iterations as f64);
        rate.is_finite().then_some(rate)
    }
}

fn guarantee(setting: &Setting, assumptions: &[Assumption], curve: Option<Curve>) -> Guarantee {
    let errors = &setting.ledger;
    let none = |because| Guarantee::None { because };
    let scheduled = matches!(
        setting.method,
        Method::Splitting | Method::Adaptive | Method::Following | Method::Guarded
    );
    if setting.method == Method::Subgradient {
        return none("subgradient steps are not covered by the splitting theorem");
    }
    if scheduled && setting.steps.is_none() {
        return none("no step has been made");
    }
    if errors
        .get(Source::Sampling)
        .is_some_and(|level| level.value() != Some(0.0))
    {
        return of_samples(setting);
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
    let follows = follow_moves(setting);
    if errors.is_exact() || follows || setting.vanishing && errors.is_exact_but_for(&DRIFT) {
        return match setting.convex && setting.class == Class::Convex {
            // Drift ~ η raises Φ by a multiple of η²: only where that is summable does Φ converge.
            _ if !(errors.is_exact() || follows || setting.square_summable) => {
                Guarantee::SomeStationary
            }
            // Σ η·(‖Δ‖/η)² < ∞ and Σ η = ∞ say only that ‖Δ‖/η is small again and again.
            _ if follows && setting.vanishing && !errors.is_exact() => Guarantee::SomeStationary,
            _ if setting.method == Method::Monotone => Guarantee::PlainStationary,
            true => Guarantee::Minimizer,
            false => Guarantee::Stationary,
        };
    }
    if setting.vanishing && errors.get(Source::Prox).is_some() {
        return none("the error of a stopped prox grows without bound as the step vanishes");
    }
    match curve {
        None => none("the errors do not vanish, and nothing bounds their effect on this method"),
        Some(curve) => Guarantee::Neighbourhood {
            error: curve.level(errors),
            radius: curve.constant * curve.level(errors),
        },
    }
}

/// Steps with Σ η = ∞ and Σ η² < ∞ on independent samples: the Moreau envelope of Φ becomes stationary in expectation if g is weakly
/// convex (Davis and Drusvyatskiy, *Stochastic model-based minimization of weakly convex functions*, 2019).
fn of_samples(setting: &Setting) -> Guarantee {
    let violated = |a: &&Assumption| a.standing == Standing::Violated;
    let because = if !setting.square_summable {
        "the error of a sample has no bound, and the squares of the steps are not summable"
    } else if setting.class == Class::Nonconvex {
        "the error of a sample has no bound, and g is not weakly convex"
    } else if let Some(failed) = setting.assumptions.iter().find(violated) {
        failed.name
    } else {
        return Guarantee::InExpectation;
    };
    Guarantee::None { because }
}

impl fmt::Display for Guarantee {
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Guarantee::Minimizer => out.write_str("limit points are minimizers"),
            Guarantee::Stationary => out.write_str("limit points are stationary"),
            Guarantee::PlainStationary => {
                out.write_str("limit points of the passes without momentum are stationary")
            }
            Guarantee::SomeStationary => {
                out.write_str("some limit point is stationary, if x stays bounded")
            }
            Guarantee::Neighbourhood { error, radius } => write!(
                out,
                "some limit point has a residual of at most {} = {:.2}·ē, ē = {error:.2e}, if x stays bounded",
                at_most(*radius, 2),
                radius / error
            ),
            Guarantee::InExpectation => out.write_str(
                "in expectation, if the variance of the samples is bounded: some subsequence becomes stationary",
            ),
            Guarantee::None { because } => write!(out, "no theorem covers this run: {because}"),
        }
    }
}

#[cfg(test)]
pub(super) mod tests;
