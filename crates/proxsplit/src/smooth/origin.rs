//! f and ∇f at 0, where most runs begin and to which tolerances refer.

use super::loss::Loss;
use crate::Real;
use crate::data::rows::Design;

/// Σ_i ℓ(0, b_i) with its gradient, from the look at the matrix that also tells whether it is finite.
pub(super) struct Origin<T> {
    value: f64,
    slope: f64, // of the intercept
    gradient: Vec<T>,
}

impl<T: Real> Origin<T> {
    /// `None` for sparse data, of which a second look is cheap, and where sums overflow.
    pub(super) fn new(design: &Design<'_, T>, targets: &[T], loss: &impl Loss) -> Option<Self> {
        if design.is_sparse() {
            return None;
        }
        let (mut value, mut slope) = (0.0, 0.0);
        let at_zero = |target: &T| {
            let (loss, weight) = loss.at(0.0, target.f64());
            value += loss;
            slope += weight;
            weight
        };
        let weights: Vec<f64> = targets.iter().map(at_zero).collect();
        let mut gradient = vec![T::ZERO; design.cols()];
        design.sums_at_first(&weights, &mut gradient);
        let is_finite = value.is_finite() && gradient.iter().all(|g| g.is_finite());
        is_finite.then_some(Self {
            value,
            slope,
            gradient,
        })
    }

    /// grad ← the gradient of `scale` times the sum, the intercept's entry behind it; returns the value.
    pub(super) fn put(&self, scale: f64, grad: &mut [T]) -> f64 {
        let (grad, last) = grad.split_at_mut(self.gradient.len());
        for (grad, sum) in grad.iter_mut().zip(&self.gradient) {
            *grad = T::of(scale * sum.f64());
        }
        last.fill(T::of(scale * self.slope));
        self.value(scale)
    }

    /// `scale` times the sum.
    pub(super) fn value(&self, scale: f64) -> f64 {
        scale * self.value
    }
}
