//! What follows a product in one walk through its factor: a stretch of columns gets its sweeps, its momentum, its sums and its part of
//! the Gram matrix while it is in the cache.
//!
//! Step by step each of these would read the factor from memory again, and wait for all threads before the next. The products with
//! sparse data are no part of it: they need the cache for the other factor.

use super::Running;
use super::tiles::{self, Sweeps};
use crate::products::{Lanes, Parts};
use proxsplit::internal::linalg::vec;
use proxsplit::internal::parallel::Each;
use proxsplit::internal::scratch;
use rayon::iter::Either;
use rayon::prelude::*;
use std::ops::Range;

/// Numbers of a stretch, about: with what belongs to it, it stays in the second-level cache.
const STRETCH: usize = 2048;

/// Of which factor the Gram matrix is found.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Whose {
    New,
    Ahead,
}

/// Sums over a factor.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sums {
    /// ‖new − old‖²
    pub(crate) moved: f64,
    /// ⟨new, C⟩
    pub(crate) cross: f64,
}

/// Improves all columns for their linear parts C, lets them run ahead, and finds the Gram matrix of one or the other.
pub(crate) fn walk<T: Lanes>(
    sweeps: &Sweeps<'_, T>,
    linear: &[T],
    factor: &mut Running<'_, T>,
    gram: (&mut [T], Whose),
) -> Sums {
    let (old, how) = (factor.old, factor.how);
    let sums_new = gram.1 == Whose::New;
    let whole = Stretch::of(factor.new, Some(factor.ahead));
    let [moved, cross] = in_stretches(factor.rank, whole, gram, &|stretch| {
        let Stretch {
            numbers,
            new,
            ahead,
        } = stretch;
        let (old, linear) = (&old[numbers.clone()], &linear[numbers]);
        sweeps.improve(new, linear);
        let moved = ahead.map_or(0.0, |ahead| how.run(ahead, new, old));
        [moved, if sums_new { vec::dot(new, linear) } else { 0.0 }]
    });
    Sums { moved, cross }
}

/// Some columns of a factor.
pub(crate) struct Stretch<'a, T> {
    /// Where they are in it.
    pub(crate) numbers: Range<usize>,
    pub(crate) new: &'a mut [T],
    /// What is written beside them, if anything is: where they run ahead.
    pub(crate) ahead: Option<&'a mut [T]>,
}

/// Changes all columns, stretch by stretch, and finds the Gram matrix of them or of what runs ahead; returns the sums of what `change` found.
///
/// Tasks are the chunks of the Gram matrix, whose stretches other threads may take.
pub(crate) fn in_stretches<T: Lanes, const N: usize>(
    rank: usize,
    factor: Stretch<'_, T>,
    (gram, whose): (&mut [T], Whose),
    change: &(dyn Fn(Stretch<'_, T>) -> [f64; N] + Sync),
) -> [f64; N] {
    let parts = Parts::of::<T>(rank, factor.new.len() / rank);
    let columns = columns::<T>(rank);
    let pieces = N * parts.columns.div_ceil(columns);
    scratch::with(parts.count() * pieces, |sums: &mut [f64]| {
        sums.fill(0.0);
        scratch::with(parts.len(), |grams: &mut [T]| {
            let found = grams
                .par_chunks_mut(parts.size)
                .zip(sums.par_chunks_mut(pieces));
            factor
                .cut(rank * parts.columns)
                .zip(found)
                .each(&|(mut chunk, (gram, sums))| {
                    let stretches = chunk.reborrow().cut(rank * columns);
                    stretches
                        .zip(sums.par_chunks_mut(N))
                        .each(&|(stretch, sums)| sums.copy_from_slice(&change(stretch)));
                    parts.find(gram, chunk.of_whom(whose));
                });
            parts.add(gram, grams);
        });
        std::array::from_fn(|which| sums.iter().skip(which).step_by(N).sum())
    })
}

/// Columns of a stretch: whole tiles.
fn columns<T>(rank: usize) -> usize {
    (STRETCH / rank)
        .max(1)
        .next_multiple_of(tiles::columns::<T>())
}

impl<'a, T: Lanes> Stretch<'a, T> {
    /// All columns.
    pub(crate) fn of(new: &'a mut [T], ahead: Option<&'a mut [T]>) -> Self {
        Self {
            numbers: 0..new.len(),
            new,
            ahead,
        }
    }

    /// The same in parts with so many numbers.
    fn cut(self, size: usize) -> impl IndexedParallelIterator<Item = Stretch<'a, T>> {
        let count = self.new.len().div_ceil(size);
        let ahead = match self.ahead {
            Some(ahead) => Either::Left(ahead.par_chunks_mut(size).map(Some)),
            None => Either::Right((0..count).into_par_iter().map(|_| None)),
        };
        let first = self.numbers.start;
        let parts = self.new.par_chunks_mut(size).zip(ahead).enumerate();
        parts.map(move |(part, (new, ahead))| {
            let start = first + part * size;
            Stretch {
                numbers: start..start + new.len(),
                new,
                ahead,
            }
        })
    }

    fn reborrow(&mut self) -> Stretch<'_, T> {
        Stretch {
            numbers: self.numbers.clone(),
            new: self.new,
            ahead: self.ahead.as_deref_mut(),
        }
    }

    fn of_whom(&self, whose: Whose) -> &[T] {
        match (whose, &self.ahead) {
            (Whose::Ahead, Some(ahead)) => ahead,
            _ => self.new,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Sums, Whose, walk};
    use crate::codes::{Ahead, Effort, Quadratic, Running, Side, Sweeps, Term, run_ahead};
    use crate::products::{Lanes, dot, gram};
    use proxsplit::prox::NonNegL1;
    use rand::{RngExt, SeedableRng};
    use rand_pcg::Pcg64;

    const EFFORT: Effort = Effort {
        sweeps: 6,
        tolerance: 1e-2,
    };

    /// A walk finds what sweeps, momentum, Gram matrix and sums find one after the other: the same bits, and the same sums but for rounding.
    fn agrees<T: Lanes>(rank: usize, columns: usize, whose: Whose) {
        let name = format!("rank {rank}, {columns} columns");
        let mut random = Pcg64::seed_from_u64(7);
        let mut draw = |count: usize| -> Vec<T> {
            (0..count)
                .map(|_| T::of(random.random_range(-0.3..1.0)))
                .collect()
        };
        let (other, old, start, linear) = (
            draw(rank * (rank + 3)),
            draw(rank * columns),
            draw(rank * columns),
            draw(rank * columns),
        );
        let mut g = vec![T::ZERO; rank * rank];
        gram(&mut g, &other, rank);
        let psi = NonNegL1::new(0.05).unwrap();
        let term = Term::new(&psi, Side::Codes);
        let how = Ahead::of(0.4, term.elementary);

        let problem = Quadratic {
            gram: &g,
            linear: &linear,
            rank,
            own: None,
            weights: None,
        };
        let (mut new, mut ahead) = (start.clone(), start.clone());
        term.solve(problem, &mut new, EFFORT);
        let moved = run_ahead(&mut ahead, &new, &old, how);
        let mut square = vec![T::ZERO; rank * rank];
        let (whole, cross) = match whose {
            Whose::New => (&new, dot(&new, &linear)),
            Whose::Ahead => (&ahead, 0.0),
        };
        gram(&mut square, whole, rank);

        let (mut walked, mut walked_ahead) = (start.clone(), start.clone());
        let mut walked_square = vec![T::ZERO; rank * rank];
        let mut running = Running {
            rank,
            old: &old,
            new: &mut walked,
            ahead: &mut walked_ahead,
            how,
        };
        let swept = term.swept().unwrap();
        let sums = Sweeps::with((&g, rank), swept, EFFORT, |sweeps| {
            walk(sweeps, &linear, &mut running, (&mut walked_square, whose))
        });
        assert_eq!(walked, new, "{name}");
        assert_eq!(walked_ahead, ahead, "{name}");
        assert_eq!(walked_square, square, "{name}");
        let Sums {
            moved: walked_moved,
            cross: walked_cross,
        } = sums;
        let is_near = |a: f64, b: f64| (a - b).abs() <= 1e-5 * (1.0 + b.abs());
        assert!(
            is_near(walked_moved, moved),
            "{name}: {walked_moved} {moved}"
        );
        assert!(
            is_near(walked_cross, cross),
            "{name}: {walked_cross} {cross}"
        );
    }

    #[test]
    fn a_walk_is_its_steps() {
        for (rank, columns) in [(1, 5), (4, 9000), (9, 1300), (33, 700), (49, 64)] {
            for whose in [Whose::New, Whose::Ahead] {
                agrees::<f64>(rank, columns, whose);
                agrees::<f32>(rank, columns, whose);
            }
        }
    }
}
