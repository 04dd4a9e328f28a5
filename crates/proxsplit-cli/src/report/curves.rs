//! The convergence curves.

use super::svg::{Chart, Level};
use crate::record::{Record, TraceRow};

/// What a curve runs over.
type Read = fn(&TraceRow) -> f64;

/// Objective and residual, each against passes and against time; the step, if it changes.
pub(super) fn all(record: &Record, trace: &[TraceRow]) -> Vec<String> {
    let certificate = &record.certificate;
    let mut levels = Vec::new();
    if certificate.tolerance > 0.0 {
        levels.push(Level {
            at: certificate.tolerance,
            name: "tolerance",
        });
    }
    // Far below the tolerance the errors do not matter, and would only stretch the axis.
    if certificate.error_level > 0.1 * certificate.tolerance && certificate.error_level > 0.0 {
        levels.push(Level {
            at: certificate.error_level,
            name: "error level",
        });
    }
    let (title, shown) = objective(trace);
    let values = shown.iter().map(|row| row.objective);
    let (low, high) = values.fold((f64::INFINITY, 0.0_f64), |(low, high), v| {
        (low.min(v), high.max(v))
    });
    let spread = high > 5.0 * low;
    let mut figures = Vec::new();
    let over: [(&str, Read); 2] = [("passes", |row| row.pass), ("seconds", |row| row.seconds)];
    for (x_name, x) in over {
        let points: Vec<_> = shown.iter().map(|row| (x(row), row.objective)).collect();
        figures.push(chart(title, x_name, &points, &[], spread));
    }
    for (x_name, x) in over {
        let points: Vec<_> = trace.iter().map(|row| (x(row), row.residual)).collect();
        figures.push(chart("residual", x_name, &points, &levels, true));
    }
    if let Some(points) = steps(trace) {
        figures.push(chart("step", "passes", &points, &[], true));
    }
    figures
}

/// The steps, unless they are all the same.
fn steps(trace: &[TraceRow]) -> Option<Vec<(f64, f64)>> {
    let made = trace.iter().filter(|row| row.step > 0.0);
    let points: Vec<_> = made.map(|row| (row.pass, row.step)).collect();
    let changes = points.windows(2).any(|pair| pair[0].1 != pair[1].1);
    changes.then_some(points)
}

/// The rows whose objective is worth a curve. A start that is far above everything else would flatten the rest.
fn objective(trace: &[TraceRow]) -> (&'static str, &[TraceRow]) {
    let after = trace.partition_point(|row| row.pass < 1.0);
    match &trace[after..] {
        [first, _, _, ..] if trace[0].objective > 2.0 * first.objective => {
            ("objective after the first pass", &trace[after..])
        }
        _ => ("objective", trace),
    }
}

fn chart(title: &str, x_name: &str, points: &[(f64, f64)], levels: &[Level], log: bool) -> String {
    let chart = Chart {
        title,
        x_name,
        points,
        levels,
        spreads: &[],
        mark: None,
        log,
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
    fn a_start_far_above_the_rest_is_left_out() {
        let falls = [
            row(0.0, 900.0),
            row(1.0, 10.0),
            row(2.0, 9.0),
            row(3.0, 8.0),
        ];
        assert_eq!(objective(&falls).1.len(), 3);
        let slow = [row(0.0, 12.0), row(1.0, 10.0), row(2.0, 9.0), row(3.0, 8.0)];
        assert_eq!(objective(&slow).1.len(), 4);
        assert_eq!(objective(&falls[..2]).1.len(), 2);
        assert!(objective(&[]).1.is_empty());
    }
}
