//! Coordinate sweeps for many columns at once, vectorized across columns: the elementary terms.
//!
//! min_a ½aᵀGa − cᵀa + W₁‖a‖₁ + (W₂/2)‖a‖² over l ≤ a ≤ u, one coordinate after the other, each solved exactly. A tile
//! holds a few registers of columns, coordinate by coordinate, and stays in the first-level cache for all its sweeps.

mod block;
mod turn;

use super::{Effort, Quadratic};
use crate::products::Lanes;
use block::{blocks, once};
use proxsplit::internal::parallel::Each;
use proxsplit::internal::scratch;
use proxsplit::{Elementary, simd};
use pulp::{Simd, WithSimd};
use rayon::prelude::*;
use turn::Turn;

/// Registers of columns in a tile.
const REGISTERS: usize = 4;

/// Sweeps over the columns of a factor that share G and a term: the numbers that all tiles need.
pub(crate) struct Sweeps<'a, T> {
    rank: usize,
    /// −G without its diagonal by blocks of rows, each column by column: what every coordinate pulls on those of a block, in the order
    /// in which it is read.
    pull: &'a [T],
    /// G_kk + W₂
    curvature: &'a [T],
    /// 1/(G_kk + W₂), or 0 where that is 0: such a coordinate goes to the point of [l, u] nearest to 0.
    inverse: &'a [T],
    shrink: T,
    bounds: (T, T),
    /// The first coordinate that moves.
    first: usize,
    effort: Effort,
}

/// Columns of a tile. Whatever the machine's registers, so that tiles and with them the stopping are cut alike.
pub(crate) const fn columns<T>() -> usize {
    REGISTERS * 64 / size_of::<T>()
}

/// Sweeps over all columns until each tile has converged or the effort is spent.
pub(super) fn sweep<T: Lanes>(
    problem: &Quadratic<'_, T>,
    codes: &mut [T],
    term: (Elementary, usize),
    effort: Effort,
) {
    let rank = problem.rank;
    Sweeps::with((problem.gram, rank), term, effort, |sweeps| {
        sweeps.improve_all(codes, problem.linear, &|codes, linear| {
            sweeps.improve(codes, linear);
        });
    });
}

/// Tiles that make a task: a small one is done before the next could begin, and more tasks than keep all threads busy are of no use.
fn together(tiles: usize) -> usize {
    (tiles / (16 * rayon::current_num_threads())).clamp(1, 16)
}

impl<T: Lanes> Sweeps<'_, T> {
    /// Calls `work` with the sweeps for G (K × K) and a term on the coordinates from the first that moves.
    pub(crate) fn with<R>(
        gram: (&[T], usize),
        term: (Elementary, usize),
        effort: Effort,
        work: impl FnOnce(&Sweeps<'_, T>) -> R,
    ) -> R {
        let rank = gram.1;
        scratch::with(rank * (rank + 2), |space: &mut [T]| {
            work(&Sweeps::new(gram, term, effort, space))
        })
    }

    /// Calls `improve` with all columns and what belongs to them, some tiles at a time, on all threads.
    pub(crate) fn improve_all(
        &self,
        codes: &mut [T],
        with: &[T],
        improve: &(dyn Fn(&mut [T], &[T]) + Sync),
    ) {
        let size = self.rank * columns::<T>();
        let task = size * together(codes.len() / size);
        codes
            .par_chunks_mut(task)
            .zip(with.par_chunks(task))
            .each(&|(codes, with)| improve(codes, with));
    }

    /// Improves columns tile by tile, on the calling thread. They begin at a tile of the factor.
    pub(crate) fn improve(&self, codes: &mut [T], linear: &[T]) {
        let (rank, lanes) = (self.rank, columns::<T>());
        let size = rank * lanes;
        scratch::with((2 * rank + 1) * lanes, |room: &mut [T]| {
            let (change, room) = room.split_at_mut(lanes);
            let (a, c) = room.split_at_mut(size);
            for (codes, linear) in codes.chunks_mut(size).zip(linear.chunks(size)) {
                simd::arch().dispatch(Tile {
                    columns: (codes, linear),
                    a: &mut *a,
                    c: &mut *c,
                    change: &mut *change,
                    sweeps: self,
                });
            }
        });
    }
}

impl<'a, T: Lanes> Sweeps<'a, T> {
    fn new(
        (gram, rank): (&[T], usize),
        (term, first): (Elementary, usize),
        effort: Effort,
        space: &'a mut [T],
    ) -> Self {
        let (pull, rest) = space.split_at_mut(rank * rank);
        let (curvature, inverse) = rest.split_at_mut(rank);
        for (k, size) in blocks(first, rank) {
            let pulls = pull[k * rank..][..size * rank].chunks_exact_mut(size);
            for (i, (pull, row)) in pulls.zip(gram.chunks_exact(rank)).enumerate() {
                for (b, (pull, &g)) in pull.iter_mut().zip(&row[k..]).enumerate() {
                    *pull = if i == k + b { T::ZERO } else { -g };
                }
            }
        }
        for k in 0..rank {
            curvature[k] = gram[k * rank + k] + T::of(term.sql2);
            let i = T::ONE / curvature[k];
            let sane = curvature[k] > T::ZERO && i.is_finite();
            inverse[k] = if sane { i } else { T::ZERO };
        }
        Self {
            rank,
            pull,
            curvature,
            inverse,
            shrink: T::of(term.l1),
            bounds: (T::of(term.lower), T::of(term.upper)),
            first,
            effort,
        }
    }
}

struct Tile<'a, T> {
    /// The codes and c of some columns.
    columns: (&'a mut [T], &'a [T]),
    /// Room for both, coordinate by coordinate.
    a: &'a mut [T],
    c: &'a mut [T],
    /// What a sweep changed, for every column.
    change: &'a mut [T],
    sweeps: &'a Sweeps<'a, T>,
}

impl<T: Lanes> WithSimd for Tile<'_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Effort { sweeps, tolerance } = self.sweeps.effort;
        let rank = self.sweeps.rank;
        let width = self.a.len() / rank;
        let (codes, linear) = self.columns;
        let turn = Turn::of(codes, (self.sweeps.first, rank), width);
        turn.load(simd, self.a, codes);
        turn.load(simd, self.c, linear);
        // The sums of a block fill half of the 32 registers of AVX-512 and ARM, or of the 16 of older machines.
        let registers = if S::REGISTER_COUNT >= 32 { 4 } else { 2 };
        let mut first = 0.0;
        for sweep in 0..sweeps {
            for part in (0..width).step_by(registers * T::count::<S>()) {
                let (tile, at) = ((&mut *self.a, &*self.c, &mut *self.change), (width, part));
                match registers {
                    4 => once::<T, S, 4>(simd, tile, at, self.sweeps),
                    _ => once::<T, S, 2>(simd, tile, at, self.sweeps),
                }
            }
            let change = turn.sum(simd, self.change);
            if sweep == 0 {
                first = change;
            }
            if change <= tolerance * tolerance * first {
                break;
            }
        }
        turn.store(simd, codes, self.a);
    }
}
