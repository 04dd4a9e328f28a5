//! A run: a [`Solver`] over mini-batches or passes, whose whole state can be saved and restored.

use crate::balance::Balance;
use crate::batch::Batch;
use crate::engine::Engine;
use crate::measure::{self, Findings};
use crate::problem::{Factors, Problem};
use crate::products::Lanes;
use crate::settings::{Method, Settings, Step};
use crate::work::{Work, scale_rows};
use proxsplit::ledger::{Level, Source};
use proxsplit::solve::{Measure, Method as Kind, Progress, Setting};
use proxsplit::{Class, Error, Ledger, Lipschitz, Solver};

/// Passes of `aggregated` before `auto` goes over to `batch`.
const WARM_UP: u64 = 1;

/// A run of one method on one problem.
///
/// It is an iterator of [`Progress`], one item a mini-batch (`batch`: a pass), and works with [`proxsplit::run()`].
pub struct Factorization<'a, T: Lanes> {
    pub(crate) work: Work<'a, T>,
    pub(crate) engine: Engine<T>,
    pub(crate) settings: Settings,
    lipschitz: f64,
    ledger: Ledger,
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
            Some(start) => checked(start, problem)?,
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

    /// What runs: the method, and the size of its batches.
    pub fn picked(&self) -> String {
        let batches = match &self.engine {
            Engine::Batch(_) => None,
            Engine::Aggregated(a) => Some(&a.batches),
            Engine::Incremental(i) => Some(&i.batches),
            Engine::Sggd(s) => Some(&s.batches),
        };
        match (self.settings.method, batches) {
            (Method::Auto, _) if self.work.problem.data.is_sparse() => {
                "auto: batch passes with extrapolation".into()
            }
            (Method::Auto, _) => {
                format!(
                    "auto: {WARM_UP} aggregated pass in mini-batches, then batch passes with extrapolation"
                )
            }
            (method, None) => method.to_string(),
            (method, Some(batches)) => format!("{method} in batches of {} columns", batches.size()),
        }
    }

    /// What a user should know about the problem or the run.
    pub fn warnings(&self) -> Vec<String> {
        let mut warnings = Vec::new();
        if Balance::of(&self.work.atoms, &self.work.codes) == Balance::Degenerate {
            warnings.push(
                "only one factor is penalized, so its penalty can be made as small as one likes by moving scale to the \
                 other: penalize both, or bound the other one (l2-ball:1, simplex:1, box:0,1)"
                    .into(),
            );
        }
        if self.work.memory.revived > 0 {
            warnings.push(format!(
                "{} times an atom died and was drawn anew; a smaller rank or weaker penalties may fit better",
                self.work.memory.revived
            ));
        }
        warnings
    }

    /// Solves the codes nearly exactly for the current X, as every certificate supposes. Where nothing else decides on the
    /// scale, the columns of X get norm 1.
    pub fn polish(&mut self) {
        let balance = Balance::of(&self.work.atoms, &self.work.codes);
        let factors = &mut self.work.factors;
        if balance == Balance::Normalize
            && let Some([s, inverse]) = balance.scales(&factors.x, &factors.a, factors.rank)
        {
            scale_rows(&mut factors.x, &s);
            scale_rows(&mut factors.a, &inverse);
        }
        let codes = self.work.factors.a.clone();
        self.work.factors.a = measure::at(self.work.problem, &self.work.factors.x, codes).codes;
    }

    fn note(&mut self, findings: &Findings<T>) {
        // Errors of the method before `auto` changed over are no longer there.
        self.ledger = Ledger::default();
        self.lipschitz = findings.lipschitz;
        self.ledger.set(Source::InnerSolve, findings.inner);
        let size = proxsplit::linalg::vec::norm(&findings.gradient);
        let scale = findings.lipschitz * proxsplit::linalg::vec::norm(&self.work.factors.x);
        let rounding = T::EPSILON.f64() * (size + scale);
        self.ledger
            .set(Source::Rounding, Level::Estimated(rounding));
        let at_start = self.work.memory.visited == 0;
        match &mut self.engine {
            Engine::Batch(_) => {}
            Engine::Aggregated(aggregated) => {
                let mut stale = vec![T::ZERO; findings.gradient.len()];
                let rank = self.work.problem.rank;
                crate::incremental::times(&mut stale, &aggregated.ga, &self.work.factors.x, rank);
                proxsplit::linalg::vec::axpy(-T::ONE, &aggregated.ya, &mut stale);
                let error = proxsplit::linalg::vec::distance(&stale, &findings.gradient);
                self.ledger.set(Source::Stale, Level::Measured(error));
            }
            Engine::Incremental(incremental) => {
                let drift = incremental.pass.drift;
                let level = drift.map_or(Level::Unknown, Level::Measured);
                self.ledger.set(Source::IncrementalDrift, level);
                incremental.remember(&findings.gradient, at_start);
            }
            Engine::Sggd(_) => self.ledger.set(Source::Sampling, Level::Unknown),
        }
    }
}

impl<T: Lanes> Iterator for Factorization<'_, T> {
    type Item = Progress;

    /// At most one mini-batch of work; `None` when the factors are no longer finite.
    fn next(&mut self) -> Option<Progress> {
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
        let codes = self.work.factors.a.clone();
        let findings = measure::at(self.work.problem, &self.work.factors.x, codes);
        self.note(&findings);
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

/// Given factors, if they fit the problem and lie in its sets.
fn checked<T: Lanes>(start: Factors<T>, problem: Problem<'_, T>) -> Result<Factors<T>, Error> {
    let lengths = [
        ("X", start.x.len(), problem.rank * problem.data.rows()),
        ("A", start.a.len(), problem.rank * problem.data.cols()),
    ];
    for (what, found, expected) in lengths {
        if found != expected {
            return Err(Error::Shape {
                what,
                expected,
                found,
            });
        }
    }
    let work = Work::new(problem, start, 0);
    let inside = [
        ("X", work.atoms.value(&work.factors.x, problem.rank)),
        ("A", work.codes.value(&work.factors.a, problem.rank)),
    ];
    for (what, value) in inside {
        if !value.is_finite() {
            return Err(Error::Incompatible(format!(
                "the given {what} does not lie in its set"
            )));
        }
    }
    Ok(work.factors)
}
