//! All methods on small problems.
#![allow(clippy::unwrap_used)]

mod bound;
mod dead;
mod digests;
mod fixed;
mod floor;
mod graph;
mod huber;
mod kl;
mod lost;
mod metric;
mod missing;
mod overcomplete;
mod quality;
mod refusals;
mod resume;
mod rough;
mod shards;
mod start;
mod storage;
mod terms;
mod weights;

use proxsplit::Solver;
use proxsplit_factor::{Factorization, Generated, Method, Problem, Settings};

const METHODS: [Method; 5] = [
    Method::Auto,
    Method::Batch,
    Method::Incremental,
    Method::Aggregated,
    Method::Sggd,
];

fn settings(method: Method, seed: u64) -> Settings {
    Settings {
        method,
        seed,
        batch: (method != Method::Auto).then_some(30),
        ..Settings::default()
    }
}

fn after(problem: Problem<'_, f64>, settings: Settings, passes: f64) -> f64 {
    let mut solver = Factorization::new(problem, settings, None).unwrap();
    while solver.next().unwrap().passes < passes {}
    solver.measure().objective
}

/// Ends a run that was driven by hand at the point that a look would return.
fn settle(solver: &mut Factorization<'_, f64>) {
    solver.measure();
    solver.keep();
    solver.settle();
}

fn planted(noise: f64) -> Generated {
    Generated::parse(&format!("planted:40x90x3,{noise},0.6"), 1)
        .unwrap()
        .unwrap()
}
