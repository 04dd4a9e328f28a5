//! Smooth terms from closures.

use crate::error::{Error, require};
use crate::{FiniteSum, Lipschitz, Real, Smooth};
use std::marker::PhantomData;

/// f from one closure `(x, grad) → value` that writes ∇f(x) and returns f(x).
///
/// ```
/// use proxsplit::{Lipschitz, Smooth, smooth::FnSmooth};
/// let f = FnSmooth::new(2, |x: &[f64], grad: &mut [f64]| {
///     grad.copy_from_slice(x);
///     (x[0] * x[0] + x[1] * x[1]) / 2.0
/// })?
/// .lipschitz(Lipschitz::Known(1.0))
/// .convex();
/// assert_eq!(f.value(&[3.0, 4.0]), 12.5);
/// # Ok::<(), proxsplit::Error>(())
/// ```
pub struct FnSmooth<T, F> {
    dim: usize,
    lipschitz: Lipschitz,
    convex: bool,
    work: F,
    scalar: PhantomData<fn(T)>,
}

crate::opaque!(FnSmooth<T, F>, T, F);

impl<T: Real, F: Fn(&[T], &mut [T]) -> f64 + Send + Sync> FnSmooth<T, F> {
    /// A term on vectors of length `dim` ≥ 1. Nothing is known of L or convexity until it is said.
    pub fn new(dim: usize, value_and_gradient: F) -> Result<Self, Error> {
        require("dim", dim as f64, dim > 0, "at least 1")?;
        Ok(Self {
            dim,
            lipschitz: Lipschitz::Unknown,
            convex: false,
            work: value_and_gradient,
            scalar: PhantomData,
        })
    }

    /// What is known of L.
    #[must_use]
    pub fn lipschitz(mut self, lipschitz: Lipschitz) -> Self {
        self.lipschitz = lipschitz;
        self
    }

    /// Declares that f is convex.
    #[must_use]
    pub fn convex(mut self) -> Self {
        self.convex = true;
        self
    }
}

impl<T: Real, F: Fn(&[T], &mut [T]) -> f64 + Send + Sync> Smooth<T> for FnSmooth<T, F> {
    fn dim(&self) -> usize {
        self.dim
    }

    fn gradient(&self, x: &[T], grad: &mut [T]) -> f64 {
        (self.work)(x, grad)
    }

    fn lipschitz(&self) -> Lipschitz {
        self.lipschitz
    }

    fn is_convex(&self) -> bool {
        self.convex
    }
}

/// f = Σ_t f_t from one closure `(batch, x, grad) → value` that adds Σ_{t ∈ batch} ∇f_t(x) to `grad` and returns
/// Σ_{t ∈ batch} f_t(x).
pub struct FnSum<T, F> {
    dim: usize,
    all: Vec<usize>,
    lipschitz: Lipschitz,
    term_lipschitz: Lipschitz,
    convex: bool,
    work: F,
    scalar: PhantomData<fn(T)>,
}

crate::opaque!(FnSum<T, F>, T, F);

impl<T: Real, F: Fn(&[usize], &[T], &mut [T]) -> f64 + Send + Sync> FnSum<T, F> {
    /// A sum of `terms` ≥ 1 terms on vectors of length `dim` ≥ 1.
    pub fn new(dim: usize, terms: usize, add_gradient: F) -> Result<Self, Error> {
        require("dim", dim as f64, dim > 0, "at least 1")?;
        require("terms", terms as f64, terms > 0, "at least 1")?;
        Ok(Self {
            dim,
            all: (0..terms).collect(),
            lipschitz: Lipschitz::Unknown,
            term_lipschitz: Lipschitz::Unknown,
            convex: false,
            work: add_gradient,
            scalar: PhantomData,
        })
    }

    /// What is known of L of the whole sum.
    #[must_use]
    pub fn lipschitz(mut self, lipschitz: Lipschitz) -> Self {
        self.lipschitz = lipschitz;
        self
    }

    /// What is known of the largest L_t of a single term.
    #[must_use]
    pub fn term_lipschitz(mut self, lipschitz: Lipschitz) -> Self {
        self.term_lipschitz = lipschitz;
        self
    }

    /// Declares that f is convex.
    #[must_use]
    pub fn convex(mut self) -> Self {
        self.convex = true;
        self
    }
}

impl<T: Real, F: Fn(&[usize], &[T], &mut [T]) -> f64 + Send + Sync> Smooth<T> for FnSum<T, F> {
    fn dim(&self) -> usize {
        self.dim
    }

    fn gradient(&self, x: &[T], grad: &mut [T]) -> f64 {
        grad.fill(T::ZERO);
        (self.work)(&self.all, x, grad)
    }

    fn lipschitz(&self) -> Lipschitz {
        self.lipschitz
    }

    fn is_convex(&self) -> bool {
        self.convex
    }
}

impl<T: Real, F: Fn(&[usize], &[T], &mut [T]) -> f64 + Send + Sync> FiniteSum<T> for FnSum<T, F> {
    fn terms(&self) -> usize {
        self.all.len()
    }

    fn add_gradient(&self, batch: &[usize], x: &[T], grad: &mut [T]) -> f64 {
        (self.work)(batch, x, grad)
    }

    fn term_lipschitz(&self) -> Lipschitz {
        self.term_lipschitz
    }
}
