//! `proxsplit solve --path N`: one problem for many weights.

use super::Args;
use crate::args::misuse;
use crate::interrupt::Interrupt;
use crate::record::{self, Versions};
use crate::{Outcome, number, output, terms};
use proxsplit::data::{Dense, Elements, StorageOrder};
use proxsplit::solve::Algorithm;
use proxsplit::text::Operator;
use proxsplit::{Prox, Reason, Report, Row, path};
use proxsplit_io::{Data, OutputDir, write_bytes, write_json, write_npy};
use serde::Serialize;
use serde_json::json;
use std::fmt::Write;
use std::ops::ControlFlow;

/// What a path leaves behind.
const FILES: [&str; 3] = ["run.json", "path.npy", "path.csv"];

/// One point of the path.
#[derive(Serialize)]
struct Step {
    factor: f64,
    term: String,
    nonzeros: usize,
    objective: f64,
    gap: Option<f64>,
    residual: f64,
    tolerance: f64,
    passes: f64,
    seconds: f64,
    verdict: &'static str,
    converged: bool,
    #[serde(skip)]
    diverged: bool,
}

impl Step {
    fn new(factor: f64, term: &Operator, x: &[f64], report: &Report) -> Self {
        let (certificate, at) = (&report.certificate, &report.certificate.at_point);
        Self {
            factor,
            term: term.to_string(),
            nonzeros: x.iter().filter(|x| **x != 0.0).count(),
            objective: at.objective,
            gap: at.gap,
            residual: at.stationarity(),
            tolerance: certificate.tolerance,
            passes: record::passes(report),
            seconds: report.seconds,
            verdict: certificate.verdict.code(),
            converged: report.converged(),
            diverged: report.reason == Reason::Diverged,
        }
    }

    /// A line of the table.
    fn line(&self) -> String {
        let gap = self.gap.map_or("-".to_owned(), |gap| format!("{gap:.1e}"));
        format!(
            "{:>11}  {:>8}  {:>14.7e}  {:>8}  {:>8.1e}  {}",
            number::short(self.factor),
            self.nonzeros,
            self.objective,
            gap,
            self.residual,
            self.verdict
        )
    }
}

const HEAD: &str = "     factor  nonzeros       objective       gap  residual  verdict";

pub(super) fn run(args: &Args, count: usize) -> anyhow::Result<Outcome> {
    if args.path_end >= 1.0 {
        return Err(misuse("--path-end must be below 1: weights decrease along the path").into());
    }
    if !matches!(
        args.method,
        Algorithm::Batch | Algorithm::WorkingSet | Algorithm::Panoc
    ) {
        return Err(misuse("--path needs full gradients: leave out --method").into());
    }
    let Some(penalty) = &args.penalty else {
        return Err(misuse("--path needs a --penalty whose weight it can change").into());
    };
    let interrupt = Interrupt::listen()?;
    let folder = args.folder(&FILES)?;
    let (data, targets) = args.read()?;
    let f = args.model(data.matrix(), &targets)?;
    let whole = terms::join(Some(penalty), args.set.as_ref())?;
    let factors = path::factors(&*f, &whole, count, args.path_end)?;
    let terms: Vec<Operator> = factors
        .iter()
        .map(|&factor| whole.weighted(factor))
        .collect::<Result<_, _>>()?;
    let shows = !args.shown.quiet && !args.shown.json;
    if shows {
        output::print(HEAD)?;
    }
    let (mut steps, mut points) = (Vec::new(), Vec::new());
    let start = vec![0.0; data.matrix().cols()];
    let operators = terms.iter().map(|term| term as &dyn Prox);
    path::follow(
        &*f,
        operators,
        &start,
        &args.stop(),
        |_: &Row| interrupt.flow(),
        |x, report| {
            let step = Step::new(factors[steps.len()], &terms[steps.len()], x, &report);
            let told = !shows || output::print(&step.line()).is_ok();
            steps.push(step);
            points.extend_from_slice(x);
            if told && report.reason != Reason::Interrupted {
                ControlFlow::Continue(())
            } else {
                ControlFlow::Break(())
            }
        },
    )?;
    write(args, (&folder, &data), &steps, &points)?;
    Ok(outcome(args, count, &steps))
}

fn outcome(args: &Args, count: usize, steps: &[Step]) -> Outcome {
    let all = steps.iter().all(|step| step.converged);
    if steps.len() < count {
        Outcome::Interrupted
    } else if steps.iter().any(|step| step.diverged) {
        Outcome::Diverged
    } else if args.shown.strict && !all {
        Outcome::NotConverged
    } else {
        Outcome::Done
    }
}

fn write(
    args: &Args,
    (folder, data): (&OutputDir, &Data),
    steps: &[Step],
    points: &[f64],
) -> anyhow::Result<()> {
    let record = json!({
        "format": record::FORMAT,
        "command": record::command_line(),
        "path": steps,
        "converged": steps.iter().all(|step| step.converged),
        "data": {
            "source": args.data.to_string_lossy(),
            "digest": data.digest(),
            "description": data.describe(),
            "target": args.target.to_string_lossy(),
        },
        "versions": Versions::here(),
    });
    let cols = data.matrix().cols();
    let matrix = Dense::new(
        steps.len(),
        cols,
        StorageOrder::RowMajor,
        Elements::F64(points),
    )?;
    folder.replace(&FILES, |aside| {
        write_npy(aside.file("path.npy"), matrix)?;
        write_bytes(aside.file("path.csv"), csv(steps).as_bytes())?;
        write_json(aside.file("run.json"), &record)
    })?;
    if args.shown.json {
        return output::print_json(&record);
    }
    if !args.shown.quiet {
        output::print(&format!("result in {}", folder.path().display()))?;
    }
    Ok(())
}

/// Debug's numbers have exponents where digits would be mostly zeros.
fn csv(steps: &[Step]) -> String {
    let mut text = String::from(
        "factor,term,nonzeros,objective,gap,residual,tolerance,passes,seconds,verdict\n",
    );
    for step in steps {
        let gap = step.gap.map_or(String::new(), |gap| format!("{gap:?}"));
        let _ = writeln!(
            text,
            "{:?},\"{}\",{},{:?},{gap},{:?},{:?},{:?},{:?},{}",
            step.factor,
            step.term,
            step.nonzeros,
            step.objective,
            step.residual,
            step.tolerance,
            step.passes,
            step.seconds,
            step.verdict
        );
    }
    text
}
