//! The center of a run: X, the method and the certificate. Shards are asked through a function of Python.

use super::shard::arrays;
use crate::error::{Raised, refuse};
use crate::factor::{columns, operator, rows};
use crate::pool::compute_apart;
use crate::report;
use crate::scalar::Scalar;
use crate::threads::interruptible;
use numpy::{PyArray1, PyReadonlyArray1};
use proxsplit::ledger::Source;
use proxsplit::run::{Observer, Saved};
use proxsplit::{Certificate, Error, Report, Row, Session, Stop};
use proxsplit_factor::{self as factor, Answer, Request, Sharded, Shards};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// How to factorize.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Settings {
    rank: usize,
    codes: String,
    atoms: String,
    init: String,
    tol: f64,
    passes: f64,
    /// Seconds.
    time: Option<f64>,
    seed: u64,
    method: String,
    batch_size: Option<usize>,
    threads: usize,
    single: bool,
}

impl Settings {
    fn stop(&self) -> PyResult<Stop> {
        let time = match self.time {
            None => Duration::MAX,
            Some(seconds) => Duration::try_from_secs_f64(seconds).map_err(refuse)?,
        };
        Ok(Stop {
            residual: 0.0,
            relative: self.tol,
            passes: self.passes,
            time,
            at_floor: self.tol > 0.0,
            ..Stop::default()
        })
    }

    fn of_the_run(&self) -> PyResult<factor::Settings> {
        Ok(factor::Settings {
            method: self.method.parse().map_err(refuse)?,
            init: self.init.parse().map_err(refuse)?,
            batch: self.batch_size,
            seed: self.seed,
            ..factor::Settings::default()
        })
    }
}

/// The functions of Python that take part.
struct Functions {
    /// `ask(header, x, needs_all)`: (sums, numbers) of every shard, or None.
    ask: Py<PyAny>,
    /// `observe(passes, objective, residual)` at every look; true ends the run.
    observe: Option<Py<PyAny>>,
    /// `moved(passes)` after every step: true if the state is to be saved.
    moved: Option<Py<PyAny>>,
    /// `save(header, arrays)`
    save: Option<Py<PyAny>>,
}

/// A state to go on from: a header, and arrays by name.
type Resumed = (String, Py<PyDict>);

/// Factorizes what the shards have. After Ctrl-C, "interrupt" is the exception to raise once the answer is kept.
#[pyfunction]
#[pyo3(signature = (ask, settings, h=None, *, observe=None, moved=None, save=None, resume=None))]
#[allow(clippy::too_many_arguments)] // Python names them.
pub(crate) fn factorize_shards(
    py: Python<'_>,
    ask: Py<PyAny>,
    settings: Settings,
    h: Option<Py<PyAny>>,
    observe: Option<Py<PyAny>>,
    moved: Option<Py<PyAny>>,
    save: Option<Py<PyAny>>,
    resume: Option<Resumed>,
) -> PyResult<Py<PyDict>> {
    let functions = Functions {
        ask,
        observe,
        moved,
        save,
    };
    let outcome = interruptible(py, move |py, stop| {
        if settings.single {
            run_as::<f32>(py, &functions, &settings, (h, resume), stop)
        } else {
            run_as::<f64>(py, &functions, &settings, (h, resume), stop)
        }
    })?;
    match (outcome.result, outcome.signal) {
        (Err(_), Some(signal)) => Err(signal),
        (Err(error), None) => Err(error),
        (Ok(answer), signal) => {
            let value = signal.map(|signal| signal.into_value(py));
            answer.bind(py).set_item("interrupt", value)?;
            Ok(answer)
        }
    }
}

/// What was saved, in the precision of the run.
struct Start<T> {
    session: Saved,
    solver: Value,
    arrays: Vec<(String, Vec<T>)>,
}

fn run_as<T: Scalar>(
    py: Python<'_>,
    functions: &Functions,
    settings: &Settings,
    (h, resume): (Option<Py<PyAny>>, Option<Resumed>),
    stop: &AtomicBool,
) -> PyResult<Py<PyDict>> {
    let x = h.map(|h| columns::<T>(h.bind(py))).transpose()?;
    let resume = resume.map(|saved| start::<T>(py, &saved)).transpose()?;
    let (atoms, codes) = (operator(&settings.atoms)?, operator(&settings.codes)?);
    let (choices, limits) = (settings.of_the_run()?, settings.stop()?);
    let raised = Raised::default();
    // Shards of this process must not wait for threads that wait for them.
    let found = compute_apart(py, settings.threads, || -> Result<_, Error> {
        let wire = Wire {
            ask: &functions.ask,
            raised: &raised,
        };
        let terms = (T::operator(&atoms), T::operator(&codes));
        let (wire, rank) = (Box::new(wire), settings.rank);
        let (mut solver, session) = match resume {
            None => (
                Sharded::new(wire, rank, terms, choices, x.as_ref())?,
                Session::new(limits),
            ),
            Some(saved) => (
                Sharded::resume(wire, rank, terms, choices, (&saved.solver, saved.arrays))?,
                Session::resume(limits, saved.session),
            ),
        };
        let watcher = Watcher {
            functions,
            stop,
            raised: &raised,
        };
        let report = session.run(&mut solver, watcher);
        let zeros = solver.zeros();
        let degenerate = solver.scale_is_degenerate();
        let (misfit, picked) = (solver.misfit(), solver.picked());
        Ok((report, solver.x(), zeros, misfit, picked, degenerate))
    })?;
    raised.come_out()?;
    let (report, x, zeros, misfit, picked, degenerate) = found.map_err(refuse)?;
    let answer = PyDict::new(py);
    let features = x.rows();
    answer.set_item("error", (2.0 * misfit).sqrt())?;
    answer.set_item("H", rows(py, x, features)?)?;
    answer.set_item("method", picked)?;
    answer.set_item("degenerate", degenerate)?;
    answer.set_item("reason", report.reason.code())?;
    answer.set_item("seconds", report.seconds)?;
    answer.set_item("zeros", zeros)?;
    answer.set_item("certificate", report::certificate(py, &report.certificate)?)?;
    answer.set_item("record", record(&report).to_string())?;
    let trace = report::trace(py, &report.trace)?;
    let stale = report.trace.iter().map(stale);
    trace.set_item("stale", PyArray1::from_iter(py, stale))?;
    answer.set_item("trace", trace)?;
    Ok(answer.unbind())
}

/// The error of old shares since the look before; NaN if it is unknown or nobody looked.
fn stale(row: &Row) -> f64 {
    match (row.at, row.errors.get(Source::Stale)) {
        (None, _) => f64::NAN,
        (Some(_), None) => 0.0,
        (Some(_), Some(level)) => level.value().unwrap_or(f64::NAN),
    }
}

/// The certificate as `run.json` has it, and the rows of the trace.
fn record(report: &Report) -> Value {
    let certificate: &Certificate = &report.certificate;
    let at = &certificate.at_point;
    let mut fields = json!(certificate);
    fields["guarantee"] = certificate.of_method.guarantee.to_string().into();
    fields["residual"] = at.residual.into();
    fields["words"] = certificate.words().into();
    fields["details"] = json!(certificate.details());
    fields["stationarity"] = at.stationarity().into();
    fields["error_level"] = certificate.of_method.errors.total().into();
    let last = report.trace.last();
    let rows = report.trace.iter().map(|row| {
        let mut fields = json!({
            "pass": row.progress.passes,
            "seconds": row.seconds,
            "objective": row.objective(),
            "residual": row.at.map(|at| at.residual),
            "step": row.progress.step,
        });
        if row.at.is_some() {
            fields["errors"] = json!(row.errors);
        }
        fields
    });
    json!({
        "certificate": fields,
        "reason": report.reason,
        "converged": report.converged(),
        "objective": at.objective,
        "seconds": report.seconds,
        "passes": last.map_or(0.0, |row| row.progress.passes),
        "trace": rows.collect::<Vec<_>>(),
    })
}

fn start<T: Scalar>(py: Python<'_>, (header, saved): &Resumed) -> PyResult<Start<T>> {
    let damaged = |_| refuse("the checkpoint is damaged: start over");
    let header: Value = serde_json::from_str(header).map_err(damaged)?;
    let session = serde_json::from_value(header["session"].clone()).map_err(damaged)?;
    let arrays: HashMap<String, Vec<T>> = arrays(saved.bind(py))?;
    Ok(Start {
        session,
        solver: header["solver"].clone(),
        arrays: arrays.into_iter().collect(),
    })
}

/// The wire that Python lays.
struct Wire<'p> {
    ask: &'p Py<PyAny>,
    raised: &'p Raised,
}

/// The answer of a shard as Python brings it.
type Brought<'py, T> = Option<(PyReadonlyArray1<'py, T>, PyReadonlyArray1<'py, f64>)>;

impl<T: Scalar> Shards<T> for Wire<'_> {
    fn ask(&mut self, request: &Request<'_, T>) -> Result<Vec<Option<Answer<T>>>, Error> {
        let lost = |_| Error::Incompatible("the request to the shards could not be encoded".into());
        let header = serde_json::to_string(request.header).map_err(lost)?;
        let answers = self.raised.attempt(|py| {
            let x = PyArray1::from_slice(py, request.x);
            let brought = self.ask.call1(py, (header, x, request.needs_all))?;
            let brought: Vec<Brought<'_, T>> = brought.extract(py)?;
            let answers = brought.into_iter().map(|answer| {
                let Some((sums, numbers)) = answer else {
                    return Ok(None);
                };
                Ok(Some(Answer {
                    sums: sums.as_slice()?.to_vec(),
                    numbers: numbers.as_slice()?.to_vec(),
                }))
            });
            answers.collect::<PyResult<Vec<_>>>()
        });
        // What Python has raised comes out in place of this.
        answers.ok_or_else(|| Error::Incompatible("the shards can no longer be reached".into()))
    }
}

/// Sees the run for Python.
struct Watcher<'p> {
    functions: &'p Functions,
    stop: &'p AtomicBool,
    raised: &'p Raised,
}

impl Watcher<'_> {
    fn goes_on(&self, goes: bool) -> ControlFlow<()> {
        if goes && !self.stop.load(Ordering::Relaxed) && !self.raised.is_set() {
            ControlFlow::Continue(())
        } else {
            ControlFlow::Break(())
        }
    }

    fn save<T: Scalar>(&self, session: &Session, solver: &mut Sharded<'_, T>) -> Option<()> {
        let save = self.functions.save.as_ref()?;
        let state = solver.state();
        let header = json!({ "session": session.save(), "solver": state.header }).to_string();
        self.raised.attempt(|py| {
            let arrays = PyDict::new(py);
            for (name, numbers) in state.arrays {
                arrays.set_item(name, PyArray1::from_vec(py, numbers))?;
            }
            save.call1(py, (header, arrays)).map(drop)
        })
    }
}

impl<T: Scalar> Observer<Sharded<'_, T>> for Watcher<'_> {
    fn moved(&mut self, session: &Session, solver: &mut Sharded<'_, T>) -> ControlFlow<()> {
        let passes = session.progress().passes;
        if let Some(moved) = &self.functions.moved {
            let is_due = self
                .raised
                .attempt(|py| moved.call1(py, (passes,))?.is_truthy(py));
            if is_due == Some(true) {
                self.save(session, solver);
            }
        }
        self.goes_on(true)
    }

    fn looked(&mut self, row: &Row, _: &Session, _: &mut Sharded<'_, T>) -> ControlFlow<()> {
        let Some(observe) = &self.functions.observe else {
            return self.goes_on(true);
        };
        let numbers = (row.progress.passes, row.objective(), row.residual());
        let ends = self
            .raised
            .attempt(|py| observe.call1(py, numbers)?.is_truthy(py));
        self.goes_on(ends == Some(false))
    }
}
