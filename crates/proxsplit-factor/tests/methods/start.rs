//! Where runs start.

use super::{planted, settings};
use proxsplit::prox::{L1, NonNegL1};
use proxsplit::set::NonNeg;
use proxsplit::{Prox, Solver};
use proxsplit_factor::{Data, Factorization, Generated, Init, Method, Problem, Settings};

#[test]
fn starts_from_singular_vectors_are_better_than_random_ones() {
    let generated = planted(0.05);
    let data = Data::<f64>::new(generated.matrix().unwrap(), 1.0).unwrap();
    let problem = Problem::new(&data, 3, &NonNeg, &NonNeg).unwrap();
    let first = |init| {
        let chosen = Settings {
            init,
            ..settings(Method::Batch, 0)
        };
        Factorization::new(problem, chosen, None)
            .unwrap()
            .measure()
            .objective
    };
    let random = first(Init::Random);
    for init in [Init::Nndsvd, Init::Nndsvda, Init::Nndsvdar] {
        assert!(
            first(init) < random,
            "{init:?}: {} against {random}",
            first(init)
        );
    }
}

#[test]
fn sparse_data_start_from_singular_vectors_unless_told_otherwise() {
    let generated = Generated::parse("webgraph:300x400,3000", 5)
        .unwrap()
        .unwrap();
    let data = Data::<f64>::new(generated.matrix().unwrap(), 1.0).unwrap();
    let signed = L1::new(0.1).unwrap();
    let first = |init, codes: &dyn Prox<f64>| {
        let problem = Problem::new(&data, 4, &NonNeg, codes).unwrap();
        let chosen = Settings {
            init,
            ..Settings::default()
        };
        let solver = Factorization::new(problem, chosen, None).unwrap();
        assert_eq!(solver.picked(), "auto: batch passes with extrapolation");
        solver.factors().x()
    };
    assert!(first(Init::Auto, &NonNeg) == first(Init::Nndsvd, &NonNeg));
    assert!(first(Init::Auto, &signed) == first(Init::Random, &signed));
}

#[test]
fn a_start_with_two_penalties_is_balanced() {
    let generated = planted(0.05);
    let data = Data::<f64>::new(generated.matrix().unwrap(), 1.0).unwrap();
    let (psi_x, psi_a) = (NonNegL1::new(1e-5).unwrap(), NonNegL1::new(1.0).unwrap());
    let problem = Problem::new(&data, 3, &psi_x, &psi_a).unwrap();
    for init in [Init::Random, Init::Nndsvda] {
        let chosen = Settings {
            init,
            ..settings(Method::Batch, 0)
        };
        let solver = Factorization::new(problem, chosen, None).unwrap();
        let (x, a) = (solver.factors().x(), solver.factors().a());
        for k in 0..3 {
            let of_x: f64 = x.col(k).iter().sum::<f64>() * 1e-5;
            let of_a: f64 = (0..90).map(|t| a.col(t)[k]).sum();
            assert!((of_x / of_a - 1.0).abs() < 1e-9, "{of_x} and {of_a}");
        }
    }
}

/// Power iterations square the data again and again, which must not leave the range of the numbers.
#[test]
fn singular_vectors_do_not_depend_on_the_scale_of_the_data() {
    let generated = planted(0.05);
    let first = |scale: f64| {
        let data = Data::<f32>::new(generated.matrix().unwrap(), scale).unwrap();
        let problem = Problem::new(&data, 3, &NonNeg, &NonNeg).unwrap();
        let chosen = Settings {
            init: Init::Nndsvd,
            ..settings(Method::Batch, 0)
        };
        let solver = Factorization::new(problem, chosen, None).unwrap();
        let x = solver.factors().x();
        (0..3).map(|k| x.col(k).to_vec()).collect::<Vec<_>>()
    };
    // With two cones the scale is in the codes.
    assert_eq!(first(2f64.powi(40)), first(1.0));
    assert_eq!(first(2f64.powi(-40)), first(1.0));
}
