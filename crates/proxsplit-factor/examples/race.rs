//! Objective against seconds on stored data: `race DATA.npy RANK SCALE [method=batch] [passes=20] [seeds=1] …`.
#![allow(clippy::print_stdout, clippy::unwrap_used)]

use proxsplit::data::{Dense, Elements, Indices, Matrix, Sparse, StorageOrder};
use proxsplit::prox::NonNegL1;
use proxsplit_factor::{Data, Factorization, Init, Lanes, Method, Problem, Settings, Step};
use std::time::Instant;

/// The value of `name=value` among the arguments.
fn option(name: &str, usual: f64) -> f64 {
    std::env::args()
        .find_map(|a| a.strip_prefix(&format!("{name}="))?.parse().ok())
        .unwrap_or(usual)
}

/// Header and body of an `.npy` file.
fn npy(path: &str) -> (String, Vec<u8>) {
    let bytes = std::fs::read(path).unwrap();
    let header = 10 + usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
    (
        String::from_utf8_lossy(&bytes[10..header]).into(),
        bytes[header..].to_vec(),
    )
}

fn shape(header: &str) -> Vec<usize> {
    let inside = header.split("'shape': (").nth(1).unwrap();
    let inside = inside.split(')').next().unwrap();
    inside
        .split(',')
        .filter_map(|n| n.trim().parse().ok())
        .collect()
}

fn main() {
    let path = std::env::args().nth(1).unwrap();
    let number = |at| std::env::args().nth(at).unwrap().parse::<f64>().unwrap();
    let (rank, scale) = (number(2) as usize, number(3));
    let f64s = |b: &[u8]| -> Vec<f64> {
        b.chunks_exact(8)
            .map(|c| f64::from_le_bytes(c.try_into().unwrap()))
            .collect()
    };
    let i32s = |b: &[u8]| -> Vec<i32> {
        b.chunks_exact(4)
            .map(|c| i32::from_le_bytes(c.try_into().unwrap()))
            .collect()
    };
    let i64s = |b: &[u8]| -> Vec<i64> {
        b.chunks_exact(8)
            .map(|c| i64::from_le_bytes(c.try_into().unwrap()))
            .collect()
    };
    if let Some(prefix) = path.strip_suffix("_indptr.npy") {
        let starts = i64s(&npy(&path).1);
        let indices = i32s(&npy(&format!("{prefix}_indices.npy")).1);
        let values = f64s(&npy(&format!("{prefix}_data.npy")).1);
        let n = starts.len() - 1;
        let sparse = Sparse::new(
            (n, n),
            StorageOrder::RowMajor,
            Indices::I64(&starts),
            Indices::I32(&indices),
            Elements::F64(&values),
        );
        return race(sparse.unwrap().into(), rank, scale);
    }
    let (header, bytes) = npy(&path);
    let shape = shape(&header);
    let order = if header.contains("'fortran_order': True") {
        StorageOrder::ColumnMajor
    } else {
        StorageOrder::RowMajor
    };
    let wide = if header.contains("f8") {
        f64s(&bytes)
    } else {
        Vec::new()
    };
    let elements = if wide.is_empty() {
        Elements::U8(&bytes)
    } else {
        Elements::F64(&wide)
    };
    let dense = Dense::new(shape[0], shape[1], order, elements).unwrap();
    race(dense.into(), rank, scale);
}

fn race(matrix: Matrix<'_>, rank: usize, scale: f64) {
    if option("f32", 0.0) == 1.0 {
        run::<f32>(matrix, rank, scale);
    } else {
        run::<f64>(matrix, rank, scale);
    }
}

fn run<T: Lanes>(matrix: Matrix<'_>, rank: usize, scale: f64) {
    let begin = Instant::now();
    let data = Data::<T>::new(matrix, scale).unwrap();
    println!("set-up {:.3} s", begin.elapsed().as_secs_f64());
    let psi_x = NonNegL1::new(option("lambda", 0.0)).unwrap();
    let psi_a = NonNegL1::new(option("gamma", 0.0)).unwrap();
    let problem = Problem::new(&data, rank, &psi_x, &psi_a).unwrap();
    let named = |name: &str| std::env::args().any(|a| a == format!("method={name}"));
    let method = [
        Method::Batch,
        Method::Incremental,
        Method::Aggregated,
        Method::Sggd,
    ]
    .into_iter()
    .find(|m| named(&m.to_string()))
    .unwrap_or_default();
    let first = option("seed", 0.0) as u64;
    for seed in first..first + option("seeds", 1.0) as u64 {
        let settings = Settings {
            method,
            seed,
            batch: Some(option("batch", 0.0) as usize).filter(|b| *b > 0),
            step: match option("step", 0.0) {
                0.0 => Step::Auto,
                step => Step::Constant(step),
            },
            init: [
                Init::Auto,
                Init::Random,
                Init::Nndsvd,
                Init::Nndsvda,
                Init::Nndsvdar,
            ][option("init", 0.0) as usize],
            ..Settings::default()
        };
        let (clock, spent) = (Instant::now(), processor());
        let mut run = Factorization::new(problem, settings, None).unwrap();
        println!(
            "{} (start at {:.3} s)",
            run.picked(),
            clock.elapsed().as_secs_f64()
        );
        let every = option("every", 1.0);
        for progress in run.by_ref() {
            if progress.passes.fract() == 0.0 && progress.passes % every == 0.0 {
                println!(
                    "{seed} pass {:3} {:.3} s ({:.3} busy) {:.1}",
                    progress.passes,
                    clock.elapsed().as_secs_f64(),
                    processor() - spent,
                    progress.objective.unwrap_or(f64::NAN)
                );
            }
            if progress.passes >= option("passes", 20.0) {
                break;
            }
        }
        if option("measure", 0.0) == 1.0 {
            println!("{:?}", proxsplit::Solver::measure(&mut run));
        }
    }
}

/// Half the processor's seconds: the clock of an idle machine with two cores.
fn processor() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap();
    let fields: Vec<&str> = stat
        .rsplit(')')
        .next()
        .unwrap()
        .split_whitespace()
        .collect();
    fields[11].parse::<f64>().unwrap() / 200.0
}
