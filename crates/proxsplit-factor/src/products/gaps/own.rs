//! Gram matrices of single lines: G_l = Σ f_p f_pᵀ over the observed entries p of line l, where G = FFᵀ is that of all.
//!
//! A line looks at its missing or at its observed entries, whichever are fewer: at most half of all, and what is
//! subtracted from G never has more terms than what is left.

use super::positions::{Few, Kind, Positions};
use crate::codes::{OwnGrams, gradient};
use crate::products::gram::square;
use crate::products::kernel::padded;
use crate::products::lanes::Lanes;
use proxsplit::internal::linalg::vec::dot;
use proxsplit::internal::parallel::Each;
use proxsplit::internal::scratch;
use rayon::prelude::*;
use std::ops::Range;

/// Columns of F that are gathered before they are added.
pub(crate) const GATHERED: usize = 64;
/// A diagonal entry below this many roundings of that of G is one of 0.
const ROUNDINGS: f64 = 16.0;
/// A difference that has lost more than its first three digits is not used.
const LEFT: f64 = 1e-3;

/// F and the pattern of the lines that it meets.
#[derive(Clone, Copy)]
pub(crate) struct Own<'a, T> {
    positions: &'a Positions,
    /// K × range
    factor: &'a [T],
    /// The first line.
    first: usize,
    /// The part of every line that F stands for.
    range: (usize, usize),
}

impl<'a, T: Lanes> Own<'a, T> {
    pub(super) fn new(
        positions: &'a Positions,
        factor: &'a [T],
        first: usize,
        range: Range<usize>,
    ) -> Self {
        Self {
            positions,
            factor,
            first,
            range: (range.start, range.end),
        }
    }

    fn few(&self, line: usize) -> Few<'_> {
        let (start, end) = self.range;
        self.positions.within(self.first + line, start..end)
    }

    fn column(&self, p: usize, rank: usize) -> &[T] {
        &self.factor[p * rank..(p + 1) * rank]
    }

    /// vᵀG_l v = Σ (f_p·v)² over the observed entries.
    pub(crate) fn square(&self, whole: &[T], v: &[T], line: usize) -> f64 {
        let few = self.few(line);
        let mut sum = 0.0;
        few.for_each(|p| sum += dot(self.column(p, v.len()), v).powi(2));
        match few.kind {
            Kind::Observed => sum,
            Kind::Missing => {
                let rows = whole.chunks_exact(v.len()).zip(v);
                let all: f64 = rows.map(|(row, v_k)| v_k.f64() * dot(row, v)).sum();
                all - sum
            }
        }
    }

    /// out ← Σ f_p over the observed entries of a line, where `whole` is the sum over all, for F ≥ 0. What is missing is taken off
    /// `whole` unless that leaves hardly anything of it: entries that nothing holds can be far larger than the observed ones.
    pub(crate) fn sums(&self, out: &mut [f64], whole: &[f64], line: usize) {
        let few = self.few(line);
        match few.kind {
            Kind::Observed => self.sum_over(out, &few),
            Kind::Missing => {
                self.sum_over(out, &few);
                for (out, whole) in out.iter_mut().zip(whole) {
                    *out = whole - *out;
                }
                let is_lost = |(out, whole): (&f64, &f64)| *out < LEFT * whole;
                if out.iter().zip(whole).any(is_lost) {
                    self.sum_over(out, &few.others());
                }
            }
        }
    }

    /// out ← Σ f_p over some entries.
    fn sum_over(&self, out: &mut [f64], some: &Few<'_>) {
        let rank = out.len();
        out.fill(0.0);
        some.for_each(|p| {
            for (out, f) in out.iter_mut().zip(self.column(p, rank)) {
                *out += f.f64();
            }
        });
    }

    /// sum (K × K) ← sum + Σ f_p f_pᵀ, a block of columns after the other, the blocks in `f64`.
    fn add_squares(&self, sum: &mut [f64], few: &Few<'_>, rank: usize) {
        let ld = padded::<T>(rank);
        scratch::with(GATHERED * rank + ld * rank, |space: &mut [T]| {
            let (columns, block) = space.split_at_mut(GATHERED * rank);
            let mut gathered = 0;
            few.for_each(|p| {
                columns[gathered * rank..][..rank].copy_from_slice(self.column(p, rank));
                gathered += 1;
                if gathered == GATHERED {
                    add_block(sum, block, columns, rank);
                    gathered = 0;
                }
            });
            add_block(sum, block, &columns[..gathered * rank], rank);
        });
    }
}

impl<T: Lanes> OwnGrams<T> for Own<'_, T> {
    fn gram(&self, own: &mut [T], whole: &[T], line: usize) {
        let rank = own.len().isqrt();
        let few = self.few(line);
        scratch::with(rank * rank, |sum: &mut [f64]| {
            sum.fill(0.0);
            self.add_squares(sum, &few, rank);
            for ((own, &whole), &sum) in own.iter_mut().zip(whole).zip(&*sum) {
                *own = T::of(match few.kind {
                    Kind::Missing => whole.f64() - sum,
                    Kind::Observed => sum,
                });
            }
        });
        if few.kind == Kind::Missing {
            drop_rounding(own, whole, rank);
        }
    }

    fn add_lacking(&self, out: &mut [T], whole: &[T], v: &[T]) {
        let rank = whole.len().isqrt();
        out.par_chunks_mut(rank)
            .zip(v.par_chunks(rank))
            .enumerate()
            .with_min_len(16)
            .each(&|(line, (out, v))| {
                scratch::with(rank, |product: &mut [T]| {
                    let few = self.few(line);
                    let sign = match few.kind {
                        Kind::Missing => T::ONE,
                        Kind::Observed => {
                            scratch::with(rank, |zero: &mut [T]| {
                                zero.fill(T::ZERO);
                                gradient(whole, v, zero, product);
                            });
                            add(out, T::ONE, product);
                            -T::ONE
                        }
                    };
                    product.fill(T::ZERO);
                    few.for_each(|p| {
                        let f = self.column(p, rank);
                        add(product, T::of(dot(f, v)), f);
                    });
                    add(out, sign, product);
                });
            });
    }
}

/// sum (K × K) ← sum + FFᵀ for a few columns; `block` (ld × K) is overwritten.
pub(crate) fn add_block<T: Lanes>(sum: &mut [f64], block: &mut [T], columns: &[T], rank: usize) {
    square(block, columns, rank);
    let ld = padded::<T>(rank);
    for (sum, block) in sum.chunks_exact_mut(rank).zip(block.chunks_exact(ld)) {
        for (sum, &block) in sum.iter_mut().zip(block) {
            *sum += block.f64();
        }
    }
}

/// out ← out + weight·v
#[inline(always)]
fn add<T: Lanes>(out: &mut [T], weight: T, v: &[T]) {
    for (out, &v) in out.iter_mut().zip(v) {
        *out += weight * v;
    }
}

/// An atom that is zero on all observed entries has no influence, whatever rounding has left of it.
fn drop_rounding<T: Lanes>(own: &mut [T], whole: &[T], rank: usize) {
    let least = T::of(ROUNDINGS) * T::EPSILON;
    for k in 0..rank {
        if own[k * rank + k] <= least * whole[k * rank + k] {
            for j in 0..rank {
                own[k * rank + j] = T::ZERO;
                own[j * rank + k] = T::ZERO;
            }
        }
    }
}
