//! Smooth terms from closures whose gradients are inexact and say so.

use crate::error::{Error, require};
use crate::{Lipschitz, Real, Smooth};
use std::marker::PhantomData;

/// f from one closure `(x, accuracy, grad) → (value, bound)` that writes ∇f(x) − e and returns f(x) and a proved bound on ‖e‖, for gradients
/// of early-stopped inner solves. `accuracy` is the error that the run can afford at this point, infinite at the start.
///
/// ```
/// use proxsplit::{Lipschitz, Splitting, Stop, prox::L1, run, smooth::FnInexact};
/// // Half of what is allowed is what it is off by.
/// let f = FnInexact::new(1, |x: &[f64], accuracy, grad: &mut [f64]| {
///     let error = 0.5 * accuracy.min(1.0);
///     grad[0] = x[0] - 3.0 - error;
///     ((x[0] - 3.0) * (x[0] - 3.0) / 2.0, error)
/// })?
/// .lipschitz(Lipschitz::Known(1.0));
/// let g = L1::new(1.0)?;
/// let mut solver = Splitting::new(&f, &g, &[0.0])?;
/// let report = run(&mut solver, &Stop::default(), ());
/// assert!(report.converged() && (solver.x()[0] - 2.0).abs() < 1e-5);
/// # Ok::<(), proxsplit::Error>(())
/// ```
pub struct FnInexact<T, F> {
    dim: usize,
    lipschitz: Lipschitz,
    convex: bool,
    work: F,
    scalar: PhantomData<fn(T)>,
}

crate::opaque!(FnInexact<T, F>, T, F);

impl<T: Real, F: Fn(&[T], f64, &mut [T]) -> (f64, f64) + Send + Sync> FnInexact<T, F> {
    /// A term on vectors of length `dim` ≥ 1. The default step needs an L, see [`lipschitz`](FnInexact::lipschitz): it cannot be learned
    /// from gradients that are off.
    pub fn new(dim: usize, work: F) -> Result<Self, Error> {
        require("dim", dim as f64, dim > 0, "at least 1")?;
        Ok(Self {
            dim,
            lipschitz: Lipschitz::Unknown,
            convex: false,
            work,
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

impl<T: Real, F: Fn(&[T], f64, &mut [T]) -> (f64, f64) + Send + Sync> Smooth<T>
    for FnInexact<T, F>
{
    fn dim(&self) -> usize {
        self.dim
    }

    /// As inexact as it likes.
    fn gradient(&self, x: &[T], grad: &mut [T]) -> f64 {
        (self.work)(x, f64::INFINITY, grad).0
    }

    fn gradient_within(&self, x: &[T], accuracy: f64, grad: &mut [T]) -> (f64, f64) {
        (self.work)(x, accuracy, grad)
    }

    fn is_exact(&self) -> bool {
        false
    }

    fn lipschitz(&self) -> Lipschitz {
        self.lipschitz
    }

    fn is_convex(&self) -> bool {
        self.convex
    }
}
