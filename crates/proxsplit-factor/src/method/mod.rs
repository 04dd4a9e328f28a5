//! How X is improved: the slot of the method. A method is one file, and one line in [`new`].

mod aggregated;
mod auto;
pub(crate) mod batch;
mod entropic;
pub(crate) mod incremental;
pub(crate) mod momentum;
mod pass_metric;
mod sggd;

use crate::loss::Loss;
use crate::misfit::rough;
use crate::problem::Problem;
use crate::products::Lanes;
use crate::settings::{Inner, Method as Name, Settings, Step};
use crate::visits::Batches;
use crate::work::Work;
use aggregated::Aggregated;
use auto::Auto;
use batch::Batch;
use entropic::Entropic;
use incremental::Incremental;
use proxsplit::Error;
use proxsplit::ledger::Ledger;
use proxsplit::order::VisitOrder;
use proxsplit::solve::Setting;
use serde::de::DeserializeOwned;
use serde_json::Value;
use sggd::Sggd;
use std::borrow::Cow;

pub(crate) use auto::WARM_UP;

/// A method with its state.
pub(crate) trait Method<T: Lanes>: Send + Sync {
    /// At most one mini-batch of work.
    fn step(&mut self, work: &mut Work<'_, T>);

    /// The batches of a pass; `None` if a step is a pass.
    fn batches(&self) -> Option<&Batches>;

    /// Xᵀ as it may be returned: in its set.
    fn settled<'w>(&self, work: &'w Work<'_, T>) -> Cow<'w, [T]> {
        Cow::Borrowed(&work.factors.x)
    }

    /// Forgets what was remembered of other factors, which have been changed from outside.
    fn start_over(&mut self, work: &mut Work<'_, T>);

    /// Notes the errors of the gradient at a look, relative to `scale`; `slope` is the exact gradient in X.
    fn note_errors(&mut self, _: &Work<'_, T>, _slope: &[T], _scale: f64, _: &mut Ledger) {}

    /// What is known of the method.
    fn describe(&self, setting: &mut Setting);

    /// The numbers of the state, under a name of their own.
    fn numbers(&self) -> Value;

    /// Goes on with saved numbers; refuses those of another method.
    fn set_numbers(&mut self, saved: &Value, work: &Work<'_, T>) -> Result<(), Error>;

    /// The arrays of the state.
    fn arrays(&mut self) -> Vec<(&'static str, &mut Vec<T>)>;

    /// An array of the length of X that is there at times.
    fn measured(&mut self) -> Option<(&'static str, &mut Option<Vec<T>>)> {
        None
    }
}

/// The method that the settings ask for, chosen by the size and the storage of the data.
pub(crate) fn new<T: Lanes>(
    work: &mut Work<'_, T>,
    settings: Settings,
) -> Result<Box<dyn Method<T>>, Error> {
    let data = work.problem.data;
    let has_shares = work.misfit.shares().is_some();
    let has_graphs = work.problem.graphs.are_there();
    let wants_passes = data.is_sparse() || data.missing() > 0 || !has_shares || has_graphs;
    Ok(match settings.method {
        Name::Auto if !wants_passes => {
            if rough::is_worthwhile(work) {
                work.coarsen();
            }
            Box::new(Auto::new(work, batches(work, settings)?))
        }
        Name::Auto | Name::Batch => {
            batches(work, settings)?;
            Box::new(Batch::new(&work.factors))
        }
        method if has_graphs => {
            return Err(Error::Incompatible(format!(
                "{method} processes samples in batches, but a graph couples all samples or all features: use batch"
            )));
        }
        Name::Incremental if work.problem.loss == Loss::KullbackLeibler => {
            entropic(work, settings)?
        }
        method if data.weights().entries.is_some() => {
            return Err(Error::Incompatible(format!(
                "{method} needs the same curvature for all features, but with weights for single entries each feature has its own: use batch"
            )));
        }
        method if !has_shares => {
            let loss = work.problem.loss;
            let other = match loss {
                Loss::KullbackLeibler => "batch or incremental",
                _ => "batch",
            };
            return Err(Error::Incompatible(format!(
                "{method} needs a misfit that is quadratic in X, which {loss} is not: use {other}"
            )));
        }
        Name::Aggregated if data.missing() > 0 => {
            return Err(Error::Incompatible(
                "aggregated accumulates statistics that all features share, but with missing entries each feature has its own: use batch, incremental or sggd"
                    .into(),
            ));
        }
        Name::Aggregated => Box::new(Aggregated::new(work, batches(work, settings)?)),
        Name::Incremental => {
            let metric = settings.metric.unwrap_or_default();
            let choice = (settings.inner, settings.step, metric);
            Box::new(Incremental::new(work, batches(work, settings)?, choice))
        }
        Name::Sggd => {
            let Some(term) = work.atoms.elementary else {
                return Err(Error::Incompatible(
                    "sggd needs a subgradient of the term of X: use zero, l1, sql2 or elastic, with nonneg or a box".into(),
                ));
            };
            let schedule = match settings.step {
                Step::Auto => (1.0, 1.0),
                Step::Constant(step) => (step, 1.0),
                Step::Diminishing { first, power } => (first, power),
            };
            let batches = batches(work, settings)?;
            let rescales = settings.rescale == Some(true);
            let choice = (schedule, settings.metric, rescales);
            Box::new(Sggd::new(work, batches, choice, term))
        }
    })
}

/// `incremental` for a misfit that is not quadratic in X.
fn entropic<T: Lanes>(work: &Work<'_, T>, settings: Settings) -> Result<Box<dyn Method<T>>, Error> {
    let Some(term) = work.atoms.elementary else {
        return Err(Error::Incompatible(
            "with kl, incremental needs a set of X that acts on single entries: use nonneg or a box"
                .into(),
        ));
    };
    if work.problem.fixed.count() > 0 {
        return Err(Error::Incompatible(format!(
            "with {}, incremental updates all atoms: use batch to keep some fixed",
            work.problem.loss
        )));
    }
    if let Some(metric) = settings.metric {
        return Err(Error::Incompatible(format!(
            "the metric {metric} is for a misfit that is quadratic in X, which {} is not: leave it out",
            work.problem.loss
        )));
    }
    if settings.inner == Inner::Identity {
        return Err(Error::Incompatible(format!(
            "with {}, X must stay in its set between batches: use prox as the inner operator",
            work.problem.loss
        )));
    }
    let batches = batches(work, settings)?;
    Ok(Box::new(Entropic::new(
        work,
        batches,
        (settings.step, term),
    )))
}

/// The mini-batches that the settings ask for.
fn batches<T: Lanes>(work: &Work<'_, T>, settings: Settings) -> Result<Batches, Error> {
    let columns = work.problem.data.cols();
    if let Some(size) = settings.batch {
        proxsplit::error::require("batch", size as f64, size > 0, "at least 1")?;
    }
    let order = match (settings.method, settings.order) {
        (Name::Aggregated | Name::Auto, VisitOrder::Random) => VisitOrder::Reshuffled,
        (_, order) => order,
    };
    let size = batch_size(work.problem, settings);
    Batches::new(columns, size, order, settings.seed)
}

/// Columns of a batch: as many as are asked for, else by the size and the storage of the data.
fn batch_size<T: Lanes>(problem: Problem<'_, T>, settings: Settings) -> usize {
    let columns = problem.data.cols();
    settings.batch.unwrap_or(match settings.method {
        _ if problem.data.is_sparse() => columns.div_ceil(4),
        // Every batch costs sweeps over X, so that a pass of many costs much more than a batch pass.
        Name::Incremental => columns.div_ceil(2).max(256),
        _ => columns.div_ceil(10).max(64),
    })
}

/// Saved numbers of the method of this name.
pub(crate) fn own_numbers<N: DeserializeOwned>(saved: &Value, name: &str) -> Result<N, Error> {
    let bad = |what: &str| Error::Incompatible(format!("the saved state cannot be used: {what}"));
    let numbers = saved
        .get(name)
        .ok_or_else(|| bad("it was made by a different method"))?;
    serde_json::from_value(numbers.clone()).map_err(|_| bad("its numbers are damaged"))
}
