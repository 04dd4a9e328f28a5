//! Codes, objective and residual against plain loops over the observed entries.

use super::{data, is_missing, with_gaps};
use proxsplit::Mat;
use proxsplit::prox::{Huber, L1, NonNegL1};
use proxsplit::set::{BoxSet, NonNeg, Simplex};
use proxsplit::{Prox, Solver};
use proxsplit_factor::{Factorization, Factors, Loss, Method, Problem, Settings, audit, encode};

const RANK: usize = 4;
const SHAPE: (usize, usize) = (12, 17);

/// Signed data, and atoms of which 1 and the `twin` are equal.
fn example(twin: usize) -> (Mat<f64>, Mat<f64>) {
    let (m, n) = SHAPE;
    let y = Mat::from_fn(m, n, |i, t| {
        ((i * 5 + t * 7 + i * t) % 13) as f64 / 4.0 - 0.7
    });
    let x = Mat::from_fn(m, RANK, |i, k| {
        let k = if k == twin { 1 } else { k };
        0.3 + (0.7 * ((1 + i) * (1 + 2 * k)) as f64).sin()
    });
    (with_gaps(&y), x)
}

fn product(x: &Mat<f64>, a: &[f64], i: usize) -> f64 {
    (0..x.cols()).map(|k| x.col(k)[i] * a[k]).sum()
}

/// ½Σ(y_i − (Xa)_i)² over the observed rows of a column.
fn misfit(y: &Mat<f64>, x: &Mat<f64>, t: usize, a: &[f64]) -> f64 {
    (0..y.rows())
        .filter(|&i| !is_missing(i, t))
        .map(|i| 0.5 * (y.col(t)[i] - product(x, a, i)).powi(2))
        .sum()
}

/// Very many plain proximal gradients.
fn brute_force(y: &Mat<f64>, x: &Mat<f64>, t: usize, psi: &dyn Prox<f64>) -> Vec<f64> {
    let step = 1.0 / x.data().iter().map(|v| v * v).sum::<f64>();
    let mut a = vec![0.1; x.cols()];
    for _ in 0..200_000 {
        let rows = (0..y.rows()).filter(|&i| !is_missing(i, t));
        let residuals: Vec<(usize, f64)> =
            rows.map(|i| (i, product(x, &a, i) - y.col(t)[i])).collect();
        for (k, a) in a.iter_mut().enumerate() {
            let slope: f64 = residuals.iter().map(|&(i, r)| r * x.col(k)[i]).sum();
            *a -= step * slope;
        }
        psi.prox(&mut a, step);
    }
    a
}

#[test]
fn codes_are_those_of_brute_force() {
    let (y, x) = example(2);
    let data = data(&y);
    let terms: [&dyn Prox<f64>; 6] = [
        &NonNeg,
        &NonNegL1::new(0.2).unwrap(),
        &L1::new(0.1).unwrap(),
        &BoxSet::new(0.1, 0.6).unwrap(),
        &Huber::new(0.5, 0.1).unwrap(),
        &Simplex::new(1.0).unwrap(),
    ];
    for (number, psi) in terms.into_iter().enumerate() {
        let codes = encode(&data, Loss::Squared, &x, psi).unwrap();
        for t in 0..SHAPE.1 {
            let value = |a: &[f64]| misfit(&y, &x, t, a) + psi.value(a);
            let (found, best) = (codes.col(t), brute_force(&y, &x, t, psi));
            let excess = value(found) - value(&best);
            assert!(excess <= 1e-8, "term {number}, column {t}: {excess}");
        }
        let nothing: &[f64] = match number {
            3 => &[0.1; RANK],
            5 => codes.col(2),
            _ => &[0.0; RANK],
        };
        assert_eq!(
            codes.col(2),
            nothing,
            "term {number}: the column without data"
        );
    }
}

/// The largest eigenvalue of F·Fᵀ, by its powers.
fn spectral_norm(f: &Mat<f64>) -> f64 {
    let mut v = vec![1.0; f.rows()];
    for _ in 0..2000 {
        let products: Vec<f64> = (0..f.cols())
            .map(|t| f.col(t).iter().zip(&v).map(|(f, v)| f * v).sum())
            .collect();
        let next: Vec<f64> = (0..f.rows())
            .map(|k| (0..f.cols()).map(|t| f.col(t)[k] * products[t]).sum())
            .collect();
        let size = next.iter().map(|v| v * v).sum::<f64>().sqrt();
        v = next.iter().map(|v| v / size).collect();
    }
    (0..f.cols())
        .map(|t| f.col(t).iter().zip(&v).map(|(f, v)| f * v).sum::<f64>())
        .map(|product| product * product)
        .sum()
}

#[test]
fn objective_and_residual_are_those_of_plain_loops() {
    // All different, so that the best codes are unique.
    let (y, x) = example(RANK);
    let (m, n) = SHAPE;
    let data = data(&y);
    let (psi_x, psi_a) = (L1::new(0.05).unwrap(), NonNegL1::new(0.1).unwrap());
    let problem = Problem::new(&data, RANK, &psi_x, &psi_a).unwrap();
    let a = Mat::from_fn(RANK, n, |k, t| ((k * 3 + t * 5) % 7) as f64 / 6.0);
    let found = audit(problem, &Factors::new(&x, a.clone()).unwrap()).unwrap();
    let sum = |a: &Mat<f64>| (0..n).map(|t| misfit(&y, &x, t, a.col(t))).sum::<f64>();
    let near = |a: f64, b: f64| (a - b).abs() <= 1e-7 * b.abs().max(1.0);
    assert!(near(found.misfit, sum(&a)), "{} {}", found.misfit, sum(&a));
    let square: f64 = y.data().iter().filter(|v| !v.is_nan()).map(|v| v * v).sum();
    assert!(near(found.relative_error, (2.0 * sum(&a) / square).sqrt()));

    let best = encode(&data, Loss::Squared, &x, &psi_a).unwrap();
    let penalties: f64 = 0.05 * x.data().iter().map(|v| v.abs()).sum::<f64>();
    let codes: f64 = best.data().iter().sum();
    assert!(near(
        found.best_objective,
        sum(&best) + penalties + 0.1 * codes
    ));

    let of_best = audit(problem, &Factors::new(&x, best.clone()).unwrap()).unwrap();
    assert!(of_best.residual_a < 1e-10, "{}", of_best.residual_a);

    // ‖F − P_η(F − η·slope)‖/η of both factors as they are given, each with η = 1/‖G‖ of the other.
    let transposed = Mat::from_fn(RANK, m, |k, i| x.col(k)[i]);
    let (step_x, step_a) = (1.0 / spectral_norm(&a), 1.0 / spectral_norm(&transposed));
    let difference = |a: &Mat<f64>, i: usize, t: usize| {
        if is_missing(i, t) {
            0.0
        } else {
            product(&x, a.col(t), i) - y.col(t)[i]
        }
    };
    let mut of_x = 0.0;
    for k in 0..RANK {
        let mut moved: Vec<f64> = (0..m)
            .map(|i| {
                let slope: f64 = (0..n).map(|t| difference(&a, i, t) * a.col(t)[k]).sum();
                x.col(k)[i] - step_x * slope
            })
            .collect();
        psi_x.prox(&mut moved, step_x);
        let pairs = moved.iter().zip(x.col(k));
        of_x += pairs.map(|(a, b)| (a - b).powi(2)).sum::<f64>();
    }
    assert!(
        near(found.residual_x, of_x.sqrt() / step_x),
        "{} {}",
        found.residual_x,
        of_x.sqrt() / step_x
    );
    let mut of_a = 0.0;
    for t in 0..n {
        let slope = |k: usize| {
            (0..m)
                .map(|i| difference(&a, i, t) * x.col(k)[i])
                .sum::<f64>()
        };
        let mut moved: Vec<f64> = (0..RANK).map(|k| a.col(t)[k] - step_a * slope(k)).collect();
        psi_a.prox(&mut moved, step_a);
        let pairs = moved.iter().zip(a.col(t));
        of_a += pairs.map(|(a, b)| (a - b).powi(2)).sum::<f64>();
    }
    assert!(
        near(found.residual_a, of_a.sqrt() / step_a),
        "{} {}",
        found.residual_a,
        of_a.sqrt() / step_a
    );
}

/// What a method says about its own pass is what a look finds.
#[test]
fn methods_see_the_objective_that_is_there() {
    let (y, _) = super::gappy(0.05);
    let data = data(&y);
    let psi = NonNegL1::new(0.01).unwrap();
    let problem = Problem::new(&data, 3, &psi, &psi).unwrap();
    for method in [Method::Batch, Method::Incremental, Method::Sggd] {
        // One batch, so that all codes belong to the X at the start of the pass.
        let settings = Settings {
            method,
            batch: Some(90),
            ..Settings::default()
        };
        let mut solver = Factorization::new(problem, settings, None).unwrap();
        let (mut objective, mut seen) = (f64::NAN, f64::NAN);
        for _ in 0..30 {
            objective = solver.measure().objective;
            seen = solver.next().unwrap().objective.unwrap();
        }
        assert!(
            (seen - objective).abs() <= 0.02 * objective,
            "{method}: {seen}, {objective}"
        );
    }
}
