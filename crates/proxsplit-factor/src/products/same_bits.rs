//! The same bits for every number of threads and every instruction set: products, Gram matrices, sums and sweeps.

use super::gram::small_product;
use super::tests::{draw, products, storages};
use super::{Lanes, distance_squared, dot, gram};
use crate::codes::{Effort, Quadratic, Side, Term};
use proxsplit::Prox;
use proxsplit::prox::{Huber, L1, NonNegL1};
use proxsplit::set::{NonNeg, Simplex};
use proxsplit::simd::{Level, with_level};

/// Calls `work` on every level that the processor has, with 1, 2, 3 and 7 threads; all must return the same bits.
pub(super) fn everywhere<T: Lanes>(name: &str, work: impl Fn() -> Vec<T> + Sync) {
    let mut first: Option<Vec<u64>> = None;
    for threads in [1, 2, 3, 7] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        let pool = pool.build().unwrap();
        for level in Level::ALL {
            let Some(found) = with_level(level, || pool.install(&work)) else {
                continue;
            };
            let found: Vec<u64> = found.iter().map(|v| v.f64().to_bits()).collect();
            let first = first.get_or_insert_with(|| found.clone());
            let differ = first.iter().zip(&found).position(|(a, b)| a != b);
            assert_eq!(differ, None, "{name}: {level}, {threads} threads");
        }
    }
}

fn products_agree<T: Lanes>() {
    // Slabs of rows need 512 rows and fewer than 768 columns; the others have several panels.
    for (shape, rank) in [
        ((5, 7), 1),
        ((600, 130), 9),
        ((90, 900), 33),
        ((70, 780), 49),
        // A last row that is alone in its line, over several stretches of rows, one way and the other.
        ((600, 800), 9),
        ((800, 600), 17),
    ] {
        storages(shape, |name, matrix| {
            let name = format!("{name} {shape:?} rank {rank}");
            everywhere(&name, || products::<T>(matrix, rank));
        });
    }
}

#[test]
fn products_in_double_precision() {
    products_agree::<f64>();
}

#[test]
fn products_in_single_precision() {
    products_agree::<f32>();
}

fn sums_agree<T: Lanes>() {
    for (rank, n) in [(1, 3), (4, 9001), (33, 1500), (50, 90)] {
        let (f, c) = (draw::<T>(rank * n), draw::<T>(rank * n + 1));
        everywhere(&format!("sums of {rank}x{n}"), || {
            let mut all = vec![T::ZERO; rank * (rank + n)];
            let (g, gf) = all.split_at_mut(rank * rank);
            gram(g, &f, rank);
            small_product(gf, g, &f, rank);
            // Halves, so that `f32` shows all bits of an `f64`.
            for sum in [dot(&f, &c[1..]), distance_squared(&f, &c[1..])] {
                all.push(T::of(sum));
                all.push(T::of(sum - T::of(sum).f64()));
            }
            all
        });
    }
}

#[test]
fn sums() {
    sums_agree::<f64>();
    sums_agree::<f32>();
}

fn sweeps_agree<T: Lanes>(name: &str, term: &dyn Prox<T>) {
    let effort = Effort {
        sweeps: 7,
        tolerance: 1e-2,
    };
    for (rank, n) in [(1, 5), (4, 300), (9, 130), (33, 70)] {
        let f = draw::<T>(rank * 2 * rank);
        let mut g = vec![T::ZERO; rank * rank];
        gram(&mut g, &f, rank);
        let linear = draw::<T>(rank * n);
        for side in [Side::Codes, Side::Atoms] {
            everywhere(&format!("{name} rank {rank} {side:?}"), || {
                let problem = Quadratic {
                    gram: &g,
                    linear: &linear,
                    rank,
                    own: None,
                    weights: None,
                };
                let mut codes = vec![T::of(0.1); rank * n];
                Term::new(term, side).solve(problem, &mut codes, effort);
                codes
            });
        }
    }
}

fn sweeps_of<T: Lanes>() {
    sweeps_agree::<T>("nonneg", &NonNeg);
    sweeps_agree::<T>("nonneg-l1", &NonNegL1::new(0.05).unwrap());
    sweeps_agree::<T>("l1", &L1::new(0.05).unwrap());
    sweeps_agree::<T>("huber", &Huber::new(0.1, 0.2).unwrap());
    sweeps_agree::<T>("simplex", &Simplex::new(1.0).unwrap());
}

#[test]
fn sweeps() {
    sweeps_of::<f64>();
    sweeps_of::<f32>();
}
