//! How far a run has come: Σ_j ‖Δ_j‖, the measure of errors that follow its moves.

use crate::Real;
use crate::linalg::vec::distance;

/// The length of the way through the points that a source was asked about.
pub(super) struct Trail<T: Real> {
    x: Vec<T>, // the point that was asked about last
    length: f64,
}

impl<T: Real> Trail<T> {
    pub(super) fn new(dim: usize) -> Self {
        Self {
            x: vec![T::ZERO; dim],
            length: 0.0,
        }
    }

    /// Begins anew at x.
    pub(super) fn begin(&mut self, x: &[T]) {
        self.x.copy_from_slice(x);
        self.length = 0.0;
    }

    /// Goes on to x; returns ‖Δ‖.
    pub(super) fn go(&mut self, x: &[T]) -> f64 {
        let moved = distance(x, &self.x);
        self.x.copy_from_slice(x);
        self.length += moved;
        moved
    }

    /// The point that was asked about last.
    pub(super) fn x(&self) -> &[T] {
        &self.x
    }

    /// Σ_j ‖Δ_j‖ since the beginning.
    pub(super) fn length(&self) -> f64 {
        self.length
    }
}
