//! What is true at a point, whoever found it.

#[cfg(feature = "serde")]
use crate::number::null_is_nan;

/// What one look at a point has found, computed with exact gradients.
///
/// The residual is R(x) = ‖x − P_η(x − η∇f(x))‖/η at a reference step η that does not depend on the solver's latest step: where
/// a step has collapsed, x − η∇f(x) rounds to x and every point would look stationary. For a g that is not convex it is
/// a bound on dist(0, ∂Φ(x)) instead.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct AtPoint {
    /// Φ(x)
    #[cfg_attr(feature = "serde", serde(deserialize_with = "null_is_nan"))]
    pub objective: f64,
    /// R(x), or a bound on dist(0, ∂Φ(x)) where g is not convex.
    #[cfg_attr(feature = "serde", serde(deserialize_with = "null_is_nan"))]
    pub residual: f64,
    /// η of the residual: 1/L, or 1/L̂ with the largest curvature seen so far where Φ was not above its start.
    #[cfg_attr(feature = "serde", serde(deserialize_with = "null_is_nan"))]
    pub reference_step: f64,
    /// By how much the residual may be too small because the iteration of a prox was stopped; `None` if that is unknown.
    pub prox_error: Option<f64>,
    /// By how much the residual may be too small because the user's gradient is inexact: 0 if it is exact; `None` if that is unknown.
    #[cfg_attr(feature = "serde", serde(default = "exact"))]
    pub gradient_error: Option<f64>,
    /// The size of the terms that cancel in the residual at a solution; tolerances are relative to it.
    #[cfg_attr(feature = "serde", serde(deserialize_with = "null_is_nan"))]
    pub scale: f64,
    /// Residuals below this are rounding.
    #[cfg_attr(feature = "serde", serde(deserialize_with = "null_is_nan"))]
    pub rounding: f64,
    /// The step of the residual lowers Φ by at least this, if η ≤ 1/L; `None` where x is the end of such a step.
    #[cfg_attr(feature = "serde", serde(default))]
    pub fall: Option<f64>,
    /// Φ where that step began, if x is its end.
    #[cfg_attr(feature = "serde", serde(default))]
    pub before: Option<f64>,
    /// An upper bound on Φ(x) − inf Φ, if the problem is convex and a dual point was found.
    pub gap: Option<f64>,
    /// A lower bound on inf Φ, if one is known.
    pub lower_bound: Option<f64>,
    /// Whether x lies in the domain of g.
    pub feasible: bool,
    /// The two blocks of a factorization, whose residual is the larger of theirs, relative to their scales.
    pub pair: Option<Pair>,
}

/// Records of the time before gradients could be inexact.
#[cfg(feature = "serde")]
#[allow(clippy::unnecessary_wraps)] // The type of the field.
fn exact() -> Option<f64> {
    Some(0.0)
}

/// What is true of a pair (X, A): each factor with the other one fixed.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Pair {
    /// R(X) for this A.
    #[cfg_attr(feature = "serde", serde(deserialize_with = "null_is_nan"))]
    pub residual_x: f64,
    /// R(A) for this X.
    #[cfg_attr(feature = "serde", serde(deserialize_with = "null_is_nan"))]
    pub residual_a: f64,
    /// ‖YAᵀ‖
    #[cfg_attr(feature = "serde", serde(deserialize_with = "null_is_nan"))]
    pub scale_x: f64,
    /// ‖XᵀY‖
    #[cfg_attr(feature = "serde", serde(deserialize_with = "null_is_nan"))]
    pub scale_a: f64,
    /// η of `residual_x`: 1/L with an upper bound L of ‖AAᵀ‖.
    #[cfg_attr(feature = "serde", serde(deserialize_with = "null_is_nan"))]
    pub step_x: f64,
    /// η of `residual_a`: 1/L with an upper bound L of ‖XᵀX‖.
    #[cfg_attr(feature = "serde", serde(deserialize_with = "null_is_nan"))]
    pub step_a: f64,
    /// An upper bound on F(X, A) − min F(X, ·), if a dual point was found.
    pub codes_gap: Option<f64>,
    /// Atoms that are zero or that no sample uses.
    pub dead_atoms: usize,
    /// The least by which replacing a dead atom by what a search has found would lower the objective: 0 if the search found no replacement,
    /// although one may exist; `None` if there was no search.
    pub escape: Option<f64>,
    /// A gain from reviving dead atoms counts from here on, as a fraction of the objective.
    #[cfg_attr(feature = "serde", serde(deserialize_with = "null_is_nan"))]
    pub size: f64,
}

impl Pair {
    /// The larger residual, relative to its scale; where that is 0, as for data that are 0, a slope is all that is there.
    pub fn residual(&self) -> f64 {
        let relative = |residual: f64, scale: f64| match (residual, scale) {
            (0.0, _) => 0.0,
            (_, 0.0) if residual.is_finite() => 1.0,
            _ => residual / scale,
        };
        let of_x = relative(self.residual_x, self.scale_x);
        let of_a = relative(self.residual_a, self.scale_a);
        // `max` would drop what is not a number.
        if of_x > of_a || of_x.is_nan() {
            of_x
        } else {
            of_a
        }
    }
}

impl AtPoint {
    /// The number that a tolerance is compared with: the residual and what a stopped prox or an inexact gradient may hide from it.
    pub fn stationarity(&self) -> f64 {
        let unknown = f64::INFINITY;
        self.residual + self.prox_error.unwrap_or(unknown) + self.gradient_error.unwrap_or(unknown)
    }

    /// Whether x is a point that may be returned: finite, and in the domain of g.
    pub fn is_sound(&self) -> bool {
        self.feasible && self.objective.is_finite() && self.residual.is_finite()
    }
}

#[cfg(test)]
mod tests {
    use super::Pair;

    /// Data that are 0 leave no scale, and a start beside the solution is no divergence.
    #[test]
    fn a_slope_without_a_scale_is_all_that_is_there() {
        let pair = |residual: f64, scale: f64| Pair {
            residual_x: residual,
            residual_a: 0.0,
            scale_x: scale,
            scale_a: 0.0,
            step_x: 1.0,
            step_a: 1.0,
            codes_gap: None,
            dead_atoms: 0,
            escape: None,
            size: 0.0,
        };
        assert_eq!(pair(1e-74, 0.0).residual(), 1.0);
        assert_eq!(pair(0.0, 0.0).residual(), 0.0);
        assert_eq!(pair(1.0, 4.0).residual(), 0.25);
        assert_eq!(pair(f64::INFINITY, 0.0).residual(), f64::INFINITY);
        assert!(pair(f64::NAN, 0.0).residual().is_nan());
    }
}
