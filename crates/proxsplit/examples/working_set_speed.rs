//! Time to a relative gap of 1e-6 by working sets, on random problems: `cargo run --release --example working_set_speed ROWS COLS PART`.

#![allow(clippy::unwrap_used)]

use proxsplit::data::{Dense, Elements, Order};
use proxsplit::prox::L1;
use proxsplit::smooth::{LeastSquares, Logistic};
use proxsplit::{Prox, Stop, WorkingSet, run, smooth::Linear};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use std::time::Instant;

/// About normal: a sum of uniform numbers.
fn normal(random: &mut Pcg64) -> f64 {
    (0..4).map(|_| random.random_range(-0.866..0.866)).sum()
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |i: usize, default: f64| arguments.get(i).map_or(default, |a| a.parse().unwrap());
    let (rows, cols, part) = (
        number(0, 2000.0) as usize,
        number(1, 1e4) as usize,
        number(2, 0.1),
    );
    let mut random = Pcg64::seed_from_u64(1);
    let design: Vec<f64> = (0..rows * cols).map(|_| normal(&mut random)).collect();
    let truth: Vec<f64> = (0..cols)
        .map(|j| {
            if j % (cols / 100).max(1) == 0 {
                1.0
            } else {
                0.0
            }
        })
        .collect();
    for order in [Order::ColumnMajor, Order::RowMajor] {
        let matrix = Dense::new(rows, cols, order, Elements::F64(&design)).unwrap();
        let mut targets = vec![0.0; rows];
        for (i, target) in targets.iter_mut().enumerate() {
            let fit: f64 = (0..cols)
                .filter(|j| truth[*j] != 0.0)
                .map(|j| matrix.get(i, j))
                .sum();
            *target = fit + normal(&mut random);
        }
        let labels: Vec<f64> = targets.iter().map(|b| b.signum()).collect();
        let models: [(&str, Box<dyn Linear>); 2] = [
            (
                "lasso",
                Box::new(LeastSquares::new(matrix, &targets).unwrap()),
            ),
            (
                "logistic",
                Box::new(Logistic::new(matrix, &labels).unwrap()),
            ),
        ];
        for (name, f) in models {
            let (zero, mut gradient) = (vec![0.0; cols], vec![0.0; cols]);
            f.gradient(&zero, &mut gradient);
            let largest = gradient.iter().fold(0.0, |a: f64, b| a.max(b.abs()));
            let g = L1::new(part * largest).unwrap();
            let stop = Stop {
                gap: Some(1e-6),
                residual: 0.0,
                relative: 0.0,
                ..Stop::default()
            };
            for _ in 0..3 {
                let start = Instant::now();
                let mut solver = WorkingSet::new(&*f, &g as &dyn Prox, &zero).unwrap();
                let report = run(&mut solver, &stop, ());
                let nonzeros = solver.x().iter().filter(|x| **x != 0.0).count();
                println!(
                    "{name} {order:?}: {:.1} ms, {} looks, {} nonzeros, set {}, {}",
                    1e3 * start.elapsed().as_secs_f64(),
                    report.trace.len(),
                    nonzeros,
                    solver.set_size(),
                    report.certificate.words()
                );
                for row in &report.trace {
                    println!(
                        "   {:.1} ms pass {:.2} objective {:.9e} residual {:.2e} gap {:.2e}",
                        1e3 * row.seconds,
                        row.progress.passes,
                        row.objective(),
                        row.residual(),
                        row.at.unwrap().gap.unwrap_or(f64::NAN)
                    );
                }
            }
        }
    }
}
