//! The convergence curves, of one run or of two on the same axes.

use super::svg::{Chart, Curve, Level};
use crate::record::{Record, TraceRow};
use serde_json::Value;

/// A run as the curves see it.
#[derive(Clone, Copy)]
pub(super) struct Run<'a> {
    /// What the legend calls it; empty where there is one run only.
    pub(super) name: &'a str,
    pub(super) record: &'a Record,
    pub(super) trace: &'a [TraceRow],
}

type Points = Vec<(f64, f64)>;
/// What is read from a row.
type Read = fn(&TraceRow) -> f64;

/// Objective and residual, each against passes and against time; the step of a single run, if it changes.
pub(super) fn all(runs: &[Run<'_>]) -> Vec<String> {
    let over: [(&str, Read); 2] = [("passes", |row| row.pass), ("seconds", |row| row.seconds)];
    let (title, reference) = reference(runs);
    let levels = match runs {
        [run] => levels(run.record),
        _ => Vec::new(),
    };
    let mut figures = Vec::new();
    for (x_name, x) in over {
        let points = |run: &Run<'_>| above(run.trace, reference, x);
        figures.push(chart(title, x_name, runs, points, &[]));
    }
    for (x_name, x) in over {
        let points = |run: &Run<'_>| -> Points {
            let rows = run.trace.iter().filter(|row| row.residual.is_finite());
            rows.map(|row| (x(row), row.residual)).collect()
        };
        figures.push(chart("residual", x_name, runs, points, &levels));
    }
    if let [run] = runs
        && let Some(points) = steps(run.trace)
    {
        figures.push(chart("step", "passes", runs, |_| points.clone(), &[]));
    }
    figures
}

/// What objectives are measured from, and the title that says so: a proved lower bound if the best objective is close to it, else
/// the best objective itself.
fn reference(runs: &[Run<'_>]) -> (&'static str, f64) {
    let objectives = runs.iter().flat_map(|run| run.trace);
    let finite = objectives
        .map(|row| row.objective)
        .filter(|v| v.is_finite());
    let (best, worst) = finite.fold((f64::INFINITY, f64::NEG_INFINITY), |(best, worst), v| {
        (best.min(v), worst.max(v))
    });
    let bound = match runs {
        [run] => lower_bound(run.record),
        _ => None,
    };
    match bound {
        Some(bound) if bound < best && best - bound < 1e-2 * (worst - best) => {
            ("objective − proved lower bound", bound)
        }
        _ => ("objective − best objective seen", best),
    }
}

fn lower_bound(record: &Record) -> Option<f64> {
    let point = record.certificate.fields.get("at_point")?;
    point.get("lower_bound").and_then(Value::as_f64)
}

/// How far the objective was above the reference. Where it is not above, a logarithmic axis has no place for it.
fn above(trace: &[TraceRow], reference: f64, x: Read) -> Points {
    let rows = trace.iter().map(|row| (x(row), row.objective - reference));
    rows.filter(|(_, above)| *above > 0.0).collect()
}

/// What the residual is compared with.
fn levels(record: &Record) -> Vec<Level> {
    let certificate = &record.certificate;
    let (tolerance, errors) = (certificate.tolerance, certificate.error_level);
    let mut levels = Vec::new();
    if tolerance > 0.0 {
        levels.push(Level {
            at: tolerance,
            name: "tolerance",
        });
    }
    // Far below the tolerance the errors do not matter, and would only stretch the axis.
    if errors > 0.1 * tolerance && errors > 0.0 {
        levels.push(Level {
            at: errors,
            name: "error level",
        });
    }
    levels
}

/// The steps, unless they are all the same.
fn steps(trace: &[TraceRow]) -> Option<Points> {
    let made = trace.iter().filter(|row| row.step > 0.0);
    let points: Points = made.map(|row| (row.pass, row.step)).collect();
    let changes = points.windows(2).any(|pair| pair[0].1 != pair[1].1);
    changes.then_some(points)
}

fn chart(
    title: &str,
    x_name: &str,
    runs: &[Run<'_>],
    points: impl Fn(&Run<'_>) -> Points,
    levels: &[Level],
) -> String {
    let points: Vec<Points> = runs.iter().map(points).collect();
    let named = runs.iter().zip(&points);
    let curves: Vec<Curve<'_>> = named
        .map(|(run, points)| Curve {
            name: run.name,
            points,
        })
        .collect();
    let chart = Chart {
        title,
        x_name,
        curves: &curves,
        levels,
        spreads: &[],
        mark: None,
        log: true,
    };
    chart.svg()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(pass: f64, objective: f64) -> TraceRow {
        TraceRow {
            pass,
            seconds: pass,
            objective,
            residual: 1.0,
            step: 1.0,
            gap: None,
            errors: None,
            sparsity: None,
        }
    }

    #[test]
    fn a_step_that_changes_has_a_curve() {
        let mut trace = [row(0.0, 3.0), row(1.0, 2.0), row(2.0, 1.0)];
        trace[0].step = 0.0;
        assert_eq!(steps(&trace), None);
        trace[2].step = 0.5;
        assert_eq!(steps(&trace), Some(vec![(1.0, 1.0), (2.0, 0.5)]));
    }

    #[test]
    fn objectives_are_measured_from_the_reference_and_what_reaches_it_is_left_out() {
        let trace = [row(0.0, 900.0), row(1.0, 10.0), row(2.0, 8.0)];
        let points = above(&trace, 8.0, |row| row.pass);
        assert_eq!(points, [(0.0, 892.0), (1.0, 2.0)]);
        assert!(above(&[row(0.0, f64::NAN)], 8.0, |row| row.pass).is_empty());
    }
}
