//! Graphs of samples and of features.

use super::{METHODS, planted, settings, settle};
use proxsplit::Mat;
use proxsplit::data::{Dense, Elements, StorageOrder};
use proxsplit::prox::{NonNegL1, SquaredL2};
use proxsplit::set::{L2Ball, NonNeg, Simplex};
use proxsplit::{Matrix, Pair, Prox, Report, Solver, Stop, Verdict, run};
use proxsplit_factor::{
    Data, Factorization, Factors, Graph, Lanes, Loss, Method, Missing, Problem, Weights, audit,
};

const ROWS: usize = 40;
const COLS: usize = 90;

/// Similarities that are not symmetric, with numbers on the diagonal, which do not count.
fn similarities(nodes: usize) -> Mat<f64> {
    Mat::from_fn(nodes, nodes, |i, j| match (i + 2 * j) % 11 {
        _ if i == j => 7.0,
        0 if i.abs_diff(j) < 9 => 0.5 + (i % 3) as f64,
        _ if i == j + 1 => 1.0,
        _ => 0.0,
    })
}

fn graph<T: Lanes>(similarities: &Mat<f64>, weight: f64) -> Graph<T> {
    Graph::new(view(similarities), weight).unwrap()
}

fn view(matrix: &Mat<f64>) -> Matrix<'_> {
    let elements = Elements::F64(matrix.data());
    let dense = Dense::new(
        matrix.rows(),
        matrix.cols(),
        StorageOrder::ColumnMajor,
        elements,
    );
    dense.unwrap().into()
}

/// ½Σ_ij w_ij‖f_i − f_j‖² over the columns, from the definition.
fn energy(factor: &Mat<f64>, similarities: &Mat<f64>, weight: f64) -> f64 {
    let mut sum = 0.0;
    for i in 0..factor.cols() {
        for j in 0..factor.cols() {
            let pairs = factor.col(i).iter().zip(factor.col(j));
            let square: f64 = pairs.map(|(f, g)| (f - g).powi(2)).sum();
            sum += 0.5 * weight * similarities.col(j)[i] * square;
        }
    }
    sum
}

fn misfit(y: Matrix<'_>, x: &Mat<f64>, a: &Mat<f64>) -> f64 {
    let Matrix::Dense(y) = y else {
        panic!("planted data are dense")
    };
    let mut sum = 0.0;
    for t in 0..y.cols() {
        for i in 0..y.rows() {
            let z: f64 = (0..x.cols()).map(|k| x.col(k)[i] * a.col(t)[k]).sum();
            sum += 0.5 * (y.get(i, t) - z).powi(2);
        }
    }
    sum
}

/// ‖F − P(F − η∇)‖/η for F ≥ 0 by central differences of the objective.
fn residual(factor: &Mat<f64>, step: f64, objective: impl Fn(&Mat<f64>) -> f64) -> f64 {
    let mut square = 0.0;
    for at in 0..factor.data().len() {
        let moved = |by: f64| {
            let mut other = factor.clone();
            other.data_mut()[at] += by;
            objective(&other)
        };
        let slope = (moved(1e-4) - moved(-1e-4)) / 2e-4;
        let here = factor.data()[at];
        square += (((here - step * slope).max(0.0) - here) / step).powi(2);
    }
    square.sqrt()
}

fn pair(solver: &mut impl Solver) -> Pair {
    solver.measure().pair.unwrap()
}

#[test]
fn objective_and_residuals_are_those_of_the_definition() {
    let generated = planted(0.3);
    let y = generated.matrix().unwrap();
    let data = Data::<f64>::new(y, 1.0).unwrap();
    let (of_rows, of_cols) = (similarities(ROWS), similarities(COLS));
    let (smooth, alike) = (graph(&of_rows, 0.2), graph(&of_cols, 0.05));
    let problem = Problem::new(&data, 3, &NonNeg, &NonNeg).unwrap();
    let problem = problem.with_graphs(Some(&smooth), Some(&alike)).unwrap();
    let mut solver = Factorization::new(problem, settings(Method::Batch, 1), None).unwrap();
    for passes in [2, 60] {
        assert_eq!(solver.by_ref().take(passes).count(), passes);
        let at = solver.measure();
        let found = pair(&mut solver);
        solver.keep();
        let (x, a) = {
            let mut kept = Factorization::new(problem, settings(Method::Batch, 1), None).unwrap();
            let state = solver.state();
            let arrays = state.arrays.into_iter().map(|(n, a)| (n.to_string(), a));
            kept.restore(&state.header, arrays.collect()).unwrap();
            kept.settle();
            (kept.factors().x(), kept.factors().a())
        };
        let objective = |x: &Mat<f64>, a: &Mat<f64>| {
            let graphs = energy(&x.transposed(), &of_rows, 0.2) + energy(a, &of_cols, 0.05);
            misfit(y, x, a) + graphs
        };
        let exact = objective(&x, &a);
        assert!((at.objective - exact).abs() <= 1e-10 * exact, "{exact}");
        let of_x = residual(&x, found.step_x, |x| objective(x, &a));
        let of_a = residual(&a, found.step_a, |a| objective(&x, a));
        let near = |stated: f64, exact: f64, scale: f64| (stated - exact).abs() <= 1e-6 * scale;
        assert!(near(found.residual_x, of_x, found.scale_x), "{of_x}");
        assert!(near(found.residual_a, of_a, found.scale_a), "{of_a}");
        let audited = audit(problem, &Factors::new(&x, a).unwrap()).unwrap();
        assert!((audited.objective - exact).abs() <= 1e-10 * exact);
        assert!(near(audited.residual_x, of_x, found.scale_x));
        assert!(near(audited.residual_a, of_a, found.scale_a));
        assert!(found.codes_gap.is_none(), "no dual point is known");
    }
}

/// Terms, losses, gaps and weights with a graph on both sides: all end at stationary points.
#[test]
fn runs_become_stationary_under_every_kind_of_term() {
    let generated = planted(0.3);
    let (smooth, alike) = (similarities(ROWS), similarities(COLS));
    let l1 = NonNegL1::new(0.05).unwrap();
    let (ball, simplex, ridge) = (
        L2Ball::new(1.0).unwrap(),
        Simplex::new(1.0).unwrap(),
        SquaredL2::new(0.1).unwrap(),
    );
    let terms: [(&dyn Prox<f64>, &dyn Prox<f64>); 4] =
        [(&l1, &l1), (&ball, &l1), (&l1, &simplex), (&ridge, &ridge)];
    let importance: Vec<f64> = (0..COLS).map(|t| (t % 4) as f64).collect();
    let weights = Weights {
        samples: Some(&importance),
        ..Weights::default()
    };
    let stop = Stop {
        relative: 1e-5,
        residual: 0.0,
        passes: 3000.0,
        ..Stop::default()
    };
    for (number, (atoms, codes)) in terms.into_iter().enumerate() {
        for (loss, weights) in [
            (Loss::Squared, Weights::default()),
            (Loss::Squared, weights),
            (Loss::Huber(0.2), Weights::default()),
        ] {
            let data = Data::<f64>::new(generated.matrix().unwrap(), 1.0).unwrap();
            let data = data.with_weights(weights).unwrap();
            let (smooth, alike) = (graph(&smooth, 0.1), graph(&alike, 0.1));
            let problem = Problem::new(&data, 3, atoms, codes).unwrap();
            let problem = problem.with_graphs(Some(&smooth), Some(&alike)).unwrap();
            let problem = problem.with_loss(loss).unwrap();
            let mut solver = Factorization::new(problem, settings(Method::Auto, 1), None).unwrap();
            let report = run(&mut solver, &stop, ());
            let certificate = &report.certificate;
            let at = format!("{number}, {loss}: {} passes", certificate.passes);
            println!("{at} {}", certificate.at_point.objective);
            assert_eq!(certificate.verdict, Verdict::Stationary, "{at}");
        }
    }
}

/// A sample without weight has no data: its code is the mean of those of its neighbours, by the weights of the edges.
#[test]
fn a_sample_without_weight_gets_the_mean_of_its_neighbours() {
    let generated = planted(0.1);
    let mut importance = vec![1.0; COLS];
    importance[20] = 0.0;
    let weights = Weights {
        samples: Some(&importance),
        ..Weights::default()
    };
    let data = Data::<f64>::new(generated.matrix().unwrap(), 1.0).unwrap();
    let data = data.with_weights(weights).unwrap();
    let mut edges = Mat::zeros(COLS, COLS);
    edges.col_mut(20)[3] = 1.0;
    edges.col_mut(50)[20] = 3.0;
    let alike = graph(&edges, 0.01);
    let ball = L2Ball::new(1.0).unwrap();
    let problem = Problem::new(&data, 3, &ball, &NonNeg).unwrap();
    let problem = problem.with_graphs(None, Some(&alike)).unwrap();
    let mut solver = Factorization::new(problem, settings(Method::Batch, 1), None).unwrap();
    assert_eq!(solver.by_ref().take(200).count(), 200);
    settle(&mut solver);
    let a = solver.factors().a();
    for k in 0..3 {
        let mean = 0.25 * a.col(3)[k] + 0.75 * a.col(50)[k];
        let code = a.col(20)[k];
        assert!((code - mean).abs() <= 1e-6 * (1.0 + mean), "{code}, {mean}");
    }
}

#[test]
fn a_heavy_graph_makes_all_codes_one_and_a_light_one_changes_nothing() {
    let generated = planted(0.1);
    let data = Data::<f64>::new(generated.matrix().unwrap(), 1.0).unwrap();
    let all = Mat::from_fn(COLS, COLS, |_, _| 1.0);
    let ball = L2Ball::new(1.0).unwrap();
    let problem = Problem::new(&data, 3, &ball, &NonNeg).unwrap();
    let end = |weight: Option<f64>, start: Option<Factors<f64>>, passes: f64| {
        let alike = weight.map(|weight| graph(&all, weight));
        let problem = problem.with_graphs(None, alike.as_ref()).unwrap();
        let mut solver = Factorization::new(problem, settings(Method::Batch, 1), start).unwrap();
        let stop = Stop {
            relative: 1e-6,
            residual: 0.0,
            passes,
            ..Stop::default()
        };
        let report = run(&mut solver, &stop, ());
        (report, solver.factors().clone())
    };
    let objective = |report: &Report| report.certificate.at_point.objective;
    let (heavy, factors) = end(Some(1e3), None, 2000.0);
    let a = factors.a();
    for t in 1..COLS {
        for (one, other) in a.col(0).iter().zip(a.col(t)) {
            assert!((one - other).abs() <= 1e-3 * one.abs().max(1e-3));
        }
    }
    // Two runs may end at two stationary points: whether the graph matters is seen from one of them.
    let (light, factors) = end(Some(1e-12), None, 500.0);
    let (plain, _) = end(None, Some(factors), 0.0);
    let (light, plain) = (objective(&light), objective(&plain));
    assert!((light - plain).abs() <= 1e-4 * plain, "{light}, {plain}");
    assert!(objective(&heavy) > 1.5 * plain);
}

fn after<T: Lanes>(kill: Option<usize>, threads: usize) -> (Mat<T>, Mat<T>) {
    let generated = planted(0.3);
    let (smooth, alike) = (similarities(ROWS), similarities(COLS));
    let (smooth, alike) = (graph(&smooth, 0.2), graph(&alike, 0.05));
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
    pool.build().unwrap().install(|| {
        let data = Data::<T>::new(generated.matrix().unwrap(), 1.0).unwrap();
        let problem = Problem::new(&data, 3, &NonNeg, &NonNeg).unwrap();
        let problem = problem.with_graphs(Some(&smooth), Some(&alike)).unwrap();
        let begin = || Factorization::new(problem, settings(Method::Batch, 1), None).unwrap();
        let mut solver = begin();
        for step in 0..20 {
            if kill == Some(step) {
                let state = solver.state();
                let arrays = state.arrays.into_iter().map(|(n, a)| (n.to_string(), a));
                solver = begin();
                solver.restore(&state.header, arrays.collect()).unwrap();
            }
            solver.next().unwrap();
        }
        (solver.factors().x(), solver.factors().a())
    })
}

#[test]
fn threads_and_resuming_do_not_change_a_bit_and_single_precision_is_near() {
    let alone = after::<f64>(None, 1);
    assert!(alone == after(None, 2));
    assert!(alone == after(Some(7), 2));
    let single = after::<f32>(None, 1);
    assert!(single == after(Some(7), 2));
    for (wide, narrow) in alone.1.data().iter().zip(single.1.data()) {
        assert!((wide - f64::from(*narrow)).abs() <= 0.01 * (1.0 + wide));
    }
}

#[test]
fn what_does_not_fit_is_refused() {
    let generated = planted(0.0);
    let data = Data::<f64>::new(generated.matrix().unwrap(), 1.0).unwrap();
    let problem = Problem::new(&data, 3, &NonNeg, &NonNeg).unwrap();
    let samples = graph(&similarities(COLS), 1.0);
    let words = |error: proxsplit::Error| error.to_string();
    let error = words(problem.with_graphs(Some(&samples), None).err().unwrap());
    assert!(
        error.contains("90 nodes, but the data have 40 features"),
        "{error}"
    );
    let with = problem.with_graphs(None, Some(&samples)).unwrap();
    let error = words(with.with_loss(Loss::KullbackLeibler).err().unwrap());
    assert!(error.contains("kl does not support graphs"), "{error}");
    let kl = problem.with_loss(Loss::KullbackLeibler).unwrap();
    assert!(kl.with_graphs(None, Some(&samples)).is_err());
    for method in METHODS {
        let run = Factorization::new(with, settings(method, 1), None);
        let fits = matches!(method, Method::Auto | Method::Batch);
        assert_eq!(run.is_ok(), fits, "{method}");
    }
    let mut bad = similarities(COLS);
    bad.col_mut(5)[8] = -0.5;
    let error = words(Graph::<f64>::new(view(&bad), 1.0).unwrap_err());
    assert!(
        error.contains("row 8, column 5 of the graph (counting from 0) is -0.5"),
        "{error}"
    );
    let error = words(Graph::<f64>::new(view(&Mat::zeros(3, 4)), 1.0).unwrap_err());
    assert!(error.contains("3 × 4"), "{error}");
    assert!(Graph::<f64>::new(view(&similarities(4)), 0.0).is_err());
    // Another graph is another problem.
    let begin = |graph| {
        let problem = problem.with_graphs(None, Some(graph)).unwrap();
        Factorization::new(problem, settings(Method::Batch, 1), None).unwrap()
    };
    let state = begin(&samples).state();
    let other = graph(&similarities(COLS), 2.0);
    let arrays = state.arrays.into_iter().map(|(n, a)| (n.to_string(), a));
    let error = words(
        begin(&other)
            .restore(&state.header, arrays.collect())
            .unwrap_err(),
    );
    assert!(error.contains("different graphs"), "{error}");
}

/// With X = 0 the misfit has no slope in A, and the graph alone is what cancels there.
#[test]
fn where_the_other_factor_is_zero_the_residual_is_relative_to_the_graph() {
    let generated = planted(0.3);
    let data = Data::<f64>::new(generated.matrix().unwrap(), 1.0).unwrap();
    let of_cols = similarities(COLS);
    let alike = graph(&of_cols, 0.05);
    let problem = Problem::new(&data, 3, &NonNeg, &NonNeg).unwrap();
    let problem = problem.with_graphs(None, Some(&alike)).unwrap();
    let a = Mat::from_fn(3, COLS, |k, t| 1.0 + ((k + 2 * t) % 5) as f64);
    let start = Factors::new(&Mat::zeros(ROWS, 3), a).unwrap();
    let found = audit(problem, &start).unwrap();
    assert!(found.scale_a > 0.0 && found.residual_a > 1e-3 * found.scale_a);
    let mut solver = Factorization::new(problem, settings(Method::Batch, 1), Some(start)).unwrap();
    let report = run(&mut solver, &Stop::default(), ());
    assert_eq!(
        report.certificate.verdict,
        Verdict::Stationary,
        "{report:?}"
    );
}

/// Gaps in the data: what the definition says over the observed entries, at a stationary point.
#[test]
fn with_missing_entries_a_graph_is_the_same_term() {
    let generated = planted(0.3);
    let Matrix::Dense(whole) = generated.matrix().unwrap() else {
        panic!("planted data are dense")
    };
    let y: Vec<f64> = (0..ROWS * COLS)
        .map(|at| match (at * 7 + at / ROWS) % 5 {
            0 => f64::NAN,
            _ => whole.get(at % ROWS, at / ROWS),
        })
        .collect();
    let dense = Dense::new(ROWS, COLS, StorageOrder::ColumnMajor, Elements::F64(&y)).unwrap();
    let data = Data::<f64>::with_missing(dense.into(), 1.0, Missing::Nan).unwrap();
    let of_cols = similarities(COLS);
    let alike = graph(&of_cols, 0.1);
    let l1 = NonNegL1::new(0.05).unwrap();
    let problem = Problem::new(&data, 3, &l1, &l1).unwrap();
    let problem = problem.with_graphs(None, Some(&alike)).unwrap();
    let mut solver = Factorization::new(problem, settings(Method::Auto, 1), None).unwrap();
    let stop = Stop {
        relative: 1e-5,
        residual: 0.0,
        passes: 2000.0,
        ..Stop::default()
    };
    let report = run(&mut solver, &stop, ());
    assert_eq!(report.certificate.verdict, Verdict::Stationary);
    let (x, a) = (solver.factors().x(), solver.factors().a());
    let penalties = x.data().iter().chain(a.data()).sum::<f64>();
    let mut exact = 0.05 * penalties + energy(&a, &of_cols, 0.1);
    for (at, y) in y.iter().enumerate().filter(|(_, y)| !y.is_nan()) {
        let (i, t) = (at % ROWS, at / ROWS);
        let z: f64 = (0..3).map(|k| x.col(k)[i] * a.col(t)[k]).sum();
        exact += 0.5 * (y - z).powi(2);
    }
    let stated = report.certificate.at_point.objective;
    assert!((stated - exact).abs() <= 1e-9 * exact, "{stated}, {exact}");
}

/// Nothing but the graph curves where A = 0: its step is 1/‖L‖, up to the bound of ‖L‖ by sums of degrees.
#[test]
fn where_the_other_factor_has_vanished_the_step_is_that_of_the_graph() {
    let generated = planted(0.05);
    let data = Data::<f64>::new(generated.matrix().unwrap(), 1.0).unwrap();
    let chain = Mat::from_fn(ROWS, ROWS, |i, j| f64::from(u8::from(i == j + 1)));
    let features = graph::<f64>(&chain, 1e-3);
    // Codes that cost more than anything they fit.
    let dear = NonNegL1::new(1e6).unwrap();
    let problem = Problem::new(&data, 2, &NonNeg, &dear).unwrap();
    let problem = problem.with_graphs(Some(&features), None).unwrap();
    let start = Factors::new(
        &Mat::from_fn(ROWS, 2, |i, k| (i * (k + 1) % 5) as f64),
        Mat::zeros(2, COLS),
    );
    let mut solver =
        Factorization::new(problem, settings(Method::Batch, 0), Some(start.unwrap())).unwrap();
    let found = pair(&mut solver);
    assert!(found.scale_x > 0.0);
    // s_ij = 1e-3 for neighbours on a chain, each of degree 2e-3 inside: ‖L‖ < 4e-3.
    assert!((found.step_x - 250.0).abs() < 1e-9, "{}", found.step_x);
}
