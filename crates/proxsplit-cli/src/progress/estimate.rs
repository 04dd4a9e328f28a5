//! How far a run is on its way, and how long the rest may take.

use super::Look;
use crate::number;

/// Keeps what is needed to look ahead.
#[derive(Debug, Clone)]
pub(super) struct Estimate {
    /// Limits of the run.
    passes: f64,
    seconds: f64,
    first: Option<Look>,
}

/// Seconds: what is farther away than four days is no forecast.
const WORTH_SAYING: f64 = 4.0 * 86400.0;

impl Estimate {
    pub(super) fn new(passes: f64, seconds: f64) -> Self {
        Self {
            passes,
            seconds,
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
        let text = if left < WORTH_SAYING && spent > 0.0 {
            format!("{} left", number::clock(left))
        } else {
            String::new()
        };
        (share, text)
    }

    /// Seconds until the first of the limits.
    fn left(&self, first: &Look, now: &Look) -> f64 {
        let (spent, passes) = (now.seconds - first.seconds, now.pass - first.pass);
        let by_time = self.seconds - now.seconds;
        let by_passes = if passes > 0.0 {
            (self.passes - now.pass) * spent / passes
        } else {
            f64::INFINITY
        };
        // The residual falls about geometrically, so its logarithm goes to the tolerance's in a straight line.
        let fallen = (first.residual / now.residual).ln();
        let to_fall = (now.residual / now.target).ln();
        let by_residual = if now.target > 0.0 && fallen > 0.0 {
            spent * to_fall / fallen
        } else {
            f64::INFINITY
        };
        // NaN is never the smaller one.
        by_time.min(by_passes).min(by_residual).max(0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn look(pass: f64, seconds: f64, residual: f64, target: f64) -> Look {
        Look {
            pass,
            seconds,
            objective: 1.0,
            residual,
            target,
        }
    }

    #[test]
    fn the_nearest_limit_counts() {
        let mut estimate = Estimate::new(100.0, 1000.0);
        estimate.update(&look(0.0, 0.0, 1.0, 1e-6));
        // The pass limit is 90 s away; the residual has fallen by 1e-3 in 10 s and needs another 1e-3.
        let (share, text) = estimate.update(&look(10.0, 10.0, 1e-3, 1e-6));
        assert!((share - 0.5).abs() < 1e-9, "{share}");
        assert_eq!(text, "10 s left");
        let mut endless = Estimate::new(f64::INFINITY, f64::INFINITY);
        endless.update(&look(0.0, 0.0, 1.0, 0.0));
        let none = (0.0, String::new());
        assert_eq!(endless.update(&look(3.0, 1.0, 0.5, 0.0)), none);
    }
}
