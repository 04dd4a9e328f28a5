//! placeholder until the duality gap is merged
use crate::{Prox, Real, Smooth};
/// A bound on the suboptimality.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Gap {
    /// The bound.
    pub value: f64,
    /// Whether it is tight.
    pub is_tight: bool,
}
/// placeholder
pub fn suboptimality<T: Real>(
    _: &dyn Smooth<T>,
    _: &dyn Prox<T>,
    _: &[T],
    _: f64,
    _: &[T],
) -> Option<Gap> {
    None
}

/// inf g, if it is known.
pub fn infimum<T: Real>(_g: &dyn Prox<T>, _len: usize) -> Option<f64> {
    None
}
