//! Functions of the singular values of a matrix, which is a vector of columns.

use super::dense::{View, multiply, singular_values};
use super::vec::{is_finite, norm_inf, scale};
use crate::{Error, Real, scratch};

/// The shape of a matrix that is given as a vector.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Shape {
    pub(crate) rows: usize,
    pub(crate) cols: usize,
}

impl Shape {
    /// `Ok` if a vector of this length is such a matrix.
    pub(crate) fn fits(self, len: usize) -> Result<(), Error> {
        if self.rows.checked_mul(self.cols) == Some(len) {
            return Ok(());
        }
        let Self { rows, cols } = self;
        Err(Error::Incompatible(format!(
            "a vector of length {len} is not a {rows}x{cols} matrix"
        )))
    }

    /// The number of singular values.
    fn size(self) -> usize {
        self.rows.min(self.cols)
    }
}

/// A power of two near the largest entry, but a normal number: divided by it, no square over- or underflows.
pub(crate) fn magnitude<T: Real>(x: &[T]) -> f64 {
    let largest = norm_inf(x);
    if largest > 0.0 {
        2f64.powi(largest.max(f64::MIN_POSITIVE).log2().floor() as i32)
    } else {
        1.0
    }
}

/// Calls `work` with the singular values of x in decreasing order; NaN if there are none.
pub(crate) fn with_values<T: Real, R>(x: &[T], shape: Shape, work: impl FnOnce(&[T]) -> R) -> R {
    let size = magnitude(x);
    scratch::with(x.len(), |scaled: &mut [T]| {
        scratch::with(shape.size(), |values: &mut [T]| {
            divide(x, size, scaled);
            let view = View::new(scaled, shape.rows, shape.cols);
            if is_finite(x) && singular_values(view, values, None) {
                scale(T::of(size), values);
            } else {
                values.fill(T::of(f64::NAN));
            }
            work(values)
        })
    })
}

fn divide<T: Real>(x: &[T], by: f64, scaled: &mut [T]) {
    for (scaled, x) in scaled.iter_mut().zip(x) {
        *scaled = T::of(x.f64() / by);
    }
}

/// x ← U diag(s′) Vᵀ, where `change` makes s′ of the singular values s ≥ 0 in decreasing order, keeping the order, and says
/// whether it changed any. All NaN where there is no decomposition, so that a run sees that it went wrong.
pub(crate) fn change_values<T: Real>(
    x: &mut [T],
    shape: Shape,
    change: impl FnOnce(&mut [T]) -> bool,
) {
    let Shape { rows, cols } = shape;
    let k = shape.size();
    let size = magnitude(x);
    scratch::with((rows + cols + 1) * k + x.len(), |memory: &mut [T]| {
        let (values, memory) = memory.split_at_mut(k);
        let (u, memory) = memory.split_at_mut(rows * k);
        let (v, scaled) = memory.split_at_mut(cols * k);
        divide(x, size, scaled);
        let view = View::new(scaled, rows, cols);
        if !is_finite(x) || !singular_values(view, values, Some((&mut *u, &mut *v))) {
            x.fill(T::of(f64::NAN));
            return;
        }
        scale(T::of(size), values);
        if change(values) {
            let kept = values.iter().take_while(|&&s| s > T::ZERO).count();
            for (column, &s) in u.chunks_mut(rows.max(1)).zip(&*values).take(kept) {
                scale(s, column);
            }
            let u = View::new(u, rows, k).cols(0, kept);
            multiply(x, u, View::new(v, cols, k).cols(0, kept).t(), false);
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reconstructs_at_every_scale_and_shape() {
        for (rows, cols) in [(5, 3), (3, 5), (1, 4), (4, 1), (0, 3), (130, 7)] {
            let shape = Shape { rows, cols };
            for size in [1.0, 1e200, 1e-200, 1e-310] {
                let x: Vec<f64> = (0..rows * cols)
                    .map(|i| size * ((i * i) as f64).sin())
                    .collect();
                let mut again = x.clone();
                change_values(&mut again, shape, |_| true);
                for (x, again) in x.iter().zip(&again) {
                    assert!(
                        (x - again).abs() <= 1e-14 * f64::max(size, f64::MIN_POSITIVE),
                        "{rows}x{cols}: {x} {again}"
                    );
                }
            }
        }
    }

    #[test]
    fn what_is_not_finite_becomes_nan() {
        for bad in [f64::NAN, f64::INFINITY] {
            let mut x = [1.0, bad, 2.0, 3.0];
            change_values(&mut x, Shape { rows: 2, cols: 2 }, |_| true);
            assert!(x.iter().all(|x| x.is_nan()));
            assert!(with_values(&[bad; 4], Shape { rows: 2, cols: 2 }, |s| s[0].is_nan()));
        }
    }
}
