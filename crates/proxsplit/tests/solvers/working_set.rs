//! Working sets: against the true residual and other solvers on every loss, penalty and storage; the same bits for any number of
//! threads.

use super::sample::{Sample, distance, starts};
use super::storages;
use super::working_set_common::{LOSSES, model, solve, tight};
use proxsplit::data::{Dense, Elements, Matrix, StorageOrder};
use proxsplit::prox::{GroupL2, Groups, L1, Mcp};
use proxsplit::smooth::{LeastSquares, Linear, Logistic};
use proxsplit::text::Operator;
use proxsplit::{Guarantee, Panoc, Prox, Smooth, Solver, Splitting, Stop, WorkingSet, run};

const TERMS: [&str; 12] = [
    "l1:0.8",
    "elastic:0.5,0.3",
    "mcp:0.8,3",
    "scad:0.8,3.7",
    "log-sum:0.5,0.5",
    "group-l2:0.9,3",
    "sparse-group:0.3,0.5,3",
    "nonneg",
    "l1:0.5+nonneg",
    "box:-0.2,0.4",
    "sql2:0.5",
    "zero",
];

/// ‖x − P_η(x − η∇f(x))‖/η by plain calls.
fn residual(f: &dyn Smooth, g: &dyn Prox, x: &[f64], step: f64) -> f64 {
    let mut gradient = vec![0.0; x.len()];
    f.gradient(x, &mut gradient);
    let mut y: Vec<f64> = x.iter().zip(&gradient).map(|(x, g)| x - step * g).collect();
    g.prox(&mut y, step);
    distance(x, &y) / step
}

/// Where labels can be separated and nothing holds x back, or nothing any more, there is no minimum. The sigmoid loss is bounded, so
/// that it can fall forever along x with labels that cannot be separated, too.
fn has_minimum(loss: &str, text: &str) -> bool {
    let is_held = !["zero", "nonneg", "mcp", "scad"].contains(&text.split(':').next().unwrap());
    !["logistic", "sigmoid"].contains(&loss) || is_held
}

#[test]
fn every_loss_and_every_term_ends_stationary() {
    let mut failures = Vec::new();
    for (rows, cols) in [(60, 9), (12, 30)] {
        let sample = Sample::new(rows, cols, 3);
        for loss in LOSSES {
            let f = model(loss, &sample);
            for text in TERMS.into_iter().filter(|text| has_minimum(loss, text)) {
                let g: Operator = text.parse().unwrap();
                for start in starts(cols, 2).chain([vec![0.0; cols]]) {
                    let (x, report) = solve(&*f, &g, &start);
                    let certificate = &report.certificate;
                    let true_residual = residual(&*f, &g, &x, certificate.at_point.reference_step);
                    if !report.converged() || true_residual > 2.0 * certificate.tolerance + 1e-9 {
                        let words = certificate.words();
                        failures.push(format!(
                            "{loss}, {text}, {rows} × {cols}: truly {true_residual:.2e}, {words}"
                        ));
                    }
                }
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn convex_problems_have_the_minimum_that_panoc_finds() {
    let sample = Sample::new(40, 15, 5);
    for loss in ["least-squares", "logistic", "huber:0.3"] {
        let f = model(loss, &sample);
        for text in [
            "l1:0.8",
            "elastic:0.5,0.3",
            "group-l2:0.9,3",
            "l1:0.5+nonneg",
            "box:-0.2,0.4",
        ] {
            let g: Operator = text.parse().unwrap();
            let (x, report) = solve(&*f, &g, &[0.0; 15]);
            let mut other = Panoc::new(&*f, &g, &[0.0; 15]).unwrap();
            run(&mut other, &tight(), ());
            let objective = |x: &[f64]| f.value(x) + g.value(x);
            let (ours, theirs) = (objective(&x), objective(other.x()));
            assert!(
                ours <= theirs + 1e-9 * theirs.abs(),
                "{loss}, {text}: {ours} above {theirs}"
            );
            assert_eq!(report.certificate.of_method.guarantee, Guarantee::Minimizer);
            if let Some(gap) = report.certificate.at_point.gap {
                assert!(ours - theirs <= gap, "{loss}, {text}");
            }
        }
    }
}

#[test]
fn all_storages_and_both_precisions_give_the_same_solution() {
    let sample = storages::Sample::new(30, 13, 2);
    let targets: Vec<f64> = (0..30).map(|i| f64::from(i % 7) - 3.0).collect();
    let single: Vec<f32> = targets.iter().map(|&b| b as f32).collect();
    let g = L1::new(4.0).unwrap();
    let reference = |entries: &[f64]| {
        let dense = Dense::new(30, 13, StorageOrder::RowMajor, Elements::F64(entries)).unwrap();
        let f = LeastSquares::new(dense, &targets).unwrap();
        let mut solver = Splitting::new(&f, &g, &[0.0; 13]).unwrap();
        assert!(run(&mut solver, &tight(), ()).converged());
        solver.into_x()
    };
    sample.each(&mut |name: &str, matrix: Matrix<'_>, entries: &[f64]| {
        let expected = reference(entries);
        let f = LeastSquares::new(matrix, &targets).unwrap();
        let (x, report) = solve(&f, &g, &[0.0; 13]);
        assert!(
            report.converged() && distance(&x, &expected) < 1e-6,
            "{name}: {x:?} is not {expected:?}"
        );
        let f = LeastSquares::<f32>::new(matrix, &single).unwrap();
        let mut solver = WorkingSet::new(&f, &g, &[0.0f32; 13]).unwrap();
        let report = run(
            &mut solver,
            &Stop {
                relative: 1e-5,
                ..Stop::default()
            },
            (),
        );
        let x: Vec<f64> = solver.x().iter().map(|&x| f64::from(x)).collect();
        assert!(report.converged(), "{name}: {}", report.certificate);
        assert!(
            distance(&x, &expected) < 1e-3,
            "{name} in single precision: {x:?}"
        );
    });
}

/// Nonnegative sparse data of many columns.
fn wide() -> (Vec<f64>, Vec<f64>) {
    let sample = Sample::new(80, 3000, 11);
    (sample.design.clone(), sample.targets.clone())
}

#[test]
fn few_columns_of_many_are_taken_and_the_set_grows_until_it_is_enough() {
    let (design, targets) = wide();
    let dense = Dense::new(80, 3000, StorageOrder::RowMajor, Elements::F64(&design)).unwrap();
    let f = LeastSquares::new(dense, &targets).unwrap();
    let mut gradient = vec![0.0; 3000];
    f.gradient(&vec![0.0; 3000], &mut gradient);
    let largest = gradient.iter().fold(0.0, |a: f64, b| a.max(b.abs()));
    for part in [0.5, 0.1, 0.01] {
        let g = L1::new(part * largest).unwrap();
        let mut solver = WorkingSet::new(&f, &g, &vec![0.0; 3000]).unwrap();
        let stop = Stop {
            gap: Some(1e-8),
            ..tight()
        };
        let report = run(&mut solver, &stop, ());
        assert!(
            report.converged() && report.trace.len() < 30,
            "{}",
            report.certificate
        );
        assert!(solver.set_size() < 1500, "{}", solver.set_size());
        let at = report.certificate.at_point;
        assert!(
            at.gap.unwrap() <= 1e-5 * at.objective,
            "{}",
            report.certificate
        );
    }
}

#[test]
fn the_same_bits_for_any_number_of_threads() {
    let (design, targets) = wide();
    let dense = Dense::new(80, 3000, StorageOrder::ColumnMajor, Elements::F64(&design)).unwrap();
    let labels: Vec<f64> = targets.iter().map(|b| b.signum()).collect();
    let models: [Box<dyn Linear>; 2] = [
        Box::new(LeastSquares::new(dense, &targets).unwrap()),
        Box::new(Logistic::new(dense, &labels).unwrap()),
    ];
    let g = L1::new(1.0).unwrap();
    for f in &models {
        let on = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new()
                .num_threads(threads)
                .build()
                .unwrap();
            pool.install(|| solve(&**f, &g, &vec![0.0; 3000]).0)
        };
        let once = on(1);
        for threads in [2, 3, 8] {
            assert!(
                once.iter()
                    .zip(&on(threads))
                    .all(|(a, b)| a.to_bits() == b.to_bits())
            );
        }
    }
}

#[test]
fn terms_that_are_no_sums_are_refused_and_only_those_that_make_zeros_suit() {
    let sample = Sample::new(6, 4, 1);
    let f = LeastSquares::new(sample.matrix(), &sample.targets).unwrap();
    let total: Operator = "l2:1".parse().unwrap();
    let refused = WorkingSet::new(&f, &total, &[0.0; 4]).err().unwrap();
    assert!(
        refused
            .to_string()
            .contains("separate over entries or groups")
    );
    let suits = |text: &str| {
        let g: Operator = text.parse().unwrap();
        WorkingSet::<f64>::suits(&g, 4)
    };
    for text in ["l1:1", "mcp:1,3", "group-l2:1,2", "nonneg", "elastic:1,1"] {
        assert!(suits(text), "{text}");
    }
    for text in ["zero", "sql2:1", "l2:1", "box:-1,1", "l0:1", "tv1d:1"] {
        assert!(!suits(text), "{text}");
    }
}

#[test]
fn weights_and_an_intercept_are_those_of_repeated_rows_and_a_column_of_ones() {
    let entries = [1.0, 2.0, -1.0, 0.5, 3.0, 1.0];
    let repeated = [1.0, 2.0, 1.0, 1.0, 2.0, 1.0, -1.0, 0.5, 1.0, 3.0, 1.0, 1.0];
    let small = Dense::new(3, 2, StorageOrder::RowMajor, Elements::F64(&entries)).unwrap();
    let large = Dense::new(4, 3, StorageOrder::RowMajor, Elements::F64(&repeated)).unwrap();
    let f = LeastSquares::new(small, &[1.0, 2.0, 4.0]).unwrap();
    let f = f.weighted(&[2.0, 1.0, 1.0]).unwrap().with_intercept();
    let twin = LeastSquares::new(large, &[1.0, 1.0, 2.0, 4.0]).unwrap();
    let x = [0.3, -0.7, 1.1];
    let (mut a, mut b) = ([0.0; 3], [0.0; 3]);
    let values = (f.gradient(&x, &mut a), twin.gradient(&x, &mut b));
    assert!((values.0 - values.1).abs() < 1e-12 && distance(&a, &b) < 1e-12);
    assert!(f.lipschitz().value().unwrap() >= 0.999 * twin.lipschitz().value().unwrap());
    let pairs = GroupL2::new(0.5, Groups::from_lists(&[vec![0, 1]]).unwrap()).unwrap();
    let first = Mcp::new(0.3, 2.0).unwrap();
    let terms: [&dyn Prox; 2] = [&pairs, &first];
    for g in terms {
        let (ours, theirs) = (solve(&f, g, &[0.0; 3]).0, solve(&twin, g, &[0.0; 3]).0);
        assert!(
            distance(&ours, &theirs) < 1e-7,
            "{ours:?} is not {theirs:?}"
        );
    }
}

#[test]
fn a_solver_can_be_taken_up_with_another_weight() {
    let sample = Sample::new(40, 15, 5);
    let f = LeastSquares::new(sample.matrix(), &sample.targets).unwrap();
    let (heavy, light) = (L1::new(3.0).unwrap(), L1::new(0.3).unwrap());
    let mut solver = WorkingSet::new(&f, &heavy, &[0.0; 15]).unwrap();
    run(&mut solver, &tight(), ());
    let mut solver = solver.with_term(&light).unwrap();
    let report = run(&mut solver, &tight(), ());
    assert!(report.converged());
    assert!(distance(solver.x(), &solve(&f, &light, &[0.0; 15]).0) < 1e-6);
    let again = solver.measure();
    assert!(again.residual <= 1e-6 * again.scale);
}
