//! Value and gradient of losses of a linear model: milliseconds, and how fast the matrix goes by, beside a bare sum over it.
//!
//! `cargo run --release -p proxsplit --example gradient_speed`; the number of threads is `RAYON_NUM_THREADS`.
#![allow(clippy::print_stdout)]

use proxsplit::data::{Dense, Elements, StorageOrder};
use proxsplit::smooth::{LeastSquares, Logistic};
use proxsplit::{Error, Smooth};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use rayon::prelude::*;
use std::time::Instant;

const REPEATS: usize = 20;

fn main() -> Result<(), Error> {
    println!(
        "{} threads, {}",
        rayon::current_num_threads(),
        proxsplit::simd::level()
    );
    let mut random = Pcg64::seed_from_u64(0);
    let double: Vec<f64> = (0..20_000_000)
        .map(|_| random.random_range(-1.0..1.0))
        .collect();
    let single: Vec<f32> = double.iter().map(|&v| v as f32).collect();
    let bare = least(|| {
        let parts: Vec<f64> = double
            .par_chunks(1 << 16)
            .map(proxsplit::internal::linalg::vec::sum)
            .collect();
        std::hint::black_box(parts);
    });
    println!("bare sum of 160 MB: {bare:.1} ms, {:.1} GB/s", 160.0 / bare);
    for (rows, cols) in [(2_000, 10_000), (200_000, 100), (10_000, 2_000)] {
        for order in [StorageOrder::RowMajor, StorageOrder::ColumnMajor] {
            for elements in [Elements::F64(&double), Elements::F32(&single)] {
                gradients(Dense::new(rows, cols, order, elements)?)?;
            }
        }
    }
    Ok(())
}

fn gradients(a: Dense<'_>) -> Result<(), Error> {
    let (name, bytes) = match a.elements() {
        Elements::F64(_) => ("f64", 8),
        _ => ("f32", 4),
    };
    let targets: Vec<f64> = (0..a.rows())
        .map(|i| if i % 2 == 0 { -1.0 } else { 1.0 })
        .collect();
    let x: Vec<f64> = (0..a.cols()).map(|j| 1e-3 * (j % 7) as f64).collect();
    let mut grad = vec![0.0; a.cols()];
    let losses: [(&str, Box<dyn Smooth<f64>>); 2] = [
        ("least squares", Box::new(LeastSquares::new(a, &targets)?)),
        ("logistic", Box::new(Logistic::new(a, &targets)?)),
    ];
    for (loss, f) in losses {
        let ms = least(|| {
            std::hint::black_box(f.gradient(&x, &mut grad));
        });
        let speed = (bytes * a.rows() * a.cols()) as f64 / ms * 1e-6;
        let (rows, cols, order) = (a.rows(), a.cols(), a.order());
        println!("{rows}x{cols} {name} {order:?} {loss}: {ms:.1} ms, {speed:.1} GB/s");
    }
    Ok(())
}

/// The least milliseconds.
fn least(mut work: impl FnMut()) -> f64 {
    let times = (0..REPEATS).map(|_| {
        let begin = Instant::now();
        work();
        1e3 * begin.elapsed().as_secs_f64()
    });
    times.fold(f64::INFINITY, f64::min)
}
