//! Calls of f until the residual is at 1e-6 of what cancels: PANOC⁺ beside spectral steps, for a linear model given as a closure.
//!
//! `cargo run --release -p proxsplit --example calls`
#![allow(clippy::print_stdout)]

use proxsplit::data::{Dense, Elements, StorageOrder};
use proxsplit::smooth::{FnSmooth, LeastSquares, Logistic};
use proxsplit::text::Operator;
use proxsplit::{Error, Panoc, Smooth, Solver, Splitting, Stop, run};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use std::sync::atomic::{AtomicU32, Ordering};

/// A matrix whose columns have scales from 1 to 10^−decades, and targets of a sparse x.
struct Data {
    name: &'static str,
    rows: usize,
    cols: usize,
    entries: Vec<f64>,
    targets: Vec<f64>,
}

impl Data {
    fn new(name: &'static str, (rows, cols): (usize, usize), decades: f64) -> Self {
        let mut random = Pcg64::seed_from_u64(0);
        // Nearly normal.
        let mut normal = || (0..12).map(|_| random.random_range(-0.5..0.5)).sum::<f64>();
        let mut entries: Vec<f64> = (0..rows * cols).map(|_| normal()).collect();
        for row in entries.chunks_mut(cols) {
            for (j, entry) in row.iter_mut().enumerate() {
                *entry *= 10f64.powf(-decades * j as f64 / cols as f64);
            }
        }
        let spacing = cols / 50;
        let targets = entries.chunks(cols).map(|row| {
            let clean: f64 = row.iter().step_by(spacing).sum();
            3.0 * clean + 0.5 * normal()
        });
        let targets = targets.collect();
        Self {
            name,
            rows,
            cols,
            entries,
            targets,
        }
    }

    fn matrix(&self) -> Result<Dense<'_>, Error> {
        Dense::new(
            self.rows,
            self.cols,
            StorageOrder::RowMajor,
            Elements::F64(&self.entries),
        )
    }
}

fn main() -> Result<(), Error> {
    println!("calls of f to 1e-6            PANOC⁺  spectral  ratio");
    let sets = [
        Data::new("wide", (500, 2000), 0.0),
        Data::new("wide, uneven", (500, 2000), 1.5),
        Data::new("tall", (2000, 500), 0.0),
        Data::new("tall, uneven", (2000, 500), 1.5),
    ];
    for data in &sets {
        let squares = LeastSquares::new(data.matrix()?, &data.targets)?;
        let labels: Vec<f64> = data.targets.iter().map(|b| b.signum()).collect();
        let logistic = Logistic::new(data.matrix()?, &labels)?;
        let slope = largest_slope(&squares);
        for fraction in [0.1, 0.01] {
            let weight = fraction * slope;
            for g in [
                format!("l1:{weight}"),
                format!("group-l2:{weight},5"),
                format!("group-linf:{weight},5"),
                format!("mcp:{weight},3"),
            ] {
                compare(data.name, &squares, &g)?;
            }
        }
        for g in ["nonneg", "l1-ball:20", "l1-ball:100", "simplex:10"] {
            compare(data.name, &squares, g)?;
        }
        let weight = 0.1 * largest_slope(&logistic);
        compare(data.name, &logistic, &format!("group-l2:{weight},5"))?;
        compare(data.name, &logistic, "l1-ball:10")?;
    }
    Ok(())
}

fn largest_slope(f: &dyn Smooth<f64>) -> f64 {
    let mut gradient = vec![0.0; f.dim()];
    f.gradient(&vec![0.0; f.dim()], &mut gradient);
    gradient.iter().fold(0.0, |most: f64, g| most.max(g.abs()))
}

fn compare(name: &str, f: &dyn Smooth<f64>, g: &str) -> Result<(), Error> {
    let g: Operator = g.parse()?;
    let calls = AtomicU32::new(0);
    let counted = FnSmooth::new(f.dim(), |x: &[f64], gradient: &mut [f64]| {
        calls.fetch_add(1, Ordering::Relaxed);
        f.gradient(x, gradient)
    })?;
    let start = vec![0.0; f.dim()];
    let count = |solver: &mut dyn Solver| {
        calls.store(0, Ordering::Relaxed);
        let stop = Stop {
            passes: 2000.0,
            relative: 1e-6,
            ..Stop::default()
        };
        let report = run(solver, &stop, ());
        let mark = if report.converged() { ' ' } else { '*' };
        (calls.load(Ordering::Relaxed), mark)
    };
    let panoc = count(&mut Panoc::new(&counted, &g, &start)?);
    let spectral = count(&mut Splitting::new(&counted, &g, &start)?);
    println!(
        "{name:13} {:16.16} {:6}{} {:7}{} {:6.2}",
        g.to_string(),
        panoc.0,
        panoc.1,
        spectral.0,
        spectral.1,
        f64::from(panoc.0) / f64::from(spectral.0)
    );
    Ok(())
}
