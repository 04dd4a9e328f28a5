//! `proxsplit solve`: the solvers of the library on data files.

mod loss;
mod result;

use crate::args::{Limits, Reading, Shown, count, default_folder};
use crate::interrupt::Interrupt;
use crate::progress::{self, Look, Progress};
use crate::{Outcome, read, terms};
use anyhow::ensure;
use clap::ValueEnum;
use proxsplit::gradient::Inner;
use proxsplit::order::Order;
use proxsplit::step::Choice as Step;
use proxsplit::text::Operator;
use proxsplit::{
    FiniteSum, IncrementalSplitting, Passes, Prox, Report, Row, Smooth, Splitting, Stop, run,
};
use proxsplit_io::{Data, Nan, OutputDir};
use std::ops::ControlFlow;
use std::path::PathBuf;

pub(crate) use loss::LOSSES;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The loss ℓ, for example least-squares, logistic, huber:1.5 (see `proxsplit list losses`)
    #[arg(long)]
    loss: loss::Choice,
    /// The matrix whose rows are the a_i
    #[arg(long, value_name = "FILE")]
    data: PathBuf,
    #[command(flatten)]
    reading: Reading,
    /// The targets b_i
    #[arg(long, value_name = "FILE")]
    target: PathBuf,
    /// The penalty in text form, for example l1:0.1
    #[arg(long)]
    penalty: Option<Operator>,
    /// The set in text form, for example nonneg
    #[arg(long)]
    set: Option<Operator>,
    /// Minimize the mean of the loss in place of the sum
    #[arg(long)]
    mean: bool,
    #[arg(long, value_enum, default_value = "batch")]
    method: Method,
    /// Rows in a batch of the incremental method
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = count)]
    batch: usize,
    /// What stands between two batches
    #[arg(long, value_enum, default_value = "identity")]
    inner: InnerName,
    /// auto, a number, diminishing:FIRST,POWER, backtracking, bb or adaptive
    #[arg(long, default_value = "auto")]
    step: Step,
    /// The seed of the order in which batches are visited
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Where to begin; zeros by default
    #[arg(long, value_name = "FILE")]
    start: Option<PathBuf>,
    #[command(flatten)]
    limits: Limits,
    /// The folder for x.npy, run.json and trace.jsonl
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    #[command(flatten)]
    shown: Shown,
}

/// How the gradient is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Method {
    /// The whole gradient in every iteration
    Batch,
    /// Batches of rows one after the other, then one prox
    Incremental,
}

/// O between two batches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum InnerName {
    Identity,
    Prox,
}

impl Args {
    pub(crate) fn run(self) -> anyhow::Result<Outcome> {
        let g = terms::join(self.penalty.as_ref(), self.set.as_ref())?;
        let name = self.data.to_string_lossy();
        let folder = self
            .out
            .clone()
            .unwrap_or_else(|| default_folder(&name, "solution"));
        let folder = OutputDir::create(folder, &result::FILES, self.shown.force)?;
        let data = Data::read(&self.data, &self.reading.with(Nan::default()))?;
        let targets = read::vector("the target", &self.target)?;
        let (rows, cols) = (data.matrix().rows(), data.matrix().cols());
        ensure!(
            targets.len() == rows,
            "{} has {} targets, but {} has {rows} rows",
            self.target.display(),
            targets.len(),
            self.data.display()
        );
        let f = self.loss.model(data.matrix(), &targets, self.mean)?;
        let start = match &self.start {
            None => vec![0.0; cols],
            Some(path) => read::vector("the start", path)?,
        };
        let interrupt = Interrupt::listen()?;
        let (x, report) = self.minimize(&*f, &g, &start, &interrupt)?;
        result::write(&self, (&folder, &data), &x, &report)?;
        Ok(self.shown.outcome(report.reason))
    }

    fn minimize(
        &self,
        f: &dyn FiniteSum,
        g: &dyn Prox,
        start: &[f64],
        interrupt: &Interrupt,
    ) -> anyhow::Result<(Vec<f64>, Report)> {
        let stop = self.limits.stop();
        match self.method {
            Method::Batch => {
                let mut solver = Splitting::new(f, g, start)?;
                if let Some(rule) = self.step.rule(first_step(f))? {
                    solver = solver.step(rule);
                }
                let report = run(&mut solver, &stop, self.observer(&stop, g, interrupt));
                Ok((solver.into_x(), report))
            }
            Method::Incremental => {
                let passes = Passes {
                    inner: match self.inner {
                        InnerName::Identity => Inner::Identity,
                        InnerName::Prox => Inner::Prox,
                    },
                    batch: self.batch,
                    order: Order::Reshuffled,
                    seed: self.seed,
                };
                let mut solver = IncrementalSplitting::new(f, g, start, passes)?;
                if let Some(rule) = self.step.rule(1.0)? {
                    solver = solver.step(rule)?;
                }
                let report = run(&mut solver, &stop, self.observer(&stop, g, interrupt));
                Ok((solver.into_x(), report))
            }
        }
    }

    /// Shows progress and listens for Ctrl-C.
    fn observer<'a>(
        &self,
        stop: &Stop,
        g: &'a dyn Prox,
        interrupt: &'a Interrupt,
    ) -> impl FnMut(&Row) -> ControlFlow<()> + 'a {
        let limits = progress::Limits {
            passes: stop.passes,
            seconds: stop.time.as_secs_f64(),
            relative: stop.relative,
        };
        let mut progress = Progress::new(self.shown.quiet, limits);
        move |row| {
            let residual = row.measure.stationarity(g.class());
            progress.show(&Look {
                pass: row.progress.passes,
                seconds: row.seconds,
                objective: row.measure.objective,
                residual,
                measured: row.progress.passes,
            });
            if interrupt.is_asked() {
                return ControlFlow::Break(());
            }
            ControlFlow::Continue(())
        }
    }
}

/// 1/L where it is known, for the rules that learn.
fn first_step(f: &dyn Smooth) -> f64 {
    let known = f.lipschitz().value().filter(|l| *l > 0.0 && l.is_finite());
    known.map_or(1.0, |l| 1.0 / l)
}
