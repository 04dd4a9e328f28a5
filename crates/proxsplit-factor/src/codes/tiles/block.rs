//! A sweep over a few registers of a tile, in blocks of coordinates.
//!
//! What all coordinates outside of a block pull on it is summed for the whole block, a product that keeps the arithmetic units busy;
//! inside, its coordinates are solved one after the other. So it is a plain sweep, in another order of its sums.

use super::Shared;
use crate::products::Lanes;
use pulp::Simd;

/// Coordinates whose sums over all others are found together: each number of a tile is then read once for several of them.
const BLOCK: usize = 4;

/// The first coordinate and the size of every block; what is left at the end are blocks of one.
pub(super) fn blocks(first: usize, rank: usize) -> impl Iterator<Item = (usize, usize)> {
    let whole = first + (rank - first) / BLOCK * BLOCK;
    let single = (whole..rank).map(|k| (k, 1));
    (first..whole)
        .step_by(BLOCK)
        .map(|k| (k, BLOCK))
        .chain(single)
}

/// One sweep over V registers from `part` of a tile; `change` ← Σ_k (G_kk + W₂)·δ_k² of every column, twice the decrease or
/// less.
#[inline(always)]
pub(super) fn once<T: Lanes, S: Simd, const V: usize>(
    simd: S,
    (a, c, total): (&mut [T], &[T], &mut [T]),
    (width, part): (usize, usize),
    shared: &Shared<'_, T>,
) {
    let lanes = T::count::<S>();
    let mut part = Part::<T, S, V> {
        a: T::registers_mut::<S>(a),
        c: T::registers::<S>(c),
        change: [T::splat(simd, T::ZERO); V],
        row: width / lanes,
        first: part / lanes,
    };
    for (k, size) in blocks(shared.first, shared.curvature.len()) {
        match size {
            BLOCK => part.minimize::<BLOCK>(simd, k, shared),
            _ => part.minimize::<1>(simd, k, shared),
        }
    }
    T::registers_mut::<S>(total)[part.first..][..V].copy_from_slice(&part.change);
}

/// V registers of every row of a tile.
struct Part<'a, T: Lanes, S: Simd, const V: usize> {
    a: &'a mut [T::Vector<S>],
    c: &'a [T::Vector<S>],
    change: [T::Vector<S>; V],
    /// Registers of a row.
    row: usize,
    /// The first register of a row that belongs to the part.
    first: usize,
}

impl<T: Lanes, S: Simd, const V: usize> Part<'_, T, S, V> {
    /// Solves B coordinates from `k` one after the other.
    #[inline(always)]
    fn minimize<const B: usize>(&mut self, simd: S, k: usize, shared: &Shared<'_, T>) {
        let (rank, at) = (shared.curvature.len(), k * self.row + self.first);
        let pull = shared.pull[k * rank..][..B * rank].as_chunks().0;
        let mut sum = self.pulled::<B>(simd, k, pull);
        let mut a = sum;
        for (b, a) in a.iter_mut().enumerate() {
            a.copy_from_slice(&self.a[at + b * self.row..][..V]);
        }
        for b in 0..B {
            for i in 0..B {
                if i != b {
                    add::<T, S, V>(simd, &mut sum[b], pull[k + i][b], &a[i]);
                }
            }
            let new = best::<T, S, V>(simd, sum[b], k + b, shared);
            let curvature = T::splat(simd, shared.curvature[k + b]);
            for v in 0..V {
                let moved = T::minus(simd, new[v], a[b][v]);
                let weighted = T::times(simd, curvature, moved);
                self.change[v] = T::mul_add(simd, weighted, moved, self.change[v]);
            }
            a[b] = new;
            self.a[at + b * self.row..][..V].copy_from_slice(&new);
        }
    }

    /// c and what the coordinates outside of the block from `k` pull. The sums are returned, so that they stay in registers here.
    #[inline(always)]
    fn pulled<const B: usize>(&self, simd: S, k: usize, pull: &[[T; B]]) -> [[T::Vector<S>; V]; B] {
        let mut sum = [[self.change[0]; V]; B];
        for (b, sum) in sum.iter_mut().enumerate() {
            sum.copy_from_slice(&self.c[(k + b) * self.row + self.first..][..V]);
        }
        for others in [0..k, k + B..pull.len()] {
            let rows = &self.a[others.start * self.row..others.end * self.row];
            for (row, pull) in rows.chunks_exact(self.row).zip(&pull[others]) {
                let row = &row[self.first..][..V];
                for b in 0..B {
                    add::<T, S, V>(simd, &mut sum[b], pull[b], row);
                }
            }
        }
        sum
    }
}

/// The minimizer over one coordinate of every column, from c_k less what the others pull.
#[inline(always)]
fn best<T: Lanes, S: Simd, const V: usize>(
    simd: S,
    sum: [T::Vector<S>; V],
    k: usize,
    shared: &Shared<'_, T>,
) -> [T::Vector<S>; V] {
    let (lower, upper) = shared.bounds;
    let bounds = (T::splat(simd, lower), T::splat(simd, upper));
    let inverse = T::splat(simd, shared.inverse[k]);
    let (one, zero) = (T::splat(simd, T::ONE), T::splat(simd, T::ZERO));
    let mut new = sum;
    if shared.shrink > T::ZERO {
        let shrink = (
            T::splat(simd, -shared.shrink),
            T::splat(simd, shared.shrink),
        );
        for new in &mut new {
            *new = T::minus(simd, *new, T::clamp(simd, *new, shrink));
        }
    }
    for new in &mut new {
        *new = T::clamp(simd, T::times(simd, *new, inverse), bounds);
        // Of 0 and −0 processors disagree which is larger: only 0 is left.
        *new = T::mul_add(simd, one, *new, zero);
    }
    new
}

/// sum ← sum + pull·row
#[inline(always)]
fn add<T: Lanes, S: Simd, const V: usize>(
    simd: S,
    sum: &mut [T::Vector<S>; V],
    pull: T,
    row: &[T::Vector<S>],
) {
    let pull = T::splat(simd, pull);
    for (sum, &a) in sum.iter_mut().zip(&row[..V]) {
        *sum = T::mul_add(simd, pull, a, *sum);
    }
}
