//! FFᵀ and ⟨F, C⟩ for narrow matrices, in fixed chunks of columns whose sums are added in order, in `f64`.

use super::kernel::{Block, accumulate, padded, unpad};
use super::lanes::Lanes;
use proxsplit::internal::linalg::vec;
use proxsplit::internal::parallel::Each;
use proxsplit::internal::scratch;
use rayon::prelude::*;

/// Columns of a chunk: eight chunks of a small factor, so that threads share it evenly, and no more of them than pay for their sums.
fn chunk(columns: usize) -> usize {
    columns.div_ceil(8).clamp(64, 1024)
}
/// Numbers of which one task finds a part of a sum.
pub(crate) const PART: usize = 1 << 15;

/// gram (K × K) ← F·Fᵀ for F with `rank` rows.
pub(crate) fn gram<T: Lanes>(gram: &mut [T], f: &[T], rank: usize) {
    let ld = padded::<T>(rank);
    let (size, length) = (ld * rank, rank * chunk(f.len() / rank));
    scratch::with(f.len().div_ceil(length) * size, |parts: &mut [T]| {
        parts
            .par_chunks_mut(size)
            .zip(f.par_chunks(length))
            .each(&|(sum, f)| square(sum, f, rank));
        for j in 0..rank {
            for i in 0..=j {
                let parts = parts.chunks_exact(size);
                let total: f64 = parts.map(|part| part[j * ld + i].f64()).sum();
                gram[j * rank + i] = T::of(total);
                gram[i * rank + j] = T::of(total);
            }
        }
    });
}

/// sum (ld × K) ← F·Fᵀ, on the calling thread.
pub(super) fn square<T: Lanes>(sum: &mut [T], f: &[T], rank: usize) {
    sum.fill(T::ZERO);
    let block = Block {
        data: f,
        rows: f.len() / rank,
        cols: rank,
        row: rank,
        col: 1,
    };
    accumulate(sum, f, block, rank);
}

/// out (K × n) ← G·F for a K × K matrix G, on the calling thread.
pub(super) fn small_product<T: Lanes>(out: &mut [T], g: &[T], f: &[T], rank: usize) {
    let cols = f.len() / rank;
    scratch::with(padded::<T>(rank) * cols, |sum: &mut [T]| {
        sum.fill(T::ZERO);
        let block = Block {
            data: f,
            rows: rank,
            cols,
            row: 1,
            col: rank,
        };
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

/// out ← G·F − C, by one walk through memory.
pub(crate) fn times_less<T: Lanes>(
    out: &mut [T],
    (gram, factor): (&[T], &[T]),
    less: &[T],
    rank: usize,
) {
    let parts = factor
        .par_chunks(rank * TASK)
        .zip(less.par_chunks(rank * TASK));
    out.par_chunks_mut(rank * TASK)
        .zip(parts)
        .each(&|(out, (factor, less))| {
            small_product(out, gram, factor, rank);
            vec::axpy(-T::ONE, less, out);
        });
}

/// product ← G·F and rest ← G·F − C, by one walk through memory.
pub(crate) fn times_and_less<T: Lanes>(
    (product, rest): (&mut [T], &mut [T]),
    (gram, factor): (&[T], &[T]),
    less: &[T],
    rank: usize,
) {
    let parts = factor
        .par_chunks(rank * TASK)
        .zip(less.par_chunks(rank * TASK));
    let outs = product.par_chunks_mut(rank * TASK);
    outs.zip(rest.par_chunks_mut(rank * TASK))
        .zip(parts)
        .each(&|((product, rest), (factor, less))| {
            small_product(product, gram, factor, rank);
            for (rest, (&product, &less)) in rest.iter_mut().zip(product.iter().zip(less)) {
                *rest = product - less;
            }
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

/// y ← x − y + αz, by one walk through memory.
pub(crate) fn difference_and_add<T: Lanes>(y: &mut [T], x: &[T], (alpha, z): (T, &[T])) {
    let others = x.par_chunks(PART).zip(z.par_chunks(PART));
    let parts = y.par_chunks_mut(PART).zip(others);
    parts.each(&|(y, (x, z))| {
        for (y, &x) in y.iter_mut().zip(x) {
            *y = x - *y;
        }
        vec::axpy(alpha, z, y);
    });
}

/// y ← y + x, by one walk through memory; returns ‖y‖² of before.
pub(crate) fn square_and_add<T: Lanes>(y: &mut [T], x: &[T]) -> f64 {
    let parts = y.par_chunks_mut(PART).zip(x.par_chunks(PART));
    in_order(parts, &|(y, x)| {
        let square = vec::dot(y, y);
        vec::axpy(T::ONE, x, y);
        square
    })
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
