//! The data matrix Y and its two products with narrow factors, XᵀY and AYᵀ: where all the time goes.
//!
//! Factors are kept with K rows, X as Xᵀ (K×m) and A (K×T), so that both products are F·M with a narrow F: of Y, and of Yᵀ.

mod dense;
mod gaps;
mod gram;
mod held_out;
mod kernel;
mod lanes;
mod prefetch;
#[cfg(test)]
mod same_bits;
mod sparse;
#[cfg(test)]
mod tests;
mod weighted;

pub(crate) use gaps::{GATHERED, Gaps, Own, add_block};
pub(crate) use gram::{
    PART, Parts, add, chunk, copy, distance_squared, dot, gram, in_order, multiple, norm,
    small_product, times, times_difference, times_less_then_ridge, times_plus,
};
pub(crate) use held_out::HeldOut;
pub(crate) use kernel::padded;
pub(crate) use lanes::FEW;
pub use lanes::Lanes;

use crate::Missing;
use crate::rank::Speckle;
use dense::Window;
use proxsplit::data::{Dense, Element, Elements, Matrix, StorageOrder};
use proxsplit::internal::dispatch;
use proxsplit::internal::parallel::Each;
use proxsplit::{Error, error};
use rayon::prelude::*;
use sparse::Product;
pub(crate) use sparse::{Chosen, Lines};
use std::ops::Range;
use std::sync::Arc;
use std::time::Instant;
use weighted::DataWeights;

/// Y/scale, as it is stored, ready for products in the precision of the factors.
///
/// Dense data are not copied, but for `f64` under `f32` factors, which are narrowed once up to 256 MB: reading twice the bytes
/// in every product would cost what the shorter numbers gain. Of sparse data the order that is not stored is built once: 4 bytes an entry if all are 1,
/// else 4 and those of a `T`, because gathering is several times faster than scattering. At rank 4 an entry takes one byte more in
/// either order, which tells where lines end.
#[derive(Debug)]
pub struct Data<'a, T> {
    matrix: Matrix<'a>,
    /// Dense data in the precision of the factors, if they were narrowed.
    narrow: Option<Arc<Vec<T>>>,
    scale: f64,
    missing: Missing,
    /// 1/scale
    weight: T,
    /// A sparse matrix by columns and by rows.
    lines: Option<Arc<[Lines<'a, T>; 2]>>,
    /// Where entries are missing, if any are; products read 0 there.
    gaps: Option<Gaps>,
    weights: DataWeights<'a, T>,
    /// Which entries are held out, if some are.
    held_out: Option<Speckle>,
    square: f64,
    /// Seconds that it took to make this.
    set_up: f64,
}

impl<'a, T: Lanes> Data<'a, T> {
    /// Looks at the data once: refuses empty matrices, and entries that are not finite or whose squares are too large or too
    /// small for the precision of the factors, and computes ‖Y‖².
    pub fn new(matrix: Matrix<'a>, scale: f64) -> Result<Self, Error> {
        Self::with_missing(matrix, scale, Missing::None)
    }

    /// The same for data of which entries are missing. All of them must not be.
    pub fn with_missing(matrix: Matrix<'a>, scale: f64, missing: Missing) -> Result<Self, Error> {
        let begin = Instant::now();
        error::positive("scale", scale)?;
        for (name, count) in [("rows", matrix.rows()), ("columns", matrix.cols())] {
            error::require(name, count as f64, count > 0, "at least 1")?;
        }
        let square = checked_square::<T>(matrix, scale, missing)?;
        let gaps = Gaps::find(matrix, missing, None)?;
        let lines = match matrix {
            Matrix::Dense(_) => None,
            Matrix::Sparse(sparse) => Some(Arc::new(Lines::both(sparse))),
        };
        let narrow = match matrix {
            Matrix::Dense(dense) => narrowed(dense.elements())?.map(Arc::new),
            Matrix::Sparse(_) => None,
        };
        Ok(Self {
            matrix,
            narrow,
            scale,
            missing,
            weight: T::of(1.0 / scale),
            lines,
            gaps,
            weights: DataWeights::NONE,
            held_out: None,
            square,
            set_up: begin.elapsed().as_secs_f64(),
        })
    }

    /// The same data for factors in single precision; `None` unless they are dense and complete and all entries count alike.
    pub(crate) fn shortened(&self) -> Option<Data<'a, T::Short>> {
        let Matrix::Dense(dense) = self.matrix else {
            return None;
        };
        if self.gaps.is_some() || self.is_weighted() || self.held_out.is_some() {
            return None;
        }
        Some(Data {
            matrix: self.matrix,
            narrow: narrowed(dense.elements()).ok()?.map(Arc::new),
            scale: self.scale,
            missing: self.missing,
            weight: <T::Short as proxsplit::Real>::of(1.0 / self.scale),
            lines: None,
            gaps: None,
            weights: DataWeights::NONE,
            held_out: None,
            square: self.square,
            set_up: 0.0,
        })
    }

    /// m, the number of features.
    pub fn rows(&self) -> usize {
        self.matrix.rows()
    }

    /// T, the number of samples.
    pub fn cols(&self) -> usize {
        self.matrix.cols()
    }

    /// ‖Y‖², over the observed entries; Σ w·y² if they have weights.
    pub fn square(&self) -> f64 {
        self.square
    }

    /// Seconds that it took to make this.
    pub(crate) fn set_up(&self) -> f64 {
        self.set_up
    }

    /// Whether only nonzeros are stored.
    pub fn is_sparse(&self) -> bool {
        self.lines.is_some()
    }

    /// Sparse data by columns, if all entries count alike.
    pub(crate) fn sparse_columns(&self) -> Option<&Lines<'a, T>> {
        let [columns, _] = self.lines.as_deref()?;
        (!self.is_weighted()).then_some(columns)
    }

    /// What the stored numbers are divided by.
    pub(crate) fn scale(&self) -> f64 {
        self.scale
    }

    /// Which entries are missing.
    pub(crate) fn missing_kind(&self) -> Missing {
        self.missing
    }

    /// Whether entries that are not stored are missing.
    pub(crate) fn misses_unstored(&self) -> bool {
        self.missing == Missing::Unstored
    }

    /// The data as they are stored.
    pub fn matrix(&self) -> Matrix<'a> {
        self.matrix
    }

    /// Whether dense data as products read them have NaN in place of 0.
    fn has_nan(&self) -> bool {
        self.gaps.is_some() && self.narrow.is_none()
    }

    /// Dense data as products read them.
    fn dense<'b>(&'b self, dense: Dense<'b>) -> Dense<'b> {
        let narrow = self.narrow.as_ref().and_then(|narrow| {
            let elements = T::stored(narrow);
            Dense::new(dense.rows(), dense.cols(), dense.order(), elements).ok()
        });
        narrow.unwrap_or(dense)
    }

    /// out (K × range) ← XᵀY, or XᵀUY with weights U of features, for a range of columns, where `x` is Xᵀ (K × m).
    #[doc(hidden)]
    pub fn with_columns(&self, out: &mut [T], x: &[T], range: Range<usize>) {
        let rank = x.len() / self.rows();
        match &self.weights.features {
            None => self.times_columns(out, x, range),
            Some(u) => u.with_weighted(x, (rank, 0), |x| self.times_columns(out, x, range)),
        }
    }

    fn times_columns(&self, out: &mut [T], x: &[T], range: Range<usize>) {
        let rank = x.len() / self.rows();
        match (self.lines.as_deref(), self.matrix) {
            (Some([columns, _]), _) => columns.gather(Product {
                out,
                f: x,
                range,
                weight: self.weight,
            }),
            (None, Matrix::Dense(dense)) => {
                let window = Window {
                    dense: self.dense(dense),
                    rows: 0..dense.rows(),
                    cols: range,
                    has_nan: self.has_nan(),
                };
                dense::product(out, x, rank, &window, self.weight);
            }
            (None, Matrix::Sparse(_)) => {}
        }
    }

    /// out (K × m) ← AYᵀ, or AVYᵀ with weights V of samples, over a range of columns, where `a` (K × range) has their codes.
    #[doc(hidden)]
    pub fn with_rows(&self, out: &mut [T], a: &[T], range: Range<usize>) {
        let place = (out.len() / self.rows(), range.start);
        match &self.weights.samples {
            None => self.times_rows(out, a, range),
            Some(v) => v.with_weighted(a, place, |a| self.times_rows(out, a, range)),
        }
    }

    fn times_rows(&self, out: &mut [T], a: &[T], range: Range<usize>) {
        let rank = out.len() / self.rows();
        match (self.lines.as_deref(), self.matrix) {
            (Some([_, rows]), _) if range.len() == self.cols() => {
                rows.gather(Product {
                    out,
                    f: a,
                    range: 0..self.rows(),
                    weight: self.weight,
                });
            }
            (Some([columns, _]), _) => {
                out.fill(T::ZERO);
                columns.scatter(Product {
                    out,
                    f: a,
                    range,
                    weight: self.weight,
                });
            }
            (None, Matrix::Dense(dense)) => {
                let window = Window {
                    dense: self.dense(dense).t(),
                    rows: range,
                    cols: 0..dense.rows(),
                    has_nan: self.has_nan(),
                };
                dense::product(out, a, rank, &window, self.weight);
            }
            (None, Matrix::Sparse(_)) => {}
        }
    }
}

/// How far apart neighbours in a column, and in a row, are stored.
fn strides(dense: Dense<'_>) -> (usize, usize) {
    match dense.order() {
        StorageOrder::ColumnMajor => (1, dense.rows()),
        StorageOrder::RowMajor => (dense.cols(), 1),
    }
}

/// A missing entry as products read it.
fn zero_if_nan(value: f64) -> f64 {
    if value.is_nan() { 0.0 } else { value }
}

/// The largest copy in a narrower type, in bytes.
const NARROW: usize = 256 << 20;

/// `f64` data as a shorter `T`, unless that is a large copy.
fn narrowed<T: Lanes>(elements: Elements<'_>) -> Result<Option<Vec<T>>, Error> {
    match elements {
        Elements::F64(values)
            if size_of::<T>() < size_of::<f64>() && size_of_val(values) / 2 <= NARROW =>
        {
            let narrow: Vec<T> = values.par_iter().map(|&v| T::of(zero_if_nan(v))).collect();
            error::all_finite("data in single precision", &narrow)?;
            Ok(Some(narrow))
        }
        _ => Ok(None),
    }
}

/// ‖Y‖², by one look at the data. Infinity is refused, and NaN unless it stands for a missing entry. So are squares that vanish or
/// overflow: gradients and curvatures are of their size, and any X would look stationary.
fn checked_square<T: Lanes>(
    matrix: Matrix<'_>,
    scale: f64,
    missing: Missing,
) -> Result<f64, Error> {
    let (what, elements) = match matrix {
        Matrix::Dense(dense) => ("matrix", dense.elements()),
        Matrix::Sparse(sparse) => ("sparse matrix", sparse.elements()),
    };
    let weight = 1.0 / scale;
    let square = dispatch!(Elements: elements => values, match missing {
        Missing::Nan => square(values, weight, zero_if_nan),
        Missing::None | Missing::Unstored => square(values, weight, |value| value),
    });
    if !square.is_finite() {
        let bad = match missing {
            Missing::Nan => elements.first_infinite(),
            Missing::None | Missing::Unstored => elements.first_non_finite(),
        };
        if let Some(index) = bad {
            return Err(Error::NotFinite { what, index });
        }
    }
    let small = T::of(T::EPSILON.f64() * square / elements.len() as f64);
    let large = T::of(square / T::EPSILON.f64());
    let is_zero = || dispatch!(Elements: elements => values, values.iter().all(|v| zero_if_nan(v.f64()) == 0.0));
    if small > T::ZERO && large < T::INFINITY || is_zero() {
        return Ok(square);
    }
    Err(Error::Incompatible(format!(
        "the squares of the data leave the range of {}: divide the data by a number near their size (--scale on the command line)",
        std::any::type_name::<T>()
    )))
}

/// Σ v², in fixed chunks with eight partial sums each.
fn square<E: Element>(values: &[E], weight: f64, read: impl Fn(f64) -> f64 + Sync) -> f64 {
    const PART: usize = 1 << 16;
    let parts = (0..values.len().div_ceil(PART)).into_par_iter();
    let parts = parts.map_to_vec(&|k| {
        let values = &values[k * PART..values.len().min((k + 1) * PART)];
        let mut sums = [0.0; 8];
        for block in values.chunks(8) {
            for (sum, value) in sums.iter_mut().zip(block) {
                let value = weight * read(value.f64());
                *sum += value * value;
            }
        }
        sums.iter().sum::<f64>()
    });
    parts.iter().sum()
}
