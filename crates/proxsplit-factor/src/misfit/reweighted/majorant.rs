//! Weighted squares that touch the misfit at a point and lie above it elsewhere: ½Σ ω_p(y_p − f_pᵀa)² + const for every line.
//!
//! h(r) ≤ h(r̄) + ½ω(r² − r̄²) with ω = min(1, D/|r̄|) for Huber's h, and equality at r̄; squares are their own majorants.

use super::entries::{Entries, Line};
use crate::codes::{OwnGrams, gradient};
use crate::products::{GATHERED, Lanes, add_block, padded};
use proxsplit::internal::linalg::vec::dot;
use proxsplit::internal::parallel::Each;
use proxsplit::internal::scratch;
use rayon::prelude::*;

/// The majorants of the lines from `first` on.
pub(super) struct Majorant<'b, 'a, T> {
    pub(super) entries: &'b Entries<'a, T>,
    /// F, with a column for every place along a line.
    pub(super) factor: &'b [T],
    /// The columns of the lines at which they touch.
    pub(super) touching: &'b [T],
    pub(super) first: usize,
    pub(super) rank: usize,
    /// D
    pub(super) bound: f64,
}

impl<T: Lanes> Majorant<'_, '_, T> {
    /// Calls `work` with the entries of a line, their weights times ω.
    fn with_line<R>(&self, line: usize, work: impl FnOnce(Line<'_, T>) -> R) -> R {
        let touching = &self.touching[line * self.rank..][..self.rank];
        self.entries.with_line(self.first + line, |entries| {
            if self.bound < f64::INFINITY {
                for p in 0..entries.y.len() {
                    let z = dot(entries.column(self.factor, self.rank, p), touching);
                    let off = (entries.y[p].f64() - z).abs();
                    if off > self.bound {
                        entries.weights[p] *= T::of(self.bound / off);
                    }
                }
            }
            work(entries)
        })
    }

    /// out (K × lines) ← Σ ω·y·f of every line.
    pub(super) fn linear(&self, out: &mut [T]) {
        let lines = out.par_chunks_mut(self.rank).enumerate();
        lines.with_min_len(4).each(&|(line, out)| {
            self.with_line(line, |entries| {
                scratch::with(self.rank, |sum: &mut [f64]| {
                    sum.fill(0.0);
                    for (p, (y, weight)) in entries.y.iter().zip(&*entries.weights).enumerate() {
                        let pull = y.f64() * weight.f64();
                        if pull != 0.0 {
                            let column = entries.column(self.factor, self.rank, p);
                            let pairs = sum.iter_mut().zip(column);
                            pairs.for_each(|(sum, f)| *sum += pull * f.f64());
                        }
                    }
                    for (out, &sum) in out.iter_mut().zip(&*sum) {
                        *out = T::of(sum);
                    }
                });
            });
        });
    }
}

impl<T: Lanes> OwnGrams<T> for Majorant<'_, '_, T> {
    fn gram(&self, own: &mut [T], _: &[T], line: usize) {
        let (rank, ld) = (self.rank, padded::<T>(self.rank));
        self.with_line(line, |entries| {
            scratch::with(rank * rank, |sum: &mut [f64]| {
                sum.fill(0.0);
                scratch::with(GATHERED * rank + ld * rank, |space: &mut [T]| {
                    let (columns, block) = space.split_at_mut(GATHERED * rank);
                    let mut gathered = 0;
                    for p in (0..entries.y.len()).filter(|&p| entries.weights[p] > T::ZERO) {
                        let root = entries.weights[p].sqrt();
                        let column = entries.column(self.factor, rank, p);
                        let to = &mut columns[gathered * rank..][..rank];
                        for (to, &f) in to.iter_mut().zip(column) {
                            *to = root * f;
                        }
                        gathered += 1;
                        if gathered == GATHERED {
                            add_block(sum, block, columns, rank);
                            gathered = 0;
                        }
                    }
                    add_block(sum, block, &columns[..gathered * rank], rank);
                });
                for (own, &sum) in own.iter_mut().zip(&*sum) {
                    *own = T::of(sum);
                }
            });
        });
    }

    fn add_lacking(&self, out: &mut [T], whole: &[T], v: &[T]) {
        let rank = self.rank;
        out.par_chunks_mut(rank)
            .zip(v.par_chunks(rank))
            .enumerate()
            .with_min_len(4)
            .each(&|(line, (out, v))| {
                scratch::with(rank * rank + 2 * rank, |space: &mut [T]| {
                    let (own, rest) = space.split_at_mut(rank * rank);
                    let (zero, product) = rest.split_at_mut(rank);
                    zero.fill(T::ZERO);
                    self.gram(own, whole, line);
                    for (own, &whole) in own.iter_mut().zip(whole) {
                        *own = whole - *own;
                    }
                    gradient(own, v, zero, product);
                    let pairs = out.iter_mut().zip(&*product);
                    pairs.for_each(|(out, &lacking)| *out += lacking);
                });
            });
    }
}
