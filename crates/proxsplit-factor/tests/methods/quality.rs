//! All methods and variants reach what is to be reached.

use super::{METHODS, after, planted, settings};
use proxsplit::prox::NonNegL1;
use proxsplit::set::NonNeg;
use proxsplit::{Looks, Stop, run};
use proxsplit_factor::{
    Data, Factorization, Factors, Generated, Inner, Loss, Method, Problem, Settings, Step, audit,
    encode,
};

#[test]
fn every_method_finds_planted_factors() {
    let generated = planted(0.0);
    let data = Data::<f64>::new(generated.matrix().unwrap(), 1.0).unwrap();
    let problem = Problem::new(&data, 3, &NonNeg, &NonNeg).unwrap();
    for method in METHODS {
        let limit = if method == Method::Sggd { 0.05 } else { 1e-3 };
        let best = (0..3)
            .map(|seed| after(problem, settings(method, seed), 300.0))
            .fold(f64::INFINITY, f64::min);
        assert!(
            best <= limit * data.square(),
            "{method}: {best} of {}",
            data.square()
        );
    }
}

#[test]
fn all_variants_of_the_incremental_method_work() {
    let generated = planted(0.05);
    let data = Data::<f64>::new(generated.matrix().unwrap(), 1.0).unwrap();
    let psi_x = NonNegL1::new(0.01).unwrap();
    let psi_a = NonNegL1::new(0.02).unwrap();
    let problem = Problem::new(&data, 3, &psi_x, &psi_a).unwrap();
    let reference = after(problem, settings(Method::Batch, 0), 200.0);
    for inner in [Inner::Prox, Inner::Identity] {
        for step in [
            Step::Auto,
            Step::Constant(0.5),
            Step::Diminishing {
                first: 1.0,
                power: 0.5,
            },
        ] {
            let chosen = Settings {
                inner,
                step,
                ..settings(Method::Incremental, 0)
            };
            let reached = after(problem, chosen, 200.0);
            assert!(
                reached <= 1.2 * reference,
                "{inner:?} {step:?}: {reached}, batch {reference}"
            );
        }
    }
}

#[test]
fn swimmer_is_fitted() {
    let generated = Generated::parse("swimmer", 0).unwrap().unwrap();
    let data = Data::<f64>::new(generated.matrix().unwrap(), 1.0).unwrap();
    let problem = Problem::new(&data, 17, &NonNeg, &NonNeg).unwrap();
    let best = (0..4)
        .map(|seed| {
            after(
                problem,
                Settings {
                    seed,
                    ..Settings::default()
                },
                150.0,
            )
        })
        .fold(f64::INFINITY, f64::min);
    assert!(best <= 1e-3 * data.square(), "{best} of {}", data.square());
}

#[test]
fn a_long_run_is_certified_stationary() {
    let generated = planted(0.1);
    let data = Data::<f64>::new(generated.matrix().unwrap(), 1.0).unwrap();
    let psi = NonNegL1::new(0.05).unwrap();
    let problem = Problem::new(&data, 3, &psi, &psi).unwrap();
    let mut solver = Factorization::new(problem, Settings::default(), None).unwrap();
    let stop = Stop {
        relative: 1e-6,
        passes: 3000.0,
        looks: Looks::Every(20.0),
        ..Stop::default()
    };
    let report = run(&mut solver, &stop, ());
    assert!(report.converged(), "{}", report.certificate);
    let x = solver.factors().x();
    let a = encode(&data, Loss::Squared, &x, &psi).unwrap();
    let found = audit(problem, &Factors::new(&x, a).unwrap()).unwrap();
    let reached = report.certificate.at_point.objective;
    assert!((found.objective - reached).abs() <= 1e-9 * reached);
    assert!(found.residual_a <= 1e-6 && found.balance_gain <= 1e-9 * reached);
}

/// The certificate is about the factors that are returned: an audit of them finds the same numbers.
#[test]
fn an_audit_of_the_result_agrees_with_the_certificate() {
    let generated = planted(0.3);
    let data = Data::<f64>::new(generated.matrix().unwrap(), 1.0).unwrap();
    let l1 = NonNegL1::new(0.1).unwrap();
    for term in [&NonNeg as &dyn proxsplit::Prox<f64>, &l1] {
        let problem = Problem::new(&data, 4, term, term).unwrap();
        for method in METHODS {
            let mut solver = Factorization::new(problem, settings(method, 3), None).unwrap();
            let stop = Stop {
                passes: 7.0,
                ..Stop::default()
            };
            let found = run(&mut solver, &stop, ()).certificate;
            let audit = audit(problem, solver.factors()).unwrap();
            let pair = found.at_point.pair.unwrap();
            for (certified, audited) in [
                (found.at_point.objective, audit.objective),
                (pair.residual_x, audit.residual_x),
                (pair.scale_x, audit.scale_x),
                (pair.scale_a, audit.scale_a),
            ] {
                let error = (certified / audited - 1.0).abs();
                assert!(error < 1e-6, "{method}: {certified} is not {audited}");
            }
        }
    }
}
