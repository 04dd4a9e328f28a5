//! `proxsplit solve`: the solvers of the library on data files.

mod loss;
mod path;
mod result;

use crate::args::{Limits, Reading, Shown, count, default_folder, named, positive};
use crate::interrupt::Interrupt;
use crate::progress::Progress;
use crate::{Outcome, output, overwrite, read, terms};
use anyhow::ensure;
use proxsplit::gradient::{Inner, MiniBatch, Page, Saga, usual_batch};
use proxsplit::order::VisitOrder;
use proxsplit::smooth::Linear;
use proxsplit::smooth::loss::{Named, Shape};
use proxsplit::solve::Algorithm;
use proxsplit::step::Choice as Step;
use proxsplit::text::Operator;
use proxsplit::{
    IncrementalSplitting, Matrix, Panoc, Passes, Prox, Report, Smooth, Splitting, Stop, WorkingSet,
    run,
};
use proxsplit_io::{Data, Nan, OutputDir};
use std::path::PathBuf;

pub(crate) use loss::LOSSES;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The loss ℓ, for example least-squares, logistic, huber:1.5 (see `proxsplit list losses`)
    #[arg(long, value_parser = loss::read)]
    loss: Named,
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
    /// Minimize the mean of the loss instead of the sum
    #[arg(long)]
    mean: bool,
    /// How the gradient is taken
    #[arg(long, value_parser = named!(Algorithm, METHODS), default_value_t = Algorithm::Batch)]
    method: Algorithm,
    /// Solve for N decreasing weights of the penalty, beginning with the smallest one at which 0 is a solution (for nonconvex penalties: a
    /// stationary point); each run starts from the previous result
    #[arg(long, value_name = "N", value_parser = count, requires = "penalty", conflicts_with_all = ["step", "start"])]
    path: Option<usize>,
    /// The last weight of the path, as a fraction of the first
    #[arg(long, value_name = "R", default_value = "1e-3", value_parser = positive, requires = "path")]
    path_end: f64,
    /// Rows per batch; by default 1 for the incremental method, and the square root of the number of rows for mini-batch, page and saga
    #[arg(long, value_name = "N", value_parser = count)]
    batch: Option<usize>,
    /// The operator applied between batches
    #[arg(long, value_parser = named!(Inner), default_value_t = Inner::Identity)]
    inner: Inner,
    /// The step: auto, a number, diminishing:FIRST,POWER, backtracking, bb or adaptive
    #[arg(long, default_value = "auto")]
    step: Step,
    /// The seed of the order in which batches are visited
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// The starting point; zeros by default
    #[arg(long, value_name = "FILE")]
    start: Option<PathBuf>,
    #[command(flatten)]
    limits: Limits,
    /// Stop when the objective is proved to be within this relative distance of its minimum; for convex problems
    #[arg(long, value_name = "G", value_parser = positive)]
    gap: Option<f64>,
    /// The folder for x.npy, run.json and trace.jsonl
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    #[command(flatten)]
    shown: Shown,
}

/// What the methods do, for the help.
const METHODS: &[(&str, &str)] = &[
    (
        "batch",
        "Full gradients: working-set if the penalty sets single entries or groups to zero, else panoc",
    ),
    (
        "working-set",
        "Coordinate descent on a growing set of entries or groups",
    ),
    (
        "panoc",
        "Quasi-Newton steps on the forward–backward envelope",
    ),
    ("incremental", "Batches of rows in sequence, then one prox"),
    ("mini-batch", "One batch of rows per step"),
    (
        "page",
        "Occasional full gradients, updated by batches in between",
    ),
    ("saga", "Batches, with a stored gradient for every row"),
];

impl Args {
    pub(crate) fn run(self) -> anyhow::Result<Outcome> {
        if let Some(count) = self.path {
            return path::run(&self, count);
        }
        let g = terms::join(self.penalty.as_ref(), self.set.as_ref())?;
        let interrupt = Interrupt::listen()?;
        let folder = self.folder(&result::FILES)?;
        let (data, targets) = self.read()?;
        let cols = data.matrix().cols();
        let f = self.model(data.matrix(), &targets)?;
        let start = match &self.start {
            None => vec![0.0; cols],
            Some(path) => read::vector("the start", path)?,
        };
        let (x, report) = self.minimize(&*f, &g, &start, interrupt)?;
        let unknown = self.gap.is_some() && report.certificate.at_point.gap.is_none();
        if unknown && !self.shown.quiet {
            output::tell("note: no gap is known for this problem, so --gap had no effect");
        }
        result::write(&self, (&folder, &data), &x, &report)?;
        Ok(self.shown.outcome(&report))
    }

    /// The data and their targets.
    fn read(&self) -> anyhow::Result<(Data, Vec<f64>)> {
        let data = Data::read(&self.data, &self.reading.with(Nan::default()))?;
        let targets = read::vector("the target", &self.target)?;
        let rows = data.matrix().rows();
        ensure!(
            targets.len() == rows,
            "{} has {} targets, but {} has {rows} rows",
            self.target.display(),
            targets.len(),
            self.data.display()
        );
        Ok((data, targets))
    }

    fn model<'a>(
        &self,
        data: Matrix<'a>,
        targets: &[f64],
    ) -> Result<Box<dyn Linear + 'a>, proxsplit::Error> {
        let shape = Shape {
            mean: self.mean,
            ..Shape::default()
        };
        self.loss.model(data, targets, shape)
    }

    /// The output folder, if nothing in it would be lost.
    fn folder(&self, files: &[&str]) -> anyhow::Result<OutputDir> {
        let name = self.data.to_string_lossy();
        let folder = self.out.clone();
        let folder = folder.unwrap_or_else(|| default_folder(&name, "solution"));
        let mut read = vec![
            overwrite::file_of(&name),
            overwrite::file_of(&self.target.to_string_lossy()),
        ];
        read.extend(self.start.clone());
        overwrite::refuse(files.iter().map(|name| folder.join(name)), &read)?;
        overwrite::folder(folder, files, self.shown.force, "; --force replaces it")
    }

    /// Whether a working set is asked for, or is the best choice and nothing else is asked for.
    fn uses_set(&self, g: &dyn Prox, len: usize) -> bool {
        let is_best = self.method == Algorithm::Batch && self.step == Step::Auto;
        self.method == Algorithm::WorkingSet || is_best && WorkingSet::suits(g, len)
    }

    fn stop(&self) -> Stop {
        Stop {
            gap: self.gap,
            ..self.limits.stop()
        }
    }

    fn minimize(
        &self,
        f: &dyn Linear,
        g: &dyn Prox,
        start: &[f64],
        interrupt: Interrupt,
    ) -> anyhow::Result<(Vec<f64>, Report)> {
        let stop = self.stop();
        let observer = (Progress::new(self.shown.quiet, &stop), interrupt);
        let is_auto = self.step == Step::Auto;
        let has_own_steps = matches!(self.method, Algorithm::WorkingSet | Algorithm::Panoc);
        ensure!(
            is_auto || !has_own_steps,
            "--step applies to the methods batch, incremental, mini-batch, page and saga: the others choose their own steps"
        );
        match self.method {
            Algorithm::Batch | Algorithm::WorkingSet if self.uses_set(g, f.dim()) => {
                let mut solver = WorkingSet::new(f, g, start)?;
                let report = run(&mut solver, &stop, observer);
                Ok((solver.into_x(), report))
            }
            Algorithm::Batch | Algorithm::Panoc | Algorithm::WorkingSet if is_auto => {
                let mut solver = Panoc::new(f, g, start)?;
                let report = run(&mut solver, &stop, observer);
                Ok((solver.into_x(), report))
            }
            Algorithm::Batch | Algorithm::Panoc | Algorithm::WorkingSet => {
                let mut solver = Splitting::new(f, g, start)?;
                if let Some(rule) = self.step.rule(first_step(f))? {
                    solver = solver.step(rule);
                }
                let report = run(&mut solver, &stop, observer);
                Ok((solver.into_x(), report))
            }
            Algorithm::Incremental => {
                let passes = Passes {
                    inner: self.inner,
                    batch: self.batch.unwrap_or(1),
                    order: VisitOrder::Reshuffled,
                    seed: self.seed,
                };
                let mut solver = IncrementalSplitting::new(f, g, start, passes)?;
                if let Some(rule) = self.step.rule(1.0)? {
                    solver = solver.step(rule)?;
                }
                let report = run(&mut solver, &stop, observer);
                Ok((solver.into_x(), report))
            }
            _ => {
                let mut solver = self.by_batches(f, g, start)?;
                let report = run(&mut solver, &stop, observer);
                Ok((solver.into_x(), report))
            }
        }
    }

    /// Steps after every batch.
    fn by_batches<'a>(
        &self,
        f: &'a dyn Linear,
        g: &'a dyn Prox,
        start: &[f64],
    ) -> anyhow::Result<Splitting<'a>> {
        let size = self.batch.unwrap_or_else(|| usual_batch(f.terms()));
        let order = VisitOrder::Reshuffled;
        let solver = Splitting::new(f, g, start)?;
        let solver = match self.method {
            Algorithm::Page => solver.gradient(Page::new(f, size, order, self.seed)?),
            Algorithm::Saga => solver.gradient(Saga::new(f, size, order, self.seed)?),
            _ => solver.gradient(MiniBatch::new(f, size, order, self.seed)?),
        };
        let Some(rule) = self.step.rule(1.0)? else {
            return Ok(solver);
        };
        ensure!(
            rule.scheduled(0).is_some(),
            "--step {}: this method needs a number or diminishing:FIRST,POWER",
            self.step
        );
        Ok(solver.step(rule))
    }
}

/// 1/L where it is known, for the rules that learn.
fn first_step(f: &dyn Smooth) -> f64 {
    let known = f.lipschitz().value().filter(|l| *l > 0.0 && l.is_finite());
    known.map_or(1.0, |l| 1.0 / l)
}
