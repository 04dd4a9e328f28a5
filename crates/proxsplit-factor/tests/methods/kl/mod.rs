//! Kullback–Leibler: counts of every kind, against multiplicative updates and the definition.

mod data;

use super::settings;
use proxsplit::Mat;
use proxsplit::data::{Dense, Elements, StorageOrder};
use proxsplit::prox::NonNegL1;
use proxsplit::set::{BoxSet, NonNeg, Simplex};
use proxsplit::{Guarantee, Matrix, Prox, Solver, Stop, run};
use proxsplit_factor::{
    Data, Factorization, Factors, Lanes, Loss, Method, Problem, Settings, audit, encode,
};

const SHAPE: (usize, usize, usize) = (18, 40, 4);

/// Counts of four overlapping topics, about half of them 0; row 3 and column 7 are empty.
fn counts() -> Mat<f64> {
    let (m, n, rank) = SHAPE;
    let mean = |i: usize, t: usize| -> f64 {
        (0..rank)
            .map(|k| {
                let topic = if (i + 2 * k) % 6 < 2 { 2.0 } else { 0.05 };
                topic * ((t * (k + 3) + k) % 5) as f64 / 2.0
            })
            .sum()
    };
    Mat::from_fn(m, n, |i, t| match (i, t) {
        (3, _) | (_, 7) => 0.0,
        _ => (mean(i, t) + ((i * 7 + t * 11) % 4) as f64 / 4.0 - 0.6)
            .round()
            .max(0.0),
    })
}

fn dense(y: &Mat<f64>) -> Matrix<'_> {
    let elements = Elements::F64(y.data());
    Dense::new(y.rows(), y.cols(), StorageOrder::ColumnMajor, elements)
        .unwrap()
        .into()
}

fn kl<'a, T: Lanes>(
    data: &'a Data<'a, T>,
    rank: usize,
    terms: (&'a dyn Prox<T>, &'a dyn Prox<T>),
) -> Problem<'a, T> {
    let problem = Problem::new(data, rank, terms.0, terms.1).unwrap();
    problem.with_loss(Loss::KullbackLeibler).unwrap()
}

/// Σ y log(y/z) − y + z, entry by entry.
fn divergence(y: &Mat<f64>, x: &Mat<f64>, a: &Mat<f64>) -> f64 {
    let mut sum = 0.0;
    for t in 0..y.cols() {
        for i in 0..y.rows() {
            let z: f64 = (0..x.cols()).map(|k| x.col(k)[i] * a.col(t)[k]).sum();
            let y = y.col(t)[i];
            sum += z - y + if y > 0.0 { y * (y / z).ln() } else { 0.0 };
        }
    }
    sum
}

/// a ← a·Xᵀ(y/z)/Xᵀ1 for every column.
fn multiply_codes(y: &Mat<f64>, x: &Mat<f64>, a: &Mat<f64>) -> Mat<f64> {
    Mat::from_fn(a.rows(), a.cols(), |k, t| {
        let (mut pull, mut sum) = (0.0, 0.0);
        for i in 0..y.rows() {
            let z: f64 = (0..x.cols()).map(|j| x.col(j)[i] * a.col(t)[j]).sum();
            let y = y.col(t)[i];
            pull += if y > 0.0 { x.col(k)[i] * y / z } else { 0.0 };
            sum += x.col(k)[i];
        }
        a.col(t)[k] * pull / sum
    })
}

fn start(seed: usize) -> (Mat<f64>, Mat<f64>) {
    let (m, n, rank) = SHAPE;
    let draw = |at: usize| 0.2 + ((at * 7919 + seed * 104_729) % 97) as f64 / 97.0;
    (
        Mat::from_fn(m, rank, |i, k| draw(i * rank + k)),
        Mat::from_fn(rank, n, |k, t| draw(1000 + t * rank + k)),
    )
}

fn end(problem: Problem<'_, f64>, start: Option<Factors<f64>>) -> (f64, Factors<f64>) {
    let mut solver = Factorization::new(problem, Settings::default(), start).unwrap();
    let stop = Stop {
        passes: 400.0,
        ..Stop::default()
    };
    let report = run(&mut solver, &stop, ());
    (
        report.certificate.at_point.objective,
        solver.factors().clone(),
    )
}

#[test]
fn it_beats_a_thousand_multiplicative_updates_from_the_same_start() {
    let y = counts();
    let data = Data::<f64>::new(dense(&y), 1.0).unwrap();
    let problem = kl(&data, SHAPE.2, (&NonNeg, &NonNeg));
    for seed in 0..4 {
        let (mut x, mut a) = start(seed);
        let given = Factors::new(&x, a.clone()).unwrap();
        let mut solver =
            Factorization::new(problem, settings(Method::Batch, 0), Some(given)).unwrap();
        for _ in 0..100 {
            solver.next().unwrap();
        }
        let found = solver.measure().objective;
        let turned = y.transposed();
        for _ in 0..1000 {
            a = multiply_codes(&y, &x, &a);
            x = multiply_codes(&turned, &a.transposed(), &x.transposed()).transposed();
        }
        let theirs = divergence(&y, &x, &a);
        assert!(
            found <= theirs * (1.0 + 1e-3),
            "start {seed}: {found}, but {theirs}"
        );
    }
}

#[test]
fn codes_for_fixed_atoms_are_the_minimizers() {
    let y = counts();
    let (x, mut a) = start(1);
    let data = Data::<f64>::new(dense(&y), 1.0).unwrap();
    let codes = encode(&data, Loss::KullbackLeibler, &x, &NonNeg).unwrap();
    for _ in 0..5000 {
        a = multiply_codes(&y, &x, &a);
    }
    let (found, theirs) = (divergence(&y, &x, &codes), divergence(&y, &x, &a));
    assert!(found <= theirs * (1.0 + 1e-12), "{found} is above {theirs}");
    assert!(codes.col(7).iter().all(|&a| a == 0.0), "of an empty sample");
}

#[test]
fn the_objective_is_that_of_the_definition_and_never_rises_over_plain_passes() {
    let y = counts();
    let data = Data::<f64>::new(dense(&y), 1.0).unwrap();
    let l1 = NonNegL1::new(0.05).unwrap();
    let interval = BoxSet::new(0.0, 0.8).unwrap();
    let terms: [(&dyn Prox<f64>, &dyn Prox<f64>); 3] =
        [(&NonNeg, &NonNeg), (&l1, &l1), (&interval, &l1)];
    for (number, terms) in terms.into_iter().enumerate() {
        let (objective, factors) = end(kl(&data, SHAPE.2, terms), None);
        let (x, a) = (factors.x(), factors.a());
        let penalties: f64 = (0..SHAPE.2).map(|k| terms.0.value(x.col(k))).sum::<f64>()
            + (0..SHAPE.1).map(|t| terms.1.value(a.col(t))).sum::<f64>();
        let expected = divergence(&y, &x, &a) + penalties;
        assert!(expected.is_finite(), "case {number} left its sets");
        assert!(
            (objective - expected).abs() < 1e-9 * expected,
            "case {number}: {objective}, not {expected}"
        );
        // Central differences: no entry can be improved on its own.
        for k in 0..SHAPE.2 {
            for i in 0..SHAPE.0 {
                let shifted = |by: f64| {
                    let other = Mat::from_fn(SHAPE.0, SHAPE.2, |r, c| {
                        x.col(c)[r] + if (r, c) == (i, k) { by } else { 0.0 }
                    });
                    divergence(&y, &other, &a) + terms.0.value(other.col(k))
                };
                let here = shifted(0.0);
                for by in [1e-3, -1e-3] {
                    if shifted(by).is_finite() && x.col(k)[i] + by >= 0.0 {
                        assert!(
                            shifted(by) > here - 2e-4,
                            "case {number}: x[{i},{k}] by {by}"
                        );
                    }
                }
            }
        }
    }
}

#[test]
fn no_theorem_is_claimed_and_the_residual_is_measured() {
    let y = counts();
    let data = Data::<f64>::new(dense(&y), 1.0).unwrap();
    let problem = kl(&data, SHAPE.2, (&NonNeg, &NonNeg));
    let mut solver = Factorization::new(problem, Settings::default(), None).unwrap();
    let stop = Stop {
        passes: 2000.0,
        relative: 1e-6,
        ..Stop::default()
    };
    let report = run(&mut solver, &stop, ());
    let certificate = &report.certificate;
    let Guarantee::None { because } = certificate.of_method.guarantee else {
        panic!("{:?}", certificate.of_method.guarantee)
    };
    assert!(because.contains("kl"), "{because}");
    let pair = certificate.at_point.pair.unwrap();
    assert!(pair.residual() < 1e-6, "{}", pair.residual());
    assert!(pair.codes_gap.unwrap() < 1e-6 * certificate.at_point.objective);
}

#[test]
fn codes_on_the_simplex_are_the_minimizers() {
    let y = counts();
    let (x, _) = start(1);
    let data = Data::<f64>::new(dense(&y), 1.0).unwrap();
    let simplex = Simplex::new(3.0).unwrap();
    let codes = encode(&data, Loss::KullbackLeibler, &x, &simplex).unwrap();
    for t in 0..SHAPE.1 {
        let a = codes.col(t);
        assert!((a.iter().sum::<f64>() - 3.0).abs() < 1e-12 && a.iter().all(|&a| a >= 0.0));
        let value = |a: &[f64]| {
            let z = |i: usize| (0..SHAPE.2).map(|k| x.col(k)[i] * a[k]).sum::<f64>();
            let entry = |i: usize| {
                let (y, z) = (y.col(t)[i], z(i));
                z + if y > 0.0 { -y * z.ln() } else { 0.0 }
            };
            (0..SHAPE.0).map(entry).sum::<f64>()
        };
        let here = value(a);
        for (from, to) in (0..SHAPE.2).flat_map(|from| (0..SHAPE.2).map(move |to| (from, to))) {
            let mut other = a.to_vec();
            let moved = other[from].min(1e-4);
            other[from] -= moved;
            other[to] += moved;
            assert!(value(&other) >= here - 1e-9, "column {t}: {from} to {to}");
        }
    }
    let problem = kl(&data, SHAPE.2, (&NonNeg, &simplex));
    let (objective, factors) = end(problem, None);
    let expected = divergence(&y, &factors.x(), &factors.a());
    assert!((objective - expected).abs() < 1e-9 * expected);
}

#[test]
fn the_audit_is_that_of_the_definition() {
    let y = counts();
    let data = Data::<f64>::new(dense(&y), 1.0).unwrap();
    let l1 = NonNegL1::new(0.3).unwrap();
    let problem = kl(&data, SHAPE.2, (&l1, &l1));
    let (x, a) = start(2);
    let factors = Factors::new(&x, a.clone()).unwrap();
    let found = audit(problem, &factors).unwrap();
    let expected = divergence(&y, &x, &a);
    assert!((found.misfit - expected).abs() <= found.misfit_rounding);
    let penalties = 0.3 * (x.data().iter().sum::<f64>() + a.data().iter().sum::<f64>());
    assert!((found.objective - expected - penalties).abs() < 1e-10 * found.objective);
    let mut solver = Factorization::new(problem, Settings::default(), Some(factors)).unwrap();
    let measured = solver.measure();
    assert!(found.best_objective <= measured.objective * (1.0 + 1e-12));
    let (_, factors) = end(problem, None);
    let found = audit(problem, &factors).unwrap();
    assert!(found.residual_x < 1e-3 * found.scale_x && found.residual_a < 1e-3 * found.scale_a);
}

#[test]
fn incremental_passes_come_near_batch_passes_and_can_be_resumed() {
    let y = counts();
    let data = Data::<f64>::new(dense(&y), 1.0).unwrap();
    let problem = kl(&data, SHAPE.2, (&NonNeg, &NonNeg));
    let (x, a) = start(0);
    let begin = |method| {
        let given = Factors::new(&x, a.clone()).unwrap();
        Factorization::new(problem, settings(method, 10), Some(given)).unwrap()
    };
    let mut batch = begin(Method::Batch);
    for _ in 0..200 {
        batch.next().unwrap();
    }
    let (mut solver, mut saved) = (begin(Method::Incremental), None);
    for step in 0..1600 {
        if step == 803 {
            saved = Some(solver.state());
        }
        solver.next().unwrap();
    }
    let (found, best) = (solver.measure(), batch.measure().objective);
    assert!(
        found.objective < 1.05 * best,
        "{} against {best}",
        found.objective
    );
    assert!(found.feasible);
    let state = saved.unwrap();
    let arrays = state.arrays.into_iter().map(|(n, a)| (n.to_string(), a));
    let mut resumed = begin(Method::Incremental);
    resumed.restore(&state.header, arrays.collect()).unwrap();
    for _ in 803..1600 {
        resumed.next().unwrap();
    }
    assert!(resumed.factors() == solver.factors(), "resumed");
}

#[test]
fn a_dead_atom_is_replaced() {
    let y = counts();
    let data = Data::<f64>::new(dense(&y), 1.0).unwrap();
    let problem = kl(&data, SHAPE.2, (&NonNeg, &NonNeg));
    let (x, a) = start(0);
    let dead = |mat: &Mat<f64>, by_rows: bool| {
        Mat::from_fn(mat.rows(), mat.cols(), |i, j| {
            if (by_rows && i == 1) || (!by_rows && j == 1) {
                0.0
            } else {
                mat.col(j)[i]
            }
        })
    };
    let given = Factors::new(&dead(&x, false), dead(&a, true)).unwrap();
    let mut solver = Factorization::new(problem, Settings::default(), Some(given)).unwrap();
    let before = solver.measure();
    let pair = before.pair.unwrap();
    assert_eq!(pair.dead_atoms, 1);
    let gain = pair.escape.unwrap();
    assert!(gain > 0.0);
    solver.next().unwrap();
    let after = solver.measure();
    assert_eq!(after.pair.unwrap().dead_atoms, 0);
    assert!(
        after.objective <= before.objective - gain,
        "{} from {}",
        after.objective,
        before.objective
    );
}
