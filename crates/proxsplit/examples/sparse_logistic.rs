//! Sparse logistic regression with incremental passes, watched while it runs.
//!
//! `cargo run --release -p proxsplit --example sparse_logistic`
#![allow(clippy::print_stdout)]

use proxsplit::data::{Dense, Elements, StorageOrder};
use proxsplit::smooth::Logistic;
use proxsplit::text::Operator;
use proxsplit::{Error, IncrementalSplitting, Looks, Passes, Row, Stop, run};
use rand::{RngExt, SeedableRng};
use std::ops::ControlFlow;

fn main() -> Result<(), Error> {
    let (rows, cols) = (2000, 50);
    let mut random = rand_pcg::Pcg64::seed_from_u64(7);
    let design: Vec<f64> = (0..rows * cols)
        .map(|_| random.random_range(-1.0..1.0))
        .collect();
    let labels: Vec<f64> = design
        .chunks(cols)
        .map(|row| (row[0] - 2.0 * row[1] + row[2]).signum())
        .collect();

    let f = Logistic::new(
        Dense::new(rows, cols, StorageOrder::RowMajor, Elements::F64(&design))?,
        &labels,
    )?;
    let g: Operator = "l1:20+box:-10,10".parse()?;
    let passes = Passes {
        batch: 100,
        ..Passes::default()
    };
    let mut solver = IncrementalSplitting::new(&f, &g, &vec![0.0; cols], passes)?;

    let watch = |row: &Row| {
        println!(
            "pass {:4.0}   Φ {:.6}   ‖ρ‖ {:.2e}",
            row.progress.passes,
            row.objective(),
            row.residual()
        );
        ControlFlow::Continue(())
    };
    let stop = Stop {
        passes: 300.0,
        looks: Looks::Every(5.0),
        relative: 1e-4,
        ..Stop::default()
    };
    let report = run(&mut solver, &stop, watch);
    println!("{}", report.certificate);
    println!(
        "nonzeros: {} of {cols}",
        solver.x().iter().filter(|x| **x != 0.0).count()
    );
    Ok(())
}
