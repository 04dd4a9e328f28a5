//! Value, slopes and gap against the definition.

use super::KullbackLeibler;
use crate::misfit::Misfit;
use crate::products::{Data, Lanes};
use crate::{Factors, Loss, Problem};
use proxsplit::Mat;
use proxsplit::data::{Dense, Elements, StorageOrder};
use proxsplit::prox::NonNegL1;

const SHAPE: (usize, usize, usize) = (7, 9, 3);

/// Counts with zeros, an empty row and an empty column.
fn counts() -> Vec<f64> {
    let (m, n, _) = SHAPE;
    (0..m * n)
        .map(|at| match (at % m, at / m) {
            (2, _) | (_, 5) => 0.0,
            (i, t) => ((i * 5 + t * 3 + i * t) % 6) as f64,
        })
        .collect()
}

fn factors<T: Lanes>() -> Factors<T> {
    let (m, n, rank) = SHAPE;
    let x = Mat::from_fn(m, rank, |i, k| {
        T::of(0.2 + ((i * 3 + k * 5) % 7) as f64 / 5.0)
    });
    let a = Mat::from_fn(rank, n, |k, t| T::of(0.1 + ((k * 4 + t) % 5) as f64 / 3.0));
    Factors::new(&x, a).unwrap()
}

fn divergence(y: &[f64], factors: &Factors<f64>) -> f64 {
    let (m, n, rank) = SHAPE;
    let mut sum = 0.0;
    for t in 0..n {
        for i in 0..m {
            let z: f64 = (0..rank)
                .map(|k| factors.x[i * rank + k] * factors.a[t * rank + k])
                .sum();
            let y = y[t * m + i] / 2.0;
            sum += z - y + if y > 0.0 { y * (y / z).ln() } else { 0.0 };
        }
    }
    sum
}

#[test]
fn value_and_slopes_are_those_of_the_definition() {
    let (m, n, rank) = SHAPE;
    let y = counts();
    for order in [StorageOrder::ColumnMajor, StorageOrder::RowMajor] {
        let stored: Vec<f64> = match order {
            StorageOrder::ColumnMajor => y.clone(),
            StorageOrder::RowMajor => (0..m * n).map(|at| y[at % n * m + at / n]).collect(),
        };
        let dense = Dense::new(m, n, order, Elements::F64(&stored)).unwrap();
        let data = Data::<f64>::new(dense.into(), 2.0).unwrap();
        let mut misfit = KullbackLeibler::new(&data, rank);
        let mut at = factors::<f64>();
        let found = misfit.slopes(&at);
        let expected = divergence(&y, &at);
        assert!((found.misfit - expected).abs() < 1e-12 * expected);
        let h = 1e-6;
        for (place, slope) in found.x.iter().chain(&found.a).enumerate() {
            let length = at.x.len();
            let mut shifted = |by: f64| {
                let entry = if place < length {
                    &mut at.x[place]
                } else {
                    &mut at.a[place - length]
                };
                *entry += by;
                let value = divergence(&y, &at);
                let entry = if place < length {
                    &mut at.x[place]
                } else {
                    &mut at.a[place - length]
                };
                *entry -= by;
                value
            };
            let quotient = (shifted(h) - shifted(-h)) / (2.0 * h);
            assert!(
                (quotient - slope).abs() < 1e-6,
                "{place}: {quotient}, not {slope}"
            );
        }
    }
}

#[test]
fn the_gap_bounds_what_codes_lack() {
    let (m, n, rank) = SHAPE;
    let y = counts();
    let dense = Dense::new(m, n, StorageOrder::ColumnMajor, Elements::F64(&y)).unwrap();
    let data = Data::<f64>::new(dense.into(), 2.0).unwrap();
    let psi = NonNegL1::new(0.2).unwrap();
    let problem = Problem::new(&data, rank, &psi, &psi)
        .and_then(|problem| problem.with_loss(Loss::KullbackLeibler))
        .unwrap();
    let mut misfit = problem.misfit();
    let gap_of = |misfit: &mut dyn Misfit<f64>, at: &Factors<f64>| {
        let findings = crate::look::at(problem, misfit, at.clone());
        let pair = findings.at.pair.unwrap();
        (findings.at.objective, pair.codes_gap.unwrap())
    };
    let start = factors::<f64>();
    let mut best = start.clone();
    let (_, codes) = problem.terms();
    misfit.solve_codes_exactly(&best.x, &mut best.a, &codes);
    let (least, left) = gap_of(&mut *misfit, &best);
    let (first, gap) = gap_of(&mut *misfit, &start);
    assert!(
        first - least > 0.1,
        "the start is too good: {first}, {least}"
    );
    assert!(
        gap >= first - least,
        "{gap} does not bound {}",
        first - least
    );
    assert!(left < 1e-8 * least, "{left} is left at the best codes");
}

#[test]
fn single_precision_finds_the_value_of_double_precision() {
    let (m, n, rank) = SHAPE;
    let y = counts();
    let dense = Dense::new(m, n, StorageOrder::ColumnMajor, Elements::F64(&y)).unwrap();
    let data = Data::<f32>::new(dense.into(), 2.0).unwrap();
    let at = factors::<f32>();
    let found = KullbackLeibler::new(&data, rank).slopes(&at);
    let expected = divergence(&y, &factors::<f64>());
    assert!((found.misfit - expected).abs() < 1e-5 * expected);
}
