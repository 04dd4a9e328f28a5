//! More atoms than samples, or than features: every method, start and certificate works as for fewer.

use super::{METHODS, settings};
use proxsplit::data::{Dense, Elements, StorageOrder};
use proxsplit::prox::L1;
use proxsplit::set::{L2Ball, NonNeg};
use proxsplit::{Prox, Stop, run};
use proxsplit_factor::{Data, Factorization, Init, Method, Problem, Settings, audit};

const ROWS: usize = 7;
const COLS: usize = 5;

fn with_problem(
    rank: usize,
    (atoms, codes): (&dyn Prox<f64>, &dyn Prox<f64>),
    test: impl Fn(Problem<'_, f64>),
) {
    let y: Vec<f64> = (0..ROWS * COLS)
        .map(|at| ((at * 5 + at / 3) % 11) as f64 / 4.0)
        .collect();
    let dense = Dense::new(ROWS, COLS, StorageOrder::ColumnMajor, Elements::F64(&y)).unwrap();
    let data = Data::new(dense.into(), 1.0).unwrap();
    test(Problem::new(&data, rank, atoms, codes).unwrap());
}

#[test]
fn plain_factors_fit_exactly_and_no_bound_is_claimed() {
    for rank in [COLS + 1, ROWS + 1, 3 * ROWS] {
        with_problem(rank, (&NonNeg, &NonNeg), |problem| {
            for method in [Method::Auto, Method::Batch, Method::Aggregated] {
                let mut solver = Factorization::new(problem, settings(method, 1), None).unwrap();
                let stop = Stop {
                    relative: 1e-8,
                    ..Stop::default()
                };
                let at = run(&mut solver, &stop, ()).certificate.at_point;
                let square = problem.data().square();
                assert!(at.objective < 1e-6 * square, "{method}, {rank}: {at:?}");
                assert_eq!(at.lower_bound, None);
            }
        });
    }
}

#[test]
fn every_method_ends_below_its_start_with_numbers_that_an_audit_confirms() {
    let (ball, l1) = (L2Ball::new(1.0).unwrap(), L1::new(0.3).unwrap());
    with_problem(3 * ROWS, (&ball, &l1), |problem| {
        for method in METHODS.into_iter().filter(|m| *m != Method::Sggd) {
            let mut solver = Factorization::new(problem, settings(method, 1), None).unwrap();
            let certificate = run(&mut solver, &Stop::default(), ()).certificate;
            let at = certificate.at_point;
            assert!(at.objective < certificate.start_objective, "{method}");
            let found = audit(problem, solver.factors()).unwrap();
            let error = (found.objective - at.objective).abs();
            assert!(error <= 1e-9 * at.objective, "{method}: {error:e}");
        }
    });
}

/// Singular pairs run out: atoms beyond them start at zero and are replaced if that gains.
#[test]
fn starts_from_singular_pairs_are_filled_up() {
    for init in [Init::Nndsvd, Init::Nndsvda, Init::Nndsvdar] {
        with_problem(2 * COLS, (&NonNeg, &NonNeg), |problem| {
            let settings = Settings {
                init,
                ..Settings::default()
            };
            let mut solver = Factorization::new(problem, settings, None).unwrap();
            let report = run(&mut solver, &Stop::default(), ());
            let square = problem.data().square();
            let reached = report.certificate.at_point.objective;
            assert!(reached < 1e-4 * square, "{init}: {}", report.certificate);
        });
    }
}
