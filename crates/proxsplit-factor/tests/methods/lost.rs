//! Steps to infinity.

use super::{planted, settings, settle};
use proxsplit::Solver;
use proxsplit::set::NonNeg;
use proxsplit_factor::{Data, Factorization, Method, Problem, Settings, Step};

#[test]
fn the_start_is_left_after_a_first_step_to_infinity() {
    let generated = planted(0.05);
    let data = Data::<f64>::new(generated.matrix().unwrap(), 1.0).unwrap();
    let problem = Problem::new(&data, 3, &NonNeg, &NonNeg).unwrap();
    for method in [Method::Sggd, Method::Incremental] {
        let chosen = Settings {
            step: Step::Constant(1e300),
            ..settings(method, 0)
        };
        let mut solver = Factorization::new(problem, chosen, None).unwrap();
        let start = solver.measure().objective;
        solver.keep();
        let is_lost = (0..20).any(|_| solver.next().is_none());
        assert!(is_lost, "{method}");
        assert_eq!(solver.measure().objective, start, "{method}");
        settle(&mut solver);
        assert!(solver.factors().a().data().iter().all(|a| a.is_finite()));
    }
}
