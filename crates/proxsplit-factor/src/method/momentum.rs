//! How far factors run ahead of themselves: a factor β that grows while the objective falls.
//!
//! Borrowed: A. Ang, N. Gillis, Accelerating nonnegative matrix factorization algorithms using extrapolation, 2019.

use serde::{Deserialize, Serialize};

const GROWTH: f64 = 1.02;
const CAP_GROWTH: f64 = 1.01;
const FAILURE: f64 = 1.5;
/// Momentum that gains less than this share of the pass before is spent.
const SPENT: f64 = 0.5;

/// β and what it depends on.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(crate) struct Momentum {
    pub(crate) beta: f64,
    /// β must not grow beyond this.
    cap: f64,
    /// The last β that did well.
    good: f64,
    /// How much the last good pass gained, if there was one.
    pub(crate) gain: Option<f64>,
}

impl Momentum {
    pub(crate) const START: Self = Self {
        beta: 0.5,
        cap: 1.0,
        good: 0.5,
        gain: None,
    };

    /// Lets β grow after a pass that gained something, and shrink after one that lost more than `slack`; whether the next pass is to
    /// begin without momentum, because there was a loss or hardly a gain. Nothing is known of a first pass.
    pub(crate) fn see(&mut self, gain: Option<f64>, slack: f64) -> bool {
        let (before, fell) = (*self, gain.unwrap_or(0.0));
        if fell < -slack || fell.is_nan() {
            self.beta = before.beta / FAILURE;
            self.cap = before.good;
            return true;
        }
        *self = Self {
            beta: (before.beta * GROWTH).min(before.cap),
            cap: (before.cap * CAP_GROWTH).min(1.0),
            good: before.beta,
            gain,
        };
        before.gain.is_some_and(|last| fell < SPENT * last)
    }
}

/// What `batch` knows of its extrapolation.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(crate) struct Extrapolation {
    #[serde(flatten)]
    pub(crate) momentum: Momentum,
    /// Whether the objective in memory is that of X with the codes that run ahead; after a restart it is not.
    pub(crate) is_known: bool,
    /// The next plain pass comes after this one.
    pub(crate) next_plain: u64,
    /// The objective where the last plain pass ended.
    pub(crate) plain: Option<f64>,
}

impl Extrapolation {
    pub(crate) const START: Self = Self {
        momentum: Momentum::START,
        is_known: false,
        next_plain: 16,
        plain: None,
    };

    /// Whether the pass after this one is a plain one.
    pub(crate) fn is_plain_next(&self, pass: u64) -> bool {
        pass >= self.next_plain && self.is_known
    }
}
