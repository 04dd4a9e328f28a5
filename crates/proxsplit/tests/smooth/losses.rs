//! Every loss on every storage, in both precisions, against its definition in a plain loop.

use super::storages::Sample;
use proxsplit::data::Matrix;
use proxsplit::internal::linalg::vec::{distance, norm};
use proxsplit::smooth::{Cauchy, GemanMcClure, HuberRegression, LeastSquares, Logistic, Sigmoid};
use proxsplit::{FiniteSum, Real, check};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

/// The definition of a loss: (z, b) → (ℓ, ℓ′).
type Scalar = fn(f64, f64) -> (f64, f64);
type Term<'a, T> = Box<dyn FiniteSum<T> + 'a>;

/// Relative difference of two `f64` sums in different order.
const ROUNDING: f64 = 1e-13;
const LOSSES: [&str; 6] = ["squares", "logistic", "huber", "sigmoid", "cauchy", "geman"];

fn make<'a, T: Real>(loss: &str, a: Matrix<'a>, b: &[T]) -> (Term<'a, T>, Scalar) {
    match loss {
        "squares" => (Box::new(LeastSquares::new(a, b).unwrap()), |z, b| {
            ((z - b).powi(2) / 2.0, z - b)
        }),
        "logistic" => (Box::new(Logistic::new(a, b).unwrap()), |z, b| {
            ((1.0 + (-b * z).exp()).ln(), -b / (1.0 + (b * z).exp()))
        }),
        "huber" => (
            Box::new(HuberRegression::new(a, b, 0.7).unwrap()),
            |z, b| {
                let r: f64 = z - b;
                if r.abs() <= 0.7 {
                    (r * r / 2.0, r)
                } else {
                    (0.7 * r.abs() - 0.245, 0.7 * r.signum())
                }
            },
        ),
        "sigmoid" => (Box::new(Sigmoid::new(a, b).unwrap()), |z, b| {
            let e = (b * z).exp();
            (1.0 / (1.0 + e), -b * e / (1.0 + e).powi(2))
        }),
        "cauchy" => (Box::new(Cauchy::new(a, b, 2.0).unwrap()), |z, b| {
            let r = z - b;
            (2.0 * (1.0 + r * r / 4.0).ln(), r / (1.0 + r * r / 4.0))
        }),
        "geman" => (Box::new(GemanMcClure::new(a, b, 2.0).unwrap()), |z, b| {
            let (r, q) = (z - b, 1.0 + (z - b) * (z - b) / 4.0);
            (r * r / 2.0 / q, r / (q * q))
        }),
        _ => unreachable!(),
    }
}

/// Labels ±1, which are targets for the other losses too, and points.
fn labels<T: Real>(n: usize, random: &mut Pcg64) -> Vec<T> {
    (0..n)
        .map(|_| T::of(if random.random_bool(0.5) { 1.0 } else { -1.0 }))
        .collect()
}

fn point<T: Real>(n: usize, size: f64, random: &mut Pcg64) -> Vec<T> {
    (0..n)
        .map(|_| T::of(size * random.random_range(-1.0..1.0)))
        .collect()
}

fn naive<T: Real>(entries: &[f64], b: &[T], x: &[T], loss: Scalar) -> (f64, Vec<f64>) {
    let (mut value, mut grad) = (0.0, vec![0.0; x.len()]);
    for (row, b) in entries.chunks(x.len()).zip(b) {
        let z = row.iter().zip(x).map(|(a, x)| a * x.f64()).sum();
        let (v, slope) = loss(z, b.f64());
        value += v;
        for (grad, a) in grad.iter_mut().zip(row) {
            *grad += slope * a;
        }
    }
    (value, grad)
}

fn agrees_with_the_definition<T: Real>(rows: usize, cols: usize) {
    let mut random = Pcg64::seed_from_u64(rows as u64);
    let b = labels::<T>(rows, &mut random);
    let mut x = point::<T>(cols, 1.5 / (cols as f64).sqrt(), &mut random);
    x[cols / 2] = T::ZERO;
    Sample::new(rows, cols, 3).each(&mut |storage, a, entries| {
        for loss in LOSSES {
            let (f, scalar) = make(loss, a, &b);
            let (value, expected) = naive(entries, &b, &x, scalar);
            let mut grad = vec![T::of(7.0); cols];
            let found = f.gradient(&x, &mut grad);
            assert_eq!(
                found,
                f.value(&x),
                "{loss} {storage}: value with and without gradient"
            );
            assert!(
                (found - value).abs() <= ROUNDING * value,
                "{loss} {storage}: {found} is not {value}"
            );
            let grad: Vec<f64> = grad.iter().map(|g| g.f64()).collect();
            let gap = distance(&grad, &expected);
            let allowed = (T::EPSILON.f64() + ROUNDING) * norm(&expected);
            assert!(gap <= allowed, "{loss} {storage}: gradient off by {gap}");
        }
    });
}

#[test]
fn every_loss_and_storage_agrees_with_the_definition() {
    agrees_with_the_definition::<f64>(37, 19);
    agrees_with_the_definition::<f32>(37, 19);
    agrees_with_the_definition::<f64>(5, 70);
    agrees_with_the_definition::<f32>(1, 1);
}

#[test]
fn panels_in_parallel_agree_with_the_definition() {
    agrees_with_the_definition::<f64>(1201, 130);
    agrees_with_the_definition::<f32>(700, 301);
}

fn terms_and_slopes<T: Real>() {
    let (rows, cols) = (23, 9);
    let mut random = Pcg64::seed_from_u64(5);
    let b = labels::<T>(rows, &mut random);
    Sample::new(rows, cols, 8).each(&mut |storage, a, _| {
        for loss in LOSSES {
            let (f, _) = make(loss, a, &b);
            let x = point::<T>(cols, 0.4, &mut random);
            let name = |fault| format!("{loss} {storage}: {fault}");
            check::gradient_at::<T>(&*f, &x).map_err(name).unwrap();
            check::terms_at(&*f, &x).map_err(name).unwrap();
        }
    });
}

#[test]
fn gradients_match_differences_and_terms_sum_to_the_whole() {
    terms_and_slopes::<f64>();
    terms_and_slopes::<f32>();
}

#[test]
fn one_batch_of_all_rows_has_the_bits_of_the_gradient() {
    for (rows, cols) in [(40, 12), (1201, 130), (3, 50)] {
        let mut random = Pcg64::seed_from_u64(1);
        let b = labels::<f32>(rows, &mut random);
        let x = point::<f32>(cols, 0.3, &mut random);
        let all: Vec<usize> = (0..rows).collect();
        Sample::new(rows, cols, 2).each(&mut |storage, a, _| {
            let (f, _) = make("logistic", a, &b);
            let (mut whole, mut batch) = (vec![0.0; cols], vec![0.0; cols]);
            let value = f.gradient(&x, &mut whole);
            assert_eq!(value, f.add_gradient(&all, &x, &mut batch), "{storage}");
            assert_eq!(whole, batch, "{storage}");
        });
    }
}

#[test]
fn batches_add_in_any_order_and_with_repetitions() {
    let (rows, cols) = (400, 250);
    let mut random = Pcg64::seed_from_u64(1);
    let b = labels::<f64>(rows, &mut random);
    let x = point::<f64>(cols, 0.3, &mut random);
    let batch: Vec<usize> = (0..700).map(|_| random.random_range(0..rows)).collect();
    Sample::new(rows, cols, 2).each(&mut |storage, a, entries| {
        let (f, scalar) = make("logistic", a, &b);
        let picked: Vec<f64> = batch
            .iter()
            .flat_map(|&i| entries[i * cols..][..cols].to_vec())
            .collect();
        let targets: Vec<f64> = batch.iter().map(|&i| b[i]).collect();
        let (value, mut expected) = naive(&picked, &targets, &x, scalar);
        for g in &mut expected {
            *g += 1.0;
        }
        let mut grad = vec![1.0; cols];
        let found = f.add_gradient(&batch, &x, &mut grad);
        assert!((found - value).abs() <= ROUNDING * value, "{storage}");
        assert!(
            distance(&grad, &expected) <= ROUNDING * norm(&expected),
            "{storage}"
        );
    });
}

#[test]
fn the_number_of_threads_does_not_change_a_bit() {
    let (rows, cols) = (1500, 200);
    let mut random = Pcg64::seed_from_u64(9);
    let b = labels::<f64>(rows, &mut random);
    let x = point::<f64>(cols, 0.3, &mut random);
    Sample::new(rows, cols, 4).each(&mut |storage, a, _| {
        let (f, _) = make("cauchy", a, &b);
        let with_threads = |threads| {
            let pool = rayon::ThreadPoolBuilder::new()
                .num_threads(threads)
                .build()
                .unwrap();
            pool.install(|| {
                let mut grad = vec![0.0; cols];
                (f.gradient(&x, &mut grad), f.value(&x), grad)
            })
        };
        let one = with_threads(1);
        assert_eq!(one, with_threads(2), "{storage}");
        assert_eq!(one, with_threads(3), "{storage}");
    });
}

fn constants_and_convexity<T: Real>() {
    let (rows, cols) = (30, 6);
    let mut random = Pcg64::seed_from_u64(11);
    let b = labels::<T>(rows, &mut random);
    Sample::new(rows, cols, 4).each(&mut |storage, a, _| {
        for loss in LOSSES {
            let (f, _) = make(loss, a, &b);
            let (whole, term) = (f.lipschitz(), f.term_lipschitz());
            assert!(matches!(whole, proxsplit::Lipschitz::Known(_)));
            for round in 0..20 {
                let (x, d) = (
                    point::<T>(cols, 1.0, &mut random),
                    point::<T>(cols, [0.01, 0.3, 3.0][round % 3], &mut random),
                );
                let y: Vec<T> = x.iter().zip(&d).map(|(&x, &d)| x + d).collect();
                let slope = |rows: &[usize]| {
                    let (mut at_x, mut at_y) = (vec![T::ZERO; cols], vec![T::ZERO; cols]);
                    f.add_gradient(rows, &x, &mut at_x);
                    f.add_gradient(rows, &y, &mut at_y);
                    let rounding = 4.0 * T::EPSILON.f64() * (norm(&at_x) + norm(&at_y));
                    (distance(&at_x, &at_y) - rounding) / distance(&x, &y)
                };
                let all: Vec<usize> = (0..rows).collect();
                assert!(slope(&all) <= whole.value().unwrap(), "{loss} {storage}");
                assert!(slope(&[round]) <= term.value().unwrap(), "{loss} {storage}");
                let middle: Vec<T> = x
                    .iter()
                    .zip(&d)
                    .map(|(&x, &d)| x + d / T::of(2.0))
                    .collect();
                let chord = f64::midpoint(f.value(&x), f.value(&y));
                let slack = 20.0 * T::EPSILON.f64() * (1.0 + chord);
                assert!(
                    !f.is_convex() || f.value(&middle) <= chord + slack,
                    "{loss} {storage}"
                );
            }
        }
    });
}

#[test]
fn gradients_are_lipschitz_and_convex_flags_hold() {
    constants_and_convexity::<f64>();
    constants_and_convexity::<f32>();
}
