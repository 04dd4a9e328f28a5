//! FFᵀ and ⟨F, C⟩ for narrow matrices, in fixed chunks of columns whose sums are added in order, in `f64`.

use super::kernel::{Block, accumulate, accumulate_upper, padded, unpad};
use super::lanes::{FEW, Lanes};
use proxsplit::internal::linalg::vec;
use proxsplit::internal::parallel::Each;
use proxsplit::internal::scratch;
use proxsplit::simd;
use pulp::{Simd, WithSimd};
use rayon::prelude::*;

/// Columns of a chunk: eight chunks of a small factor, so that threads share it evenly, and no more of them than pay for their sums. Whole
/// tiles of the code sweeps, which go along.
pub(crate) fn chunk(columns: usize) -> usize {
    columns.div_ceil(8).next_multiple_of(64).clamp(64, 1024)
}
/// Numbers of which one task finds a part of a sum.
pub(crate) const PART: usize = 1 << 15;

/// gram (K × K) ← F·Fᵀ for F with `rank` rows.
pub(crate) fn gram<T: Lanes>(gram: &mut [T], f: &[T], rank: usize) {
    let parts = Parts::of::<T>(rank, f.len() / rank);
    scratch::with(parts.len(), |sums: &mut [T]| {
        sums.par_chunks_mut(parts.size)
            .zip(f.par_chunks(rank * parts.columns))
            .each(&|(sum, f)| parts.find(sum, f));
        parts.add(gram, sums);
    });
}

/// How a Gram matrix is found in parts, chunk by chunk of the columns of F, which are then added in order.
#[derive(Clone, Copy)]
pub(crate) struct Parts {
    rank: usize,
    chunks: usize,
    /// Columns of a chunk.
    pub(crate) columns: usize,
    /// Numbers of a part.
    pub(crate) size: usize,
}

impl Parts {
    /// For F with so many rows and columns.
    pub(crate) fn of<T: Lanes>(rank: usize, columns: usize) -> Self {
        let (chunk, size) = match rank {
            FEW => (FEW_TOGETHER, MOVES * TOGETHER),
            _ => (chunk(columns), padded::<T>(rank) * rank),
        };
        Self {
            rank,
            chunks: columns.div_ceil(chunk),
            columns: chunk,
            size,
        }
    }

    /// How many parts there are.
    pub(crate) fn count(&self) -> usize {
        self.chunks
    }

    /// Numbers of all parts.
    pub(crate) fn len(&self) -> usize {
        self.chunks * self.size
    }

    /// The part of a chunk, on the calling thread.
    pub(crate) fn find<T: Lanes>(&self, part: &mut [T], f: &[T]) {
        if self.rank == FEW {
            return simd::arch().dispatch(SquareOfFew { sums: part, f });
        }
        part.fill(T::ZERO);
        accumulate_upper(part, f, transposed(f, self.rank), self.rank);
    }

    /// gram ← the sum of all parts
    pub(crate) fn add<T: Lanes>(&self, gram: &mut [T], parts: &[T]) {
        if self.rank == FEW {
            return add_few(gram, parts);
        }
        let (rank, ld) = (self.rank, padded::<T>(self.rank));
        scratch::with(rank, |total: &mut [f64]| {
            for j in 0..rank {
                let total = &mut total[..=j];
                sum_lines(total, parts, (self.size, j * ld));
                for (i, &total) in total.iter().enumerate() {
                    gram[j * rank + i] = T::of(total);
                    gram[i * rank + j] = T::of(total);
                }
            }
        });
    }
}

/// Numbers that are read together, four columns of them: as many as the largest register holds.
const TOGETHER: usize = 16;
/// A column is multiplied by itself, moved by so many places: 0, 1 and 2 meet all pairs.
const MOVES: usize = 3;

/// Columns of a chunk of few rows.
const FEW_TOGETHER: usize = 4096;

/// The sum of parts of few rows: an entry is the sum over every fourth column, four times.
fn add_few<T: Lanes>(gram: &mut [T], parts: &[T]) {
    for moved in 0..MOVES {
        for i in 0..FEW {
            let places = parts.chunks_exact(MOVES * TOGETHER).flat_map(|part| {
                let sums = &part[moved * TOGETHER..][..TOGETHER];
                sums.iter().skip(i).step_by(FEW)
            });
            let (j, total) = ((i + moved) % FEW, places.map(|sum| sum.f64()).sum());
            gram[j * FEW + i] = T::of(total);
            gram[i * FEW + j] = T::of(total);
        }
    }
}

/// The sums of one chunk.
struct SquareOfFew<'a, T> {
    sums: &'a mut [T],
    f: &'a [T],
}

impl<T: Lanes> WithSimd for SquareOfFew<'_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let mut sums = [[T::ZERO; TOGETHER]; MOVES];
        let (blocks, rest) = self.f.as_chunks::<TOGETHER>();
        for block in blocks {
            sums = with_squares(sums, block);
        }
        let mut last = [T::ZERO; TOGETHER];
        last[..rest.len()].copy_from_slice(rest);
        sums = with_squares(sums, &last);
        self.sums.copy_from_slice(sums.as_flattened());
    }
}

/// The sums and what a block adds to them. They are passed by value, so that they stay in registers.
#[inline(always)]
fn with_squares<T: Lanes>(
    mut sums: [[T; TOGETHER]; MOVES],
    block: &[T; TOGETHER],
) -> [[T; TOGETHER]; MOVES] {
    for (moves, sum) in sums.iter_mut().enumerate() {
        for at in 0..TOGETHER {
            sum[at] += block[at] * block[moved(at, moves)];
        }
    }
    sums
}

/// So many places further in the same column.
#[inline(always)]
fn moved(at: usize, by: usize) -> usize {
    at / FEW * FEW + (at + by) % FEW
}

/// total ← what the parts of this size have from `at` on, added in order.
fn sum_lines<T: Lanes>(total: &mut [f64], parts: &[T], (size, at): (usize, usize)) {
    simd::arch().dispatch(
        #[inline(always)]
        || {
            total.fill(0.0);
            for part in parts.chunks_exact(size) {
                for (total, number) in total.iter_mut().zip(&part[at..]) {
                    *total += number.f64();
                }
            }
        },
    );
}

/// sum (ld × K) ← F·Fᵀ, on the calling thread.
pub(super) fn square<T: Lanes>(sum: &mut [T], f: &[T], rank: usize) {
    sum.fill(T::ZERO);
    accumulate(sum, f, transposed(f, rank), rank);
}

/// Fᵀ
fn transposed<T>(f: &[T], rank: usize) -> Block<'_, T> {
    Block {
        data: f,
        rows: f.len() / rank,
        cols: rank,
        row: rank,
        col: 1,
    }
}

/// out (K × n) ← G·F for a K × K matrix G, on the calling thread.
pub(crate) fn small_product<T: Lanes>(out: &mut [T], g: &[T], f: &[T], rank: usize) {
    let cols = f.len() / rank;
    let block = Block {
        data: f,
        rows: rank,
        cols,
        row: 1,
        col: rank,
    };
    if padded::<T>(rank) == rank {
        out.fill(T::ZERO);
        return accumulate(out, g, block, rank);
    }
    scratch::with(padded::<T>(rank) * cols, |sum: &mut [T]| {
        sum.fill(T::ZERO);
        accumulate(sum, g, block, rank);
        unpad(out, sum, rank, T::ONE, false);
    });
}

/// Columns that one task multiplies: what it makes of them stays in its cache, and a few hundred are work for more than one.
const TASK: usize = 128;

/// The same on all threads.
pub(crate) fn times<T: Lanes>(out: &mut [T], gram: &[T], factor: &[T], rank: usize) {
    out.par_chunks_mut(rank * TASK)
        .zip(factor.par_chunks(rank * TASK))
        .each(&|(out, factor)| small_product(out, gram, factor, rank));
}

/// out ← G·F + αC, by one walk through memory.
pub(crate) fn times_plus<T: Lanes>(
    out: &mut [T],
    (gram, factor): (&[T], &[T]),
    (alpha, plus): (T, &[T]),
    rank: usize,
) {
    let parts = factor
        .par_chunks(rank * TASK)
        .zip(plus.par_chunks(rank * TASK));
    out.par_chunks_mut(rank * TASK)
        .zip(parts)
        .each(&|(out, (factor, plus))| {
            small_product(out, gram, factor, rank);
            vec::axpy(alpha, plus, out);
        });
}

/// out ← G·F − C, and then C ← C + ridge·F, by one walk through memory.
pub(crate) fn times_less_then_ridge<T: Lanes>(
    out: &mut [T],
    (gram, factor): (&[T], &[T]),
    (less, ridge): (&mut [T], T),
    rank: usize,
) {
    let parts = factor
        .par_chunks(rank * TASK)
        .zip(less.par_chunks_mut(rank * TASK));
    out.par_chunks_mut(rank * TASK)
        .zip(parts)
        .each(&|(out, (factor, less))| {
            small_product(out, gram, factor, rank);
            vec::axpy(-T::ONE, less, out);
            if ridge > T::ZERO {
                vec::axpy(ridge, factor, less);
            }
        });
}

/// out ← G·(F − F₀), or out + that, by one walk through memory.
pub(crate) fn times_difference<T: Lanes>(
    (out, adds): (&mut [T], bool),
    gram: &[T],
    (factor, less): (&[T], &[T]),
    rank: usize,
) {
    let parts = factor
        .par_chunks(rank * TASK)
        .zip(less.par_chunks(rank * TASK));
    out.par_chunks_mut(rank * TASK)
        .zip(parts)
        .each(&|(out, (factor, less))| {
            scratch::with(2 * out.len(), |room: &mut [T]| {
                let (difference, product) = room.split_at_mut(out.len());
                difference.copy_from_slice(factor);
                vec::axpy(-T::ONE, less, difference);
                if adds {
                    small_product(product, gram, difference, rank);
                    vec::axpy(T::ONE, product, out);
                } else {
                    small_product(out, gram, difference, rank);
                }
            });
        });
}

/// y ← y + αx, on all threads where that is worth it.
pub(crate) fn add<T: Lanes>(alpha: T, x: &[T], y: &mut [T]) {
    if y.len() <= PART {
        return vec::axpy(alpha, x, y);
    }
    let parts = y.par_chunks_mut(PART).zip(x.par_chunks(PART));
    parts.each(&|(y, x)| vec::axpy(alpha, x, y));
}

/// y ← x, on all threads: a factor of many features is larger than a core's share of the caches.
pub(crate) fn copy<T: Lanes>(y: &mut [T], x: &[T]) {
    let parts = y.par_chunks_mut(PART).zip(x.par_chunks(PART));
    parts.each(&|(y, x)| y.copy_from_slice(x));
}

/// y ← αx, on all threads.
pub(crate) fn multiple<T: Lanes>(y: &mut [T], alpha: T, x: &[T]) {
    let parts = y.par_chunks_mut(PART).zip(x.par_chunks(PART));
    parts.each(&|(y, x)| {
        for (y, &x) in y.iter_mut().zip(x) {
            *y = alpha * x;
        }
    });
}

/// ⟨a, b⟩
pub(crate) fn dot<T: Lanes>(a: &[T], b: &[T]) -> f64 {
    sum(a, b, vec::dot)
}

/// ‖a − b‖²
pub(crate) fn distance_squared<T: Lanes>(a: &[T], b: &[T]) -> f64 {
    sum(a, b, vec::distance_squared)
}

/// ‖a‖, by the norms of parts.
pub(crate) fn norm<T: Lanes>(a: &[T]) -> f64 {
    scratch::with(a.len().div_ceil(PART), |norms: &mut [f64]| {
        let parts = norms.par_iter_mut().zip(a.par_chunks(PART));
        parts.each(&|(norm, part)| *norm = vec::norm(part));
        vec::norm(norms)
    })
}

fn sum<T: Lanes>(a: &[T], b: &[T], part: impl Fn(&[T], &[T]) -> f64 + Sync) -> f64 {
    if a.len() <= PART {
        return part(a, b);
    }
    let pairs = a.par_chunks(PART).zip(b.par_chunks(PART));
    in_order(pairs, &|(a, b)| part(a, b))
}

/// Σ of what `of_part` finds in the parts, one after the other, whatever thread has found which.
pub(crate) fn in_order<P: IndexedParallelIterator>(
    parts: P,
    of_part: &(dyn Fn(P::Item) -> f64 + Sync),
) -> f64 {
    scratch::with(parts.len(), |sums: &mut [f64]| {
        sums.par_iter_mut()
            .zip(parts)
            .for_each(|(sum, part)| *sum = of_part(part));
        sums.iter().sum()
    })
}
