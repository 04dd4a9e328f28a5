//! Python functions as terms of a problem.
//!
//! The package hands over functions that take and return flat arrays of the run's type and have checked the shapes. After an
//! exception f = −∞ with gradient 0, so that every line search ends at once; the run is then stopped by its observer.

use crate::error::{Raised, refuse};
use crate::scalar::Scalar;
use numpy::{PyArray1, PyReadonlyArray1};
use proxsplit::{Class, FiniteSum, Lipschitz, Prox, Smooth};
use pyo3::prelude::*;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

/// f, and its terms where there are some.
pub(crate) struct PySmooth<'a> {
    pub(crate) dim: usize,
    /// (x, accuracy) ↦ (f(x), ∇f(x), None or a bound on the error of the gradient)
    pub(crate) function: Py<PyAny>,
    /// The number of terms, and (x, batch) ↦ (Σ f_t(x), Σ ∇f_t(x)).
    pub(crate) terms: Option<(usize, Py<PyAny>)>,
    pub(crate) lipschitz: Lipschitz,
    pub(crate) convex: bool,
    pub(crate) raised: &'a Raised,
    /// Whether f was called: the first call is at the start, where it must be finite.
    pub(crate) started: AtomicBool,
    /// Whether f states an error of its gradients; known after [`PySmooth::begin`].
    pub(crate) inexact: AtomicBool,
    /// The point of the first call and what it has returned, which the solver will ask for.
    pub(crate) first: Mutex<Option<(Vec<f64>, Py<PyAny>)>>,
}

/// What a Python function returns for a batch of terms.
type ValueAndGradient<'py, T> = (f64, PyReadonlyArray1<'py, T>);

/// What a Python function returns for f.
type Evaluation<'py, T> = (f64, PyReadonlyArray1<'py, T>, Option<f64>);

impl PySmooth<'_> {
    /// Calls f at the start, moved into the domain of g as solvers do, to see whether it states an error.
    pub(crate) fn begin<T: Scalar>(&self, g: &dyn Prox<T>, start: &[T]) {
        // A g that does not fit is refused by the solver.
        if g.fits(start.len()).is_err() {
            return;
        }
        let mut x = start.to_vec();
        if g.value(&x).is_infinite() {
            g.prox(&mut x, T::EPSILON);
        }
        self.raised.attempt(|py| {
            let result = self
                .function
                .call1(py, (PyArray1::from_slice(py, &x), f64::INFINITY))?;
            let (_, _, bound): Evaluation<T> = result.extract(py)?;
            self.inexact.store(bound.is_some(), Ordering::Relaxed);
            let x = x.iter().map(|x| x.f64()).collect();
            if let Ok(mut first) = self.first.lock() {
                *first = Some((x, result));
            }
            Ok(())
        });
    }

    /// What f returns at x, from the first call if that was there.
    fn call<T: Scalar>(&self, py: Python<'_>, x: &[T], accuracy: f64) -> PyResult<Py<PyAny>> {
        let first = self.first.lock().ok().and_then(|mut first| first.take());
        if let Some((_, result)) =
            first.filter(|(at, _)| at.iter().zip(x).all(|(a, x)| *a == x.f64()))
        {
            return Ok(result);
        }
        self.function
            .call1(py, (PyArray1::from_slice(py, x), accuracy))
    }
}

impl<T: Scalar> Smooth<T> for PySmooth<'_> {
    fn dim(&self) -> usize {
        self.dim
    }

    fn gradient(&self, x: &[T], grad: &mut [T]) -> f64 {
        self.gradient_within(x, f64::INFINITY, grad).0
    }

    fn gradient_within(&self, x: &[T], accuracy: f64, grad: &mut [T]) -> (f64, f64) {
        let value = self.raised.attempt(|py| {
            let result = self.call(py, x, accuracy)?;
            let (value, gradient, bound): Evaluation<T> = result.extract(py)?;
            grad.copy_from_slice(gradient.as_slice()?);
            if !self.started.swap(true, Ordering::Relaxed) {
                is_finite(value, grad)?;
            }
            Ok((value, bound.unwrap_or(0.0)))
        });
        value.unwrap_or_else(|| {
            grad.fill(T::ZERO);
            (f64::NEG_INFINITY, 0.0)
        })
    }

    fn is_exact(&self) -> bool {
        !self.inexact.load(Ordering::Relaxed)
    }

    fn lipschitz(&self) -> Lipschitz {
        self.lipschitz
    }

    fn is_convex(&self) -> bool {
        self.convex
    }
}

/// Refuses a start from which no step can be made.
fn is_finite<T: Scalar>(value: f64, gradient: &[T]) -> PyResult<()> {
    if !value.is_finite() {
        return Err(refuse(format!(
            "fun is {value} at the start x0, but it must be finite there: start from another point"
        )));
    }
    match gradient.iter().position(|g| !g.is_finite()) {
        None => Ok(()),
        Some(i) => Err(refuse(format!(
            "entry {i} of the gradient is {} at the start x0, but it must be finite there: start from another point",
            gradient[i].f64()
        ))),
    }
}

impl<T: Scalar> FiniteSum<T> for PySmooth<'_> {
    fn terms(&self) -> usize {
        self.terms.as_ref().map_or(0, |(count, _)| *count)
    }

    fn add_gradient(&self, batch: &[usize], x: &[T], grad: &mut [T]) -> f64 {
        let value = self.raised.attempt(|py| {
            let Some((_, function)) = &self.terms else {
                return Ok(0.0);
            };
            let indices = PyArray1::from_iter(py, batch.iter().map(|&t| t as u64));
            let result = function.call1(py, (PyArray1::from_slice(py, x), indices))?;
            let (value, gradient): ValueAndGradient<T> = result.extract(py)?;
            for (sum, &g) in grad.iter_mut().zip(gradient.as_slice()?) {
                *sum += g;
            }
            Ok(value)
        });
        value.unwrap_or(f64::NEG_INFINITY)
    }
}

/// g
pub(crate) struct PyProx<'a> {
    /// x ↦ g(x)
    pub(crate) value: Py<PyAny>,
    /// (x, η) ↦ P_η^g(x)
    pub(crate) prox: Py<PyAny>,
    pub(crate) class: Class,
    pub(crate) raised: &'a Raised,
}

impl<T: Scalar> Prox<T> for PyProx<'_> {
    fn value(&self, x: &[T]) -> f64 {
        let value = self.raised.attempt(|py| {
            let value = self.value.call1(py, (PyArray1::from_slice(py, x),))?;
            value.extract(py)
        });
        value.unwrap_or(0.0)
    }

    fn prox(&self, x: &mut [T], step: T) {
        self.raised.attempt(|py| {
            let point = PyArray1::from_slice(py, x);
            let result = self.prox.call1(py, (point, step.f64()))?;
            let result: PyReadonlyArray1<T> = result.extract(py)?;
            x.copy_from_slice(result.as_slice()?);
            Ok(())
        });
    }

    fn class(&self) -> Class {
        self.class
    }
}
