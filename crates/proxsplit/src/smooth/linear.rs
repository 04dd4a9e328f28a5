//! What solvers that work by columns know of a loss of a linear model.

use crate::data::Columns;
use crate::{FiniteSum, Real};

/// f(x) = Σ_i φ_i(z_i), z = Ax, for solvers that work by columns. All losses of the catalogue have it.
pub trait Linear<T: Real = f64>: FiniteSum<T> {
    /// The number of stored entries of A.
    fn stored(&self) -> usize;

    /// s_i ← φ_i′(z_i); returns Σ_i φ_i(z_i).
    fn slopes(&self, z: &[f64], s: &mut [f64]) -> f64;

    /// s_k ← φ_i′(a_iᵀx) for the row i = `rows[k]`.
    fn slopes_of(&self, rows: &[usize], x: &[T], s: &mut [f64]);

    /// out ← out + Σ_k w_k a_i for the row i = `rows[k]`.
    fn add_rows(&self, rows: &[usize], w: &[f64], out: &mut [T]);

    /// w_i ← the curvature of a parabola that models φ_i near z_i, moved towards the largest curvature of φ_i by a part `damping` of
    /// the way: with 1 the parabola is nowhere below φ_i.
    fn bends(&self, z: &[f64], damping: f64, w: &mut [f64]);

    /// Whether f is quadratic: the parabolas are the φ_i themselves.
    fn is_quadratic(&self) -> bool;

    /// The curvature of a quadratic f's parabolas, if it is the same for all.
    fn uniform_bend(&self) -> Option<f64>;

    /// An upper bound of L that costs one look at the entries of A; it may be far above L, and is infinite if it overflows.
    fn curvature_bound(&self) -> f64;

    /// Room for columns of A; `None` if there are too many rows.
    #[doc(hidden)]
    fn columns(&self) -> Option<Columns<T>>;

    /// Copies columns of A behind those that are there.
    #[doc(hidden)]
    fn pack(&self, cols: &[usize], into: &mut Columns<T>);
}
