//! A shard on a thread of its own, which borrows the arrays of its data for as long as it lives.

use crate::array::Data;
use crate::error::refuse;
use crate::factor::{operator, rows};
use crate::pool::pool;
use crate::scalar::Scalar;
use numpy::{PyArray1, PyReadonlyArray1};
use proxsplit::linalg::dense::Mat;
use proxsplit_factor::{self as factor, Answer, Header, Order, Problem};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::collections::HashMap;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Mutex, PoisonError};
use std::thread;

/// What a shard is made of.
struct Made {
    data: Py<PyAny>,
    rank: usize,
    codes: String,
    atoms: String,
    threads: usize,
    index: usize,
}

enum Message<T> {
    Ask(Header, Vec<T>),
    Codes,
    State,
    Restore(HashMap<String, Vec<T>>),
    Forget,
}

enum Reply<T> {
    Ready,
    Answer(Answer<T>),
    Codes(Vec<T>),
    State(Vec<(&'static str, Vec<T>)>),
    Refused(String),
}

/// The near end of the thread's wire.
struct Line<T> {
    orders: Sender<Message<T>>,
    replies: Receiver<Reply<T>>,
}

enum Either {
    Single(Line<f32>),
    Double(Line<f64>),
}

/// Samples of the data with their codes: rows here, columns in the crate.
///
/// It answers orders of `factorize_shards`: `answer(header, x)` returns sums and numbers.
#[pyclass(frozen)]
pub(crate) struct Shard {
    line: Mutex<Option<Either>>,
    rank: usize,
    /// The process of its thread, which a fork leaves behind.
    process: u32,
}

#[pymethods]
impl Shard {
    #[new]
    #[pyo3(signature = (data, rank, codes, atoms, *, index, single=false, threads=0))]
    #[allow(clippy::too_many_arguments)] // Python names them.
    fn new(
        py: Python<'_>,
        data: Py<PyAny>,
        rank: usize,
        codes: String,
        atoms: String,
        index: usize,
        single: bool,
        threads: usize,
    ) -> PyResult<Self> {
        let made = Made {
            data,
            rank,
            codes,
            atoms,
            threads,
            index,
        };
        let line = if single {
            Either::Single(begin(py, made)?)
        } else {
            Either::Double(begin(py, made)?)
        };
        Ok(Self {
            line: Mutex::new(Some(line)),
            rank,
            process: std::process::id(),
        })
    }

    /// Does what the header says with X, and returns sums and numbers.
    fn answer<'py>(
        &self,
        py: Python<'py>,
        header: &str,
        x: &Bound<'py, PyAny>,
    ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyArray1<f64>>)> {
        let header: Header = serde_json::from_str(header).map_err(|error| {
            refuse(format!(
                "an order that this version of proxsplit does not know: {error}"
            ))
        })?;
        self.with(
            py,
            |line| answered(py, line, header.clone(), x),
            |line| answered(py, line, header.clone(), x),
        )
    }

    /// The codes, a sample a row.
    fn codes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let rank = self.rank;
        self.with(
            py,
            |line| codes_of(py, line, rank),
            |line| codes_of(py, line, rank),
        )
    }

    /// All codes by name, to go on from.
    fn state<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        self.with(py, |line| state_of(py, line), |line| state_of(py, line))
    }

    /// Goes on from a state.
    fn restore(&self, py: Python<'_>, state: &Bound<'_, PyDict>) -> PyResult<()> {
        self.with(
            py,
            |line| restored(py, line, state),
            |line| restored(py, line, state),
        )
    }

    /// Forgets all codes; it makes new ones from X when it is asked.
    fn forget(&self, py: Python<'_>) -> PyResult<()> {
        self.with(
            py,
            |line| told(py, line, Message::Forget).map(drop),
            |line| told(py, line, Message::Forget).map(drop),
        )
    }

    /// Lets go of the data.
    fn close(&self) {
        let mut line = self.line.lock().unwrap_or_else(PoisonError::into_inner);
        *line = None;
    }
}

impl Shard {
    /// Speaks with the thread, in the precision of the codes.
    fn with<R>(
        &self,
        py: Python<'_>,
        single: impl FnOnce(&Line<f32>) -> PyResult<R>,
        double: impl FnOnce(&Line<f64>) -> PyResult<R>,
    ) -> PyResult<R> {
        if self.process != std::process::id() {
            return Err(PyRuntimeError::new_err(
                "the thread of this shard was left behind by a fork: make a new one",
            ));
        }
        // Somebody who speaks with the thread waits for it without the interpreter's lock, and must not be waited for with it.
        let line = py.detach(|| self.line.lock().unwrap_or_else(PoisonError::into_inner));
        match &*line {
            None => Err(PyRuntimeError::new_err("the shard is closed")),
            Some(Either::Single(line)) => single(line),
            Some(Either::Double(line)) => double(line),
        }
    }
}

/// Starts the thread, and waits until it has looked at the data.
fn begin<T: Scalar>(py: Python<'_>, made: Made) -> PyResult<Line<T>> {
    let (orders, to_thread) = channel();
    let (from_thread, replies) = channel();
    let refused = from_thread.clone();
    thread::Builder::new()
        .name(format!("shard-{}", made.index))
        .spawn(move || {
            Python::attach(|py| {
                if let Err(error) = serve::<T>(py, &made, to_thread, from_thread) {
                    drop(refused.send(Reply::Refused(error.value(py).to_string())));
                }
            });
        })?;
    let line = Line { orders, replies };
    match heard(py, &line)? {
        Reply::Ready => Ok(line),
        _ => Err(PyRuntimeError::new_err("the shard did not start")),
    }
}

fn serve<T: Scalar>(
    py: Python<'_>,
    made: &Made,
    orders: Receiver<Message<T>>,
    replies: Sender<Reply<T>>,
) -> PyResult<()> {
    let data: Data = made.data.bind(py).extract()?;
    let matrix = data.matrix()?.t();
    let (atoms, codes) = (operator(&made.atoms)?, operator(&made.codes)?);
    let pool = pool(made.threads)?;
    let (rank, index) = (made.rank, made.index);
    let served = py.detach(move || -> Result<(), proxsplit::Error> {
        let data = pool.install(|| factor::Data::<T>::new(matrix, 1.0))?;
        let problem = Problem::new(&data, rank, T::operator(&atoms), T::operator(&codes))?;
        let mut shard = factor::Shard::new(problem, index)?;
        let mut reply = Reply::Ready;
        while replies.send(reply).is_ok() {
            let Ok(message) = orders.recv() else { break };
            reply = pool.install(|| obeyed(&mut shard, message));
        }
        Ok(())
    });
    served.map_err(refuse)
}

fn obeyed<T: Scalar>(shard: &mut factor::Shard<'_, T>, message: Message<T>) -> Reply<T> {
    match message {
        Message::Ask(header, x) => Reply::Answer(shard.answer(&Order {
            header: &header,
            x: &x,
            needs_all: true,
        })),
        Message::Codes => Reply::Codes(shard.codes().to_vec()),
        Message::State => {
            let state = shard.state().into_iter();
            Reply::State(state.map(|(name, codes)| (name, codes.clone())).collect())
        }
        Message::Restore(state) => match shard.restore(state) {
            Ok(()) => Reply::Ready,
            Err(error) => Reply::Refused(error.to_string()),
        },
        Message::Forget => {
            shard.forget();
            Reply::Ready
        }
    }
}

/// The next reply.
fn heard<T: Scalar>(py: Python<'_>, line: &Line<T>) -> PyResult<Reply<T>> {
    // A receiver cannot be shared between threads, but it can be lent to one that waits.
    let waiting = Mutex::new(&line.replies);
    let reply = py.detach(|| {
        let replies = waiting.lock().unwrap_or_else(PoisonError::into_inner);
        replies.recv()
    });
    match reply {
        Ok(Reply::Refused(words)) => Err(refuse(words)),
        Ok(reply) => Ok(reply),
        Err(_) => Err(PyRuntimeError::new_err("the thread of the shard has ended")),
    }
}

fn told<T: Scalar>(py: Python<'_>, line: &Line<T>, message: Message<T>) -> PyResult<Reply<T>> {
    let ended = |_| PyRuntimeError::new_err("the thread of the shard has ended");
    line.orders.send(message).map_err(ended)?;
    heard(py, line)
}

fn unexpected() -> PyErr {
    PyRuntimeError::new_err("the shard gave an answer to another question")
}

fn answered<'py, T: Scalar>(
    py: Python<'py>,
    line: &Line<T>,
    header: Header,
    x: &Bound<'py, PyAny>,
) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyArray1<f64>>)> {
    let x: PyReadonlyArray1<T> = x.extract()?;
    let message = Message::Ask(header, x.as_slice()?.to_vec());
    let Reply::Answer(answer) = told(py, line, message)? else {
        return Err(unexpected());
    };
    let sums = PyArray1::from_vec(py, answer.sums).into_any();
    Ok((sums, PyArray1::from_vec(py, answer.numbers)))
}

fn codes_of<'py, T: Scalar>(
    py: Python<'py>,
    line: &Line<T>,
    rank: usize,
) -> PyResult<Bound<'py, PyAny>> {
    let Reply::Codes(codes) = told(py, line, Message::Codes)? else {
        return Err(unexpected());
    };
    let samples = codes.len() / rank;
    let codes = Mat::new(rank, samples, codes).map_err(refuse)?;
    Ok(rows(py, codes, rank)?.into_any())
}

fn state_of<'py, T: Scalar>(py: Python<'py>, line: &Line<T>) -> PyResult<Bound<'py, PyDict>> {
    let Reply::State(state) = told(py, line, Message::State)? else {
        return Err(unexpected());
    };
    let arrays = PyDict::new(py);
    for (name, codes) in state {
        arrays.set_item(name, PyArray1::from_vec(py, codes))?;
    }
    Ok(arrays)
}

fn restored<T: Scalar>(
    py: Python<'_>,
    line: &Line<T>,
    state: &Bound<'_, PyDict>,
) -> PyResult<()> {
    told(py, line, Message::Restore(arrays(state)?)).map(drop)
}

/// Named arrays of one dimension.
pub(super) fn arrays<T: Scalar>(dict: &Bound<'_, PyDict>) -> PyResult<HashMap<String, Vec<T>>> {
    let mut arrays = HashMap::new();
    for (name, array) in dict {
        let array: PyReadonlyArray1<T> = array.extract()?;
        arrays.insert(name.extract()?, array.as_slice()?.to_vec());
    }
    Ok(arrays)
}
