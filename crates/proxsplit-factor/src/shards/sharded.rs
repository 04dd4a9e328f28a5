//! A run over shards: a [`Solver`] that holds X, and never a column or a code.

use super::Shards;
use super::aggregated::Aggregated;
use super::batch::Batch;
use super::center::{Center, Found};
use super::incremental::Incremental;
use super::messages::{Change, Task};
use super::{look, start};
use crate::balance::Balance;
use crate::products::Lanes;
use crate::settings::{Method, Settings};
use crate::work::scale_rows;
use proxsplit::Mat;
use proxsplit::certificate::{Assumption, Standing};
use proxsplit::ledger::{Level, Source};
use proxsplit::solve::{Method as Kind, Progress, Setting};
use proxsplit::{AtPoint, Class, Error, Ledger, Lipschitz, Prox, Solver};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::fmt;

/// How X is improved by what shards say.
pub(super) trait Steps<T: Lanes>: Send + Sync {
    /// One request to all shards and a step of X; `None` if the shards cannot be asked any more.
    fn step(&mut self, center: &mut Center<'_, T>) -> Option<()>;

    /// The steps of a pass.
    fn parts(&self) -> usize {
        1
    }

    /// Forgets what was remembered of another X.
    fn start_over(&mut self, center: &mut Center<'_, T>);

    /// Notes the errors of the gradient since the last look, relative to `scale`.
    fn note_errors(&mut self, _scale: f64, _: &mut Ledger) {}

    /// What is known of the method, if that is more than that its passes do not raise the objective.
    fn describe(&self, _: &mut Setting) {}

    /// The numbers of the state, under a name of their own.
    fn numbers(&self) -> Value;

    /// Goes on with saved numbers; refuses those of another method.
    fn set_numbers(&mut self, saved: &Value) -> Result<(), Error>;

    /// The arrays of the state.
    fn arrays(&mut self) -> Vec<(&'static str, &mut Vec<T>)>;
}

/// Numbers of a look that are not part of what it says.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
pub(super) struct Numbers {
    misfit: f64,
    zeros: f64,
}

/// A run of one method over shards. It works with [`proxsplit::run()`], as [`crate::Factorization`] does.
///
/// What the certificate says is true of all shards at the point that is returned: every look waits for a fresh share of each.
/// A lower bound of the objective is not looked for, and a dead atom is replaced by what the samples of one shard want.
///
/// ```
/// use proxsplit::{Stop, data::{Dense, Elements, StorageOrder}, run, set::NonNeg};
/// use proxsplit_factor::{Data, Local, Problem, Settings, Shard, Sharded};
/// let parts = [[1.0, 2.0, 2.0, 4.0], [3.0, 6.0, 1.0, 2.0]];
/// let dense = |at: usize| Dense::new(2, 2, StorageOrder::ColumnMajor, Elements::F64(&parts[at]));
/// let data = [Data::<f64>::new(dense(0)?.into(), 1.0)?, Data::new(dense(1)?.into(), 1.0)?];
/// let shard = |at: usize| Shard::new(Problem::new(&data[at], 1, &NonNeg, &NonNeg)?, at);
/// let mut shards = [shard(0)?, shard(1)?];
/// let wire = Local { shards: &mut shards };
/// let mut nmf = Sharded::new(Box::new(wire), 1, (&NonNeg, &NonNeg), Settings::default(), None)?;
/// let report = run(&mut nmf, &Stop { passes: 50.0, ..Stop::default() }, ());
/// assert!(report.certificate.at_point.objective < 1e-12);
/// # Ok::<(), proxsplit::Error>(())
/// ```
pub struct Sharded<'a, T: Lanes> {
    pub(super) center: Center<'a, T>,
    pub(super) steps: Box<dyn Steps<T>>,
    pub(super) settings: Settings,
    ledger: Ledger,
    /// Xᵀ of the last look, if it has not moved since.
    looked: Option<Vec<T>>,
    /// Its misfit and the zeros of its codes.
    numbers: Numbers,
    /// Xᵀ that is to be returned.
    pub(super) kept: Option<Vec<T>>,
    pub(super) kept_numbers: Numbers,
    /// What the last look has found to put in the place of a dead atom.
    escape: Option<Found<T>>,
    /// Whether the last step led to numbers that are not finite.
    is_lost: bool,
}

impl<T: Lanes> fmt::Debug for Sharded<'_, T> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (m, n) = self.center.shape;
        write!(out, "a factorization of {m} × {n} numbers in shards")
    }
}

impl<'a, T: Lanes> Sharded<'a, T> {
    /// Starts a run of this rank with the terms of X and of A, from a given X (m×K) or from what `settings.init` asks for.
    ///
    /// The shards must have problems of the same rank and terms.
    pub fn new(
        wire: Box<dyn Shards<T> + 'a>,
        rank: usize,
        terms: (&'a dyn Prox<T>, &'a dyn Prox<T>),
        settings: Settings,
        x: Option<&Mat<T>>,
    ) -> Result<Self, Error> {
        let mut center = Center::new(wire, rank, terms)?;
        start::start(&mut center, (settings.init, settings.seed), x)?;
        Self::at(center, settings)
    }

    /// Goes on from a saved state, refused if it comes from other settings or other data. Shards that were not restored make their codes
    /// anew.
    pub fn resume(
        wire: Box<dyn Shards<T> + 'a>,
        rank: usize,
        terms: (&'a dyn Prox<T>, &'a dyn Prox<T>),
        settings: Settings,
        (header, arrays): (&Value, Vec<(String, Vec<T>)>),
    ) -> Result<Self, Error> {
        let mut resumed = Self::at(Center::new(wire, rank, terms)?, settings)?;
        resumed.restore(header, arrays)?;
        Ok(resumed)
    }

    /// A run at what the center has.
    fn at(center: Center<'a, T>, settings: Settings) -> Result<Self, Error> {
        let steps: Box<dyn Steps<T>> = match settings.method {
            Method::Auto | Method::Batch => Box::new(Batch::new(&center.x)),
            Method::Aggregated => Box::new(Aggregated::new(&center, settings)?),
            Method::Incremental => Box::new(Incremental::new(&center, settings)?),
            Method::Sggd => {
                return Err(Error::Incompatible(
                    "sggd does not run over shards: use batch, aggregated or incremental".into(),
                ));
            }
        };
        Ok(Self {
            center,
            steps,
            settings,
            ledger: Ledger::default(),
            looked: None,
            numbers: Numbers::default(),
            kept: None,
            kept_numbers: Numbers::default(),
            escape: None,
            is_lost: false,
        })
    }

    /// X, m×K.
    pub fn x(&self) -> Mat<T> {
        let rank = self.center.rank;
        Mat::from_fn(self.center.shape.0, rank, |i, k| {
            self.center.x[i * rank + k]
        })
    }

    /// Features and samples.
    pub fn shape(&self) -> (usize, usize) {
        self.center.shape
    }

    /// ½‖Y − XA‖² at the point that is returned.
    pub fn misfit(&self) -> f64 {
        self.kept_numbers.misfit
    }

    /// The shares of exact zeros there, in X and in A.
    pub fn zeros(&self) -> (f64, f64) {
        let x = &self.center.x;
        let zeros = x.iter().filter(|x| **x == T::ZERO).count();
        let codes = self.center.shape.1 * self.center.rank;
        (
            zeros as f64 / x.len() as f64,
            self.kept_numbers.zeros / codes as f64,
        )
    }

    /// Why the shards could not be asked any more, if that ended the run.
    pub fn failure(&self) -> Option<&Error> {
        self.center.failure.as_ref()
    }

    /// The name of the method that runs.
    pub fn picked(&self) -> &'static str {
        match self.settings.method {
            Method::Auto => Method::Batch.name(),
            method => method.name(),
        }
    }

    /// Whether one penalty can be made as small as one likes by moving scale to the other factor.
    pub fn scale_is_degenerate(&self) -> bool {
        Balance::of(&self.center.atoms, &self.center.codes) == Balance::Degenerate
    }

    /// X as it would be returned now: where nothing else decides on the scale, with columns of norm 1; and what codes are multiplied by.
    fn result(&mut self) -> (Vec<T>, Vec<f64>) {
        let center = &mut self.center;
        let mut x = center.x.clone();
        let is_normal = Balance::of(&center.atoms, &center.codes) == Balance::Normalize;
        if is_normal && center.find_scales() {
            scale_rows(&mut x, &center.scales.atoms);
            return (x, center.scale_of_codes());
        }
        (x, Vec::new())
    }

    /// Puts the direction that the last look has found in the place of a dead atom.
    fn replace_dead_atom(&mut self) {
        let looked = self.looked.take();
        if let Some((found, x)) = self.escape.take().zip(looked) {
            self.center.x = x;
            self.center.replace(&found, true);
            self.steps.start_over(&mut self.center);
            self.center.memory.objective = None;
        }
    }
}

impl<T: Lanes> Iterator for Sharded<'_, T> {
    type Item = Progress;

    /// One request to all shards; `None` when X is no longer finite or the shards cannot be asked.
    fn next(&mut self) -> Option<Progress> {
        self.replace_dead_atom();
        self.steps.step(&mut self.center)?;
        let parts = self.center.parts();
        let memory = &mut self.center.memory;
        memory.iteration += 1;
        let finite = memory.objective.is_none_or(f64::is_finite) && memory.displacement.is_finite();
        self.is_lost = !finite;
        let told = |objective: &f64| !crate::look::is_lost::<T>(*objective, parts);
        finite.then_some(Progress {
            iteration: memory.iteration,
            passes: memory.pass as f64 + memory.visited as f64 / self.steps.parts() as f64,
            step: memory.step,
            displacement: memory.displacement,
            objective: memory
                .objective
                .filter(told)
                .filter(|_| memory.visited == 0),
        })
    }
}

impl<T: Lanes> Solver for Sharded<'_, T> {
    /// The pair of X and nearly exact codes, by fresh shares of all shards.
    fn measure(&mut self) -> AtPoint {
        // A step to infinity leaves the best point that was seen.
        let kept = self.kept.clone().filter(|_| self.is_lost);
        let (x, scale) = match kept {
            Some(kept) => (kept, Vec::new()),
            None => self.result(),
        };
        let Some(findings) = look::at(&mut self.center, &x, scale) else {
            return look::nowhere::<T>();
        };
        let rounding = Level::Estimated(findings.at.rounding);
        self.ledger = Ledger::default();
        self.ledger.set(Source::Rounding, rounding);
        let scale = findings.at.pair.map_or(1.0, |pair| pair.scale_x);
        self.center.faults.note(&mut self.ledger, scale);
        self.steps.note_errors(scale, &mut self.ledger);
        self.escape = findings.escape;
        self.numbers = Numbers {
            misfit: findings.misfit,
            zeros: findings.zeros,
        };
        self.looked = Some(x);
        findings.at
    }

    fn setting(&self) -> Setting {
        let class = |term: &dyn Prox<T>| term.class();
        let both = class(self.center.atoms.prox).and(class(self.center.codes.prox));
        let mut setting = Setting {
            class: if both == Class::Convex {
                both
            } else {
                Class::Nonconvex
            },
            convex: false,
            lipschitz: Lipschitz::Unknown,
            steps: None,
            method: Kind::Monotone,
            vanishing: false,
            square_summable: false,
            adapts: true,
            constant: None,
            ledger: self.ledger,
            assumptions: self.center.faults.words().into_iter().collect(),
        };
        self.steps.describe(&mut setting);
        if self.center.memory.rises > 0 {
            setting.assumptions.push(Assumption {
                name: "a pass without momentum raised the objective",
                standing: Standing::Violated,
                text: "passes without momentum do not raise the objective".into(),
            });
        }
        setting
    }

    fn keep(&mut self) {
        if self.looked.is_some() {
            self.kept.clone_from(&self.looked);
            self.kept_numbers = self.numbers;
            self.center.before.push(Change::Keep);
        }
    }

    fn settle(&mut self) {
        let task = match self.kept.take() {
            Some(kept) => {
                self.center.x = kept;
                self.looked = None;
                self.escape = None;
                Task::Settle
            }
            // What is pending is done.
            None => Task::Zeros,
        };
        let x = std::mem::take(&mut self.center.x);
        self.center.ask(task, &x);
        self.center.x = x;
    }
}
