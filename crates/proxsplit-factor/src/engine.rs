//! The method of a run with its state, chosen by the settings, the size and the storage of the data.

use crate::aggregated::Aggregated;
use crate::batch::Batch;
use crate::incremental::Incremental;
use crate::products::Lanes;
use crate::settings::{Method, Settings, Step};
use crate::sggd::Sggd;
use crate::visits::Batches;
use crate::work::Work;
use proxsplit::Error;
use proxsplit::certificate::{Assumption, Standing};
use proxsplit::ledger::{Ledger, Level, Source};
use proxsplit::order::Order;
use proxsplit::solve::{Method as Kind, Setting};

pub(crate) enum Engine<T> {
    Batch(Batch<T>),
    Aggregated(Aggregated<T>),
    Incremental(Box<Incremental<T>>),
    Sggd(Sggd<T>),
}

impl<T: Lanes> Engine<T> {
    pub(crate) fn new(work: &Work<'_, T>, settings: Settings) -> Result<Self, Error> {
        let columns = work.problem.data.cols();
        if let Some(size) = settings.batch {
            proxsplit::error::require("batch", size as f64, size > 0, "at least 1")?;
        }
        let sparse = work.problem.data.is_sparse();
        let missing = work.problem.data.missing() > 0;
        if missing && settings.method == Method::Aggregated {
            return Err(Error::Incompatible(
                "aggregated remembers statistics that all features share, but with missing entries each has its own: use batch, incremental or sggd"
                    .into(),
            ));
        }
        let usual = match settings.method {
            _ if sparse => columns.div_ceil(4),
            Method::Incremental => columns.div_ceil(4).max(256),
            _ => columns.div_ceil(10).max(64),
        };
        let size = settings.batch.unwrap_or(usual);
        let order = match (settings.method, settings.order) {
            (Method::Aggregated | Method::Auto, Order::Random) => Order::Reshuffled,
            (_, order) => order,
        };
        let batches = Batches::new(columns, size, order, settings.seed)?;
        Ok(match settings.method {
            Method::Batch => Engine::Batch(Batch::new(&work.factors)),
            Method::Auto if sparse || missing => Engine::Batch(Batch::new(&work.factors)),
            Method::Auto | Method::Aggregated => Engine::Aggregated(Aggregated::new(work, batches)),
            Method::Incremental => {
                let choice = (settings.inner, settings.step);
                Engine::Incremental(Box::new(Incremental::new(work, batches, choice)))
            }
            Method::Sggd => {
                let Some(term) = work.atoms.elementary else {
                    return Err(Error::Incompatible(
                    "sggd needs a subgradient of the term of X: zero, l1, sql2, elastic with nonneg or a box".into(),
                ));
                };
                let schedule = match settings.step {
                    Step::Auto => (1.0, 1.0),
                    Step::Constant(step) => (step, 1.0),
                    Step::Diminishing { first, power } => (first, power),
                };
                Engine::Sggd(Sggd::new(work, batches, schedule, term))
            }
        })
    }

    /// Forgets what was remembered of other factors, which have been changed from outside.
    pub(crate) fn start_over(&mut self, work: &mut Work<'_, T>) {
        match self {
            Engine::Batch(batch) => *batch = Batch::new(&work.factors),
            Engine::Aggregated(aggregated) => aggregated.start_over(work),
            Engine::Incremental(incremental) => incremental.start_over(work),
            Engine::Sggd(_) => work.memory.visited = 0,
        }
        work.memory.objective = None;
    }

    /// Notes the errors of the gradient at a look, relative to `scale`; `slope` is the exact gradient in X.
    pub(crate) fn note_errors(
        &mut self,
        work: &Work<'_, T>,
        slope: &[T],
        scale: f64,
        ledger: &mut Ledger,
    ) {
        match self {
            Engine::Batch(_) | Engine::Aggregated(_) => {}
            Engine::Incremental(incremental) => {
                incremental.note_errors(work, slope, scale, ledger);
            }
            Engine::Sggd(_) => ledger.set(Source::Sampling, Level::Unknown),
        }
    }

    /// What is known of the method.
    pub(crate) fn describe(&self, setting: &mut Setting) {
        match self {
            Engine::Batch(batch) => {
                setting.method = Kind::Monotone;
                setting.vanishing = false;
                if batch.extrapolation.rises > 0 {
                    setting.assumptions.push(Assumption {
                        name: "a plain pass raised the objective",
                        standing: Standing::Violated,
                        text: "plain passes do not raise the objective".into(),
                    });
                }
            }
            Engine::Aggregated(_) => {
                setting.method = Kind::Monotone;
                setting.vanishing = false;
            }
            Engine::Incremental(incremental) => incremental.describe(setting),
            Engine::Sggd(_) => setting.method = Kind::Subgradient,
        }
    }
}
