//! A run: a [`Solver`] over mini-batches or passes, whose whole state can be saved and restored.

use crate::balance::{Balance, Scales};
use crate::codes::Effort;
use crate::look::{self, Escape};
use crate::method::{self, Method, batch};
use crate::pool::on_the_pool;
use crate::problem::{Factors, Problem};
use crate::products::Lanes;
use crate::settings::{Settings, Step};
use crate::visits::Batches;
use crate::work::{SinglePrecision, Work, scale_rows};
use proxsplit::certificate::{Assumption, Standing};
use proxsplit::ledger::{Level, Source};
use proxsplit::solve::{Method as Kind, Progress, Setting};
use proxsplit::{AtPoint, Class, Error, Ledger, Lipschitz, Solver};
use std::time::Instant;

/// A run of one method on one problem.
///
/// It is an iterator of [`Progress`], one item a mini-batch (`batch`: a pass), and works with [`proxsplit::run()`].
pub struct Factorization<'a, T: Lanes> {
    pub(crate) work: Work<'a, T>,
    pub(crate) method: Box<dyn Method<T>>,
    pub(crate) settings: Settings,
    pub(crate) ledger: Ledger,
    /// The factors that the last look was about, if X has not moved since.
    pub(crate) looked: Option<Factors<T>>,
    /// The factors that are to be returned.
    pub(crate) kept: Option<Factors<T>>,
    /// What the last look has found to put in the place of a dead atom.
    pub(crate) escape: Option<Escape<T>>,
    /// Whether the last step led to numbers that are not finite.
    is_lost: bool,
    /// Seconds before the first step that no run has counted yet.
    set_up: f64,
}

proxsplit::opaque!(Factorization<'_, T>, T: Lanes);

impl<'a, T: Lanes> Factorization<'a, T> {
    /// Starts a run, from given factors or from those that `settings.init` asks for.
    pub fn new(
        problem: Problem<'a, T>,
        settings: Settings,
        start: Option<Factors<T>>,
    ) -> Result<Self, Error> {
        let begin = Instant::now();
        match settings.step {
            Step::Auto => {}
            Step::Constant(step) => drop(proxsplit::step::Constant::new(step)?),
            Step::Diminishing { first, power } => {
                proxsplit::step::Diminishing::new(first, power)?;
            }
        }
        let mut misfit = problem.misfit();
        let start = match start {
            Some(start) => crate::init::given(start, problem)?,
            None => crate::init::start(problem, &*misfit, (settings.init, settings.seed))?,
        };
        if !misfit.admits(&start) {
            return Err(Error::Incompatible(
                "with this start XA is zero where the data are not, and no step can change that: start from random, nndsvda or nndsvdar"
                    .into(),
            ));
        }
        let mut work = Work::new(problem, misfit, start);
        work.rescales = settings.rescale != Some(false);
        if let Some(tolerance) = settings.codes_tol {
            let tolerance = proxsplit::error::positive("tolerance of the codes", tolerance)?;
            work.effort = Effort::until(tolerance);
        }
        let method = method::new(&mut work, settings)?;
        Ok(Self {
            work,
            method,
            settings,
            ledger: Ledger::default(),
            looked: None,
            kept: None,
            escape: None,
            is_lost: false,
            set_up: problem.data.set_up() + begin.elapsed().as_secs_f64(),
        })
    }

    /// X and A as they are.
    pub fn factors(&self) -> &Factors<T> {
        &self.work.factors
    }

    /// The factors as they would be returned now, but for the codes: X in its set and, where nothing else decides on the scale,
    /// with columns of norm 1; and by what they were multiplied. The certificate is about this point: residuals depend on the scale.
    fn result(&self) -> (Factors<T>, Scales<T>) {
        let mut factors = Factors {
            rank: self.work.problem.rank,
            x: self.method.settled(&self.work).into_owned(),
            a: self.work.factors.a.clone(),
        };
        let balance = self.work.balance();
        let mut scales = Scales::new(factors.rank, self.work.atoms.first());
        if balance == Balance::Normalize && balance.find(&mut scales, &factors) {
            factors.scale(&scales);
        }
        (factors, scales)
    }

    /// Puts the direction that the last look has found in the place of a dead atom.
    fn replace_dead_atom(&mut self) {
        let looked = self.looked.take();
        if let Some((escape, mut factors)) = self.escape.take().zip(looked) {
            look::replace(&mut factors, &escape);
            self.work.memory.revived += 1;
            self.work.factors = factors;
            self.method.start_over(&mut self.work);
            self.work.memory.objective = None;
        }
    }
}

impl<T: Lanes> Iterator for Factorization<'_, T> {
    type Item = Progress;

    /// At most one mini-batch of work; `None` when the factors are no longer finite.
    fn next(&mut self) -> Option<Progress> {
        on_the_pool(|| {
            self.replace_dead_atom();
            self.method.step(&mut self.work);
        });
        let batches = self.method.batches().map_or(1, Batches::count);
        // Near an exact fit the objective that was seen is mostly rounding.
        let misfit = &*self.work.misfit;
        let memory = &mut self.work.memory;
        memory.iteration += 1;
        let finite = memory.objective.is_none_or(f64::is_finite) && memory.displacement.is_finite();
        self.is_lost = !finite;
        let told = |objective: &f64| !misfit.is_lost(*objective);
        finite.then_some(Progress {
            iteration: memory.iteration,
            passes: memory.pass as f64 + memory.visited as f64 / batches as f64,
            step: memory.step,
            displacement: memory.displacement,
            objective: memory
                .objective
                .filter(told)
                .filter(|_| memory.visited == 0),
        })
    }
}

impl<T: Lanes> Solver for Factorization<'_, T> {
    /// The pair of X and nearly exact codes, by four products; about the work of two passes.
    fn measure(&mut self) -> AtPoint {
        let (factors, scales) = match &self.kept {
            // A step to infinity leaves the best point that was seen.
            Some(kept) if self.is_lost => (kept.clone(), Scales::new(kept.rank, 0)),
            _ => self.result(),
        };
        let (problem, misfit) = (self.work.problem, &mut *self.work.misfit);
        let mut findings = on_the_pool(|| look::with_best_codes(problem, misfit, factors));
        self.ledger = Ledger::default();
        self.ledger
            .set(Source::Rounding, Level::Estimated(findings.at.rounding));
        // As it is where the method stands, whose errors are noted.
        scale_rows(&mut findings.slope, &scales.atoms);
        let scale = findings.at.pair.map_or(1.0, |pair| pair.scale_x);
        self.method
            .note_errors(&self.work, &findings.slope, scale, &mut self.ledger);
        self.escape = findings.escape;
        self.looked = Some(findings.factors);
        findings.at
    }

    fn look_cost(&self) -> f64 {
        self.work.misfit.look_cost()
    }

    /// The data's and the start's.
    fn take_set_up(&mut self) -> f64 {
        std::mem::take(&mut self.set_up)
    }

    fn setting(&self) -> Setting {
        let problem = &self.work.problem;
        let both = problem.atoms.class().and(problem.codes.class());
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
            vanishing: matches!(self.settings.step, Step::Diminishing { .. }),
            square_summable: false,
            adapts: self.settings.step == Step::Auto,
            constant: None,
            ledger: self.ledger,
            assumptions: self.work.misfit.assumption().into_iter().collect(),
        };
        self.method.describe(&mut setting);
        // Of a run that stops before, nothing else says that its passes were rounded more than its point.
        if self.work.memory.single_precision == SinglePrecision::Now {
            setting.assumptions.push(Assumption {
                name: "passes in single precision",
                standing: Standing::Proved,
                text: format!("no pass after pass {} is in single precision", batch::ROUGH),
            });
        }
        if self.work.memory.rises > 0 && setting.method == Kind::Monotone {
            setting.assumptions.push(Assumption {
                name: "a pass without momentum raised the objective",
                standing: Standing::Violated,
                text: "passes without momentum do not raise the objective".into(),
            });
        }
        setting
    }

    /// By the singular values of the data.
    fn lower_bound(&self, passes: f64) -> Option<f64> {
        crate::bound::of(self.work.problem, passes)
    }

    fn keep(&mut self) {
        self.kept.clone_from(&self.looked);
    }

    fn settle(&mut self) {
        if let Some(kept) = self.kept.take() {
            self.work.factors = kept;
            self.looked = None;
            self.escape = None;
        }
    }
}
