//! Operators of the catalogue, made from their text forms.

use crate::error::refuse;
use crate::scalar::Scalar;
use numpy::{PyArray1, PyReadonlyArray1};
use proxsplit::calculus::{Conjugate, Constrained};
use proxsplit::prox::{Tv2d, Tv2dAniso, WeightedL1};
use proxsplit::set::Bounds;
use proxsplit::text;
use proxsplit::{Class, Prox};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use std::sync::Arc;

/// A point, and how far it may be from the exact one.
type Near<'py, P> = (Bound<'py, P>, Option<f64>);

/// An operator on vectors of either type.
pub(crate) trait Both: Prox<f32> + Prox<f64> {}
impl<P: Prox<f32> + Prox<f64>> Both for P {}

/// An immutable operator; `proxsplit.prox.Operator` wraps it.
#[pyclass(frozen, module = "proxsplit._proxsplit")]
pub(crate) struct Term {
    pub(crate) term: Arc<dyn Both>,
    text: String,
}

#[pymethods]
impl Term {
    /// Reads a text form such as `l1:0.1+nonneg`.
    #[new]
    fn new(text: &str) -> PyResult<Self> {
        let operator: text::Operator = text.parse().map_err(refuse)?;
        let text = operator.to_string();
        Ok(Self {
            term: Arc::new(operator),
            text,
        })
    }

    /// The convex conjugate; its text is the original's.
    fn conjugate(&self) -> PyResult<Self> {
        Ok(Self {
            term: Arc::new(Conjugate::new(self.term.clone()).map_err(refuse)?),
            text: self.text.clone(),
        })
    }

    /// The set lower ≤ x ≤ upper, with bounds for every entry. It has no text form.
    #[staticmethod]
    fn bounds(lower: Vec<f64>, upper: Vec<f64>) -> PyResult<Self> {
        Ok(Self {
            term: Arc::new(Bounds::new(lower, upper).map_err(refuse)?),
            text: "box:array,array".into(),
        })
    }

    /// Σ_i w_i|x_i|, with a weight for every entry. It has no text form.
    #[staticmethod]
    fn weighted_l1(weights: Vec<f64>) -> PyResult<Self> {
        Ok(Self {
            term: Arc::new(WeightedL1::new(weights).map_err(refuse)?),
            text: "l1:array".into(),
        })
    }

    /// Total variation of a picture, `tv2d` or `tv2d-aniso`, whose prox has this tolerance. The text form does not tell it.
    #[staticmethod]
    fn variation(name: &str, weight: f64, shape: (usize, usize), tolerance: f64) -> PyResult<Self> {
        const ROUNDS: usize = 5000;
        let (rows, cols) = shape;
        let term: Arc<dyn Both> = if name == "tv2d" {
            let usual = Tv2d::new(weight, rows, cols).map_err(refuse)?;
            Arc::new(usual.with_accuracy(tolerance, ROUNDS).map_err(refuse)?)
        } else {
            let usual = Tv2dAniso::new(weight, rows, cols).map_err(refuse)?;
            Arc::new(usual.with_accuracy(tolerance, ROUNDS).map_err(refuse)?)
        };
        Ok(Self {
            term,
            text: format!("{name}:{weight},{rows}x{cols}"),
        })
    }

    /// The sum of two operators.
    fn joined(&self, other: &Self) -> PyResult<Self> {
        let sum = Constrained::new(self.term.clone(), other.term.clone());
        Ok(Self {
            term: Arc::new(sum.map_err(refuse)?),
            text: format!("{}+{}", self.text, other.text),
        })
    }

    /// The text form.
    #[getter]
    fn text(&self) -> &str {
        &self.text
    }

    /// The modulus of weak convexity: 0 for convex operators, infinite for nonconvex ones.
    #[getter]
    fn modulus(&self) -> f64 {
        match Prox::<f64>::class(&*self.term) {
            Class::Convex => 0.0,
            Class::WeaklyConvex { modulus } => modulus,
            Class::Nonconvex => f64::INFINITY,
        }
    }

    /// g(x)
    fn value(&self, x: &Bound<PyAny>) -> PyResult<f64> {
        if let Ok(x) = x.extract::<PyReadonlyArray1<f64>>() {
            self.value_of(&x)
        } else if let Ok(x) = x.extract::<PyReadonlyArray1<f32>>() {
            self.value_of(&x)
        } else {
            Err(not_a_vector())
        }
    }

    /// P_η^g(x), and how far that may be from the exact point; None if nobody knows.
    fn prox<'py>(&self, x: &Bound<'py, PyAny>, step: f64) -> PyResult<Near<'py, PyAny>> {
        let py = x.py();
        if let Ok(x) = x.extract::<PyReadonlyArray1<f64>>() {
            let (point, error) = self.prox_of(py, &x, step)?;
            Ok((point.into_any(), error))
        } else if let Ok(x) = x.extract::<PyReadonlyArray1<f32>>() {
            let (point, error) = self.prox_of(py, &x, step)?;
            Ok((point.into_any(), error))
        } else {
            Err(not_a_vector())
        }
    }
}

impl Term {
    fn value_of<T: Scalar>(&self, x: &PyReadonlyArray1<T>) -> PyResult<f64> {
        let (term, values) = (T::operator(&*self.term), x.as_slice()?);
        term.fits(values.len()).map_err(refuse)?;
        Ok(x.py().detach(|| term.value(values)))
    }

    fn prox_of<'py, T: Scalar>(
        &self,
        py: Python<'py>,
        x: &PyReadonlyArray1<T>,
        step: f64,
    ) -> PyResult<Near<'py, PyArray1<T>>> {
        let term = T::operator(&*self.term);
        let mut values = x.as_slice()?.to_vec();
        term.fits(values.len()).map_err(refuse)?;
        proxsplit::error::positive("step", step).map_err(refuse)?;
        proxsplit::error::all_finite("x", &values).map_err(refuse)?;
        let error = py.detach(|| term.prox_with_error(&mut values, T::of(step)));
        Ok((PyArray1::from_vec(py, values), error))
    }
}

fn not_a_vector() -> PyErr {
    PyTypeError::new_err("x must be a vector of float32 or float64")
}

/// The names of all operators.
#[pyfunction]
pub(crate) fn catalogue() -> Vec<&'static str> {
    text::catalogue().map(|entry| entry.name).collect()
}
