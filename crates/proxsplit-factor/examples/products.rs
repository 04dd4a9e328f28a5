//! Milliseconds of XᵀY and AYᵀ, one repetition for every line of input, so that `bench/kernels.py` can take turns with BLAS:
//! `products ROWS COLUMNS RANK f64|f32|u8 row|column f64|f32`.
//!
//! The instruction set is chosen by `PROXSPLIT_SIMD`, the number of threads by `RAYON_NUM_THREADS`.
#![allow(clippy::print_stdout)]

use proxsplit::data::{Dense, Elements, Order};
use proxsplit_factor::{Data, Lanes};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use std::error::Error;
use std::io::stdin;
use std::time::Instant;

fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [rows, cols, rank, stored, order, factors] = words.as_slice() else {
        return Err("products ROWS COLUMNS RANK f64|f32|u8 row|column f64|f32".into());
    };
    let (rows, cols, rank) = (rows.parse()?, cols.parse()?, rank.parse()?);
    let order = match order.as_str() {
        "row" => Order::RowMajor,
        _ => Order::ColumnMajor,
    };
    let mut random = Pcg64::seed_from_u64(0);
    let bytes: Vec<u8> = (0..rows * cols).map(|_| random.random()).collect();
    let single: Vec<f32>;
    let double: Vec<f64>;
    let elements = match stored.as_str() {
        "u8" => Elements::U8(&bytes),
        "f32" => {
            single = bytes.iter().map(|&b| f32::from(b) / 255.0).collect();
            Elements::F32(&single)
        }
        _ => {
            double = bytes.iter().map(|&b| f64::from(b) / 255.0).collect();
            Elements::F64(&double)
        }
    };
    let dense = Dense::new(rows, cols, order, elements)?;
    match factors.as_str() {
        "f32" => serve(&Data::<f32>::new(dense.into(), 1.0)?, rank),
        _ => serve(&Data::<f64>::new(dense.into(), 1.0)?, rank),
    }
}

/// Prints the milliseconds of both products for every line of input.
fn serve<T: Lanes>(data: &Data<'_, T>, rank: usize) -> Result<(), Box<dyn Error>> {
    let x: Vec<T> = (0..rank * data.rows())
        .map(|i| T::of(1.0 / (i % 97 + 1) as f64))
        .collect();
    let a: Vec<T> = (0..rank * data.cols())
        .map(|i| T::of(1.0 / (i % 89 + 1) as f64))
        .collect();
    let (mut xy, mut ay) = (a.clone(), x.clone());
    println!("{}", proxsplit::simd::level());
    for line in stdin().lines() {
        line?;
        let begin = Instant::now();
        data.with_columns(&mut xy, &x, 0..data.cols());
        let middle = Instant::now();
        data.with_rows(&mut ay, &a, 0..data.cols());
        let ms = [middle - begin, middle.elapsed()].map(|t| 1e3 * t.as_secs_f64());
        println!("{} {}", ms[0], ms[1]);
    }
    Ok(())
}
