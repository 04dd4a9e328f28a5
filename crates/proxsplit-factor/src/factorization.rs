//! A run: a [`Solver`] over mini-batches or passes, whose whole state can be saved and restored.

use crate::balance::{Balance, Scales};
use crate::batch::Batch;
use crate::engine::Engine;
use crate::measure;
use crate::problem::{Factors, Problem};
use crate::products::Lanes;
use crate::settings::{Method, Settings, Step};
use crate::work::{Work, scale_rows};
use proxsplit::solve::{Measure, Method as Kind, Progress, Setting};
use proxsplit::{Class, Error, Ledger, Lipschitz, Solver};
use std::borrow::Cow;

/// Passes of `aggregated` before `auto` goes over to `batch`.
pub(crate) const WARM_UP: u64 = 1;

/// A run of one method on one problem.
///
/// It is an iterator of [`Progress`], one item a mini-batch (`batch`: a pass), and works with [`proxsplit::run()`].
pub struct Factorization<'a, T: Lanes> {
    pub(crate) work: Work<'a, T>,
    pub(crate) engine: Engine<T>,
    pub(crate) settings: Settings,
    pub(crate) lipschitz: f64,
    pub(crate) ledger: Ledger,
    /// The exact codes that the last look has found, if X has not moved since.
    pub(crate) found: Option<Vec<T>>,
}

impl<'a, T: Lanes> Factorization<'a, T> {
    /// Starts a run, from given factors or from those that `settings.init` asks for.
    pub fn new(
        problem: Problem<'a, T>,
        settings: Settings,
        start: Option<Factors<T>>,
    ) -> Result<Self, Error> {
        match settings.step {
            Step::Auto => {}
            Step::Constant(step) => drop(proxsplit::step::Constant::new(step)?),
            Step::Diminishing { first, power } => {
                proxsplit::step::Diminishing::new(first, power)?;
            }
        }
        let start = match start {
            Some(start) => crate::init::given(start, problem)?,
            None => crate::init::start(problem, settings.init, settings.seed),
        };
        let work = Work::new(problem, start, settings.seed);
        let engine = Engine::new(&work, settings)?;
        Ok(Self {
            work,
            engine,
            settings,
            lipschitz: 0.0,
            ledger: Ledger::default(),
            found: None,
        })
    }

    /// X and A as they are.
    pub fn factors(&self) -> &Factors<T> {
        &self.work.factors
    }

    /// The objective as the method saw it in its last pass, without extra work; `None` before the first.
    pub fn glance(&self) -> Option<f64> {
        self.work.memory.objective
    }

    /// X as it may be returned: in its set.
    fn feasible(&self) -> Cow<'_, [T]> {
        match &self.engine {
            Engine::Incremental(incremental) => incremental.settled(&self.work),
            _ => Cow::Borrowed(&self.work.factors.x),
        }
    }

    /// The factors as they would be returned now, but for the codes: X in its set and, where nothing else decides on the scale,
    /// with columns of norm 1; and by what they were multiplied. The certificate is about this point: residuals depend on the scale.
    fn result(&self) -> (Factors<T>, Scales<T>) {
        let mut factors = Factors {
            rank: self.work.problem.rank,
            x: self.feasible().into_owned(),
            a: self.work.factors.a.clone(),
        };
        let balance = Balance::of(&self.work.atoms, &self.work.codes);
        let mut scales = Scales::new(factors.rank);
        if balance == Balance::Normalize && balance.find(&mut scales, &factors) {
            factors.scale(&scales);
        }
        (factors, scales)
    }

    /// Ends the run at the point that every certificate is about, with codes that are nearly exact for it.
    pub fn polish(&mut self) {
        let (mut factors, _) = self.result();
        if let Some(codes) = self.found.take() {
            factors.a = codes;
        } else {
            let problem = self.work.problem;
            measure::solve_codes(problem.data, &factors.x, &mut factors.a, problem.codes);
        }
        self.work.factors = factors;
    }
}

impl<T: Lanes> Iterator for Factorization<'_, T> {
    type Item = Progress;

    /// At most one mini-batch of work; `None` when the factors are no longer finite.
    fn next(&mut self) -> Option<Progress> {
        self.found = None;
        let batches = match &mut self.engine {
            Engine::Batch(batch) => {
                batch.step(&mut self.work);
                1
            }
            Engine::Aggregated(aggregated) => {
                aggregated.step(&mut self.work);
                aggregated.batches.count()
            }
            Engine::Incremental(incremental) => {
                incremental.step(&mut self.work);
                incremental.batches.count()
            }
            Engine::Sggd(sggd) => {
                sggd.step(&mut self.work);
                sggd.batches.count()
            }
        };
        let warmed_up = self.work.memory.pass >= WARM_UP && self.work.memory.visited == 0;
        if self.settings.method == Method::Auto
            && warmed_up
            && !matches!(self.engine, Engine::Batch(_))
        {
            self.engine = Engine::Batch(Batch::new(&self.work.factors));
            // The stale statistics are gone, and their error with them.
            self.ledger = Ledger::default();
        }
        let memory = &mut self.work.memory;
        memory.iteration += 1;
        let finite = memory.objective.is_none_or(f64::is_finite) && memory.displacement.is_finite();
        finite.then_some(Progress {
            iteration: memory.iteration,
            passes: memory.pass as f64 + memory.visited as f64 / batches as f64,
            step: memory.step,
            displacement: memory.displacement,
        })
    }
}

impl<T: Lanes> Solver for Factorization<'_, T> {
    /// φ(X) and ρ(X) by two products and nearly exact codes; about the work of a pass.
    fn measure(&mut self) -> Measure {
        let (Factors { x, a, .. }, scales) = self.result();
        let mut findings = measure::at(self.work.problem, &x, a);
        // As it is where the method stands, whose errors are noted.
        scale_rows(&mut findings.gradient, &scales.atoms);
        self.note(&findings);
        self.found = Some(findings.codes);
        findings.measure
    }

    fn setting(&self) -> Setting {
        let class = self.work.problem.atoms.class();
        let codes = self.work.problem.codes.class();
        Setting {
            class: if codes == Class::Convex {
                class
            } else {
                Class::Nonconvex
            },
            convex: false,
            lipschitz: Lipschitz::Estimated(self.lipschitz),
            step: 1.0 / self.lipschitz.max(f64::MIN_POSITIVE),
            method: match self.engine {
                Engine::Sggd(_) => Kind::Subgradient,
                _ => Kind::Splitting,
            },
            diminishing: matches!(self.settings.step, Step::Diminishing { .. }),
            ledger: self.ledger,
        }
    }
}
