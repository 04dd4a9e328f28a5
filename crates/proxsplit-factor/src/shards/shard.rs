//! Some columns of the data and their codes.

use super::look;
use super::messages::{Answer, Change, Request, Task};
use crate::balance::with_sizes;
use crate::codes::{Ahead, run_ahead};
use crate::codes::{TOUCH, Term};
use crate::look::Escape;
use crate::misfit::{Misfit, Squared};
use crate::problem::Problem;
use crate::products::{Lanes, dot, gram};
use crate::work::{NEARLY_EXACT, scale_rows};
use proxsplit::Error;
use rand::RngExt;
use rand_pcg::Pcg64;
use std::collections::HashMap;
use std::fmt;

/// What the codes are there for: as they are, before the last pass, ahead of themselves, after the last plain pass, of the last look, kept.
pub(super) struct Codes<T> {
    pub(super) now: Vec<T>,
    pub(super) old: Vec<T>,
    pub(super) ahead: Vec<T>,
    pub(super) plain: Vec<T>,
    pub(super) looked: Vec<T>,
    pub(super) kept: Vec<T>,
}

impl<T> Codes<T> {
    const NONE: Self = Self {
        now: Vec::new(),
        old: Vec::new(),
        ahead: Vec::new(),
        plain: Vec::new(),
        looked: Vec::new(),
        kept: Vec::new(),
    };
}

impl<T: Lanes> Codes<T> {
    /// Multiplies what a run goes on from, one number an atom.
    pub(super) fn scale(&mut self, scale: &[f64]) {
        let scale: Vec<T> = scale.iter().map(|&s| T::of(s)).collect();
        for codes in [&mut self.now, &mut self.old, &mut self.ahead] {
            scale_rows(codes, &scale);
        }
    }
}

/// A shard: the data of some samples, their codes, and the solver of these.
pub struct Shard<'a, T: Lanes> {
    pub(super) problem: Problem<'a, T>,
    pub(super) misfit: Squared<'a, T>,
    pub(super) term: Term<'a, T>,
    pub(super) codes: Codes<T>,
    pub(super) escape: Option<Escape<T>>,
    /// Which one it is.
    index: usize,
    /// Directions of the data, while a start is made of them.
    sketch: Vec<T>,
}

impl<T: Lanes> fmt::Debug for Shard<'_, T> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let samples = self.problem.data.cols();
        write!(out, "shard {} of {samples} samples", self.index)
    }
}

impl<'a, T: Lanes> Shard<'a, T> {
    /// A shard without codes; it makes them when it is first asked. Refuses problems that are not squared over all entries.
    pub fn new(problem: Problem<'a, T>, index: usize) -> Result<Self, Error> {
        let data = problem.data;
        let refused = [
            (!problem.loss.is_usual(), "a loss other than squared"),
            (data.missing() > 0, "missing entries"),
            (data.is_weighted(), "weights"),
            (problem.fixed.count() > 0, "fixed atoms"),
            (problem.graphs.are_there(), "graphs"),
        ];
        if let Some((_, what)) = refused.iter().find(|(is_there, _)| *is_there) {
            return Err(Error::Incompatible(format!(
                "sharded data do not support {what} yet: factorize them on one machine"
            )));
        }
        Ok(Self {
            misfit: Squared::new(data, problem.rank),
            term: problem.terms().1,
            codes: Codes::NONE,
            escape: None,
            index,
            sketch: Vec::new(),
            problem,
        })
    }

    /// The codes, K × samples; empty if there are none yet.
    pub fn codes(&self) -> &[T] {
        &self.codes.now
    }

    /// Forgets all codes, as a shard does that is lost and rebuilt.
    pub fn forget(&mut self) {
        self.codes = Codes::NONE;
        self.escape = None;
    }

    /// Does what it is told.
    pub fn answer(&mut self, request: &Request<'_, T>) -> Answer<T> {
        for change in &request.header.before {
            self.change(change);
        }
        let x = request.x;
        match request.header.task {
            Task::Describe => self.describe(),
            Task::Draw { seed, unit } => self.draw(x, seed, unit),
            Task::Sketch { random } => self.sketch(x, random),
            Task::Halves => self.halves(x),
            Task::Begin => self.begin(x),
            Task::Pass { beta } => self.pass(x, beta),
            Task::Visit { at } => self.visit(x, at),
            Task::Sizes => self.sizes(x),
            Task::Look { ref scale } => look::of_shard(self, x, scale),
            Task::Escape { place, is_of_look } => look::escape_of_shard(self, x, place, is_of_look),
            Task::Settle => self.settle(x),
            Task::Zeros => {
                let is_rebuilt = self.seat(x);
                let zeros = self.codes.now.iter().filter(|a| **a == T::ZERO);
                Answer {
                    sums: Vec::new(),
                    numbers: vec![is_rebuilt, zeros.count() as f64],
                }
            }
        }
    }

    fn change(&mut self, change: &Change) {
        if self.codes.now.is_empty() {
            return;
        }
        let codes = &mut self.codes;
        match change {
            Change::TakeBack => codes.now.clone_from(&codes.old),
            Change::Restart => codes.ahead.clone_from(&codes.now),
            Change::GoAhead => codes.now.clone_from(&codes.ahead),
            Change::GoToPlain if codes.plain.is_empty() => {}
            Change::GoToPlain => codes.now.clone_from(&codes.plain),
            Change::KeepPlain => codes.plain.clone_from(&codes.now),
            Change::Scale(scale) => codes.scale(scale),
            Change::Keep => codes.kept.clone_from(&codes.looked),
            Change::Replace {
                shard,
                place,
                is_of_look,
            } => self.replace(*shard == self.index, *place, *is_of_look),
        }
    }

    /// Puts codes in the place of an atom: those that were found here, or none. All codes go on from there.
    fn replace(&mut self, is_own: bool, place: usize, is_of_look: bool) {
        let rank = self.problem.rank;
        let escape = self.escape.take().filter(|_| is_own);
        let found = escape.as_ref().map(|escape| &escape.terms[0].1.codes);
        let all = &mut self.codes;
        let mut codes = if is_of_look {
            all.looked.clone()
        } else {
            all.ahead.clone()
        };
        let places = codes.iter_mut().skip(place).step_by(rank);
        for (t, code) in places.enumerate() {
            *code = found.map_or(T::ZERO, |found| found[t]);
        }
        for part in [&mut all.now, &mut all.old, &mut all.ahead] {
            part.clone_from(&codes);
        }
    }

    /// Makes codes from X if there are none; 1 if it did.
    pub(super) fn seat(&mut self, x: &[T]) -> f64 {
        if !self.codes.now.is_empty() {
            return 0.0;
        }
        self.forget();
        let (rank, n) = (self.problem.rank, self.problem.data.cols());
        let mut codes = vec![T::ZERO; rank * n];
        self.term.project(&mut codes, rank, T::ONE);
        self.misfit.solve_codes_exactly(x, &mut codes, &self.term);
        self.codes.old.clone_from(&codes);
        self.codes.ahead.clone_from(&codes);
        self.codes.now = codes;
        1.0
    }

    fn describe(&self) -> Answer<T> {
        let data = self.problem.data;
        let is_sparse = f64::from(u8::from(data.is_sparse()));
        Answer {
            sums: Vec::new(),
            numbers: vec![
                0.0,
                data.rows() as f64,
                data.cols() as f64,
                data.square(),
                is_sparse,
            ],
        }
    }

    /// The random numbers of this shard: they depend on nothing but the seed and the shard.
    fn random(&self, seed: u64) -> Pcg64 {
        Pcg64::new(u128::from(seed), self.index as u128)
    }

    fn draw(&mut self, x: &[T], seed: u64, unit: f64) -> Answer<T> {
        let (rank, n) = (self.problem.rank, self.problem.data.cols());
        let mut random = self.random(seed);
        let draws = (0..rank * n).map(|_| T::of(unit * random.random_range(0.0..1.0)));
        let mut codes: Vec<T> = draws.collect();
        self.term.project(&mut codes, rank, T::of(TOUCH));
        let data = self.problem.data;
        data.with_columns(&mut self.misfit.xy, x, 0..n);
        let mut sums = vec![T::ZERO; rank * rank];
        gram(&mut sums, &codes, rank);
        let cross = dot(&self.misfit.xy, &codes);
        self.forget();
        self.codes.old.clone_from(&codes);
        self.codes.ahead.clone_from(&codes);
        self.codes.now = codes;
        Answer {
            sums,
            numbers: vec![0.0, cross],
        }
    }

    fn sketch(&mut self, q: &[T], random: Option<(usize, u64)>) -> Answer<T> {
        let (m, n) = (self.problem.data.rows(), self.problem.data.cols());
        let count = if let Some((count, seed)) = random {
            let mut random = self.random(seed);
            let draws = (0..count * n).map(|_| T::of(random.random_range(-1.0..1.0)));
            self.sketch = draws.collect();
            count
        } else {
            let count = q.len() / m;
            self.sketch.resize(count * n, T::ZERO);
            self.problem.data.with_columns(&mut self.sketch, q, 0..n);
            count
        };
        let mut sums = vec![T::ZERO; count * (m + count)];
        let (products, square) = sums.split_at_mut(count * m);
        self.problem.data.with_rows(products, &self.sketch, 0..n);
        gram(square, &self.sketch, count);
        Answer {
            sums,
            numbers: vec![0.0],
        }
    }

    fn halves(&mut self, map: &[T]) -> Answer<T> {
        let count = map.len().isqrt();
        let mut rows = vec![T::ZERO; self.sketch.len()];
        crate::products::times(&mut rows, map, &self.sketch, count);
        self.sketch = Vec::new();
        let mut numbers = vec![0.0; 1 + 2 * count];
        for column in rows.chunks_exact(count) {
            for (halves, value) in numbers[1..].chunks_exact_mut(2).zip(column) {
                let value = value.f64();
                halves[usize::from(value < 0.0)] += value * value;
            }
        }
        Answer {
            sums: Vec::new(),
            numbers,
        }
    }

    fn begin(&mut self, x: &[T]) -> Answer<T> {
        self.forget();
        self.seat(x);
        Answer {
            sums: Vec::new(),
            numbers: vec![0.0],
        }
    }

    fn pass(&mut self, x: &[T], beta: f64) -> Answer<T> {
        let (m, n) = (self.problem.data.rows(), self.problem.data.cols());
        let is_rebuilt = self.seat(x);
        let codes = &mut self.codes;
        if is_rebuilt == 0.0 {
            std::mem::swap(&mut codes.old, &mut codes.now);
            std::mem::swap(&mut codes.now, &mut codes.ahead);
            let how = (&self.term, NEARLY_EXACT.beside(m, self.problem.rank));
            self.misfit.solve_codes(x, &mut codes.now, 0..n, how);
            // Codes in sets that tie their entries together cannot run ahead without leaving them.
            let beta = self.term.elementary.map_or(0.0, |_| beta);
            let how = Ahead::of(beta, self.term.elementary);
            run_ahead(&mut codes.ahead, &codes.now, &codes.old, how);
        }
        self.misfit.see(&self.codes.ahead);
        let penalty = self.term.penalty(&self.codes.ahead, self.problem.rank);
        Answer {
            sums: self.seen(),
            numbers: self.with_sizes(vec![is_rebuilt, penalty]),
        }
    }

    /// AYᵀ and AAᵀ as the misfit has seen them.
    pub(super) fn seen(&mut self) -> Vec<T> {
        let mut sums = self.misfit.ya.clone();
        sums.extend_from_slice(&self.misfit.grams().a);
        sums
    }

    fn with_sizes(&self, mut numbers: Vec<f64>) -> Vec<f64> {
        with_sizes(&self.codes.now, self.problem.rank, |sizes| {
            numbers.extend_from_slice(sizes);
        });
        numbers
    }

    fn sizes(&mut self, x: &[T]) -> Answer<T> {
        let is_rebuilt = self.seat(x);
        let penalty = self.term.penalty(&self.codes.now, self.problem.rank);
        Answer {
            sums: Vec::new(),
            numbers: self.with_sizes(vec![is_rebuilt, penalty]),
        }
    }

    fn visit(&mut self, x: &[T], (at, of): (usize, usize)) -> Answer<T> {
        let is_rebuilt = self.seat(x);
        let (rank, n) = (self.problem.rank, self.problem.data.cols());
        let size = n.div_ceil(of);
        let range = n.min(at * size)..n.min((at + 1) * size);
        let part = range.start * rank..range.end * rank;
        let mut sums = vec![T::ZERO; x.len() + rank * rank];
        if range.is_empty() {
            return Answer {
                sums,
                numbers: vec![is_rebuilt, 0.0],
            };
        }
        let codes = &mut self.codes.now[part.clone()];
        let how = (&self.term, NEARLY_EXACT);
        self.misfit.solve_codes(x, codes, range.clone(), how);
        let (ya, aa) = sums.split_at_mut(x.len());
        self.problem.data.with_rows(ya, codes, range);
        gram(aa, codes, rank);
        let cross = dot(&self.misfit.xy[part], codes);
        Answer {
            sums,
            numbers: vec![is_rebuilt, cross],
        }
    }

    fn settle(&mut self, x: &[T]) -> Answer<T> {
        let is_rebuilt = if self.codes.kept.is_empty() {
            self.forget();
            self.seat(x)
        } else {
            let kept = std::mem::take(&mut self.codes.kept);
            self.codes.now = kept;
            0.0
        };
        Answer {
            sums: Vec::new(),
            numbers: vec![is_rebuilt],
        }
    }

    /// All codes by name, to go on from bit by bit.
    pub fn state(&mut self) -> Vec<(&'static str, &mut Vec<T>)> {
        let codes = &mut self.codes;
        vec![
            ("a", &mut codes.now),
            ("a-old", &mut codes.old),
            ("a-ahead", &mut codes.ahead),
            ("a-plain", &mut codes.plain),
            ("a-kept", &mut codes.kept),
        ]
    }

    /// Goes on from saved codes; refused if they do not fit.
    pub fn restore(&mut self, mut saved: HashMap<String, Vec<T>>) -> Result<(), Error> {
        let expected = self.problem.rank * self.problem.data.cols();
        self.forget();
        for (name, codes) in self.state() {
            let found = saved.remove(name).unwrap_or_default();
            if !found.is_empty() && found.len() != expected {
                return Err(Error::Shape {
                    what: "saved codes of a shard",
                    expected,
                    found: found.len(),
                });
            }
            *codes = found;
        }
        Ok(())
    }
}
