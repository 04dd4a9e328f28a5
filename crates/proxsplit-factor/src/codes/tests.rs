//! The inner solvers against optimality conditions, on random and degenerate atoms.

use super::{Effort, Quadratic, Side, Term, active_set};
use crate::products::Lanes;
use proxsplit::prox::{ElasticNet, Huber, L1, NonNegL1};
use proxsplit::set::{BoxSet, NonNeg, Simplex};
use proxsplit::{Elementary, Prox};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

const LONG: Effort = Effort {
    sweeps: 20_000,
    tolerance: 1e-12,
};

/// G and C of `n` columns for 9 atoms of length 6 or 20; atoms 3 and 4 are equal, atom 5 is zero, column 0 is zero.
fn problem(n: usize, length: usize, seed: u64) -> (Vec<f64>, Vec<f64>) {
    let rank = 9;
    let mut random = Pcg64::seed_from_u64(seed);
    let mut draw =
        |count: usize| -> Vec<f64> { (0..count).map(|_| random.random_range(-0.5..1.0)).collect() };
    let mut x = draw(rank * length);
    let y = draw(n * length);
    for i in 0..length {
        x[4 * length + i] = x[3 * length + i];
        x[5 * length + i] = 0.0;
    }
    let inner = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let atoms: Vec<&[f64]> = x.chunks(length).collect();
    let gram = atoms
        .iter()
        .flat_map(|a| atoms.iter().map(|b| inner(a, b)))
        .collect();
    let linear = y
        .chunks(length)
        .enumerate()
        .flat_map(|(t, y)| {
            atoms
                .iter()
                .map(move |a| if t == 0 { 0.0 } else { inner(a, y) })
                .collect::<Vec<_>>()
        })
        .collect();
    (gram, linear)
}

/// The largest proximal residual of a column with step 1/L.
fn worst<T: Lanes>(quadratic: Quadratic<'_, T>, codes: &[T], psi: &dyn Prox<T>) -> f64 {
    let rank = quadratic.rank;
    let step = 1.0 / super::largest_eigenvalue_bound(quadratic.gram, rank);
    let columns = codes.chunks(rank).zip(quadratic.linear.chunks(rank));
    columns
        .map(|(a, c)| {
            let mut moved = vec![T::ZERO; rank];
            super::gradient(quadratic.gram, a, c, &mut moved);
            for (moved, &a) in moved.iter_mut().zip(a) {
                *moved = a - T::of(step) * *moved;
            }
            psi.prox(&mut moved, T::of(step));
            proxsplit::internal::linalg::vec::distance(&moved, a)
        })
        .fold(0.0, f64::max)
}

fn optimal<T: Lanes>(psi: &dyn Prox<T>, tolerance: f64) {
    for (n, length, seed) in [(1, 6, 1), (33, 20, 2), (100, 6, 3), (131, 20, 4)] {
        let (gram, linear) = problem(n, length, seed);
        let gram: Vec<T> = gram.into_iter().map(T::of).collect();
        let linear: Vec<T> = linear.into_iter().map(T::of).collect();
        let quadratic = Quadratic {
            gram: &gram,
            linear: &linear,
            rank: 9,
            own: None,
            weights: None,
        };
        let mut codes = vec![T::of(0.3); 9 * n];
        Term::new(psi, Side::Codes).solve(quadratic, &mut codes, LONG);
        let residual = worst(quadratic, &codes, psi);
        assert!(residual <= tolerance, "residual {residual} for n = {n}");
    }
}

#[test]
fn every_kind_of_term_is_solved() {
    optimal::<f64>(&NonNeg, 1e-9);
    optimal::<f64>(&NonNegL1::new(0.2).unwrap(), 1e-9);
    optimal::<f64>(&L1::new(0.3).unwrap(), 1e-9);
    optimal::<f64>(&ElasticNet::new(0.1, 0.5).unwrap(), 1e-9);
    optimal::<f64>(&BoxSet::new(-0.1, 0.4).unwrap(), 1e-9);
    optimal::<f64>(&Huber::new(0.5, 0.1).unwrap(), 1e-7);
    optimal::<f64>(&Simplex::new(1.0).unwrap(), 1e-7);
    optimal::<f32>(&NonNegL1::new(0.2).unwrap(), 1e-4);
}

/// One sweep by its definition, over the coordinates from `first` of a column under 0.05·Σa over a ≥ 0.
fn plain_sweep(gram: &[f64], c: &[f64], a: &mut [f64], first: usize) {
    let rank = a.len();
    for k in first..rank {
        let others: f64 = (0..rank)
            .filter(|&j| j != k)
            .map(|j| gram[k * rank + j] * a[j])
            .sum();
        let curvature = gram[k * rank + k];
        let free = (c[k] - others - 0.05) / curvature;
        a[k] = if curvature > 0.0 { free.max(0.0) } else { 0.0 };
    }
}

#[test]
fn a_sweep_takes_one_coordinate_after_the_other() {
    let (whole, all) = problem(37, 20, 5);
    let psi = NonNegL1::new(0.05).unwrap();
    let once = Effort {
        sweeps: 1,
        tolerance: 0.0,
    };
    for (rank, first) in (1..=9).flat_map(|rank| (0..rank).map(move |first| (rank, first))) {
        let leading = |lines: &[f64]| -> Vec<f64> {
            lines
                .chunks(9)
                .flat_map(|line| &line[..rank])
                .copied()
                .collect()
        };
        let (gram, linear) = (leading(&whole[..9 * rank]), leading(&all));
        let quadratic = Quadratic {
            gram: &gram,
            linear: &linear,
            rank,
            own: None,
            weights: None,
        };
        let mut found: Vec<f64> = (0..rank * 37).map(|at| (at % 7) as f64 / 7.0).collect();
        let mut expected = found.clone();
        let term = Term::new(&psi, Side::Codes).from(first);
        term.solve(quadratic, &mut found, once);
        for (a, c) in expected.chunks_mut(rank).zip(linear.chunks(rank)) {
            plain_sweep(&gram, c, a, first);
        }
        let apart = proxsplit::internal::linalg::vec::distance(&found, &expected);
        assert!(apart < 1e-12, "rank {rank} from {first}: {apart}");
    }
}

#[test]
fn the_active_set_is_exact_and_no_worse_than_sweeps() {
    let term = Elementary {
        l1: 0.05,
        lower: 0.0,
        ..Elementary::ZERO
    };
    let psi = NonNegL1::new(0.05).unwrap();
    for seed in 0..20 {
        let (gram, linear) = problem(40, 20, seed);
        let quadratic = Quadratic {
            gram: &gram,
            linear: &linear,
            rank: 9,
            own: None,
            weights: None,
        };
        let mut codes = vec![0.0; 9 * 40];
        let rough = Effort {
            sweeps: 3,
            tolerance: 0.0,
        };
        Term::new(&psi, Side::Codes).solve(quadratic, &mut codes, rough);
        active_set::polish(quadratic, &mut codes, term);
        let solved = codes
            .chunks(9)
            .zip(linear.chunks(9))
            .filter(|(a, c)| {
                let one = Quadratic {
                    gram: &gram,
                    linear: c,
                    rank: 9,
                    own: None,
                    weights: None,
                };
                worst(one, a, &psi) <= 1e-10
            })
            .count();
        assert_eq!(solved, 40, "seed {seed}");
        Term::new(&psi, Side::Codes).solve(quadratic, &mut codes, LONG);
        assert!(worst(quadratic, &codes, &psi) <= 1e-9);
    }
}

#[test]
fn sweeps_over_atoms_agree_with_sweeps_over_entries() {
    // A separable term hidden behind a closure of whole vectors must give the same rows of X.
    struct Whole(NonNegL1);
    impl Prox<f64> for Whole {
        fn value(&self, x: &[f64]) -> f64 {
            self.0.value(x)
        }
        fn prox(&self, x: &mut [f64], step: f64) {
            self.0.prox(x, step);
        }
    }
    let psi = NonNegL1::new(0.1).unwrap();
    let (mut gram, linear) = problem(50, 20, 7);
    for k in 0..9 {
        gram[k * 10] += 0.1;
    }
    let quadratic = Quadratic {
        gram: &gram,
        linear: &linear,
        rank: 9,
        own: None,
        weights: None,
    };
    let (mut a, mut b) = (vec![0.2; 450], vec![0.2; 450]);
    Term::new(&psi, Side::Atoms).solve(quadratic, &mut a, LONG);
    Term::new(&Whole(psi), Side::Atoms).solve(quadratic, &mut b, LONG);
    assert!(proxsplit::internal::linalg::vec::distance(&a, &b) < 1e-8);
}
