//! X, what the shards have said of it, and the wire to them.

use super::Shards;
use super::faults::Faults;
use super::messages::{Answer, Change, Header, Request, Task};
use crate::balance::{Balance, Scales, with_sizes};
use crate::codes::{Effort, Quadratic, Side, Term};
use crate::misfit::rounding_of;
use crate::products::{Lanes, dot, gram, times};
use crate::work::{Memory, scale_gram, scale_rows};
use proxsplit::internal::linalg::vec::{axpy, norm};
use proxsplit::{Error, Prox};

/// The part of a run that is in one place.
pub(super) struct Center<'a, T: Lanes> {
    pub(super) atoms: Term<'a, T>,
    pub(super) codes: Term<'a, T>,
    pub(super) rank: usize,
    /// m and T.
    pub(super) shape: (usize, usize),
    /// ‖Y‖²
    pub(super) square: f64,
    pub(super) is_sparse: bool,
    /// Xᵀ
    pub(super) x: Vec<T>,
    /// AYᵀ, AAᵀ and XᵀX of what was seen last.
    pub(super) ya: Vec<T>,
    pub(super) aa: Vec<T>,
    pub(super) xx: Vec<T>,
    /// The penalty of the codes that were seen last, and the sizes of the codes.
    pub(super) penalty: f64,
    pub(super) sizes: Vec<f64>,
    pub(super) scales: Scales<T>,
    pub(super) memory: Memory,
    pub(super) faults: Faults,
    /// What shards must do before the next task.
    pub(super) before: Vec<Change>,
    wire: Box<dyn Shards<T> + 'a>,
    /// The latest share of every shard, and whether it is an old one.
    last: Vec<(Answer<T>, bool)>,
    /// Whether a shard has made its codes anew, so that what is remembered of others is void.
    pub(super) is_disturbed: bool,
    /// Why the wire is dead, if it is.
    pub(super) failure: Option<Error>,
}

/// An atom for a place that nobody uses.
pub(super) struct Found<T> {
    pub(super) shard: usize,
    pub(super) place: usize,
    pub(super) gain: f64,
    atom: Vec<T>,
}

/// The sum of all answers to a request.
pub(super) struct Sum<T> {
    pub(super) answer: Answer<T>,
    /// Whether all shards have answered, and none of them had to make its codes anew.
    pub(super) is_whole: bool,
}

impl<'a, T: Lanes> Center<'a, T> {
    /// Asks the shards what they have. Refuses shards that do not fit together.
    pub(super) fn new(
        mut wire: Box<dyn Shards<T> + 'a>,
        rank: usize,
        (atoms, codes): (&'a dyn Prox<T>, &'a dyn Prox<T>),
    ) -> Result<Self, Error> {
        proxsplit::error::require("rank", rank as f64, rank > 0, "at least 1")?;
        let header = Header {
            before: Vec::new(),
            task: Task::Describe,
        };
        let answers = wire.ask(&Request {
            header: &header,
            x: &[],
            needs_all: true,
        })?;
        let found: Vec<Vec<f64>> = answers.into_iter().flatten().map(|a| a.numbers).collect();
        let Some(rows) = found.first().map(|numbers| numbers[1]) else {
            return Err(Error::Incompatible("there are no shards".into()));
        };
        if let Some(other) = found.iter().position(|numbers| numbers[1] != rows) {
            return Err(Error::Incompatible(format!(
                "shard {other} has {} features, but shard 0 has {rows}",
                found[other][1]
            )));
        }
        let total = |at: usize| found.iter().map(|numbers| numbers[at]).sum::<f64>();
        let rows = rows as usize;
        atoms.fits(rows)?;
        codes.fits(rank)?;
        let zeros = |count: usize| vec![T::ZERO; count];
        Ok(Self {
            atoms: Term::new(atoms, Side::Atoms),
            codes: Term::new(codes, Side::Codes),
            rank,
            shape: (rows, total(2) as usize),
            square: total(3),
            is_sparse: total(4) > 0.0,
            x: zeros(rank * rows),
            ya: zeros(rank * rows),
            aa: zeros(rank * rank),
            xx: zeros(rank * rank),
            penalty: 0.0,
            sizes: vec![0.0; 3 * rank],
            scales: Scales::new(rank, 0),
            memory: Memory::START,
            faults: Faults::default(),
            before: Vec::new(),
            wire,
            last: Vec::new(),
            is_disturbed: false,
            failure: None,
        })
    }

    /// Answers of all shards, with what is pending done before; `None` once the wire is dead.
    pub(super) fn ask_each(
        &mut self,
        task: Task,
        x: &[T],
        needs_all: bool,
    ) -> Option<Vec<Option<Answer<T>>>> {
        if self.failure.is_some() {
            return None;
        }
        let header = Header {
            before: std::mem::take(&mut self.before),
            task,
        };
        let request = Request {
            header: &header,
            x,
            needs_all,
        };
        let answers = self.wire.ask(&request).and_then(|answers| {
            let is_short = needs_all && answers.iter().any(Option::is_none);
            let what = "a shard did not answer, and the run cannot continue without it";
            if is_short {
                Err(Error::Incompatible(what.into()))
            } else {
                Ok(answers)
            }
        });
        match answers {
            Ok(answers) => {
                self.rescale_last(&header.before);
                Some(answers)
            }
            Err(error) => {
                self.failure = Some(error);
                None
            }
        }
    }

    /// The sum of the answers of all shards, each of which must have one.
    pub(super) fn ask(&mut self, task: Task, x: &[T]) -> Option<Sum<T>> {
        let answers = self.ask_each(task, x, true)?;
        let all: Vec<Answer<T>> = answers.into_iter().flatten().collect();
        let answer = self.added(all.iter())?;
        Some(self.judged(answer, true))
    }

    /// A task of a pass: a shard that does not answer is there with its last share.
    pub(super) fn ask_for_pass(&mut self, task: Task, x: &[T]) -> Option<Sum<T>> {
        let is_first = self.last.is_empty();
        let answers = self.ask_each(task, x, is_first)?;
        if is_first {
            self.last = answers.iter().map(|_| (Answer::NONE, false)).collect();
        }
        let mut last = std::mem::take(&mut self.last);
        let mut is_fresh = true;
        for ((last, is_old), answer) in last.iter_mut().zip(answers) {
            if let Some(answer) = answer {
                if std::mem::take(is_old) {
                    let error = self.staleness(last, &answer, x);
                    let level = &mut self.faults.level;
                    *level = Some(level.map_or(error, |level| level.max(error)));
                }
                *last = answer;
            } else {
                last.numbers[0] = 0.0;
                (*is_old, is_fresh) = (true, false);
            }
        }
        let answer = self.added(last.iter().map(|(answer, _)| answer));
        self.last = last;
        if !is_fresh {
            self.faults.passes += 1;
            self.faults.is_stale = true;
        }
        let answer = answer?;
        Some(self.judged(answer, is_fresh))
    }

    fn judged(&mut self, answer: Answer<T>, is_fresh: bool) -> Sum<T> {
        let rebuilt = answer.numbers[0];
        self.note_rebuilt(rebuilt);
        Sum {
            is_whole: is_fresh && rebuilt == 0.0,
            answer,
        }
    }

    fn note_rebuilt(&mut self, count: f64) {
        self.faults.rebuilt += count as u64;
        self.is_disturbed |= count > 0.0;
    }

    fn added<'s>(&mut self, answers: impl Iterator<Item = &'s Answer<T>>) -> Option<Answer<T>>
    where
        T: 's,
    {
        let mut answers = answers;
        let mut sum = answers.next()?.clone();
        for answer in answers {
            let fits =
                answer.sums.len() == sum.sums.len() && answer.numbers.len() == sum.numbers.len();
            if !fits {
                let what =
                    "shards disagree: is the same version of proxsplit installed everywhere?";
                self.failure = Some(Error::Incompatible(what.into()));
                return None;
            }
            sum.add(answer);
        }
        Some(sum)
    }

    /// ‖e‖: how far the slope of an old share is from that of a fresh one, at X.
    fn staleness(&self, old: &Answer<T>, new: &Answer<T>, x: &[T]) -> f64 {
        let mut change = new.sums.clone();
        axpy(-T::ONE, &old.sums, &mut change);
        let (ya, aa) = change.split_at(self.rank * self.shape.0);
        let mut slope = vec![T::ZERO; ya.len()];
        times(&mut slope, aa, x, self.rank);
        axpy(-T::ONE, ya, &mut slope);
        norm(&slope)
    }

    /// The latest shares as their codes are after changes of scale, whatever request brought these to the shards.
    fn rescale_last(&mut self, changes: &[Change]) {
        for change in changes {
            let Change::Scale(scale) = change else {
                continue;
            };
            let scale: Vec<T> = scale.iter().map(|&s| T::of(s)).collect();
            for (share, _) in &mut self.last {
                rescale(&mut share.sums, self.ya.len(), &scale);
            }
        }
    }

    /// Takes AYᵀ and AAᵀ of a sum for what is seen.
    pub(super) fn see(&mut self, sums: &[T]) {
        let (ya, aa) = sums.split_at(self.ya.len());
        self.ya.copy_from_slice(ya);
        self.aa.copy_from_slice(aa);
    }

    /// Takes the penalty of the codes and their sizes from the numbers of a sum.
    pub(super) fn size(&mut self, numbers: &[f64]) {
        self.penalty = numbers[1];
        self.sizes.copy_from_slice(&numbers[2..]);
    }

    /// Asks for the penalty and the sizes of the codes. Nothing runs ahead any more, so that these are also what a search for dead atoms looks at.
    pub(super) fn ask_sizes(&mut self) -> Option<bool> {
        self.before.push(Change::Restart);
        let x = std::mem::take(&mut self.x);
        let sum = self.ask(Task::Sizes, &x);
        self.x = x;
        let sum = sum?;
        self.size(&sum.answer.numbers);
        Some(sum.is_whole)
    }

    /// Improves X for what is seen.
    pub(super) fn solve_atoms(&mut self, effort: Effort) {
        let problem = Quadratic {
            gram: &self.aa,
            linear: &self.ya,
            rank: self.rank,
            own: None,
            weights: None,
        };
        self.atoms.solve(problem, &mut self.x, effort);
    }

    /// The objective of X and of the codes that were seen.
    pub(super) fn objective(&mut self) -> f64 {
        gram(&mut self.xx, &self.x, self.rank);
        let cross = dot(&self.x, &self.ya);
        let misfit = 0.5 * self.square - cross + 0.5 * dot(&self.xx, &self.aa);
        misfit.max(0.0) + self.atoms.penalty(&self.x, self.rank) + self.penalty
    }

    /// The size of what cancelled in it.
    pub(super) fn parts(&self) -> f64 {
        let products = self.xx.iter().zip(&self.aa);
        let size: f64 = products.map(|(x, a)| (x.f64() * a.f64()).abs()).sum();
        0.5 * self.square + size
    }

    /// What rounding can do to it.
    pub(super) fn rounding(&self) -> f64 {
        rounding_of::<T>(self.parts())
    }

    /// Atoms that no sample uses.
    pub(super) fn unused_atoms(&self) -> Vec<usize> {
        let is_unused = |k: &usize| self.aa[k * (self.rank + 1)] <= T::ZERO;
        (0..self.rank).filter(is_unused).collect()
    }

    /// What a shard has found to put in the place of an atom that no sample uses: the shard whose samples gain most.
    pub(super) fn escape(&mut self, place: usize, is_of_look: bool, x: &[T]) -> Option<Found<T>> {
        let task = Task::Escape { place, is_of_look };
        let answers = self.ask_each(task, x, true)?;
        let mut best: Option<Found<T>> = None;
        for (shard, answer) in answers.into_iter().flatten().enumerate() {
            self.note_rebuilt(answer.numbers[0]);
            let gain = answer.numbers[1];
            if gain > best.as_ref().map_or(0.0, |found| found.gain) {
                best = Some(Found {
                    shard,
                    place,
                    gain,
                    atom: answer.sums,
                });
            }
        }
        best
    }

    /// Puts what was found in its place, in X and at the shards.
    pub(super) fn replace(&mut self, found: &Found<T>, is_of_look: bool) {
        let places = self.x.iter_mut().skip(found.place).step_by(self.rank);
        for (x, &atom) in places.zip(&found.atom) {
            *x = atom;
        }
        self.before.push(Change::Replace {
            shard: found.shard,
            place: found.place,
            is_of_look,
        });
        self.memory.revived += 1;
    }

    /// Whether columns of X have norms near 1: near enough to wait with scaling.
    pub(super) fn is_nearly_normal(&self) -> bool {
        let mut squares = self.xx.iter().step_by(self.rank + 1);
        squares.all(|s| (0.25..=4.0).contains(&s.f64()))
    }

    /// Finds the scale of every pair, for X as it is and the sizes of the codes; `false` if nothing is to be done.
    pub(super) fn find_scales(&mut self) -> bool {
        let balance = Balance::of(&self.atoms, &self.codes);
        if !balance.is_free() {
            return false;
        }
        let (scales, sizes) = (&mut self.scales, &self.sizes);
        with_sizes(&self.x, self.rank, |x| {
            balance.find_for(scales, (&[], x), (&[], sizes));
        });
        true
    }

    /// The scale of the codes, for a message.
    pub(super) fn scale_of_codes(&self) -> Vec<f64> {
        self.scales.codes.iter().map(|s| s.f64()).collect()
    }
}

/// AYᵀ, the first `rows` numbers, and AAᵀ of codes that are multiplied.
pub(super) fn rescale<T: Lanes>(share: &mut [T], rows: usize, scale: &[T]) {
    let (ya, aa) = share.split_at_mut(rows);
    scale_rows(ya, scale);
    scale_gram(aa, scale);
}
