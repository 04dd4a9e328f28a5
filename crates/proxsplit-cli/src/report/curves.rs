//! The convergence curves.

use super::svg::{Chart, Level};
use crate::record::{Record, TraceRow};

/// Objective and residual, each against passes and against time.
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
    let objectives = trace.iter().map(|row| row.objective);
    let (low, high) = objectives.fold((f64::INFINITY, 0.0_f64), |(low, high), v| {
        (low.min(v), high.max(v))
    });
    let spread = high > 5.0 * low;
    let mut figures = Vec::new();
    let over: [(&str, fn(&TraceRow) -> f64); 2] =
        [("passes", |row| row.pass), ("seconds", |row| row.seconds)];
    for (x_name, x) in over {
        let points: Vec<_> = trace.iter().map(|row| (x(row), row.objective)).collect();
        figures.push(chart("objective", x_name, &points, &[], spread));
    }
    for (x_name, x) in over {
        let points: Vec<_> = trace.iter().map(|row| (x(row), row.residual)).collect();
        figures.push(chart("residual", x_name, &points, &levels, true));
    }
    figures
}

fn chart(title: &str, x_name: &str, points: &[(f64, f64)], levels: &[Level], log: bool) -> String {
    let chart = Chart {
        title,
        x_name,
        points,
        levels,
        log,
    };
    chart.svg()
}
