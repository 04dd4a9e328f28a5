//! What the tests of working sets share.

use crate::sample::Sample;
use proxsplit::smooth::Linear;
use proxsplit::smooth::loss::{Named, Shape};
use proxsplit::{Prox, Report, Stop, WorkingSet, run};

pub(crate) const LOSSES: [&str; 6] = [
    "least-squares",
    "logistic",
    "huber:0.3",
    "sigmoid",
    "cauchy:0.5",
    "geman-mcclure:1",
];

pub(crate) fn tight() -> Stop {
    Stop {
        residual: 0.0,
        relative: 1e-8,
        passes: 20_000.0,
        ..Stop::default()
    }
}

pub(crate) fn model<'a>(loss: &str, sample: &'a Sample) -> Box<dyn Linear + 'a> {
    let loss: Named = loss.parse().unwrap();
    let labels = sample.labels();
    let targets = if loss.has_labels() {
        &labels
    } else {
        &sample.targets
    };
    loss.model(sample.matrix(), targets, Shape::default())
        .unwrap()
}

pub(crate) fn solve(f: &dyn Linear, g: &dyn Prox, start: &[f64]) -> (Vec<f64>, Report) {
    let mut solver = WorkingSet::new(f, g, start).unwrap();
    let report = run(&mut solver, &tight(), ());
    (solver.into_x(), report)
}
