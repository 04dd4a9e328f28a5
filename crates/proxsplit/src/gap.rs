//! How far Φ = f + g at a point is above its minimum, for convex f and g.
//!
//! By convexity Φ(z) ≥ f(x) + ⟨∇f(x), z − x⟩ + g(z) for every z, and the least value of the right side is
//! f(x) − ⟨∇f(x), x⟩ − g*(−∇f(x)), so that
//!
//! Φ(x) − Φ* ≤ g(x) + ⟨∇f(x), x⟩ + g*(−∇f(x)).
//!
//! Where g* is infinite at −∇f(x) and f(x) = F(Dx), the dual point θ = ∇F(Dx) is scaled by the α ≤ 1 that brings −αDᵀθ into the
//! domain of g*: Φ(x) − Φ* ≤ F(Dx) + F*(αθ) + g(x) + g*(−αDᵀθ). For the orthant, which no factor reaches, it is moved along
//! (1, …, 1) instead, if D ≥ 0. A bound by a scaled point vanishes with Φ(x) − Φ*; one by a moved point is loose.

use crate::linalg::vec::{dot, norm};
use crate::{Class, Prox, Real, Smooth, scratch};

/// A proved bound on Φ(x) − min Φ.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Gap {
    /// The bound, rounding included.
    pub value: f64,
    /// Whether the bound is of the size of what it bounds near a solution. One that is not is true, but nothing to stop by.
    pub is_tight: bool,
}

/// A bound on Φ(x) − min Φ for convex f and g, given f(x) = `value` and ∇f(x) = `gradient`; `None` if f or g is not known to be
/// convex, if x lies outside the domain of g, or if nothing finite comes out.
///
/// ```
/// use proxsplit::data::{Dense, Elements, StorageOrder};
/// use proxsplit::{Smooth, prox::L1, smooth::LeastSquares, suboptimality};
/// let a = Dense::new(2, 2, StorageOrder::RowMajor, Elements::F64(&[1.0, 0.0, 0.0, 2.0]))?;
/// let (f, g) = (LeastSquares::new(a, &[3.0, 1.0])?, L1::new(1.0)?);
/// // The minimizer of ½(x₁ − 3)² + ½(2x₂ − 1)² + |x₁| + |x₂| is (2, ¼).
/// let (x, mut gradient) = ([2.0, 0.25], [0.0; 2]);
/// let value = f.gradient(&x, &mut gradient);
/// // What is left is the margin for rounding.
/// assert!(suboptimality(&f, &g, &x, value, &gradient).unwrap().value < 1e-12);
/// # Ok::<(), proxsplit::Error>(())
/// ```
pub fn suboptimality<T: Real>(
    f: &dyn Smooth<T>,
    g: &dyn Prox<T>,
    x: &[T],
    value: f64,
    gradient: &[T],
) -> Option<Gap> {
    if !f.is_convex() || g.class() != Class::Convex {
        return None;
    }
    let point = Point {
        f,
        g,
        x,
        value,
        gradient,
        penalty: g.value(x),
    };
    let found = point.plain().or_else(|| point.scaled());
    let gap = found.map(|value| (value, true));
    let (bound, is_tight) = gap.or_else(|| point.shifted().map(|value| (value, false)))?;
    Some(Gap {
        value: bound.total.max(0.0) + point.rounding(bound.size),
        is_tight,
    })
}

/// inf g = −g*(0), if it is known.
pub(crate) fn infimum<T: Real>(g: &dyn Prox<T>, len: usize) -> Option<f64> {
    let conjugate = scratch::with(len, |zeros: &mut [T]| {
        zeros.fill(T::ZERO);
        g.conjugate(zeros)
    });
    conjugate
        .map(|value| -value)
        .filter(|value| value.is_finite())
}

struct Point<'a, T: Real> {
    f: &'a dyn Smooth<T>,
    g: &'a dyn Prox<T>,
    x: &'a [T],
    value: f64,
    gradient: &'a [T],
    penalty: f64,
}

/// A sum and the size of its terms.
struct Bound {
    total: f64,
    size: f64,
}

impl Bound {
    fn of(terms: &[f64]) -> Option<Self> {
        let bound = Self {
            total: terms.iter().sum(),
            size: terms.iter().map(|term| term.abs()).sum(),
        };
        bound.size.is_finite().then_some(bound)
    }
}

impl<T: Real> Point<'_, T> {
    /// g(x) + ⟨∇f, x⟩ + g*(−∇f)
    fn plain(&self) -> Option<Bound> {
        let conjugate = self.conjugate(1.0)?;
        Bound::of(&[self.penalty, dot(self.gradient, self.x), conjugate])
    }

    /// F(Dx) + F*(αθ) + g(x) + g*(−α∇f)
    fn scaled(&self) -> Option<Bound> {
        let polar = self.negative(1.0, |s| self.g.polar(s))?;
        if !polar.is_finite() {
            return None;
        }
        // −α∇f is rounded to T before its conjugate is taken, and polar has its own rounding: a margin for both.
        let margins = [4.0, 64.0, 1e3, 1e5].map(|ulps| 1.0 + ulps * T::EPSILON.f64());
        let scales = margins.map(|margin| 1.0 / (polar * margin).max(1.0));
        let inside = scales.into_iter().find_map(|alpha| {
            let conjugate = self.conjugate(alpha).filter(|value| value.is_finite())?;
            Some((alpha, conjugate))
        });
        let (alpha, conjugate) = inside?;
        let dual = self
            .f
            .dual_value(self.x, self.value, self.gradient, alpha)?;
        Bound::of(&[self.value, dual, self.penalty, conjugate])
    }

    /// The dual point moved along (1, …, 1), for W Σ_i x_i on x ≥ 0.
    fn shifted(&self) -> Option<Bound> {
        let form = self.g.elementary()?;
        let cone = form.lower == 0.0 && form.upper == f64::INFINITY && form.sql2 == 0.0;
        if !cone || !self.penalty.is_finite() {
            return None;
        }
        Bound::of(&[self.f.shifted_gap(self.x, self.gradient, form.l1)?])
    }

    /// g*(−α∇f)
    fn conjugate(&self, alpha: f64) -> Option<f64> {
        self.negative(alpha, |s| self.g.conjugate(s))
    }

    /// `look` at −α∇f
    fn negative(&self, alpha: f64, look: impl FnOnce(&[T]) -> Option<f64>) -> Option<f64> {
        scratch::with(self.x.len(), |s: &mut [T]| {
            for (s, slope) in s.iter_mut().zip(self.gradient) {
                *s = T::of(-alpha * slope.f64());
            }
            look(s)
        })
    }

    /// What rounding can hide: some units in the last place of all summands, of the gradient, which is stored in `T`, and of
    /// the terms that cancel in it.
    fn rounding(&self, size: f64) -> f64 {
        let double = f64::EPSILON * (size + self.f.cancelling().unwrap_or(0.0) * norm(self.x));
        let products = self.gradient.iter().zip(self.x);
        let stored: f64 = products.map(|(g, x)| (g.f64() * x.f64()).abs()).sum();
        16.0 * double + 4.0 * T::EPSILON.f64() * stored
    }
}
