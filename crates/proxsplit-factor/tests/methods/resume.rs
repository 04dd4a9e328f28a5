//! The same bits for every number of threads, and after a stop at any moment.

use super::{METHODS, planted, settings};
use proxsplit::Mat;
use proxsplit::prox::NonNegL1;
use proxsplit::set::NonNeg;
use proxsplit_factor::{Data, Factorization, Method, Metric, Problem, Settings};

/// X and A after some steps; saved and restored into a new run after `kill` steps, if any.
fn bits(
    problem: Problem<'_, f64>,
    settings: Settings,
    kill: Option<usize>,
) -> (Mat<f64>, Mat<f64>) {
    let mut solver = Factorization::new(problem, settings, None).unwrap();
    for step in 0..14 {
        if kill == Some(step) {
            let state = solver.state();
            let text = state.header.to_string();
            let arrays = state
                .arrays
                .into_iter()
                .map(|(n, a)| (n.to_string(), a))
                .collect();
            solver = Factorization::new(problem, settings, None).unwrap();
            solver
                .restore(&serde_json::from_str(&text).unwrap(), arrays)
                .unwrap();
        }
        solver.next().unwrap();
    }
    (solver.factors().x(), solver.factors().a())
}

#[test]
fn threads_and_resuming_do_not_change_a_bit() {
    let generated = planted(0.1);
    let data = Data::<f64>::new(generated.matrix().unwrap(), 1.0).unwrap();
    let psi = NonNegL1::new(0.01).unwrap();
    let problem = Problem::new(&data, 5, &psi, &psi).unwrap();
    let pool = |threads| {
        rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap()
    };
    let (one, two) = (pool(1), pool(2));
    let plain = METHODS.map(|method| settings(method, 4));
    let in_metrics = [Method::Incremental, Method::Sggd].map(|method| {
        Metric::ALL.iter().map(move |&metric| Settings {
            metric: Some(metric),
            rescale: Some(method == Method::Sggd),
            ..settings(method, 4)
        })
    });
    for chosen in plain.into_iter().chain(in_metrics.into_iter().flatten()) {
        let method = chosen.method;
        let alone = one.install(|| bits(problem, chosen, None));
        assert!(
            alone == two.install(|| bits(problem, chosen, None)),
            "{method}: threads"
        );
        for kill in [1, 4, 9] {
            assert!(
                alone == two.install(|| bits(problem, chosen, Some(kill))),
                "{method}: killed at {kill}"
            );
        }
    }
}

#[test]
fn a_foreign_state_is_refused() {
    let generated = planted(0.1);
    let data = Data::<f64>::new(generated.matrix().unwrap(), 1.0).unwrap();
    let problem = |rank| Problem::new(&data, rank, &NonNeg, &NonNeg).unwrap();
    let state = Factorization::new(problem(3), settings(Method::Batch, 0), None)
        .unwrap()
        .state();
    let arrays = || {
        state
            .arrays
            .iter()
            .map(|(n, a)| ((*n).to_string(), a.clone()))
            .collect()
    };
    for (rank, method, seed) in [
        (4, Method::Batch, 0),
        (3, Method::Sggd, 0),
        (3, Method::Batch, 1),
    ] {
        let mut other = Factorization::new(problem(rank), settings(method, seed), None).unwrap();
        assert!(other.restore(&state.header, arrays()).is_err());
    }
}
