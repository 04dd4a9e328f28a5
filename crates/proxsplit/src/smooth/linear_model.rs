//! f(x) = Σ_i ℓ(a_iᵀx, b_i), a scalar loss ℓ of a linear model.

use super::linear::Linear;
use super::loss::Loss;
use super::origin::Origin;
use super::spectrum;
use crate::data::rows::{Design, Picked};
use crate::data::{Columns, Matrix};
use crate::error::{Error, all_finite, length, nonnegative};
use crate::linalg::vec::{dot, norm};
use crate::parallel::prelude::*;
use crate::{FiniteSum, Lipschitz, Real, Smooth, scratch};
use std::sync::OnceLock;

/// Rows whose losses are one task.
const STRETCH: usize = 2048;

/// f(x) = Σ_i ℓ(a_iᵀx, b_i) over the rows a_i of a matrix and targets b_i; each row is a term.
///
/// The matrix stays where it is, in its stored type, dense or sparse; all sums run in `f64`. Whole gradients go by columns if
/// the matrix stands by columns and few entries of x are not 0; otherwise a column-compressed one is copied once to row-compressed form.
/// Dense columns serve batches of neighbouring rows as fast as dense rows; random rows are slower.
///
/// ```
/// use proxsplit::data::{Dense, Elements, StorageOrder};
/// use proxsplit::{Smooth, smooth::LeastSquares};
/// let a = Dense::new(2, 2, StorageOrder::RowMajor, Elements::U8(&[1, 2, 3, 4]))?;
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
    /// A weight for every row, if they are not all 1.
    weights: Option<Vec<f64>>,
    /// Whether the last entry of x is added to every product.
    has_intercept: bool,
    norm_squared: OnceLock<Lipschitz>,
    largest_row: OnceLock<f64>,
    /// Where runs begin, if the matrix is dense and the rows have no weights.
    origin: Option<Origin<T>>,
    at_zero: OnceLock<f64>,
    column_sums: OnceLock<Option<Vec<T>>>,
}

crate::opaque!(LinearModel<'_, T, L>, T: Real, L: Loss);

impl<'a, T: Real, L: Loss> LinearModel<'a, T, L> {
    /// The sum of `loss` over the rows of `matrix` and their targets.
    pub fn with_loss(matrix: impl Into<Matrix<'a>>, targets: &[T], loss: L) -> Result<Self, Error> {
        let design = Design::unseen(matrix.into())?;
        length("targets", targets, design.rows())?;
        all_finite("targets", targets)?;
        targets
            .iter()
            .try_for_each(|target| loss.accepts(target.f64()))?;
        let origin = Origin::new(&design, targets, &loss);
        design.check_finite()?;
        Ok(Self {
            design,
            targets: targets.to_vec(),
            loss,
            scale: 1.0,
            weights: None,
            has_intercept: false,
            norm_squared: OnceLock::new(),
            largest_row: OnceLock::new(),
            origin,
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

    /// Counts row i so often as `weights[i]` ≥ 0 says; `averaged` before it divides by the number of rows all the same.
    pub fn weighted(mut self, weights: &[f64]) -> Result<Self, Error> {
        length("weights", weights, self.design.rows())?;
        weights
            .iter()
            .try_for_each(|&weight| nonnegative("weight", weight).map(|_| ()))?;
        self.weights = Some(weights.to_vec());
        self.origin = None;
        Ok(self)
    }

    /// The same with one more entry of x at its end, which is added to every a_iᵀx.
    #[must_use]
    pub fn with_intercept(mut self) -> Self {
        self.has_intercept = true;
        self
    }

    /// The weight of a row.
    #[inline(always)]
    fn weight(&self, i: usize) -> f64 {
        let weight = self.weights.as_ref().map_or(1.0, |weights| weights[i]);
        self.scale * weight
    }

    /// The largest weight.
    fn heaviest(&self) -> f64 {
        let weights = self.weights.iter().flatten();
        let largest = weights.copied().reduce(f64::max);
        self.scale * largest.unwrap_or(1.0)
    }

    /// The square of the intercept's column.
    fn ones(&self) -> f64 {
        if self.has_intercept {
            self.design.rows() as f64
        } else {
            0.0
        }
    }

    /// x without the intercept, and the intercept.
    fn split<'x>(&self, x: &'x [T]) -> (&'x [T], f64) {
        match x.split_last() {
            Some((last, rest)) if self.has_intercept => (rest, last.f64()),
            _ => (x, 0.0),
        }
    }

    /// What is known if x = 0.
    fn origin_at(&self, x: &[T]) -> Option<&Origin<T>> {
        self.origin.as_ref().filter(|_| is_zero(x))
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
        debug_assert_eq!(x.len(), self.dim());
        let (x, intercept) = self.split(x);
        let visit = |i: usize, z: f64| {
            let (value, slope) = self.loss.at(z + intercept, self.targets[i].f64());
            let weight = self.weight(i);
            (weight * value, weight * slope)
        };
        match grad {
            Some(grad) if self.has_intercept => {
                let (grad, last) = grad.split_at_mut(x.len());
                let (value, slope) = self.design.sweep(rows, x, Some(grad), visit);
                last[0] += T::of(slope);
                value
            }
            grad => self.design.sweep(rows, x, grad, visit).0,
        }
    }
}

fn is_zero<T: Real>(x: &[T]) -> bool {
    x.iter().all(|&x| x == T::ZERO)
}

impl<T: Real, L: Loss> Linear<T> for LinearModel<'_, T, L> {
    fn stored(&self) -> usize {
        self.design.stored()
            + if self.has_intercept {
                self.design.rows()
            } else {
                0
            }
    }

    fn slopes(&self, z: &[f64], s: &mut [f64]) -> f64 {
        scratch::with(z.len().div_ceil(STRETCH), |totals: &mut [f64]| {
            let parts = s.par_chunks_mut(STRETCH).zip(z.par_chunks(STRETCH));
            let parts = parts.zip(totals.par_iter_mut()).enumerate();
            parts.each(&|(k, ((s, z), total))| {
                *total = 0.0;
                for (i, (s, &z)) in (k * STRETCH..).zip(s.iter_mut().zip(z)) {
                    let (value, slope) = self.loss.at(z, self.targets[i].f64());
                    let weight = self.weight(i);
                    *s = weight * slope;
                    *total += weight * value;
                }
            });
            totals.iter().sum()
        })
    }

    fn slopes_of(&self, rows: &[usize], x: &[T], s: &mut [f64]) {
        let (x, intercept) = self.split(x);
        self.design.dots(Picked::list(rows), x, s);
        for (&i, s) in rows.iter().zip(s) {
            let slope = self.loss.slope(*s + intercept, self.targets[i].f64());
            *s = self.weight(i) * slope;
        }
    }

    fn add_rows(&self, rows: &[usize], w: &[f64], out: &mut [T]) {
        if self.has_intercept
            && let Some(last) = out.last_mut()
        {
            *last += T::of(w.iter().sum());
        }
        let cols = self.design.cols();
        self.design.add(Picked::list(rows), w, &mut out[..cols]);
    }

    fn bends(&self, z: &[f64], damping: f64, w: &mut [f64]) {
        let most = self.loss.curvature();
        let parts = w.par_chunks_mut(STRETCH).zip(z.par_chunks(STRETCH));
        parts.enumerate().each(&|(k, (w, z))| {
            for (i, (w, &z)) in (k * STRETCH..).zip(w.iter_mut().zip(z)) {
                let bend = self.loss.bend(z, self.targets[i].f64());
                *w = self.weight(i) * (bend + damping * (most - bend));
            }
        });
    }

    fn is_quadratic(&self) -> bool {
        self.loss.is_squared()
    }

    fn uniform_bend(&self) -> Option<f64> {
        let is_uniform = self.loss.is_squared() && self.weights.is_none();
        is_uniform.then_some(self.scale)
    }

    fn curvature_bound(&self) -> f64 {
        let squares = self.design.sum_of_squares();
        // The sum may be rounded down.
        (squares + self.ones()) * (1.0 + 1e-9) * self.loss.curvature() * self.heaviest()
    }

    fn columns(&self) -> Option<Columns<T>> {
        self.design.columns()
    }

    fn pack(&self, cols: &[usize], into: &mut Columns<T>) {
        let intercept = self.design.cols();
        let mut parts = cols.split(|&col| col == intercept);
        self.design.pack(parts.next().unwrap_or(&[]), into);
        for part in parts {
            into.push_ones();
            self.design.pack(part, into);
        }
    }
}

impl<T: Real, L: Loss> Smooth<T> for LinearModel<'_, T, L> {
    fn dim(&self) -> usize {
        self.design.cols() + usize::from(self.has_intercept)
    }

    fn gradient(&self, x: &[T], grad: &mut [T]) -> f64 {
        if let Some(origin) = self.origin_at(x) {
            return origin.put(self.scale, grad);
        }
        grad.fill(T::ZERO);
        let value = self.sweep(self.design.all(), x, Some(grad));
        if is_zero(x) {
            // Runs begin there, and ask for it later.
            self.at_zero.get_or_init(|| norm(grad));
        }
        value
    }

    fn value(&self, x: &[T]) -> f64 {
        match self.origin_at(x) {
            Some(origin) => origin.value(self.scale),
            None => self.sweep(self.design.all(), x, None),
        }
    }

    /// L = max |ℓ″|·‖A‖², computed when it is first asked for. Known if A has a short side (the largest eigenvalue of a
    /// small Gram matrix) or no negative entry (a Perron bound); otherwise estimated by the Lanczos process.
    fn lipschitz(&self) -> Lipschitz {
        self.norm_squared
            .get_or_init(|| spectrum::norm_squared(&self.design))
            .plus(self.ones())
            .scaled(self.loss.curvature() * self.heaviest())
    }

    fn is_convex(&self) -> bool {
        self.loss.is_convex()
    }

    fn lower_bound(&self) -> Option<f64> {
        self.loss.is_nonnegative().then_some(0.0)
    }

    fn falls_forever(&self, x: &[T]) -> bool {
        let (x, intercept) = self.split(x);
        let stays = |i: usize, z: f64| {
            let escapes = self.loss.escapes(z + intercept, self.targets[i].f64());
            (f64::from(u8::from(!escapes)), 0.0)
        };
        let falls = |rows| self.design.sweep(rows, x, None, stays).0 == 0.0;
        // Mostly the first row knows better.
        falls(Picked::list(&[0])) && falls(self.design.all())
    }

    fn cancelling(&self) -> Option<f64> {
        let size = self.at_zero.get().copied().unwrap_or_else(|| {
            let zero = vec![T::ZERO; self.dim()];
            let mut gradient = zero.clone();
            self.gradient(&zero, &mut gradient);
            *self.at_zero.get_or_init(|| norm(&gradient))
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
        let (x, intercept) = self.split(x);
        let (total, _) = self.design.sweep(self.design.all(), x, None, |i, z| {
            let b = targets[i].f64();
            let dual = loss.conjugate(scale * loss.slope(z + intercept, b), b);
            (self.weight(i) * dual.unwrap_or(f64::INFINITY), 0.0)
        });
        Some(total)
    }

    /// With r = b − Ax and s = max(0, max_k (a_kᵀr − W)/σ_k) the point r − s·(1, …, 1) is feasible for the dual, and the gap is
    /// ms²/2 + Σ_k x_k(W − a_kᵀr + sσ_k).
    fn shifted_gap(&self, x: &[T], gradient: &[T], weight: f64) -> Option<f64> {
        let is_plain = self.weights.is_none() && !self.has_intercept;
        if !is_plain || !self.loss.is_squared() || x.iter().any(|&x| x < T::ZERO) {
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
        let largest = largest + f64::from(u8::from(self.has_intercept));
        Lipschitz::Known(largest * margin).scaled(self.loss.curvature() * self.heaviest())
    }

    fn linear(&self) -> Option<&dyn Linear<T>> {
        Some(self)
    }
}
