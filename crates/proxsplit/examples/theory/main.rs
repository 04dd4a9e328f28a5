//! The theory at work: measured numbers beside what the paper's lemmas promise, as CSV.
//!
//! `cargo run --release -p proxsplit --example theory -- drift|steps|cost|motivation|nonconvex`. The study of the error floor is the example
//! `error_floor`.
#![allow(clippy::print_stdout, clippy::unwrap_used)]

mod cost;
mod drift;
mod motivation;
mod nonconvex;
mod steps;

use proxsplit::data::{Dense, Elements, StorageOrder};
use rand::{RngExt, SeedableRng};

/// A robust regression problem: targets from a sparse truth, with noise and outliers.
struct Sample {
    rows: usize,
    cols: usize,
    design: Vec<f64>,
    targets: Vec<f64>,
}

impl Sample {
    fn new(rows: usize, cols: usize) -> Self {
        let mut random = rand_pcg::Pcg64::seed_from_u64(1);
        let mut draw = move |scale: f64| random.random_range(-scale..scale);
        let design: Vec<f64> = (0..rows * cols).map(|_| draw(1.0)).collect();
        let target = |row: &[f64], i: usize, noise: f64| {
            let outlier = if i.is_multiple_of(10) { 5.0 } else { 0.0 };
            row.iter().step_by(3).sum::<f64>() + noise + outlier
        };
        let targets = design
            .chunks(cols)
            .enumerate()
            .map(|(i, row)| target(row, i, draw(0.1)))
            .collect();
        Self {
            rows,
            cols,
            design,
            targets,
        }
    }

    fn matrix(&self) -> Dense<'_> {
        let elements = Elements::F64(&self.design);
        Dense::new(self.rows, self.cols, StorageOrder::RowMajor, elements).unwrap()
    }
}

fn main() {
    match std::env::args().nth(1).as_deref() {
        Some("drift") => drift::study(),
        Some("steps") => steps::study(),
        Some("cost") => cost::study(),
        Some("motivation") => motivation::study(),
        Some("nonconvex") => nonconvex::study(),
        _ => println!("usage: theory drift|steps|cost|motivation|nonconvex"),
    }
}
