//! One run of [`Panoc`], or of [`Splitting`] with its gradient sources and step rules, on a problem whose parts may be Python functions.

mod settings;

use crate::callable::{PyProx, PySmooth};
use crate::error::{Raised, refuse};
use crate::operator::Term;
use crate::report;
use crate::scalar::Scalar;
use crate::watch::Foreground;
use numpy::{PyArray1, PyReadonlyArray1};
use proxsplit::{Class, Lipschitz, Panoc, Prox, Smooth, Splitting};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use settings::Settings;
use std::sync::Mutex;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

/// f as the package hands it over.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Function {
    whole: Py<PyAny>,
    terms: Option<(usize, Py<PyAny>)>,
    lipschitz: Option<f64>,
    convex: bool,
}

/// g: an operator of the catalogue, or the functions x ↦ g(x), (x, η) ↦ P_η^g(x) and the modulus of weak convexity.
#[derive(FromPyObject)]
pub(crate) enum Nonsmooth<'py> {
    Operator(Bound<'py, Term>),
    Functions(Py<PyAny>, Py<PyAny>, f64),
}

/// Minimizes f + g from `x0`. `observe(row, x)` sees every look at the run and ends it by returning true. After Ctrl-C, "interrupt"
/// is the exception to raise with the best point.
#[pyfunction]
pub(crate) fn minimize<'py>(
    x0: &Bound<'py, PyAny>,
    f: Function,
    g: Nonsmooth<'py>,
    settings: Settings,
    observe: Option<Py<PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    if let Ok(x0) = x0.extract::<PyReadonlyArray1<f32>>() {
        minimize_as(&x0, f, &g, &settings, observe.as_ref())
    } else {
        minimize_as(
            &x0.extract::<PyReadonlyArray1<f64>>()?,
            f,
            &g,
            &settings,
            observe.as_ref(),
        )
    }
}

fn minimize_as<'py, T: Scalar>(
    x0: &PyReadonlyArray1<'py, T>,
    f: Function,
    g: &Nonsmooth<'py>,
    settings: &Settings,
    observe: Option<&Py<PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let (py, start) = (x0.py(), x0.as_slice()?);
    let raised = Raised::default();
    let f = PySmooth {
        dim: start.len(),
        function: f.whole,
        terms: f.terms,
        lipschitz: f.lipschitz.map_or(Lipschitz::Unknown, Lipschitz::Known),
        convex: f.convex,
        raised: &raised,
        started: AtomicBool::new(false),
        inexact: AtomicBool::new(false),
        first: Mutex::new(None),
    };
    let user;
    let g: &dyn Prox<T> = match g {
        Nonsmooth::Operator(term) => T::operator(&*term.get().term),
        Nonsmooth::Functions(value, prox, modulus) => {
            user = PyProx {
                value: value.clone_ref(py),
                prox: prox.clone_ref(py),
                class: class(*modulus),
                raised: &raised,
            };
            &user
        }
    };
    let observer = Foreground {
        observe,
        raised: &raised,
        looked_out: Instant::now(),
    };
    let result = py.detach(|| -> PyResult<_> {
        if settings.is_batch()? {
            f.begin(g, start);
        }
        let states_error = !Smooth::<T>::is_exact(&f);
        if states_error {
            settings.accepts_errors(Smooth::<T>::lipschitz(&f))?;
        }
        if settings.is_plain()? && !states_error {
            let mut solver = Panoc::new(&f, g, start)
                .map_err(refuse)?
                .lipschitz(Smooth::<T>::lipschitz(&f));
            let report = proxsplit::run(&mut solver, &settings.stop(), observer);
            return Ok((report, solver.into_x()));
        }
        let solver = settings.source(Splitting::new(&f, g, start).map_err(refuse)?, &f, g)?;
        let mut solver = settings.step(solver, &f, start)?;
        let report = proxsplit::run(&mut solver, &settings.stop(), observer);
        Ok((report, solver.into_x()))
    });
    let interrupt = raised.come_out_unless_interrupted(py)?;
    let (report, x) = result?;
    let answer = PyDict::new(py);
    answer.set_item("x", PyArray1::from_vec(py, x))?;
    answer.set_item("reason", report.reason.code())?;
    answer.set_item("interrupt", interrupt)?;
    answer.set_item("certificate", report::certificate(py, &report.certificate)?)?;
    answer.set_item("trace", report::trace(py, &report.trace)?)?;
    Ok(answer)
}

fn class(modulus: f64) -> Class {
    match modulus {
        m if m <= 0.0 => Class::Convex,
        m if m.is_finite() => Class::WeaklyConvex { modulus: m },
        _ => Class::Nonconvex,
    }
}
