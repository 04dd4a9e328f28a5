//! Positive semidefinite matrices.

use super::{inside, tolerance};
use crate::dual;
use crate::linalg::dense::{View, eigenvalues, multiply};
use crate::linalg::spectral::{Shape, magnitude};
use crate::linalg::vec::{is_finite, norm, norm_inf, scale};
use crate::scratch;
use crate::{Error, Form, Kind, Prox, Real};

/// `psd:N`, the symmetric N×N matrices with eigenvalues ≥ 0: negative eigenvalues of ½(X + Xᵀ) become 0. Convex.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Psd {
    size: usize,
}

impl Psd {
    /// Matrices of N rows and N columns, given column by column.
    pub fn new(size: usize) -> Self {
        Self { size }
    }

    /// N
    pub fn size(&self) -> usize {
        self.size
    }

    /// x ← ½(x + xᵀ)
    fn symmetrize<T: Real>(self, x: &mut [T]) {
        let n = self.size;
        for j in 0..n {
            for i in j + 1..n {
                let mean = T::of(0.5 * x[i + n * j].f64() + 0.5 * x[j + n * i].f64());
                x[i + n * j] = mean;
                x[j + n * i] = mean;
            }
        }
    }

    /// max |x − xᵀ|
    fn asymmetry<T: Real>(self, x: &[T]) -> f64 {
        let n = self.size;
        let below = (0..n).flat_map(|j| (j + 1..n).map(move |i| (i + n * j, j + n * i)));
        below
            .map(|(at, mirrored)| (x[at].f64() - x[mirrored].f64()).abs())
            .fold(0.0, f64::max)
    }
}

impl<T: Real> Prox<T> for Psd {
    fn value(&self, x: &[T]) -> f64 {
        if inside::<T>(self.asymmetry(x), norm_inf(x)) != 0.0 || !is_finite(x) {
            return f64::INFINITY;
        }
        let size = magnitude(x);
        scratch::with(self.size + x.len(), |memory: &mut [T]| {
            let (values, scaled) = memory.split_at_mut(self.size);
            for (scaled, x) in scaled.iter_mut().zip(x) {
                *scaled = T::of(x.f64() / size);
            }
            let found = eigenvalues(View::new(scaled, self.size, self.size), values, None);
            let [Some(least), Some(most)] = [values.first(), values.last()] else {
                return 0.0;
            };
            if found && least.f64() >= -tolerance::<T>() * most.f64() {
                0.0
            } else {
                f64::INFINITY
            }
        })
    }

    fn prox(&self, x: &mut [T], _: T) {
        let n = self.size;
        let size = T::of(magnitude(x));
        self.symmetrize(x);
        scratch::with(n + 3 * n * n, |memory: &mut [T]| {
            let (values, memory) = memory.split_at_mut(n);
            let (vectors, memory) = memory.split_at_mut(n * n);
            let (scaled, weighted) = memory.split_at_mut(n * n);
            for (scaled, &x) in scaled.iter_mut().zip(&*x) {
                *scaled = x / size;
            }
            let found =
                is_finite(x) && eigenvalues(View::new(scaled, n, n), values, Some(&mut *vectors));
            if !found {
                x.fill(T::of(f64::NAN));
                return;
            }
            // Increasing: the last ones are positive.
            let first = values.partition_point(|&value| value < T::ZERO);
            if first == 0 {
                return;
            }
            weighted.copy_from_slice(vectors);
            for (column, &value) in weighted.chunks_mut(n).zip(&*values).skip(first) {
                scale(value * size, column);
            }
            let positive = |columns| View::new(columns, n, n).cols(first, n - first);
            multiply(x, positive(weighted), positive(vectors).t(), false);
            self.symmetrize(x);
        });
    }

    /// 0 where ½(S + Sᵀ) has no positive eigenvalue, up to the rounding of s.
    fn conjugate(&self, s: &[T]) -> Option<f64> {
        if !is_finite(s) {
            return None;
        }
        let (n, size) = (self.size, magnitude(s));
        scratch::with(n + s.len(), |memory: &mut [T]| {
            let (values, scaled) = memory.split_at_mut(n);
            for (scaled, s) in scaled.iter_mut().zip(s) {
                *scaled = T::of(s.f64() / size);
            }
            let slack = dual::rounding::<T>(norm(scaled));
            self.symmetrize(scaled);
            let found = eigenvalues(View::new(scaled, n, n), values, None);
            let most = values.last().map_or(0.0, |most| most.f64());
            found.then(|| dual::cone(most <= slack))
        })
    }

    fn polar(&self, s: &[T]) -> Option<f64> {
        self.conjugate(s)
    }

    fn fits(&self, len: usize) -> Result<(), Error> {
        let (rows, cols) = (self.size, self.size);
        Shape { rows, cols }.fits(len)
    }

    fn form(&self) -> Form {
        Form::of(Kind::Set).homogeneous()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::contract;

    #[test]
    fn keeps_the_contract() {
        contract(&Psd::new(0), 0);
        contract(&Psd::new(1), 1);
        contract(&Psd::new(3), 9);
    }

    /// The eigenvalues of [[a, b], [b, d]] in closed form: the projection is X − λ₋vvᵀ where only λ₋ < 0.
    #[test]
    fn two_by_two() {
        let (a, b, d) = (1.0, 3.0, -2.0);
        let middle: f64 = 0.5 * (a + d);
        let radius = f64::hypot(0.5 * (a - d), b);
        let negative = middle - radius;
        let (v, w) = (b, negative - a);
        let square = v * v + w * w;
        // Off the diagonal 2 and 4, with mean b.
        let mut x = [a, 2.0, 4.0, d];
        Psd::new(2).prox(&mut x, 1.0);
        let expected = [
            a - negative * v * v / square,
            b - negative * v * w / square,
            d - negative * w * w / square,
        ];
        for (x, expected) in [x[0], x[1], x[3]].into_iter().zip(expected) {
            assert!((x - expected).abs() < 1e-14, "{x} {expected}");
        }
        assert_eq!(x[1], x[2]);
        assert_eq!(Psd::new(2).value(&[1.0, 2.0, 0.0, 1.0]), f64::INFINITY);
    }

    #[test]
    fn what_is_not_finite_becomes_nan() {
        let mut x = [1.0, f64::NAN, 0.0, 1.0];
        Psd::new(2).prox(&mut x, 1.0);
        assert!(x.iter().all(|x: &f64| x.is_nan()));
        assert!(Prox::<f64>::fits(&Psd::new(2), 3).is_err());
    }
}
