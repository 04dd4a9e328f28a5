//! What a look has found of both factors, put together. The numbers of A are sums over samples, wherever these are.

use crate::products::Lanes;
use proxsplit::{AtPoint, Pair};

/// Residuals above this, relative to their scale, are never taken for rounding.
const LARGEST_ROUNDING: f64 = 1e-4;

/// Numbers of X and of A; pairs are in this order.
pub(crate) struct Parts {
    pub(crate) misfit: f64,
    pub(crate) penalties: (f64, f64),
    /// ‖F − P_η(F − η·slope)‖/η
    pub(crate) residuals: (f64, f64),
    /// What a stopped prox may hide from them, if that is known.
    pub(crate) errors: (Option<f64>, Option<f64>),
    /// The sizes of what cancels in the slopes.
    pub(crate) scales: (f64, f64),
    /// 1/L
    pub(crate) steps: (f64, f64),
    pub(crate) norms: (f64, f64),
    /// m and T.
    pub(crate) shape: (usize, usize),
    pub(crate) codes_gap: Option<f64>,
    pub(crate) dead_atoms: usize,
    /// What replacing one gains.
    pub(crate) escape: Option<f64>,
    /// The misfit's size.
    pub(crate) size: f64,
}

impl Parts {
    pub(crate) fn at_point<T: Lanes>(&self) -> AtPoint {
        let (scales, steps) = (self.scales, self.steps);
        let pair = Pair {
            residual_x: self.residuals.0,
            residual_a: self.residuals.1,
            scale_x: scales.0,
            scale_a: scales.1,
            step_x: steps.0,
            step_a: steps.1,
            codes_gap: self.codes_gap,
            dead_atoms: self.dead_atoms,
            escape: self.escape,
            size: self.size,
        };
        let level = |step: f64, norm: f64, scale: f64, terms: usize| {
            let size = (terms as f64).sqrt() * norm / step + scale;
            2.0 * T::EPSILON.f64() * size / scale
        };
        let of_x = level(steps.0, self.norms.0, scales.0, self.shape.1);
        let rounding = of_x.max(level(steps.1, self.norms.1, scales.1, self.shape.0));
        let relative =
            |error: Option<f64>, scale: f64| error.map(|e| if e == 0.0 { 0.0 } else { e / scale });
        let errors = relative(self.errors.0, scales.0).zip(relative(self.errors.1, scales.1));
        let penalties = self.penalties;
        AtPoint {
            objective: self.misfit + penalties.0 + penalties.1,
            residual: pair.residual(),
            reference_step: steps.0,
            prox_error: errors.map(|(x, a)| x.max(a)),
            gradient_error: Some(0.0),
            scale: 1.0,
            // A scale that has all but vanished must not excuse a large residual.
            rounding: if rounding <= LARGEST_ROUNDING {
                rounding
            } else {
                0.0
            },
            fall: None,
            before: None,
            gap: None,
            lower_bound: None,
            feasible: penalties.0.is_finite() && penalties.1.is_finite(),
            pair: Some(pair),
        }
    }
}
