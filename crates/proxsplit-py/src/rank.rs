//! The search for the rank, and what several runs agree on.

use crate::array::Data;
use crate::error::{Raised, refuse};
use crate::factor::{columns, missing, operator, rows};
use crate::pool::compute;
use crate::scalar::Scalar;
use crate::threads::interruptible;
use proxsplit_factor::{
    self as factor, Consensus, Factors, Fit, FitKind, Problem, RankPlan, RankSearch, Searched,
};
use pyo3::prelude::*;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};

/// What to try, and how.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Plan {
    ranks: Vec<usize>,
    folds: usize,
    repeats: usize,
    restarts: usize,
    patience: usize,
    tol: f64,
    passes: f64,
    seed: u64,
    codes: String,
    atoms: String,
    threads: usize,
    single: bool,
    missing: Option<String>,
}

/// The choice and the table of a search, as JSON. `observe(rank, is_fold, number, value)` sees every fit.
#[pyfunction]
#[pyo3(signature = (data, plan, observe=None))]
pub(crate) fn select_rank(
    py: Python<'_>,
    data: Py<PyAny>,
    plan: Plan,
    observe: Option<Py<PyAny>>,
) -> PyResult<String> {
    let outcome = interruptible(py, move |py, stop| {
        let data: Data = data.bind(py).extract()?;
        if plan.single {
            search::<f32>(py, &data, &plan, (observe.as_ref(), stop))
        } else {
            search::<f64>(py, &data, &plan, (observe.as_ref(), stop))
        }
    })?;
    outcome.whole()
}

fn search<T: Scalar>(
    py: Python<'_>,
    data: &Data<'_>,
    plan: &Plan,
    (observe, stop): (Option<&Py<PyAny>>, &AtomicBool),
) -> PyResult<String> {
    let matrix = data.matrix()?.t();
    let (atoms, codes) = (operator(&plan.atoms)?, operator(&plan.codes)?);
    let missing = missing(plan.missing.as_deref())?;
    let raised = Raised::default();
    let of_the_search = RankPlan {
        folds: plan.folds,
        repeats: plan.repeats,
        restarts: plan.restarts,
        patience: plan.patience,
        tol: plan.tol,
        passes: plan.passes,
        seed: plan.seed,
        ..RankPlan::new(plan.ranks.iter().copied())
    };
    let found = compute(py, plan.threads, || -> Result<String, proxsplit::Error> {
        let data = factor::Data::with_missing(matrix, 1.0, missing)?;
        let problem = Problem::new(&data, 1, T::operator(&atoms), T::operator(&codes))?;
        let mut search = RankSearch::new(problem, of_the_search)?;
        let mut ask = || {
            if stop.load(Ordering::Relaxed) || raised.is_set() {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        };
        while let Searched::Fitted(fit) = search.advance(&mut ask)? {
            if let Some(observe) = observe {
                raised.attempt(|py| tell(py, observe, &fit));
            }
        }
        let answer = serde_json::json!({ "choice": search.choice(), "table": search.rows() });
        Ok(answer.to_string())
    })?;
    raised.come_out()?;
    found.map_err(refuse)
}

fn tell(py: Python<'_>, observe: &Py<PyAny>, fit: &Fit) -> PyResult<()> {
    let (is_fold, number) = match fit.kind {
        FitKind::Fold(at) => (true, at),
        FitKind::Restart(at) => (false, at),
    };
    observe.call1(py, (fit.rank, is_fold, number, fit.value))?;
    Ok(())
}

/// What the runs (W, H) of one problem agree on, as JSON, and the medoids of the rows of H.
#[pyfunction]
pub(crate) fn consensus(
    py: Python<'_>,
    runs: Vec<(Py<PyAny>, Py<PyAny>)>,
    objectives: Vec<f64>,
) -> PyResult<(String, Py<PyAny>)> {
    let runs = runs.iter().map(|(w, h)| {
        let (atoms, codes) = (columns::<f64>(h.bind(py))?, columns::<f64>(w.bind(py))?);
        Factors::new(&atoms, codes).map_err(refuse)
    });
    let runs = runs.collect::<PyResult<Vec<_>>>()?;
    let (consensus, medoids) = Consensus::of(&runs, &objectives).map_err(refuse)?;
    let length = medoids.rows();
    let text = serde_json::to_string(&consensus).map_err(refuse)?;
    Ok((text, rows(py, medoids, length)?.into_any().unbind()))
}
