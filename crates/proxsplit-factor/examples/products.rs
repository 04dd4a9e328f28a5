//! Milliseconds of XᵀY and AYᵀ, one repetition for every line of input, so that `bench/kernels.py` can take turns with BLAS:
//! `products ROWS COLUMNS RANK f64|f32|u8|ones|counts row|column f64|f32`. The matrix is random; `ones` and `counts` are sparse with
//! about eight and a hundred entries a line, and a third number is the time of AYᵀ by scattering, on one thread.
//!
//! The instruction set is chosen by `PROXSPLIT_SIMD`, the number of threads by `RAYON_NUM_THREADS`.
#![allow(clippy::print_stdout)]

use proxsplit::data::{Dense, Elements, Indices, Matrix, Sparse, StorageOrder};
use proxsplit_factor::{Data, Lanes};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use std::error::Error;
use std::io::stdin;
use std::time::Instant;

fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [rows, cols, rank, stored, order, factors] = words.as_slice() else {
        return Err("products ROWS COLUMNS RANK f64|f32|u8|ones|counts row|column f64|f32".into());
    };
    let (rows, cols, rank) = (rows.parse()?, cols.parse()?, rank.parse()?);
    let order = match order.as_str() {
        "row" => StorageOrder::RowMajor,
        _ => StorageOrder::ColumnMajor,
    };
    match stored.as_str() {
        "ones" => return sparse((rows, cols), rank, order, (8, 1), factors),
        "counts" => return sparse((rows, cols), rank, order, (100, 9), factors),
        _ => {}
    }
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
    start(dense.into(), rank, factors)
}

/// A sparse matrix of integers up to `largest`, with `entries` a line.
fn sparse(
    (rows, cols): (usize, usize),
    rank: usize,
    order: StorageOrder,
    (entries, largest): (usize, u8),
    factors: &str,
) -> Result<(), Box<dyn Error>> {
    let (lines, width) = match order {
        StorageOrder::RowMajor => (rows, cols),
        StorageOrder::ColumnMajor => (cols, rows),
    };
    let mut random = Pcg64::seed_from_u64(0);
    let (mut starts, mut places, mut values) = (vec![0_i64], Vec::new(), Vec::new());
    for _ in 0..lines {
        let mut line: Vec<i32> = (0..entries)
            .map(|_| i32::try_from(random.random_range(0..width)))
            .collect::<Result<_, _>>()?;
        line.sort_unstable();
        line.dedup();
        values.extend(line.iter().map(|_| random.random_range(1..=largest)));
        places.extend(line);
        starts.push(i64::try_from(places.len())?);
    }
    let (starts, places) = (Indices::I64(&starts), Indices::I32(&places));
    let sparse = Sparse::new((rows, cols), order, starts, places, Elements::U8(&values))?;
    start(sparse.into(), rank, factors)
}

fn start(matrix: Matrix<'_>, rank: usize, factors: &str) -> Result<(), Box<dyn Error>> {
    match factors {
        "f32" => serve(&Data::<f32>::new(matrix, 1.0)?, rank),
        _ => serve(&Data::<f64>::new(matrix, 1.0)?, rank),
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
        // On a thread of the pool, as in a pass: waking it is no part of a product.
        let times = rayon::scope(|_| {
            let begin = Instant::now();
            data.with_columns(&mut xy, &x, 0..data.cols());
            let middle = Instant::now();
            data.with_rows(&mut ay, &a, 0..data.cols());
            let end = Instant::now();
            let mut times = vec![middle - begin, end - middle];
            if data.is_sparse() {
                // All columns but one are not gathered but scattered.
                data.with_rows(&mut ay, &a[rank..], 1..data.cols());
                times.push(end.elapsed());
            }
            times
        });
        let ms: Vec<String> = times
            .iter()
            .map(|t| (1e3 * t.as_secs_f64()).to_string())
            .collect();
        println!("{}", ms.join(" "));
    }
    Ok(())
}
