//! FFᵀ and ⟨F, C⟩ for narrow matrices, in fixed chunks of columns whose sums are added in order, in `f64`.

use super::kernel::{Block, accumulate, padded};
use super::lanes::Lanes;
use proxsplit::linalg::vec;
use proxsplit::scratch;
use rayon::prelude::*;

/// Columns of a chunk.
const CHUNK: usize = 1024;
/// Numbers of which one task finds a part of a sum.
pub(crate) const PART: usize = 1 << 15;

/// gram (K × K) ← F·Fᵀ for F with `rank` rows.
pub(crate) fn gram<T: Lanes>(gram: &mut [T], f: &[T], rank: usize) {
    let ld = padded::<T>(rank);
    let size = ld * rank;
    scratch::with(
        f.len().div_ceil(rank * CHUNK) * size,
        |parts: &mut [T]| {
            parts
                .par_chunks_mut(size)
                .zip(f.par_chunks(rank * CHUNK))
                .for_each(|(sum, f)| chunk_gram(sum, f, (rank, ld)));
            for j in 0..rank {
                for i in 0..=j {
                    let parts = parts.chunks_exact(size);
                    let total: f64 = parts.map(|part| part[j * ld + i].f64()).sum();
                    gram[j * rank + i] = T::of(total);
                    gram[i * rank + j] = T::of(total);
                }
            }
        },
    );
}

/// sum (ld × K) ← F·Fᵀ for a chunk, on the calling thread.
fn chunk_gram<T: Lanes>(sum: &mut [T], f: &[T], (rank, ld): (usize, usize)) {
    let rows = f.len() / rank;
    sum.fill(T::ZERO);
    scratch::with(rows * ld, |wide: &mut [T]| {
        for (wide, f) in wide.chunks_exact_mut(ld).zip(f.chunks_exact(rank)) {
            wide[..rank].copy_from_slice(f);
            wide[rank..].fill(T::ZERO);
        }
        let block = Block {
            data: wide,
            rows,
            cols: rank,
            row: ld,
            col: 1,
        };
        accumulate(sum, wide, block, ld);
    });
}

/// out (K × n) ← G·F for a K × K matrix G, on the calling thread.
pub(crate) fn small_product<T: Lanes>(out: &mut [T], g: &[T], f: &[T], rank: usize) {
    let ld = padded::<T>(rank);
    let cols = f.len() / rank;
    scratch::with(ld * rank, |wide: &mut [T]| {
        for (wide, g) in wide.chunks_exact_mut(ld).zip(g.chunks_exact(rank)) {
            wide[..rank].copy_from_slice(g);
            wide[rank..].fill(T::ZERO);
        }
        scratch::with(ld * cols, |sum: &mut [T]| {
            sum.fill(T::ZERO);
            let block = Block {
                data: f,
                rows: rank,
                cols,
                row: 1,
                col: rank,
            };
            accumulate(sum, wide, block, ld);
            for (out, sum) in out.chunks_exact_mut(rank).zip(sum.chunks_exact(ld)) {
                out.copy_from_slice(&sum[..rank]);
            }
        });
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

fn sum<T: Lanes>(a: &[T], b: &[T], part: impl Fn(&[T], &[T]) -> f64 + Sync) -> f64 {
    if a.len() <= PART {
        return part(a, b);
    }
    let pairs = a.par_chunks(PART).zip(b.par_chunks(PART));
    in_order(pairs.map(|(a, b)| part(a, b)))
}

/// The sum of the parts, one after the other, whatever thread has found which.
pub(crate) fn in_order(parts: impl IndexedParallelIterator<Item = f64>) -> f64 {
    scratch::with(parts.len(), |sums: &mut [f64]| {
        sums.par_iter_mut()
            .zip(parts)
            .for_each(|(sum, part)| *sum = part);
        sums.iter().sum()
    })
}
