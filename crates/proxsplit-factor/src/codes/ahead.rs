//! Factors that run ahead of themselves, by a share of what they have moved.

use crate::products::{Lanes, PART, in_order};
use proxsplit::internal::linalg::vec::distance_squared;
use proxsplit::{Elementary, simd};
use pulp::{Simd, WithSimd};
use rayon::prelude::*;
use std::ops::Range;

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
    pub(crate) fn of(beta: f64, term: Option<Elementary>) -> Self {
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
        simd::arch().dispatch(RunAhead {
            how: self,
            ahead,
            new,
            old,
        })
    }
}

struct RunAhead<'a, T> {
    how: Ahead<T>,
    ahead: &'a mut [T],
    new: &'a [T],
    old: &'a [T],
}

impl<T: Lanes> WithSimd for RunAhead<'_, T> {
    type Output = f64;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> f64 {
        let Ahead { beta, lower, upper } = self.how;
        for ((ahead, &new), &old) in self.ahead.iter_mut().zip(self.new).zip(self.old) {
            let far = new + beta * (new - old);
            *ahead = far.max(lower).min(upper);
        }
        distance_squared(self.new, self.old)
    }
}

/// The same on all threads.
pub(crate) fn run_ahead<T: Lanes>(ahead: &mut [T], new: &[T], old: &[T], how: Ahead<T>) -> f64 {
    let parts = ahead
        .par_chunks_mut(PART)
        .zip(new.par_chunks(PART).zip(old.par_chunks(PART)));
    in_order(parts, &|(ahead, (new, old))| how.run(ahead, new, old))
}
