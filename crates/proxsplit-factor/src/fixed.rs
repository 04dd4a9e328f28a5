//! Atoms that are given and kept to the bit: the first columns of X. No term of X acts on them.

use crate::products::Lanes;
use proxsplit::Error;
use proxsplit::Mat;
use proxsplit::internal::linalg::vec::norm;

/// Roundings of `f32` by which atoms of a file may differ from those that were given, relative to the larger number.
const ROUNDINGS: f64 = 2.0;

/// The fixed atoms, if there are some.
#[derive(Debug)]
pub(crate) struct Fixed<'a, T>(Option<&'a Mat<T>>);

impl<T> Clone for Fixed<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Fixed<'_, T> {}

impl<'a, T: Lanes> Fixed<'a, T> {
    /// All atoms are free.
    pub(crate) const NONE: Self = Self(None);

    /// Refuses atoms of another length, more than there are, and numbers that are not finite.
    pub(crate) fn new(atoms: &'a Mat<T>, (rows, rank): (usize, usize)) -> Result<Self, Error> {
        if atoms.rows() != rows {
            return Err(Error::Incompatible(format!(
                "the fixed atoms have {} features, but the data have {rows}",
                atoms.rows()
            )));
        }
        if atoms.cols() > rank {
            return Err(Error::Incompatible(format!(
                "there are {} fixed atoms, but the rank, which counts them, is {rank}",
                atoms.cols()
            )));
        }
        let data = atoms.data().iter();
        if let Some(at) = data.into_iter().position(|value| !value.is_finite()) {
            return Err(Error::Incompatible(format!(
                "feature {} of fixed atom {} (counting from 0) is not finite",
                at % rows,
                at / rows
            )));
        }
        Ok(Self(Some(atoms)))
    }

    /// How many there are.
    pub(crate) fn count(self) -> usize {
        self.0.map_or(0, Mat::cols)
    }

    /// The atoms, m × count.
    pub(crate) fn atoms(self) -> Option<&'a Mat<T>> {
        self.0
    }

    /// Puts them in their places in Xᵀ.
    pub(crate) fn put(self, x: &mut [T], rank: usize) {
        let Some(atoms) = self.0 else { return };
        for (i, row) in x.chunks_exact_mut(rank).enumerate() {
            for (k, value) in row[..atoms.cols()].iter_mut().enumerate() {
                *value = atoms.col(k)[i];
            }
        }
    }

    /// Sets their rows of a matrix like Xᵀ to 0.
    pub(crate) fn clear(self, slope: &mut [T], rank: usize) {
        let Some(atoms) = self.0 else { return };
        for row in slope.chunks_exact_mut(rank) {
            row[..atoms.cols()].fill(T::ZERO);
        }
    }

    /// ‖X‖ without them.
    pub(crate) fn norm_of_free(self, x: &[T], rank: usize) -> f64 {
        if self.0.is_none() {
            return norm(x);
        }
        let mut free = x.to_vec();
        self.clear(&mut free, rank);
        norm(&free)
    }

    /// The first atom of Xᵀ that is not the fixed one, bit by bit.
    pub(crate) fn first_changed(self, x: &[T], rank: usize) -> Option<usize> {
        self.first(x, rank, |x, fixed| x.to_bits() != fixed.to_bits())
    }

    /// The first atom of Xᵀ that differs from the fixed one by more than a file in single precision rounds.
    pub(crate) fn first_other(self, x: &[T], rank: usize) -> Option<usize> {
        let allowed = ROUNDINGS * f64::from(f32::EPSILON);
        self.first(x, rank, |x, fixed| {
            (x - fixed).abs() > allowed * x.abs().max(fixed.abs())
        })
    }

    fn first(self, x: &[T], rank: usize, differ: impl Fn(f64, f64) -> bool) -> Option<usize> {
        let atoms = self.0?;
        (0..atoms.cols()).find(|&k| {
            let here = x.iter().skip(k).step_by(rank);
            let mut pairs = here.zip(atoms.col(k));
            pairs.any(|(x, fixed)| differ(x.f64(), fixed.f64()))
        })
    }
}
