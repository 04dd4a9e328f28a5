//! All methods on small problems: quality, storage, threads, kill and resume, refusals.
#![allow(clippy::unwrap_used)]

use proxsplit::data::{Dense, Elements, Order};
use proxsplit::linalg::Mat;
use proxsplit::prox::{L1, NonNegL1, Zero};
use proxsplit::set::{L2Ball, NonNeg, Simplex};
use proxsplit::{Prox, Solver, Stop, run};
use proxsplit_factor::{
    Data, Factorization, Factors, Generated, Init, Inner, Method, Problem, Settings, Step, audit,
    encode,
};

const METHODS: [Method; 5] = [
    Method::Auto,
    Method::Batch,
    Method::Incremental,
    Method::Aggregated,
    Method::Sggd,
];

fn settings(method: Method, seed: u64) -> Settings {
    Settings {
        method,
        seed,
        batch: (method != Method::Auto).then_some(30),
        ..Settings::default()
    }
}

fn after(problem: Problem<'_, f64>, settings: Settings, passes: f64) -> f64 {
    let mut solver = Factorization::new(problem, settings, None).unwrap();
    while solver.next().unwrap().passes < passes {}
    solver.measure().objective
}

fn planted(noise: f64) -> Generated {
    Generated::parse(&format!("planted:40x90x3,{noise},0.6"), 1)
        .unwrap()
        .unwrap()
}

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
fn sparse_data_give_the_factors_of_the_same_dense_data() {
    let generated = Generated::parse("webgraph:60x80,900", 5).unwrap().unwrap();
    let sparse = generated.matrix().unwrap();
    let proxsplit::Matrix::Sparse(view) = sparse else {
        panic!("the graph is sparse")
    };
    let mut values = vec![0.0; 60 * 80];
    for row in 0..60 {
        for at in view.starts().get(row)..view.starts().get(row + 1) {
            values[row * 80 + view.indices().get(at)] = 1.0;
        }
    }
    let dense = Dense::new(60, 80, Order::RowMajor, Elements::F64(&values)).unwrap();
    let objective = |matrix| {
        let data = Data::<f64>::new(matrix, 1.0).unwrap();
        let problem = Problem::new(&data, 4, &NonNeg, &NonNeg).unwrap();
        METHODS.map(|method| {
            let chosen = Settings {
                init: Init::Random,
                ..settings(method, 2)
            };
            after(problem, chosen, 4.0)
        })
    };
    // Auto warms up on dense data only.
    for (a, b) in objective(sparse)
        .iter()
        .zip(objective(dense.into()))
        .skip(1)
    {
        assert!((a - b).abs() <= 1e-9 * b, "{a} is not {b}");
    }
}

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
    for method in METHODS {
        let chosen = settings(method, 4);
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
        check_every: 20.0,
        ..Stop::default()
    };
    let report = run(&mut solver, &stop, ());
    assert!(report.converged(), "{}", report.certificate);
    let x = solver.factors().x();
    let a = encode(&data, &x, &psi).unwrap();
    let found = audit(problem, &Factors::new(&x, a).unwrap()).unwrap();
    let reached = report.certificate.objective;
    assert!((found.objective - reached).abs() <= 1e-9 * reached);
    assert!(found.residual_a <= 1e-6 && found.balance_gain <= 1e-9 * reached);
}

#[test]
fn dictionaries_and_simplex_codes_are_settings() {
    let generated = planted(0.05);
    let data = Data::<f64>::new(generated.matrix().unwrap(), 1.0).unwrap();
    let ball = L2Ball::new(1.0).unwrap();
    let (l1, simplex) = (L1::new(0.1).unwrap(), Simplex::new(1.0).unwrap());
    let cases: [(&dyn Prox<f64>, &dyn Prox<f64>); 3] =
        [(&ball, &l1), (&NonNeg, &simplex), (&ball, &Zero)];
    for (atoms, codes) in cases {
        let problem = Problem::new(&data, 4, atoms, codes).unwrap();
        let start = after(problem, settings(Method::Batch, 0), 1.0);
        let end = after(problem, settings(Method::Batch, 0), 60.0);
        assert!(end.is_finite() && end < start);
        let mut solver = Factorization::new(problem, settings(Method::Batch, 0), None).unwrap();
        let first = solver.measure().scaled_residual;
        for _ in 0..60 {
            solver.next().unwrap();
        }
        assert!(solver.measure().scaled_residual < 0.2 * first);
    }
}

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
fn bad_input_is_refused() {
    let generated = planted(0.1);
    let data = Data::<f64>::new(generated.matrix().unwrap(), 1.0).unwrap();
    assert!(Problem::new(&data, 0, &NonNeg, &NonNeg).is_err());
    assert!(Problem::new(&data, 91, &NonNeg, &NonNeg).is_err());
    let problem = Problem::new(&data, 2, &NonNeg, &NonNeg).unwrap();
    let factors = |x: f64, m| {
        Factors::new(
            &Mat::from_fn(m, 2, |_, _| x),
            Mat::from_fn(2, 90, |_, _| 1.0),
        )
    };
    assert!(factors(f64::NAN, 40).is_err());
    let with = |start| {
        Factorization::new(problem, Settings::default(), Some(start))
            .err()
            .map(|e| e.to_string())
    };
    assert_eq!(with(factors(1.0, 40).unwrap()), None);
    assert_eq!(
        with(factors(-1.0, 40).unwrap()).unwrap(),
        "the given X does not lie in its set"
    );
    assert!(with(factors(1.0, 39).unwrap()).is_some());
    let step = Settings {
        step: Step::Constant(0.0),
        ..Settings::default()
    };
    assert!(Factorization::new(problem, step, None).is_err());
    let batch = Settings {
        batch: Some(0),
        ..Settings::default()
    };
    assert!(Factorization::new(problem, batch, None).is_err());
    assert!(encode(&data, &Mat::zeros(39, 2), &NonNeg).is_err());
}
