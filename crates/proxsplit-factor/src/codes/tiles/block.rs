//! A sweep over the registers of a tile, in blocks of coordinates.
//!
//! What all coordinates pull on a block is summed for the whole block, a product that keeps the arithmetic units busy; then its
//! coordinates are solved one after the other, and each tells the later ones how far it has moved. So it is a plain sweep, in another
//! order of its sums.

use super::Sweeps;
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
    sweeps: &Sweeps<'_, T>,
) {
    let lanes = T::count::<S>();
    let mut part = Part::<T, S, V> {
        a: T::registers_mut::<S>(a),
        c: T::registers::<S>(c),
        change: [T::splat(simd, T::ZERO); V],
        row: width / lanes,
        first: part / lanes,
    };
    for (k, size) in blocks(sweeps.first, sweeps.curvature.len()) {
        match size {
            BLOCK => part.minimize::<BLOCK>(simd, k, sweeps),
            _ => part.minimize::<1>(simd, k, sweeps),
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
    fn minimize<const B: usize>(&mut self, simd: S, k: usize, sweeps: &Sweeps<'_, T>) {
        let (rank, at) = (sweeps.curvature.len(), k * self.row + self.first);
        let pull = sweeps.pull[k * rank..][..B * rank].as_chunks().0;
        let sums = self.pulled::<B>(simd, k, pull);
        let (inside, _) = pull[k..].as_chunks::<B>();
        let (curvature, inverse) = (&sweeps.curvature[k..][..B], &sweeps.inverse[k..][..B]);
        // One register after the other, so that the sums of a block stay in registers here as well.
        for (v, change) in self.change.iter_mut().enumerate() {
            let mut sum: [T::Vector<S>; B] = std::array::from_fn(|b| sums[b][v]);
            for b in 0..B {
                let place = &mut self.a[at + b * self.row + v];
                let new = best(simd, sum[b], inverse[b], sweeps);
                let moved = T::minus(simd, new, *place);
                *place = new;
                let weighted = T::times(simd, T::splat(simd, curvature[b]), moved);
                *change = T::mul_add(simd, weighted, moved, *change);
                for i in b + 1..B {
                    let pull = T::splat(simd, inside[0][b][i]);
                    sum[i] = T::mul_add(simd, pull, moved, sum[i]);
                }
            }
        }
    }

    /// c and what all coordinates pull on the block from `k`. The sums are returned, so that they stay in registers here.
    #[inline(always)]
    fn pulled<const B: usize>(&self, simd: S, k: usize, pull: &[[T; B]]) -> [[T::Vector<S>; V]; B] {
        let mut sum = [[self.change[0]; V]; B];
        for (b, sum) in sum.iter_mut().enumerate() {
            sum.copy_from_slice(&self.c[(k + b) * self.row + self.first..][..V]);
        }
        for (row, pull) in self.a.chunks_exact(self.row).zip(pull) {
            let row = &row[self.first..][..V];
            for b in 0..B {
                let pull = T::splat(simd, pull[b]);
                for v in 0..V {
                    sum[b][v] = T::mul_add(simd, pull, row[v], sum[b][v]);
                }
            }
        }
        sum
    }
}

/// The minimizer over one coordinate, from c_k and what the others pull on it.
#[inline(always)]
fn best<T: Lanes, S: Simd>(
    simd: S,
    mut sum: T::Vector<S>,
    inverse: T,
    sweeps: &Sweeps<'_, T>,
) -> T::Vector<S> {
    let (lower, upper) = sweeps.bounds;
    if sweeps.shrink > T::ZERO {
        let shrink = (
            T::splat(simd, -sweeps.shrink),
            T::splat(simd, sweeps.shrink),
        );
        sum = T::minus(simd, sum, T::clamp(simd, sum, shrink));
    }
    let bounds = (T::splat(simd, lower), T::splat(simd, upper));
    T::clamp(simd, T::times(simd, sum, T::splat(simd, inverse)), bounds)
}
