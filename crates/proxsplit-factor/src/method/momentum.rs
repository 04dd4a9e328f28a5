//! How far factors run ahead of themselves: a factor β that grows while the objective falls.
//!
//! Borrowed: A. Ang, N. Gillis, Accelerating nonnegative matrix factorization algorithms using extrapolation, 2019.

use crate::products::{Lanes, PART, in_order};
use proxsplit::internal::linalg::vec::distance_squared;
use proxsplit::simd;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::ops::Range;

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

/// A factor that is improved and then runs ahead of itself.
pub(crate) struct Running<'a, T> {
    /// K
    pub(crate) rank: usize,
    /// What it was before.
    pub(crate) old: &'a [T],
    pub(crate) new: &'a mut [T],
    pub(crate) ahead: &'a mut [T],
    pub(crate) how: Ahead<T>,
}

impl<T: Lanes> Running<'_, T> {
    /// All columns.
    pub(crate) fn columns(&self) -> Range<usize> {
        0..self.new.len() / self.rank
    }

    /// Runs ahead; returns ‖new − old‖².
    pub(crate) fn run(&mut self) -> f64 {
        run_ahead(self.ahead, self.new, self.old, self.how)
    }
}

/// By how much to run ahead, and between which bounds.
#[derive(Clone, Copy)]
pub(crate) struct Ahead<T> {
    beta: T,
    lower: T,
    upper: T,
}

impl<T: Lanes> Ahead<T> {
    /// By β, between the bounds of a term's entries.
    pub(crate) fn of(beta: f64, term: Option<proxsplit::Elementary>) -> Self {
        let (lower, upper) =
            term.map_or((f64::NEG_INFINITY, f64::INFINITY), |t| (t.lower, t.upper));
        Self {
            beta: T::of(beta),
            lower: T::of(lower),
            upper: T::of(upper),
        }
    }

    /// ahead ← new + β(new − old), kept between the bounds, on the calling thread; returns ‖new − old‖².
    pub(crate) fn run(self, ahead: &mut [T], new: &[T], old: &[T]) -> f64 {
        simd::arch().dispatch(
            #[inline(always)]
            || {
                for ((ahead, &new), &old) in ahead.iter_mut().zip(new).zip(old) {
                    let far = new + self.beta * (new - old);
                    *ahead = far.max(self.lower).min(self.upper);
                }
            },
        );
        distance_squared(new, old)
    }
}

/// The same on all threads.
pub(crate) fn run_ahead<T: Lanes>(ahead: &mut [T], new: &[T], old: &[T], how: Ahead<T>) -> f64 {
    let parts = ahead
        .par_chunks_mut(PART)
        .zip(new.par_chunks(PART).zip(old.par_chunks(PART)));
    in_order(parts, &|(ahead, (new, old))| how.run(ahead, new, old))
}
