//! f(x) = xᵀQx/2 + cᵀx with a symmetric Q, definite or not.

use super::{lipschitz, spectrum};
use crate::data::rows::Design;
use crate::data::{Dense, Elements, Matrix, StorageOrder};
use crate::error::{Error, all_finite, length};
use crate::linalg::dense::{Mat, symmetric_eigenvalues};
use crate::linalg::vec::{dot, norm};
use crate::{Lipschitz, Real, Smooth};
use std::sync::OnceLock;

/// f(x) = xᵀQx/2 + cᵀx.
///
/// Up to dimension 512 the eigenvalues of Q, computed when they are first asked for, give L and convexity. Above, L is
/// estimated and f counts as nonconvex.
pub struct Quadratic<'a, T: Real> {
    q: Design<'a, T>,
    c: Vec<T>,
    spectrum: OnceLock<Option<(f64, f64)>>,
    estimate: OnceLock<Lipschitz>,
}

crate::opaque!(Quadratic<'_, T>, T: Real);

impl<'a, T: Real> Quadratic<'a, T> {
    /// xᵀQx/2 + cᵀx, where Q is symmetric up to the rounding of its stored type.
    pub fn new(q: Dense<'a>, c: &[T]) -> Result<Self, Error> {
        if q.rows() != q.cols() {
            return Err(Error::Incompatible(format!(
                "Q is {} x {}, but it must be square",
                q.rows(),
                q.cols()
            )));
        }
        // A symmetric matrix is the same in both orders.
        let by_rows = if q.order() == StorageOrder::RowMajor {
            q
        } else {
            q.t()
        };
        let design = Design::new(Matrix::Dense(by_rows))?;
        check_symmetric(&q)?;
        length("c", c, q.cols())?;
        all_finite("c", c)?;
        Ok(Self {
            q: design,
            c: c.to_vec(),
            spectrum: OnceLock::new(),
            estimate: OnceLock::new(),
        })
    }

    /// The smallest and the largest eigenvalue of Q, if Q is small enough.
    fn spectrum(&self) -> Option<(f64, f64)> {
        *self.spectrum.get_or_init(|| {
            let n = self.q.cols();
            if n > spectrum::SHORT {
                return None;
            }
            let mut q = Mat::zeros(n, n);
            self.q.tile(0..n, 0..n, q.data_mut());
            let eigenvalues = symmetric_eigenvalues(&q)?;
            Some((*eigenvalues.first()?, *eigenvalues.last()?))
        })
    }
}

fn check_symmetric(q: &Dense<'_>) -> Result<(), Error> {
    let tolerance = match q.elements() {
        Elements::F64(_) => 1e-12,
        Elements::F32(_) => 1e-5,
        _ => 0.0,
    };
    for i in 0..q.rows() {
        for j in 0..i {
            let (lower, upper) = (q.get(i, j), q.get(j, i));
            if (lower - upper).abs() > tolerance * lower.abs().max(upper.abs()) {
                return Err(Error::Incompatible(format!(
                    "Q must be symmetric, but Q({i}, {j}) = {lower} and Q({j}, {i}) = {upper}"
                )));
            }
        }
    }
    Ok(())
}

impl<T: Real> Smooth<T> for Quadratic<'_, T> {
    fn dim(&self) -> usize {
        self.q.cols()
    }

    fn gradient(&self, x: &[T], grad: &mut [T]) -> f64 {
        self.q.apply(x, grad);
        let value = 0.5 * dot(x, grad) + dot(&self.c, x);
        for (grad, &c) in grad.iter_mut().zip(&self.c) {
            *grad += c;
        }
        value
    }

    fn lipschitz(&self) -> Lipschitz {
        let n = self.dim();
        if let Some((smallest, largest)) = self.spectrum() {
            let norm = smallest.abs().max(largest.abs());
            return Lipschitz::Known(norm * (1.0 + f64::EPSILON * (10 * n) as f64));
        }
        *self
            .estimate
            .get_or_init(|| lipschitz::estimate(self, &vec![T::ZERO; n], 0))
    }

    fn cancelling(&self) -> Option<f64> {
        let size = norm(&self.c);
        (size > 0.0).then_some(size)
    }

    /// Whether Q ⪰ 0 up to rounding.
    fn is_convex(&self) -> bool {
        self.spectrum().is_some_and(|(smallest, largest)| {
            let rounding = f64::EPSILON * (10 * self.dim()) as f64;
            smallest >= -rounding * largest.abs()
        })
    }
}
