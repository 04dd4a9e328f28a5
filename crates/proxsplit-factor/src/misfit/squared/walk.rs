//! What follows a product in one walk through its factor: a stretch of columns gets its sweeps, its momentum, its sums and its part of
//! the Gram matrix while it is in the cache.
//!
//! Step by step each of these would read the factor from memory again, and wait for all threads before the next. The products with
//! sparse data are no part of it: they need the cache for the other factor.

use crate::codes::{self, Sweeps};
use crate::method::momentum::Running;
use crate::products::{Lanes, Parts};
use proxsplit::internal::linalg::vec;
use proxsplit::internal::parallel::Each;
use proxsplit::internal::scratch;
use rayon::prelude::*;

/// Numbers of a stretch, about: with what belongs to it, it stays in the second-level cache.
const STRETCH: usize = 2048;

/// Of which factor the Gram matrix is found.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Whose {
    New,
    Ahead,
}

/// Sums over a factor.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sums {
    /// ‖new − old‖²
    pub(super) moved: f64,
    /// ⟨new, C⟩
    pub(super) cross: f64,
}

/// Improves all columns for their linear parts C, lets them run ahead, and finds the Gram matrix of one or the other.
///
/// Tasks are the chunks of the Gram matrix, whose stretches other threads may take.
pub(super) fn walk<T: Lanes>(
    sweeps: &Sweeps<'_, T>,
    linear: &[T],
    factor: &mut Running<'_, T>,
    (gram, whose): (&mut [T], Whose),
) -> Sums {
    let (rank, how) = (factor.rank, factor.how);
    let parts = Parts::of::<T>(rank, factor.columns().end);
    let stretch = stretch::<T>(rank);
    let pieces = 2 * parts.columns.div_ceil(stretch);
    let size = parts.len() / parts.size * pieces;
    let all = Columns {
        new: &mut *factor.new,
        ahead: &mut *factor.ahead,
        old: factor.old,
        linear,
    };
    let improve = |columns: Columns<'_, T>, sums: &mut [f64]| {
        sweeps.improve(columns.new, columns.linear);
        sums[0] = how.run(columns.ahead, columns.new, columns.old);
        sums[1] = match whose {
            Whose::New => vec::dot(columns.new, columns.linear),
            Whose::Ahead => 0.0,
        };
    };
    scratch::with(size, |sums: &mut [f64]| {
        sums.fill(0.0);
        scratch::with(parts.len(), |grams: &mut [T]| {
            let grams_and_sums = grams
                .par_chunks_mut(parts.size)
                .zip(sums.par_chunks_mut(pieces));
            let chunks = all.in_parts(rank * parts.columns);
            chunks
                .zip(grams_and_sums)
                .each(&|(mut chunk, (gram, sums))| {
                    let stretches = chunk.reborrow().in_parts(rank * stretch);
                    stretches
                        .zip(sums.par_chunks_mut(2))
                        .each(&|(columns, sums)| improve(columns, sums));
                    parts.find(gram, chunk.of(whose));
                });
            parts.add(gram, grams);
        });
        let total = |which: usize| sums.iter().skip(which).step_by(2).sum();
        Sums {
            moved: total(0),
            cross: total(1),
        }
    })
}

/// Columns of a stretch: whole tiles.
fn stretch<T>(rank: usize) -> usize {
    (STRETCH / rank)
        .max(1)
        .next_multiple_of(codes::columns::<T>())
}

/// Some columns of a factor, as [`Running`] has them, and their linear parts.
struct Columns<'a, T> {
    new: &'a mut [T],
    ahead: &'a mut [T],
    old: &'a [T],
    linear: &'a [T],
}

impl<'a, T: Lanes> Columns<'a, T> {
    /// The same in parts with so many numbers.
    fn in_parts(self, size: usize) -> impl IndexedParallelIterator<Item = Columns<'a, T>> {
        let known = self.old.par_chunks(size).zip(self.linear.par_chunks(size));
        let found = self
            .new
            .par_chunks_mut(size)
            .zip(self.ahead.par_chunks_mut(size));
        found
            .zip(known)
            .map(|((new, ahead), (old, linear))| Columns {
                new,
                ahead,
                old,
                linear,
            })
    }

    fn reborrow(&mut self) -> Columns<'_, T> {
        Columns {
            new: self.new,
            ahead: self.ahead,
            old: self.old,
            linear: self.linear,
        }
    }

    fn of(&self, whose: Whose) -> &[T] {
        match whose {
            Whose::New => self.new,
            Whose::Ahead => self.ahead,
        }
    }
}
