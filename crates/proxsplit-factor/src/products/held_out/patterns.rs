//! Held-out entries of sparse data, which products read as 0: columns of one pattern share Σ w_i x_iᵀ over the rows it holds out.

use crate::products::kernel::{Block, accumulate, padded, unpad};
use crate::products::{Lanes, in_order};
use crate::rank::Speckle;
use proxsplit::internal::linalg::vec::{axpy, dot};
use proxsplit::internal::parallel::Each;
use proxsplit::internal::scratch;
use rayon::prelude::*;

/// Vectors that are gathered before they are multiplied.
const GATHERED: usize = 64;
/// Bands of rows, and columns, of a task.
const BANDS: usize = 16;
const COLUMNS: usize = 256;

/// Calls its second argument with every position of a pattern.
type VisitPositions<'a> = dyn Fn(usize, &mut dyn FnMut(usize)) + Sync + 'a;

/// The shape of sparse data, and a fold of its entries.
pub(crate) struct Patterns {
    pub(super) shape: (usize, usize),
    pub(super) speckle: Speckle,
}

impl Patterns {
    pub(super) fn take_from_columns<T: Lanes>(
        &self,
        out: &mut [T],
        w: &[T],
        (x, a): (&[T], &[T]),
        first: usize,
    ) {
        let m = self.shape.0;
        let (rank, width) = (x.len() / m, w.len() / m);
        let rows = |pattern: usize, visit: &mut dyn FnMut(usize)| {
            self.speckle.for_each(pattern, 0..m, visit);
        };
        self.with_products((w, width), (x, rank), &rows, |products| {
            out.par_chunks_mut(width)
                .zip(a.par_chunks(rank))
                .enumerate()
                .with_min_len(COLUMNS)
                .each(&|(at, (out, a))| {
                    let pattern = self.speckle.pattern(first + at);
                    add_product(out, &products[pattern * width * rank..], a);
                });
        });
    }

    pub(super) fn take_from_rows<T: Lanes>(&self, out: &mut [T], w: &[T], (x, a): (&[T], &[T])) {
        let (m, n) = self.shape;
        let (rank, width) = (x.len() / m, w.len() / n);
        let columns = |pattern: usize, visit: &mut dyn FnMut(usize)| {
            let all = 0..n;
            all.filter(|&t| self.speckle.pattern(t) == pattern)
                .for_each(visit);
        };
        let height = BANDS * self.speckle.band();
        self.with_products((w, width), (a, rank), &columns, |products| {
            let parts = out.par_chunks_mut(width * height).enumerate();
            parts.each(&|(part, out)| {
                let start = part * height;
                let rows = start..start + out.len() / width;
                for (pattern, product) in products.chunks_exact(width * rank).enumerate() {
                    self.speckle.for_each(pattern, rows.clone(), |i| {
                        let out = &mut out[(i - start) * width..][..width];
                        add_product(out, product, &x[i * rank..][..rank]);
                    });
                }
            });
        });
    }

    pub(super) fn square<T: Lanes>(&self, (x, a): (&[T], &[T])) -> f64 {
        let m = self.shape.0;
        let rank = x.len() / m;
        let rows = |pattern: usize, visit: &mut dyn FnMut(usize)| {
            self.speckle.for_each(pattern, 0..m, visit);
        };
        self.with_products((x, rank), (x, rank), &rows, |grams| {
            let parts = a.par_chunks(rank * COLUMNS).enumerate();
            in_order(parts, &|(part, a)| {
                let columns = (part * COLUMNS..).zip(a.chunks_exact(rank));
                columns
                    .map(|(t, a)| {
                        let gram = &grams[self.speckle.pattern(t) * rank * rank..];
                        let rows = gram.chunks_exact(rank).zip(a);
                        rows.map(|(row, a_k)| a_k.f64() * dot(row, a)).sum::<f64>()
                    })
                    .sum()
            })
        })
    }

    /// Calls `look` with Σ w_p f_pᵀ (W × K) of every pattern, over the positions that `positions` visits.
    fn with_products<T: Lanes, R>(
        &self,
        (w, width): (&[T], usize),
        (f, rank): (&[T], usize),
        positions: &VisitPositions<'_>,
        look: impl FnOnce(&[T]) -> R,
    ) -> R {
        let (size, ld) = (width * rank, padded::<T>(width));
        let is_gram = std::ptr::eq(w, f);
        let count = self.speckle.patterns(self.shape.1);
        scratch::with(count * size, |products: &mut [T]| {
            products
                .par_chunks_mut(size)
                .enumerate()
                .each(&|(pattern, product)| {
                    scratch::with(
                        GATHERED * (width + rank) + ld * rank,
                        |space: &mut [T]| {
                            let (sum, gathered) = space.split_at_mut(ld * rank);
                            let (left, right) = gathered.split_at_mut(GATHERED * width);
                            sum.fill(T::ZERO);
                            let mut count = 0;
                            positions(pattern, &mut |p| {
                                left[count * width..][..width]
                                    .copy_from_slice(&w[p * width..][..width]);
                                if !is_gram {
                                    right[count * rank..][..rank]
                                        .copy_from_slice(&f[p * rank..][..rank]);
                                }
                                count += 1;
                                if count == GATHERED {
                                    let right = if is_gram { &*left } else { &*right };
                                    add_outer(sum, (left, width), (right, rank), count);
                                    count = 0;
                                }
                            });
                            let right = if is_gram { &*left } else { &*right };
                            add_outer(sum, (left, width), (right, rank), count);
                            unpad(product, sum, width, T::ONE, false);
                        },
                    );
                });
            look(products)
        })
    }
}

/// sum (ld × K) ← sum + W·Fᵀ for the first `count` columns of both.
fn add_outer<T: Lanes>(
    sum: &mut [T],
    (w, width): (&[T], usize),
    (f, rank): (&[T], usize),
    count: usize,
) {
    let block = Block {
        data: &f[..count * rank],
        rows: count,
        cols: rank,
        row: rank,
        col: 1,
    };
    if count > 0 {
        accumulate(sum, &w[..count * width], block, width);
    }
}

/// out ← out + P·v for P with columns of the length of `out`.
fn add_product<T: Lanes>(out: &mut [T], product: &[T], v: &[T]) {
    for (column, &v) in product.chunks_exact(out.len()).zip(v) {
        axpy(v, column, out);
    }
}
