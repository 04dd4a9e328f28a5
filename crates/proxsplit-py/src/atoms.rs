//! The update of H in an online factorization: min ½⟨H, GH⟩ − ⟨B, H⟩ + Σ_k ψ(H_k), where G = Σ wwᵀ and B = Σ wxᵀ remember
//! all batches.

use crate::error::refuse;
use crate::factor::{columns, operator, rows};
use crate::pool::compute;
use crate::scalar::Scalar;
use numpy::PyReadonlyArray2;
use proxsplit::Mat;
use proxsplit::calculus::Columns;
use proxsplit::internal::linalg::dense::multiply;
use proxsplit::internal::linalg::vec::dot;
use proxsplit::smooth::FnSmooth;
use proxsplit::text::Operator;
use proxsplit::{Error, Prox, Real, Splitting, Stop, run};
use pyo3::prelude::*;

/// H, improved from where it is.
#[pyfunction]
pub(crate) fn update_atoms<'py>(
    h: &Bound<'py, PyAny>,
    gram: &Bound<'py, PyAny>,
    cross: &Bound<'py, PyAny>,
    term: &str,
    threads: usize,
) -> PyResult<Bound<'py, PyAny>> {
    let term = operator(term)?;
    if h.extract::<PyReadonlyArray2<f32>>().is_ok() {
        update_as::<f32>([h, gram, cross], term, threads)
    } else {
        update_as::<f64>([h, gram, cross], term, threads)
    }
}

fn update_as<'py, T: Scalar>(
    [h, gram, cross]: [&Bound<'py, PyAny>; 3],
    term: Operator,
    threads: usize,
) -> PyResult<Bound<'py, PyAny>>
where
    Operator: Prox<T>,
{
    let py = h.py();
    let (h, gram, cross) = (columns::<T>(h)?, columns(gram)?, columns(cross)?);
    let length = h.rows();
    let found = compute(py, threads, || improved(&h, &gram, &cross, term))?;
    Ok(rows(py, found.map_err(refuse)?, length)?.into_any())
}

/// Hᵀ, with the atoms as columns. The last digits do not matter: the next batch changes the problem.
fn improved<T: Real>(
    h: &Mat<T>,
    gram: &Mat<T>,
    cross: &Mat<T>,
    term: Operator,
) -> Result<Mat<T>, Error>
where
    Operator: Prox<T>,
{
    let f = FnSmooth::new(h.data().len(), |x: &[T], grad: &mut [T]| {
        let x_matrix = proxsplit::internal::linalg::dense::View::new(x, h.rows(), h.cols());
        multiply(grad, x_matrix, gram.view(), false);
        let quadratic = dot(x, grad);
        for (g, &b) in grad.iter_mut().zip(cross.data()) {
            *g -= b;
        }
        0.5 * quadratic - dot(x, cross.data())
    })?
    .convex();
    let g = Columns::new(h.rows(), term)?;
    let mut solver = Splitting::new(&f, &g, h.data())?;
    let stop = Stop {
        relative: 1e-6,
        passes: 500.0,
        ..Stop::default()
    };
    run(&mut solver, &stop, ());
    Mat::new(h.rows(), h.cols(), solver.into_x())
}
