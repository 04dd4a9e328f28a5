//! One fit after the other: every fold of a rank, then all data from several starts, then the next rank.

use super::choice::{Choice, NOTHING, has_turned};
use super::row::mean;
use super::{RankPlan, RankRow, Speckle, fold, warm};
use crate::bound::Spectrum;
use crate::consensus::Consensus;
use crate::factorization::Factorization;
use crate::loss::Loss;
use crate::problem::{Factors, Problem};
use crate::products::Lanes;
use crate::settings::{Init, Settings};
use proxsplit::{Error, Observer, Report, Row, Session};
use serde::{Deserialize, Serialize};
use std::ops::ControlFlow;

/// Which fit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FitKind {
    /// Without a fold, numbered through all repeats.
    Fold(usize),
    /// Of all data, by the number of its start.
    Restart(usize),
}

/// A fit that was made.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Fit {
    /// K
    pub rank: usize,
    /// Which.
    pub kind: FitKind,
    /// The held-out error of a fold, the objective of a restart.
    pub value: f64,
    /// Passes over the data.
    pub passes: f64,
    /// Seconds.
    pub seconds: f64,
    /// Whether it came to its tolerance.
    pub converged: bool,
}

/// How a step of a search ended.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Searched {
    /// A fit was made.
    Fitted(Fit),
    /// It was asked to stop: the fit that was under way is forgotten, the search is where it was before.
    Interrupted,
    /// There is nothing left to do.
    Done,
}

/// What is known of the rank that is being fitted.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Current {
    /// The held-out error of every fold.
    pub(super) errors: Vec<f64>,
    /// What the fit of every fold came to on the entries that it saw, and how often it was tried.
    fitted: Vec<f64>,
    tries: Vec<usize>,
    /// The objectives of the restarts.
    pub(super) objectives: Vec<f64>,
    fits: usize,
    converged: usize,
    seconds: f64,
}

/// A fold whose fit is worse than the best of the others by this share has run into a local minimum: all folds fit nearly the same data.
const STUCK: f64 = 0.05;
/// Fits of a fold at most.
const TRIES: usize = 3;

impl Current {
    /// Whether its lists belong together.
    pub(super) fn is_whole(&self) -> bool {
        let folds = self.errors.len();
        (self.fitted.len(), self.tries.len()) == (folds, folds)
    }

    /// The first fold that should be tried from another start.
    fn stuck(&self, nothing: f64) -> Option<usize> {
        let least = self.fitted.iter().copied().reduce(f64::min)?;
        let above = (1.0 + STUCK) * least + nothing;
        (0..self.fitted.len()).find(|&at| self.fitted[at] > above && self.tries[at] < TRIES)
    }
}

/// The next fit of a rank.
enum Next {
    Fold(usize),
    Again(usize),
    Restart,
}

/// A search for the rank of a problem. It stands still between two fits, where it can be saved.
///
/// ```
/// use proxsplit::data::{Dense, Elements, StorageOrder};
/// use proxsplit::set::NonNeg;
/// use proxsplit_factor::{Data, Problem, RankPlan, RankSearch};
/// use std::ops::ControlFlow;
/// // Two kinds of columns, and nothing else: rank 2.
/// let y: Vec<f64> = (0..240).map(|at| if at % 12 % 3 == at / 12 % 2 { 2.0 } else { 0.1 * (at % 5) as f64 }).collect();
/// let data = Data::<f64>::new(Dense::new(12, 20, StorageOrder::ColumnMajor, Elements::F64(&y))?.into(), 1.0)?;
/// let problem = Problem::new(&data, 1, &NonNeg, &NonNeg)?;
/// let mut search = RankSearch::new(problem, RankPlan::new(1..=5))?;
/// search.run(&mut || ControlFlow::Continue(()))?;
/// assert_eq!(search.choice().map(|choice| choice.rank), Some(2));
/// # Ok::<(), proxsplit::Error>(())
/// ```
pub struct RankSearch<'a, T: Lanes> {
    pub(super) problem: Problem<'a, T>,
    pub(super) plan: RankPlan,
    pub(super) rows: Vec<RankRow>,
    pub(super) current: Current,
    /// The factors of every fold, of the current rank as far as it was fitted, else of the rank before.
    pub(super) warm: Vec<Factors<T>>,
    /// The factors of the restarts of the current rank.
    pub(super) runs: Vec<Factors<T>>,
    spectrum: Option<Spectrum>,
}

proxsplit::opaque!(RankSearch<'_, T>, T: Lanes);

impl<'a, T: Lanes> RankSearch<'a, T> {
    /// Refuses plans and data that do not go together. The rank of the problem does not matter.
    pub fn new(problem: Problem<'a, T>, plan: RankPlan) -> Result<Self, Error> {
        if problem.loss != Loss::Squared {
            return Err(Error::Incompatible(format!(
                "the search for a rank holds out entries, which is not supported for {}: use squared",
                problem.loss
            )));
        }
        plan.check(problem.data)?;
        for &rank in &plan.ranks {
            problem.codes.fits(rank)?;
        }
        let mut search = Self {
            problem,
            rows: Vec::new(),
            current: Current::default(),
            warm: Vec::new(),
            runs: Vec::new(),
            spectrum: None,
            plan,
        };
        for at in 0..search.plan.held_out_fits() {
            fold::check(problem.data, search.speckle(at), search.plan.folds)?;
        }
        if search.plan.restarts > 0 {
            search.spectrum = Spectrum::of(problem.data);
        }
        Ok(search)
    }

    /// The ranks that were finished.
    pub fn rows(&self) -> &[RankRow] {
        &self.rows
    }

    /// The answer so far.
    pub fn choice(&self) -> Option<Choice> {
        Choice::of(&self.rows)
    }

    /// The plan.
    pub fn plan(&self) -> &RankPlan {
        &self.plan
    }

    /// The rank that comes next, if the curve has not turned.
    pub fn rank(&self) -> Option<usize> {
        let next = self.plan.ranks.get(self.rows.len()).copied();
        next.filter(|_| !has_turned(&self.rows, &self.plan))
    }

    /// Makes all fits that are left; `Break` from `ask`, which is asked after every pass, ends the search between two fits.
    pub fn run(&mut self, ask: &mut dyn FnMut() -> ControlFlow<()>) -> Result<Searched, Error> {
        loop {
            match self.advance(ask)? {
                Searched::Fitted(_) => {}
                end => return Ok(end),
            }
        }
    }

    /// Makes the next fit.
    pub fn advance(&mut self, ask: &mut dyn FnMut() -> ControlFlow<()>) -> Result<Searched, Error> {
        let Some(rank) = self.rank() else {
            return Ok(Searched::Done);
        };
        let fitted = match self.next() {
            Some(Next::Fold(at)) => self.fit_fold(rank, at, ask)?,
            Some(Next::Again(at)) => self.fit_again(rank, at, ask)?,
            Some(Next::Restart) => self.fit_all(rank, ask)?,
            None => return Ok(Searched::Done),
        };
        let Some(fit) = fitted else {
            return Ok(Searched::Interrupted);
        };
        self.current.fits += 1;
        self.current.converged += usize::from(fit.converged);
        self.current.seconds += fit.seconds;
        if self.next().is_none() {
            self.finish(rank)?;
        }
        Ok(Searched::Fitted(fit))
    }

    /// What is left to do at the current rank.
    fn next(&self) -> Option<Next> {
        let folds = self.current.errors.len();
        if folds < self.plan.held_out_fits() {
            return Some(Next::Fold(folds));
        }
        let nothing = NOTHING * 0.5 * self.problem.data.square();
        let stuck = self.current.stuck(nothing).map(Next::Again);
        stuck.or_else(|| (self.runs.len() < self.plan.restarts).then_some(Next::Restart))
    }

    /// The mask of a fit.
    fn speckle(&self, at: usize) -> Speckle {
        let folds = self.plan.folds;
        Speckle::new(self.plan.seed, at / folds, (at % folds, folds))
    }

    /// A fold from the factors of the rank below.
    fn fit_fold(
        &mut self,
        rank: usize,
        at: usize,
        ask: &mut dyn FnMut() -> ControlFlow<()>,
    ) -> Result<Option<Fit>, Error> {
        let below = self.warm.get(at).filter(|below| below.rank < rank);
        let Some(fitted) = self.without_fold(rank, (at, 0), below, ask)? else {
            return Ok(None);
        };
        let fit = fitted.fit(rank, at);
        self.current.errors.push(fitted.error);
        self.current.fitted.push(fitted.objective());
        self.current.tries.push(1);
        match self.warm.get_mut(at) {
            Some(place) => *place = fitted.factors,
            None => self.warm.push(fitted.factors),
        }
        Ok(Some(fit))
    }

    /// A fold from a random start; the better fit of the entries that were seen is kept.
    fn fit_again(
        &mut self,
        rank: usize,
        at: usize,
        ask: &mut dyn FnMut() -> ControlFlow<()>,
    ) -> Result<Option<Fit>, Error> {
        let tries = self.current.tries[at];
        let Some(fitted) = self.without_fold(rank, (at, tries), None, ask)? else {
            return Ok(None);
        };
        let fit = fitted.fit(rank, at);
        self.current.tries[at] += 1;
        if fitted.objective() < self.current.fitted[at] {
            self.current.fitted[at] = fitted.objective();
            self.current.errors[at] = fitted.error;
            self.warm[at] = fitted.factors;
        }
        Ok(Some(fit))
    }

    fn without_fold(
        &self,
        rank: usize,
        (at, tries): (usize, usize),
        below: Option<&Factors<T>>,
        ask: &mut dyn FnMut() -> ControlFlow<()>,
    ) -> Result<Option<Fitted<T>>, Error> {
        let train = self.problem.data.without(self.speckle(at))?;
        let problem = Problem::new(&train, rank, self.problem.atoms, self.problem.codes)?;
        let number = at + tries * self.plan.held_out_fits();
        let seed = self.plan.seed.wrapping_add(number as u64);
        let start = below.map(|below| warm::start(problem, below, seed));
        let run = self.fit(problem, (start.transpose()?, Init::Random, seed), ask)?;
        Ok(run.map(|(factors, report)| {
            let misfit = train
                .held_out_error(&factors)
                .map_or(0.0, |error| error.misfit);
            let share = self.problem.data.square() / self.plan.folds as f64;
            Fitted {
                error: misfit / share,
                factors,
                report,
            }
        }))
    }

    /// All data from another start.
    fn fit_all(
        &mut self,
        rank: usize,
        ask: &mut dyn FnMut() -> ControlFlow<()>,
    ) -> Result<Option<Fit>, Error> {
        let at = self.runs.len();
        let problem = Problem {
            rank,
            ..self.problem
        };
        // Starts that do not depend on chance would be compared with themselves.
        let init = if at == 0 { Init::Auto } else { Init::Random };
        let seed = self.plan.seed.wrapping_add(at as u64);
        let Some((factors, report)) = self.fit(problem, (None, init, seed), ask)? else {
            return Ok(None);
        };
        let objective = report.certificate.at_point.objective;
        self.current.objectives.push(objective);
        self.runs.push(factors);
        Ok(Some(Fit::new(
            rank,
            FitKind::Restart(at),
            objective,
            &report,
        )))
    }

    /// One run; `None` if it was asked to stop.
    fn fit(
        &self,
        problem: Problem<'_, T>,
        (start, init, seed): (Option<Factors<T>>, Init, u64),
        ask: &mut dyn FnMut() -> ControlFlow<()>,
    ) -> Result<Option<(Factors<T>, Report)>, Error> {
        let settings = Settings {
            init,
            seed,
            ..Settings::default()
        };
        let mut run = Factorization::new(problem, settings, start)?;
        let mut asking = Asking {
            ask,
            is_answered: false,
        };
        let report = proxsplit::run(&mut run, &self.plan.stop(), &mut asking);
        Ok((!asking.is_answered).then(|| (run.factors().clone(), report)))
    }

    /// Makes a row of what was found at a rank.
    fn finish(&mut self, rank: usize) -> Result<(), Error> {
        let current = std::mem::take(&mut self.current);
        let runs = std::mem::take(&mut self.runs);
        let consensus = if runs.len() < 2 {
            None
        } else {
            Some(Consensus::of(&runs, &current.objectives)?.0)
        };
        let problem = Problem {
            rank,
            ..self.problem
        };
        let (error, standard_error) = mean(&current.errors);
        self.rows.push(RankRow {
            rank,
            error,
            standard_error,
            objective: current.objectives.iter().copied().reduce(f64::min),
            bound: self.spectrum.as_ref().and_then(|all| all.bound(problem)),
            cosine: consensus.as_ref().map(|consensus| consensus.cosine),
            cophenetic: consensus.as_ref().map(|consensus| consensus.cophenetic),
            converged: current.converged,
            fits: current.fits,
            seconds: current.seconds,
            errors: current.errors,
        });
        Ok(())
    }
}

/// A fit without a fold.
struct Fitted<T> {
    error: f64,
    factors: Factors<T>,
    report: Report,
}

impl<T> Fitted<T> {
    fn objective(&self) -> f64 {
        self.report.certificate.at_point.objective
    }

    fn fit(&self, rank: usize, at: usize) -> Fit {
        Fit::new(rank, FitKind::Fold(at), self.error, &self.report)
    }
}

impl Fit {
    fn new(rank: usize, kind: FitKind, value: f64, report: &Report) -> Self {
        Self {
            rank,
            kind,
            value,
            passes: report.trace.last().map_or(0.0, |row| row.progress.passes),
            seconds: report.seconds,
            converged: report.converged(),
        }
    }
}

/// Asks after every step whether to go on.
struct Asking<'a> {
    ask: &'a mut dyn FnMut() -> ControlFlow<()>,
    /// Whether it was told to stop. A run that is stopped looks once more, and that look can find it converged, but sooner than a
    /// run that nobody stops.
    is_answered: bool,
}

impl<S: ?Sized> Observer<S> for &mut Asking<'_> {
    fn moved(&mut self, _: &Session, _: &mut S) -> ControlFlow<()> {
        let answer = (self.ask)();
        self.is_answered |= answer.is_break();
        answer
    }

    fn looked(&mut self, _: &Row, _: &Session, _: &mut S) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}
