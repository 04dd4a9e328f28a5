//! How far a run is on its way, and how long the rest may take.

use super::Look;
use crate::number;

/// What ends a run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Limits {
    pub(crate) passes: f64,
    pub(crate) seconds: f64,
    /// The fraction of the first residual that is aimed at; 0 for none.
    pub(crate) relative: f64,
}

/// Keeps what is needed to look ahead.
#[derive(Debug, Clone)]
pub(crate) struct Estimate {
    limits: Limits,
    first: Option<Look>,
}

impl Estimate {
    pub(super) fn new(limits: Limits) -> Self {
        Self {
            limits,
            first: None,
        }
    }

    /// The share of the way that is done, between 0 and 1, and the time left in words.
    pub(super) fn update(&mut self, look: &Look) -> (f64, String) {
        let first = *self.first.get_or_insert(*look);
        let spent = look.seconds - first.seconds;
        let left = self.left(&first, look);
        let share = if left.is_finite() && spent + left > 0.0 {
            spent / (spent + left)
        } else {
            0.0
        };
        let text = if left.is_finite() && spent > 0.0 {
            format!("about {} left", number::duration(left))
        } else {
            String::new()
        };
        (share, text)
    }

    /// Seconds until the first of the limits.
    fn left(&self, first: &Look, now: &Look) -> f64 {
        let limits = &self.limits;
        let (spent, passes) = (now.seconds - first.seconds, now.pass - first.pass);
        let by_time = limits.seconds - now.seconds;
        let by_passes = if passes > 0.0 {
            (limits.passes - now.pass) * spent / passes
        } else {
            f64::INFINITY
        };
        // The residual falls about geometrically, so its logarithm goes to the tolerance's in a straight line.
        let fallen = (first.residual / now.residual).ln();
        let to_fall = (now.residual / (limits.relative * first.residual)).ln();
        let by_residual = if limits.relative > 0.0 && fallen > 0.0 {
            spent * to_fall / fallen
        } else {
            f64::INFINITY
        };
        let left = by_time.min(by_passes);
        let left = if by_residual.is_nan() {
            left
        } else {
            left.min(by_residual)
        };
        left.max(0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn look(pass: f64, seconds: f64, residual: f64) -> Look {
        Look {
            pass,
            seconds,
            objective: 1.0,
            residual,
            measured: pass,
        }
    }

    #[test]
    fn the_nearest_limit_counts() {
        let limits = Limits {
            passes: 100.0,
            seconds: 1000.0,
            relative: 1e-6,
        };
        let mut estimate = Estimate::new(limits);
        estimate.update(&look(0.0, 0.0, 1.0));
        // The pass limit is 90 s away; the residual has fallen by 1e-3 in 10 s and needs another 1e-3.
        let (share, text) = estimate.update(&look(10.0, 10.0, 1e-3));
        assert!((share - 0.5).abs() < 1e-9, "{share}");
        assert_eq!(text, "about 10 s left");
        let endless = Limits {
            passes: f64::INFINITY,
            seconds: f64::INFINITY,
            relative: 0.0,
        };
        let mut estimate = Estimate::new(endless);
        estimate.update(&look(0.0, 0.0, 1.0));
        assert_eq!(estimate.update(&look(3.0, 1.0, 0.5)), (0.0, String::new()));
    }
}
