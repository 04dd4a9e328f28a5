//! The entries y > 0 of one line of Y, and the other factor where they are.

use super::sweep::{LANES, total};
use crate::products::Lanes;
use proxsplit::internal::linalg::vec::dot;

/// One line.
#[derive(Clone, Copy)]
pub(super) struct Line<'a, T> {
    /// y > 0
    pub(super) y: &'a [T],
    /// Where they are along the line.
    pub(super) indices: &'a [u32],
    /// The other factor, K × the length of the line.
    pub(super) other: &'a [T],
}

impl<'a, T: Lanes> Line<'a, T> {
    /// The places along the other factor.
    #[inline(always)]
    fn columns(&self, rank: usize) -> impl Iterator<Item = &'a [T]> {
        let other = self.other;
        self.indices
            .iter()
            .map(move |&i| &other[i as usize * rank..][..rank])
    }

    /// Σ y
    pub(super) fn total(&self) -> f64 {
        self.y.iter().map(|y| y.f64()).sum()
    }

    /// z ← aᵀd of every entry.
    #[inline(always)]
    pub(super) fn products(&self, a: &[T], z: &mut [T]) {
        for (z, f) in z.iter_mut().zip(self.columns(a.len())) {
            *z = product(a, f);
        }
    }

    /// pulls ← Σ (y/z)·d
    #[inline(always)]
    pub(super) fn pulls(&self, inverse: &[T], pulls: &mut [T]) {
        pulls.fill(T::ZERO);
        let ratios = self.y.iter().zip(inverse).map(|(&y, &inverse)| y * inverse);
        for (ratio, f) in ratios.zip(self.columns(pulls.len())) {
            for (pull, &f) in pulls.iter_mut().zip(f) {
                *pull += ratio * f;
            }
        }
    }

    /// d ← the rows of the other factor at these entries for some of the coordinates.
    #[inline(always)]
    pub(super) fn gather(&self, coordinates: &[u32], d: &mut [T]) {
        let n = self.y.len();
        let rank = d.len() / n.max(1);
        for (p, f) in self.columns(rank).enumerate() {
            for (at, &k) in coordinates.iter().enumerate() {
                d[at * n + p] = f[k as usize];
            }
        }
    }

    /// pulls ← Σ (y/z)·d in `f64`, for what is said of a point.
    #[inline(always)]
    pub(super) fn exact_pulls(&self, a: &[T], pulls: &mut [f64]) {
        pulls.fill(0.0);
        for (y, f) in self.y.iter().zip(self.columns(a.len())) {
            let ratio = y.f64() / dot(a, f);
            for (pull, f) in pulls.iter_mut().zip(f) {
                *pull += ratio * f.f64();
            }
        }
    }

    /// Σ y log(y/z) − y over the entries.
    #[inline(always)]
    pub(super) fn divergence(&self, a: &[T]) -> f64 {
        let entries = self.y.iter().zip(self.columns(a.len())).map(|(y, f)| {
            let z = dot(a, f);
            of_entry(y.f64(), z) - z
        });
        entries.sum()
    }
}

/// y log(y/z) − y + z for y > 0, without cancellation where z is near y, and without rounding z/y − 1 to −1 where z is far below.
fn of_entry(y: f64, z: f64) -> f64 {
    let off = z / y - 1.0;
    if off < -0.5 {
        y * (off + (y / z).ln())
    } else {
        y * (off - off.ln_1p())
    }
}

/// ⟨a, f⟩
#[inline(always)]
fn product<T: Lanes>(a: &[T], f: &[T]) -> T {
    let mut sums = [T::ZERO; LANES];
    for (a, f) in a.chunks(LANES).zip(f.chunks(LANES)) {
        for (sum, (&a, &f)) in sums.iter_mut().zip(a.iter().zip(f)) {
            *sum += a * f;
        }
    }
    total(sums)
}

#[cfg(test)]
mod tests {
    #[test]
    fn entries_far_below_and_near_their_data_keep_their_digits() {
        for z in [1e-30, 1e-12, 0.3, 0.7, 1.5, 1e9] {
            let value = 2.0 * (2.0_f64 / z).ln() - 2.0 + z;
            assert!((super::of_entry(2.0, z) / value - 1.0).abs() < 1e-14, "{z}");
        }
        // ½(z − y)²/y − (z − y)³/(6y²)
        let value = 0.25e-16 - 1e-24 / 24.0;
        assert!((super::of_entry(2.0, 2.0 + 1e-8) / value - 1.0).abs() < 1e-6);
        assert!(super::of_entry(2.0, 0.0) == f64::INFINITY);
    }
}
