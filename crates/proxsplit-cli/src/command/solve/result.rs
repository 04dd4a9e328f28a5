//! The files of a solution.

use super::Args;
use crate::record::{self, Statement, TraceRow, Versions};
use crate::{number, output};
use proxsplit::Report;
use proxsplit::data::Elements;
use proxsplit_io::{Data, OutputDir, write_json, write_json_lines, write_npy_vector};
use serde_json::{Value, json};

/// What a run leaves behind; where `run.json` is, the result is whole.
pub(super) const FILES: [&str; 3] = ["run.json", "x.npy", "trace.jsonl"];

/// Writes x, record and trace, and tells what came of it.
pub(super) fn write(
    args: &Args,
    (folder, data): (&OutputDir, &Data),
    x: &[f64],
    report: &Report,
) -> anyhow::Result<()> {
    let record = record(args, data, report);
    let rows = report.trace.iter().map(|row| TraceRow::new(row, None));
    folder.replace(&FILES, |aside| {
        write_npy_vector(aside.file("x.npy"), Elements::F64(x))?;
        write_json_lines(aside.file("trace.jsonl"), rows)?;
        write_json(aside.file("run.json"), &record)
    })?;
    if args.shown.json {
        return output::print_json(&record);
    }
    if !args.shown.quiet {
        let nonzeros = x.iter().filter(|v| **v != 0.0).count();
        output::print(&format!(
            "{}\n  nonzeros    {nonzeros} of {}\n  passes      {} in {}\n  result      {}",
            report.certificate,
            x.len(),
            number::short(record::passes(report)),
            number::duration(report.seconds),
            folder.path().display()
        ))?;
    }
    Ok(())
}

fn record(args: &Args, data: &Data, report: &Report) -> Value {
    let certificate = &report.certificate;
    json!({
        "format": record::FORMAT,
        "command": record::command_line(),
        "objective": certificate.at_point.objective,
        "seconds": report.seconds,
        "passes": record::passes(report),
        "reason": report.reason,
        "converged": report.converged(),
        "certificate": Statement::from(certificate),
        "data": {
            "source": args.data.to_string_lossy(),
            "digest": data.digest(),
            "description": data.describe(),
            "target": args.target.to_string_lossy(),
        },
        "settings": {
            "loss": args.loss.to_string(),
            "mean": args.mean,
            "penalty": args.penalty,
            "set": args.set,
            "method": args.method,
            "batch": args.batch,
            "inner": args.inner,
            "step": args.step.to_string(),
            "start": args.start.as_ref().map(|path| path.to_string_lossy()),
            "passes": args.limits.passes,
            "time": args.limits.time,
            "tol": args.limits.tol,
            "gap": args.gap,
        },
        "seed": args.seed,
        "versions": Versions::here(),
    })
}
