//! The bits of X and A after a few passes of every method, for every storage, kind of term and number type.
//!
//! A change that is not meant to change numbers must leave `bits.txt` as it is. After one that is, the failing test prints the new lines.
//! Logarithms and powers come from the system, so the file is about one platform.
#![cfg(all(target_os = "linux", target_arch = "x86_64", target_env = "gnu"))]

use super::METHODS;
use proxsplit::Prox;
use proxsplit::data::{Dense, Elements, StorageOrder};
use proxsplit::prox::{Huber, NonNegL1};
use proxsplit::set::{BoxSet, L2Ball, NonNeg, Simplex};
use proxsplit::simd::{Level, with_level};
use proxsplit_factor::{
    Data, Factorization, Generated, Inner, Lanes, Method, Missing, Problem, Settings,
};

const STORAGES: [&str; 4] = ["dense", "sparse", "gaps", "ratings"];
const TERMS: [&str; 4] = ["nonneg", "l1", "box-huber", "ball-simplex"];

/// How large the data are, and for how many passes a run lasts.
#[derive(Clone, Copy)]
struct Size {
    rows: usize,
    cols: usize,
    /// Entries of sparse data.
    stored: usize,
    batch: usize,
    passes: f64,
}

const SMALL: Size = Size {
    rows: 26,
    cols: 70,
    stored: 450,
    batch: 20,
    passes: 5.0,
};
/// Enough for several tasks in every kernel.
const LARGE: Size = Size {
    rows: 900,
    cols: 1300,
    stored: 60_000,
    batch: 400,
    passes: 2.0,
};

/// Calls `work` with data that are stored in some way.
fn with_data<T: Lanes, R>(storage: &str, size: Size, work: impl FnOnce(&Data<'_, T>) -> R) -> R {
    let Size {
        rows, cols, stored, ..
    } = size;
    let open = |matrix, missing| Data::<T>::with_missing(matrix, 2.0, missing).unwrap();
    let graph = format!("webgraph:{rows}x{cols},{stored}");
    let graph = Generated::parse(&graph, 5).unwrap().unwrap();
    let values: Vec<f64> = (0..rows * cols)
        .map(|at| match (storage, (at * 7 + at / rows) % 10) {
            ("gaps", 0..3) => f64::NAN,
            (_, rest) => rest as f64 + (at % 13) as f64 / 8.0,
        })
        .collect();
    let dense = Dense::new(
        rows,
        cols,
        StorageOrder::ColumnMajor,
        Elements::F64(&values),
    )
    .unwrap();
    match storage {
        "dense" => work(&open(dense.into(), Missing::None)),
        "gaps" => work(&open(dense.into(), Missing::Nan)),
        "sparse" => work(&open(graph.matrix().unwrap(), Missing::None)),
        _ => work(&open(graph.matrix().unwrap(), Missing::Unstored)),
    }
}

/// Calls `work` with the terms of X and of A.
fn with_terms<T: Lanes, R>(terms: &str, work: impl FnOnce(&dyn Prox<T>, &dyn Prox<T>) -> R) -> R {
    match terms {
        "nonneg" => work(&NonNeg, &NonNeg),
        "l1" => work(&NonNegL1::new(0.02).unwrap(), &NonNegL1::new(0.3).unwrap()),
        "box-huber" => work(
            &BoxSet::new(-0.5, 1.0).unwrap(),
            &Huber::new(0.1, 0.2).unwrap(),
        ),
        _ => work(&L2Ball::new(1.0).unwrap(), &Simplex::new(3.0).unwrap()),
    }
}

/// FNV-1a over the bits of X and A after some passes; `None` if the method refuses the problem.
fn digest<T: Lanes>(method: Method, storage: &str, terms: &str, size: Size) -> Option<u64> {
    let settings = Settings {
        method,
        seed: 3,
        batch: Some(size.batch),
        inner: if terms == "l1" {
            Inner::Identity
        } else {
            Inner::Prox
        },
        ..Settings::default()
    };
    with_data::<T, _>(storage, size, |data| {
        with_terms::<T, _>(terms, |atoms, codes| {
            let problem = Problem::new(data, 5, atoms, codes).unwrap();
            let mut solver = Factorization::new(problem, settings, None).ok()?;
            while solver.next().unwrap().passes < size.passes {}
            let (x, a) = (solver.factors().x(), solver.factors().a());
            let numbers = x.data().iter().chain(a.data());
            let bytes = numbers.flat_map(|v| v.f64().to_bits().to_le_bytes());
            Some(bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
                (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
            }))
        })
    })
}

fn lines() -> Vec<String> {
    let mut lines = Vec::new();
    for method in METHODS {
        for storage in STORAGES {
            for terms in TERMS {
                let found = [
                    ("f64", digest::<f64>(method, storage, terms, SMALL)),
                    ("f32", digest::<f32>(method, storage, terms, SMALL)),
                ];
                for (dtype, bits) in found {
                    let bits = bits.map_or("refused".into(), |bits| format!("{bits:016x}"));
                    lines.push(format!("{method} {storage} {terms} {dtype} {bits}"));
                }
            }
        }
    }
    lines
}

#[test]
fn runs_keep_their_bits_on_every_instruction_set() {
    for level in Level::ALL {
        let Some(found) = with_level(level, lines) else {
            continue;
        };
        let expected: Vec<&str> = include_str!("bits.txt").lines().collect();
        let differ = found.iter().zip(&expected).position(|(a, b)| a != b);
        assert!(
            differ.is_none() && found.len() == expected.len(),
            "{level}, line {differ:?}:\n{}",
            found.join("\n")
        );
    }
}

/// The digests of larger runs of every method on every storage.
fn of_several_tasks() -> Vec<(Method, &'static str, [Option<u64>; 2])> {
    let pairs = METHODS.into_iter().flat_map(|m| STORAGES.map(|s| (m, s)));
    pairs
        .map(|(method, storage)| {
            let double = digest::<f64>(method, storage, "nonneg", LARGE);
            let single = digest::<f32>(method, storage, "nonneg", LARGE);
            (method, storage, [double, single])
        })
        .collect()
}

#[test]
fn runs_keep_their_bits_for_every_number_of_threads() {
    let with_threads = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        pool.build().unwrap().install(of_several_tasks)
    };
    let expected = with_threads(1);
    for threads in [2, 3, 7] {
        assert_eq!(with_threads(threads), expected, "{threads} threads");
    }
    // Fused multiply-add in software would take long here; small runs have it.
    for level in Level::ALL.into_iter().filter(|l| *l != Level::Scalar) {
        if let Some(found) = with_level(level, of_several_tasks) {
            assert_eq!(found, expected, "{level}");
        }
    }
}
