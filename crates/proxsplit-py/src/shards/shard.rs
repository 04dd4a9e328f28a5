//! A shard on a thread of its own, which borrows the arrays of its data for as long as it lives.

use crate::array::Data;
use crate::error::refuse;
use crate::factor::{operator, rows};
use crate::pool::pool;
use crate::scalar::Scalar;
use numpy::{PyArray1, PyReadonlyArray1};
use proxsplit::Mat;
use proxsplit_factor::{self as factor, Answer, Header, Problem, Request};
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

/// A number type, which has its own kind of line.
trait Spoken: Scalar {
    fn line(either: &Either) -> Option<&Line<Self>>;
    fn either(line: Line<Self>) -> Either;
}

impl Spoken for f32 {
    fn line(either: &Either) -> Option<&Line<f32>> {
        match either {
            Either::Single(line) => Some(line),
            Either::Double(_) => None,
        }
    }

    fn either(line: Line<f32>) -> Either {
        Either::Single(line)
    }
}

impl Spoken for f64 {
    fn line(either: &Either) -> Option<&Line<f64>> {
        match either {
            Either::Single(_) => None,
            Either::Double(line) => Some(line),
        }
    }

    fn either(line: Line<f64>) -> Either {
        Either::Double(line)
    }
}

/// Samples of the data with their codes: rows here, columns in the crate.
///
/// It answers orders of `factorize_shards`: `answer(header, x)` returns sums and numbers.
#[pyclass(frozen)]
pub(crate) struct Shard {
    line: Mutex<Option<Either>>,
    rank: usize,
    single: bool,
    /// The process of its thread, which a fork leaves behind.
    process: u32,
}

type Answered<'py> = (Bound<'py, PyAny>, Bound<'py, PyArray1<f64>>);

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
            begin::<f32>(py, made)?
        } else {
            begin::<f64>(py, made)?
        };
        Ok(Self {
            line: Mutex::new(Some(line)),
            rank,
            single,
            process: std::process::id(),
        })
    }

    /// Does what the header says with X, and returns sums and numbers.
    fn answer<'py>(
        &self,
        py: Python<'py>,
        header: &str,
        x: &Bound<'py, PyAny>,
    ) -> PyResult<Answered<'py>> {
        let header: Header = serde_json::from_str(header).map_err(|error| {
            refuse(format!(
                "a request that this version of proxsplit does not know: {error}"
            ))
        })?;
        if self.single {
            self.answered::<f32>(py, header, x)
        } else {
            self.answered::<f64>(py, header, x)
        }
    }

    /// The codes, a sample a row.
    fn codes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        if self.single {
            self.codes_as::<f32>(py)
        } else {
            self.codes_as::<f64>(py)
        }
    }

    /// All codes by name, to go on from.
    fn state<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        if self.single {
            self.state_as::<f32>(py)
        } else {
            self.state_as::<f64>(py)
        }
    }

    /// Goes on from a state.
    fn restore(&self, py: Python<'_>, state: &Bound<'_, PyDict>) -> PyResult<()> {
        if self.single {
            let message = Message::<f32>::Restore(arrays(state)?);
            self.tell(py, message).map(drop)
        } else {
            let message = Message::<f64>::Restore(arrays(state)?);
            self.tell(py, message).map(drop)
        }
    }

    /// Forgets all codes; it makes new ones from X when it is asked.
    fn forget(&self, py: Python<'_>) -> PyResult<()> {
        if self.single {
            self.tell(py, Message::<f32>::Forget).map(drop)
        } else {
            self.tell(py, Message::<f64>::Forget).map(drop)
        }
    }

    /// Lets go of the data.
    fn close(&self, py: Python<'_>) {
        py.detach(|| {
            let mut line = self.line.lock().unwrap_or_else(PoisonError::into_inner);
            *line = None;
        });
    }
}

impl Shard {
    /// Sends a message and waits for the reply, without the interpreter's lock.
    fn tell<T: Spoken>(&self, py: Python<'_>, message: Message<T>) -> PyResult<Reply<T>> {
        if self.process != std::process::id() {
            return Err(PyRuntimeError::new_err(
                "the thread of this shard did not survive a fork: create a new shard in the new process",
            ));
        }
        let reply = py.detach(|| {
            let line = self.line.lock().unwrap_or_else(PoisonError::into_inner);
            let line = line.as_ref().and_then(T::line)?;
            line.orders.send(message).ok()?;
            line.replies.recv().ok()
        });
        match reply {
            Some(Reply::Refused(words)) => Err(refuse(words)),
            Some(reply) => Ok(reply),
            None => Err(PyRuntimeError::new_err("the shard is closed")),
        }
    }

    fn answered<'py, T: Spoken>(
        &self,
        py: Python<'py>,
        header: Header,
        x: &Bound<'py, PyAny>,
    ) -> PyResult<Answered<'py>> {
        let x: PyReadonlyArray1<T> = x.extract()?;
        let message = Message::Ask(header, x.as_slice()?.to_vec());
        let Reply::Answer(answer) = self.tell::<T>(py, message)? else {
            return Err(unexpected());
        };
        let sums = PyArray1::from_vec(py, answer.sums).into_any();
        Ok((sums, PyArray1::from_vec(py, answer.numbers)))
    }

    fn codes_as<'py, T: Spoken>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let Reply::Codes(codes) = self.tell::<T>(py, Message::Codes)? else {
            return Err(unexpected());
        };
        let codes = Mat::new(self.rank, codes.len() / self.rank, codes).map_err(refuse)?;
        Ok(rows(py, codes, self.rank)?.into_any())
    }

    fn state_as<'py, T: Spoken>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let Reply::State(state) = self.tell::<T>(py, Message::State)? else {
            return Err(unexpected());
        };
        let arrays = PyDict::new(py);
        for (name, codes) in state {
            arrays.set_item(name, PyArray1::from_vec(py, codes))?;
        }
        Ok(arrays)
    }
}

fn unexpected() -> PyErr {
    PyRuntimeError::new_err("the shard answered a different request")
}

/// Starts the thread, and waits until it has looked at the data.
fn begin<T: Spoken>(py: Python<'_>, made: Made) -> PyResult<Either> {
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
    let (replies, first) = py.detach(move || {
        let first = replies.recv();
        (replies, first)
    });
    match first {
        Ok(Reply::Ready) => Ok(T::either(Line { orders, replies })),
        Ok(Reply::Refused(words)) => Err(refuse(words)),
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
        Message::Ask(header, x) => Reply::Answer(shard.answer(&Request {
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

/// Named arrays of one dimension.
pub(super) fn arrays<T: Scalar>(dict: &Bound<'_, PyDict>) -> PyResult<HashMap<String, Vec<T>>> {
    let mut arrays = HashMap::new();
    for (name, array) in dict {
        let array: PyReadonlyArray1<T> = array.extract()?;
        arrays.insert(name.extract()?, array.as_slice()?.to_vec());
    }
    Ok(arrays)
}
