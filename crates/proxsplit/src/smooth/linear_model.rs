//! f(x) = Σ_i ℓ(a_iᵀx, b_i), a scalar loss ℓ of a linear model.

use super::loss::Loss;
use super::spectrum;
use crate::data::Matrix;
use crate::data::rows::{Design, Picked};
use crate::error::{Error, all_finite, length};
use crate::linalg::vec::{dot, norm};
use crate::{FiniteSum, Lipschitz, Real, Smooth};
use std::sync::OnceLock;

/// f(x) = Σ_i ℓ(a_iᵀx, b_i) over the rows a_i of a matrix and targets b_i; each row is a term.
///
/// The matrix stays where it is, in its stored type, dense or sparse; all sums run in `f64`. Only a column-compressed
/// sparse matrix is copied once to row-compressed form, because its rows cannot be read. Dense columns serve whole
/// gradients and batches of neighbouring rows as fast as dense rows; random rows are slower.
///
/// ```
/// use proxsplit::data::{Dense, Elements, Order};
/// use proxsplit::{Smooth, smooth::LeastSquares};
/// let a = Dense::new(2, 2, Order::RowMajor, Elements::U8(&[1, 2, 3, 4]))?;
/// let f = LeastSquares::new(a, &[1.0, 1.0])?;
/// let mut grad = [0.0; 2];
/// assert_eq!(f.gradient(&[1.0, 0.0], &mut grad), 2.0);
/// assert_eq!(grad, [6.0, 8.0]);
/// # Ok::<(), proxsplit::Error>(())
/// ```
pub struct LinearModel<'a, T: Real, L: Loss> {
    design: Design<'a, T>,
    targets: Vec<T>,
    loss: L,
    scale: f64,
    norm_squared: OnceLock<Lipschitz>,
    largest_row: OnceLock<f64>,
    at_zero: OnceLock<f64>,
    column_sums: OnceLock<Option<Vec<T>>>,
}

impl<'a, T: Real, L: Loss> LinearModel<'a, T, L> {
    /// The sum of `loss` over the rows of `matrix` and their targets.
    pub fn with_loss(matrix: impl Into<Matrix<'a>>, targets: &[T], loss: L) -> Result<Self, Error> {
        let design = Design::new(matrix.into())?;
        length("targets", targets, design.rows())?;
        all_finite("targets", targets)?;
        targets
            .iter()
            .try_for_each(|target| loss.accepts(target.f64()))?;
        Ok(Self {
            design,
            targets: targets.to_vec(),
            loss,
            scale: 1.0,
            norm_squared: OnceLock::new(),
            largest_row: OnceLock::new(),
            at_zero: OnceLock::new(),
            column_sums: OnceLock::new(),
        })
    }

    /// The mean over the rows in place of the sum.
    #[must_use]
    pub fn averaged(mut self) -> Self {
        self.scale = 1.0 / self.design.rows() as f64;
        self
    }

    /// σ = Aᵀ1, if no entry of A is negative.
    fn column_sums(&self) -> Option<&[T]> {
        let sums = self.column_sums.get_or_init(|| {
            self.design.is_nonnegative().then(|| {
                let mut sums = vec![T::ZERO; self.design.cols()];
                let origin = vec![T::ZERO; self.design.cols()];
                let all = self.design.all();
                self.design
                    .sweep(all, &origin, Some(&mut sums), |_, _| (0.0, 1.0));
                sums
            })
        });
        sums.as_deref()
    }

    fn sweep(&self, rows: Picked<'_>, x: &[T], grad: Option<&mut [T]>) -> f64 {
        debug_assert_eq!(x.len(), self.design.cols());
        let (loss, scale, targets) = (&self.loss, self.scale, &self.targets);
        let total = self.design.sweep(rows, x, grad, |i, z| {
            let (value, slope) = loss.at(z, targets[i].f64());
            (value, scale * slope)
        });
        scale * total
    }
}

impl<T: Real, L: Loss> Smooth<T> for LinearModel<'_, T, L> {
    fn dim(&self) -> usize {
        self.design.cols()
    }

    fn gradient(&self, x: &[T], grad: &mut [T]) -> f64 {
        grad.fill(T::ZERO);
        self.sweep(self.design.all(), x, Some(grad))
    }

    fn value(&self, x: &[T]) -> f64 {
        self.sweep(self.design.all(), x, None)
    }

    /// L = max |ℓ″|·‖A‖², computed when it is first asked for. Known if A has a short side (the largest eigenvalue of a
    /// small Gram matrix) or no negative entry (a Perron bound); otherwise estimated by the Lanczos process.
    fn lipschitz(&self) -> Lipschitz {
        self.norm_squared
            .get_or_init(|| spectrum::norm_squared(&self.design))
            .scaled(self.loss.curvature() * self.scale)
    }

    fn is_convex(&self) -> bool {
        self.loss.is_convex()
    }

    fn lower_bound(&self) -> Option<f64> {
        self.loss.is_nonnegative().then_some(0.0)
    }

    fn cancelling(&self) -> Option<f64> {
        let size = *self.at_zero.get_or_init(|| {
            let origin = vec![T::ZERO; self.design.cols()];
            let mut gradient = origin.clone();
            self.gradient(&origin, &mut gradient);
            norm(&gradient)
        });
        (size > 0.0).then_some(size)
    }

    /// c Σ_i ℓ*(αℓ′(a_iᵀx), b_i), where f = c Σ_i ℓ(a_iᵀx, b_i). For the squared loss, with r = Ax − b, this is
    /// c(α²‖r‖²/2 + α⟨r, b⟩), and c‖r‖² = 2f, c⟨r, b⟩ = ⟨∇f, x⟩ − 2f.
    fn dual_value(&self, x: &[T], value: f64, gradient: &[T], scale: f64) -> Option<f64> {
        let along = dot(gradient, x);
        if self.loss.is_squared() {
            return Some(scale * (scale * value + along - 2.0 * value));
        }
        if scale == 1.0 {
            return self.is_convex().then_some(along - value);
        }
        self.loss.conjugate(0.0, self.targets.first()?.f64())?;
        let (loss, targets) = (&self.loss, &self.targets);
        let total = self.design.sweep(self.design.all(), x, None, |i, z| {
            let b = targets[i].f64();
            let dual = loss.conjugate(scale * loss.at(z, b).1, b);
            (dual.unwrap_or(f64::INFINITY), 0.0)
        });
        Some(self.scale * total)
    }

    /// With r = b − Ax and s = max(0, max_k (a_kᵀr − W)/σ_k) the point r − s·(1, …, 1) is feasible for the dual, and the gap is
    /// ms²/2 + Σ_k x_k(W − a_kᵀr + sσ_k).
    fn shifted_gap(&self, x: &[T], gradient: &[T], weight: f64) -> Option<f64> {
        if !self.loss.is_squared() || x.iter().any(|&x| x < T::ZERO) {
            return None;
        }
        let sums = self.column_sums()?;
        // c·a_kᵀr − W is how far column k is beyond what the dual allows.
        let beyond = |slope: &T| -slope.f64() - weight;
        let columns = gradient.iter().zip(sums);
        let shift = columns.fold(0.0f64, |shift, (slope, sum)| {
            if beyond(slope) > 0.0 {
                shift.max(beyond(slope) / (self.scale * sum.f64()))
            } else {
                shift
            }
        });
        let entries = x.iter().zip(gradient.iter().zip(sums));
        let slack = entries
            .map(|(x, (slope, sum))| x.f64() * (self.scale * shift * sum.f64() - beyond(slope)));
        let rows = self.design.rows() as f64;
        Some(0.5 * self.scale * rows * shift * shift + slack.sum::<f64>())
    }
}

impl<T: Real, L: Loss> FiniteSum<T> for LinearModel<'_, T, L> {
    fn terms(&self) -> usize {
        self.design.rows()
    }

    fn add_gradient(&self, batch: &[usize], x: &[T], grad: &mut [T]) -> f64 {
        self.sweep(Picked::list(batch), x, Some(grad))
    }

    /// max_i L_i = max |ℓ″|·max_i ‖a_i‖².
    fn term_lipschitz(&self) -> Lipschitz {
        let largest = *self
            .largest_row
            .get_or_init(|| self.design.largest_row_squared());
        // The sum of squares may be rounded down.
        let margin = 1.0 + f64::EPSILON * self.design.cols() as f64;
        Lipschitz::Known(largest * margin).scaled(self.loss.curvature() * self.scale)
    }
}
