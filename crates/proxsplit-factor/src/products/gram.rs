//! FFᵀ and ⟨F, C⟩ for narrow matrices, in fixed chunks of columns whose sums are added in order, in `f64`.

use super::kernel::{Block, accumulate, padded};
use super::lanes::Lanes;
use proxsplit::linalg::vec;
use proxsplit::scratch;
use rayon::prelude::*;

/// Columns of a chunk.
const CHUNK: usize = 1024;

/// gram (K × K) ← F·Fᵀ for F with `rank` rows.
pub(crate) fn gram<T: Lanes>(gram: &mut [T], f: &[T], rank: usize) {
    let ld = padded::<T>(rank);
    let parts: Vec<Vec<T>> = f
        .par_chunks(rank * CHUNK)
        .map(|f| {
            let mut sum = vec![T::ZERO; ld * rank];
            let rows = f.len() / rank;
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
                accumulate(&mut sum, wide, block, ld);
            });
            sum
        })
        .collect();
    for j in 0..rank {
        for i in 0..=j {
            let total: f64 = parts.iter().map(|part| part[j * ld + i].f64()).sum();
            gram[j * rank + i] = T::of(total);
            gram[i * rank + j] = T::of(total);
        }
    }
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
    const LENGTH: usize = 1 << 15;
    if a.len() <= LENGTH {
        return part(a, b);
    }
    let parts: Vec<f64> = a
        .par_chunks(LENGTH)
        .zip(b.par_chunks(LENGTH))
        .map(|(a, b)| part(a, b))
        .collect();
    parts.iter().sum()
}
