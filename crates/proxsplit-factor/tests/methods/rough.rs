//! The first passes of a run in double precision may be in single precision. What is returned and said never is.

use super::settings;
use proxsplit::prox::NonNegL1;
use proxsplit::set::NonNeg;
use proxsplit::{Mat, Prox, Solver, Stop, run};
use proxsplit_factor::{Data, Factorization, Generated, Method, Problem, audit};

/// Enough entries for passes in single precision.
fn planted() -> Generated {
    Generated::parse("planted:260x300x4,0.1,0.6", 1)
        .unwrap()
        .unwrap()
}

/// Calls `work` with a problem for two kinds of terms.
fn with_problems(work: impl Fn(Problem<'_, f64>)) {
    let generated = planted();
    let data = Data::<f64>::new(generated.matrix().unwrap(), 1.0).unwrap();
    let l1 = NonNegL1::new(0.05).unwrap();
    for term in [&NonNeg as &dyn Prox<f64>, &l1] {
        work(Problem::new(&data, 4, term, term).unwrap());
    }
}

fn is_rough(solver: &mut Factorization<'_, f64>) -> bool {
    solver.state().header["memory"]["single_precision"] == "now"
}

#[test]
fn a_run_ends_in_double_precision() {
    with_problems(|problem| {
        let mut solver = Factorization::new(problem, settings(Method::Auto, 2), None).unwrap();
        assert!(is_rough(&mut solver));
        // Far below what single precision can tell.
        let stop = Stop {
            residual: 1e-11,
            passes: 3000.0,
            ..Stop::default()
        };
        let report = run(&mut solver, &stop, ());
        assert!(!is_rough(&mut solver));
        assert!(report.converged(), "{}", report.certificate);
        let said = report.certificate.at_point.objective;
        let found = audit(problem, solver.factors()).unwrap().objective;
        assert!(
            (said - found).abs() <= 1e-12 * found,
            "{said} is not {found}"
        );
        let mut batch = Factorization::new(problem, settings(Method::Batch, 2), None).unwrap();
        assert!(!is_rough(&mut batch));
        let batch = run(&mut batch, &stop, ()).certificate.at_point.objective;
        assert!(
            (said - batch).abs() <= 1e-9 * batch,
            "{said} is not {batch}"
        );
    });
}

/// X and A after some steps. After every step there may be a look, and after `kill` of them the run is saved and restored.
fn bits(
    problem: Problem<'_, f64>,
    looks: bool,
    kill: Option<usize>,
) -> (Mat<f64>, Mat<f64>, Vec<bool>) {
    let settings = settings(Method::Auto, 2);
    let mut solver = Factorization::new(problem, settings, None).unwrap();
    let mut rough = Vec::new();
    for step in 0..120 {
        if kill == Some(step) {
            let state = solver.state();
            let arrays = state.arrays.into_iter();
            let arrays = arrays.map(|(name, array)| (name.to_string(), array));
            solver = Factorization::new(problem, settings, None).unwrap();
            solver.restore(&state.header, arrays.collect()).unwrap();
        }
        if looks {
            solver.measure();
        }
        rough.push(is_rough(&mut solver));
        solver.next().unwrap();
    }
    (solver.factors().x(), solver.factors().a(), rough)
}

#[test]
fn neither_looks_nor_stops_change_a_bit() {
    with_problems(|problem| {
        let plain = bits(problem, false, None);
        let switch = plain.2.iter().position(|rough| !rough).unwrap();
        assert!(switch > 10 && switch < 110, "{switch}");
        assert!(plain == bits(problem, true, None), "looks");
        for kill in [1, 7, switch - 1, switch, switch + 1, 119] {
            assert!(
                plain == bits(problem, false, Some(kill)),
                "killed at {kill}"
            );
        }
    });
}
