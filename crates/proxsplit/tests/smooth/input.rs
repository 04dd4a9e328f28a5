//! Smooth terms at the edges: refused input, huge predictions, scaling.

use proxsplit::data::{Dense, Elements, Indices, Sparse, StorageOrder};
use proxsplit::smooth::{
    Cauchy, FnSmooth, FnSum, GemanMcClure, HuberRegression, LeastSquares, Logistic, Loss,
    Quadratic, Sigmoid, loss,
};
use proxsplit::{FiniteSum, Lipschitz, Smooth};

fn dense(rows: usize, cols: usize, values: &[f64]) -> Dense<'_> {
    Dense::new(rows, cols, StorageOrder::RowMajor, Elements::F64(values)).unwrap()
}

fn refused<F>(made: Result<F, proxsplit::Error>, because: &str) {
    match made {
        Ok(_) => panic!("accepted, but: {because}"),
        Err(error) => assert_eq!(error.to_string(), because),
    }
}

#[test]
fn bad_input_is_refused_with_its_reason() {
    let a = || dense(2, 2, &[1.0, 2.0, 3.0, 4.0]);
    let b = [1.0, -1.0];
    refused(
        LeastSquares::new(a(), &b[..1]),
        "targets has length 1, expected 2",
    );
    refused(
        LeastSquares::new(a(), &[1.0, f64::NAN]),
        "targets has a non-finite entry at 1; remove or replace it",
    );
    refused(
        Logistic::new(a(), &[1.0, 0.0]),
        "label = 0, but it must be -1 or 1",
    );
    refused(
        Sigmoid::new(a(), &[2.0, 1.0]),
        "label = 2, but it must be -1 or 1",
    );
    let positive = "0, but it must be finite and greater than 0";
    refused(
        HuberRegression::new(a(), &b, 0.0),
        &format!("delta = {positive}"),
    );
    refused(Cauchy::new(a(), &b, 0.0), &format!("scale = {positive}"));
    refused(
        GemanMcClure::new(a(), &b, -1.0),
        "scale = -1, but it must be finite and greater than 0",
    );
    refused(
        LeastSquares::new(dense(2, 1, &[1.0, f64::INFINITY]), &b),
        "matrix has a non-finite entry at 1; remove or replace it",
    );
    let empty: [f64; 0] = [];
    refused(
        LeastSquares::new(dense(0, 2, &[]), &empty),
        "rows = 0, but it must be at least 1",
    );
    refused(
        LeastSquares::new(dense(2, 0, &[]), &b),
        "columns = 0, but it must be at least 1",
    );
}

#[test]
fn bad_sparse_quadratic_and_closure_input_is_refused() {
    let (starts, indices) = (Indices::I32(&[0, 1]), Indices::I32(&[0]));
    let values = Elements::F64(&[f64::NAN]);
    let sparse = Sparse::new((1, 1), StorageOrder::ColumnMajor, starts, indices, values).unwrap();
    refused(
        LeastSquares::new(sparse, &[1.0]),
        "sparse matrix has a non-finite entry at 0; remove or replace it",
    );
    let c = [0.0, 0.0];
    refused(
        Quadratic::new(dense(1, 2, &[1.0, 2.0]), &c),
        "Q is 1 x 2, but it must be square",
    );
    refused(
        Quadratic::new(dense(2, 2, &[1.0, 2.0, 3.0, 4.0]), &c),
        "Q must be symmetric, but Q(1, 0) = 3 and Q(0, 1) = 2",
    );
    refused(
        Quadratic::new(dense(1, 1, &[1.0]), &c),
        "c has length 2, expected 1",
    );
    refused(
        FnSmooth::new(0, |_: &[f64], _: &mut [f64]| 0.0),
        "dim = 0, but it must be at least 1",
    );
    refused(
        FnSum::new(1, 0, |_: &[usize], _: &[f64], _: &mut [f64]| 0.0),
        "terms = 0, but it must be at least 1",
    );
}

#[test]
fn losses_survive_huge_predictions() {
    for z in [1e3, 1e5, 1e300] {
        assert_eq!(loss::LogisticLoss.at(z, 1.0), (0.0, -0.0));
        assert_eq!(loss::LogisticLoss.at(-z, 1.0), (z, -1.0));
        assert_eq!(loss::SigmoidLoss.at(-z, 1.0), (1.0, -0.0));
        let (value, slope) = loss::GemanMcClureLoss::new(2.0).unwrap().at(z, 0.0);
        assert!((value - 2.0).abs() < 1e-4 && slope.abs() < 1e-7);
        let (_, slope) = loss::CauchyLoss::new(2.0).unwrap().at(z, 0.0);
        assert!((slope - 4.0 / z).abs() < 1e-4 / z || z > 1e150);
        assert_eq!(loss::HuberLoss::new(0.5).unwrap().at(z, 0.0).1, 0.5);
    }
}

#[test]
fn averaging_divides_everything_by_the_number_of_rows() {
    let a = dense(2, 1, &[1.0, 2.0]);
    let sum = LeastSquares::new(a, &[1.0, 1.0]).unwrap();
    let mean = LeastSquares::new(a, &[1.0, 1.0]).unwrap().averaged();
    let (mut g, mut h) = ([0.0], [0.0]);
    assert_eq!(
        sum.gradient(&[3.0], &mut g),
        2.0 * mean.gradient(&[3.0], &mut h)
    );
    assert_eq!(g[0], 2.0 * h[0]);
    let ratio = sum.lipschitz().value().unwrap() / mean.lipschitz().value().unwrap();
    assert_eq!(ratio, 2.0);
    let term = mean.term_lipschitz().value().unwrap();
    assert!((2.0..2.0 + 1e-14).contains(&term));
    assert_eq!(mean.terms(), 2);
}

#[test]
fn closures_say_what_they_were_told() {
    let squares = |batch: &[usize], x: &[f64], grad: &mut [f64]| {
        batch
            .iter()
            .map(|&t| {
                grad[t] += x[t];
                x[t] * x[t] / 2.0
            })
            .sum()
    };
    let f = FnSum::new(3, 3, squares)
        .unwrap()
        .lipschitz(Lipschitz::Known(1.0))
        .term_lipschitz(Lipschitz::Estimated(1.0))
        .convex();
    proxsplit::check::terms_at(&f, &[1.0, -2.0, 0.5]).unwrap();
    proxsplit::check::gradient_at(&f, &[1.0, -2.0, 0.5]).unwrap();
    assert!(f.is_convex() && Smooth::lipschitz(&f) == Lipschitz::Known(1.0));
    assert_eq!(FiniteSum::term_lipschitz(&f), Lipschitz::Estimated(1.0));
}
