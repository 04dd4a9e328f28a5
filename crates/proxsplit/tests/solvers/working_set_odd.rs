//! Working sets where something is odd: data, labels, tolerances below what rounding allows.

use super::sample::{Sample, norm};
use super::working_set_common::{LOSSES, model, solve};
use proxsplit::data::{Dense, Elements, StorageOrder};
use proxsplit::prox::L1;
use proxsplit::smooth::loss::{Named, Shape};
use proxsplit::smooth::{LeastSquares, Linear, Logistic};
use proxsplit::text::Operator;
use proxsplit::{
    Guarantee, Panoc, Prox, Real, Smooth, Solver, Splitting, Stop, Verdict, WorkingSet, run,
};

#[test]
fn odd_data_are_solved_or_told() {
    let problems: [(usize, usize, Vec<f64>); 6] = [
        (
            4,
            3,
            vec![1.0, 0.0, 2.0, 2.0, 0.0, 1.0, 3.0, 0.0, -1.0, 4.0, 0.0, 0.5],
        ), // an empty column
        (4, 1, vec![1.0, -2.0, 3.0, 0.5]),
        (1, 4, vec![1.0, -2.0, 3.0, 0.5]),
        (3, 3, vec![1.0, 1.0, 1.0, 2.0, 2.0, 2.0, 3.0, 3.0, 3.0]), // duplicates
        (2, 2, vec![1e60, 0.0, 3e60, 1e60]),
        (2, 2, vec![1e-60, 0.0, 3e-60, 1e-60]),
    ];
    for (rows, cols, entries) in problems {
        let dense =
            Dense::new(rows, cols, StorageOrder::RowMajor, Elements::F64(&entries)).unwrap();
        let targets: Vec<f64> = (0..rows).map(|i| i as f64 + 1.0).collect();
        let f = LeastSquares::new(dense, &targets).unwrap();
        let mut gradient = vec![0.0; cols];
        f.gradient(&vec![0.0; cols], &mut gradient);
        let g = L1::new(0.1 * norm(&gradient)).unwrap();
        for start in [0.0, 3.0] {
            let start = vec![start; cols];
            let (x, report) = solve(&f, &g, &start);
            assert!(
                report.converged(),
                "{rows} × {cols}: {}",
                report.certificate
            );
            assert!(x.iter().all(|x| x.is_finite()));
        }
    }
    let bad = Dense::new(
        1,
        2,
        StorageOrder::RowMajor,
        Elements::F64(&[1.0, f64::NAN]),
    )
    .unwrap();
    assert!(LeastSquares::new(bad, &[1.0]).is_err());
}

#[test]
fn a_solution_at_0_needs_no_set_at_all() {
    let sample = Sample::new(6, 4, 1);
    for loss in LOSSES {
        let f = model(loss, &sample);
        let g = L1::new(1e3).unwrap();
        let mut solver = WorkingSet::new(&*f, &g, &[0.0; 4]).unwrap();
        for _ in 0..3 {
            solver.next().unwrap();
        }
        assert!(solver.x() == [0.0; 4] && solver.set_size() == 0, "{loss}");
    }
}

#[test]
fn an_empty_column_goes_to_the_least_value_of_its_term() {
    let dense = Dense::new(
        2,
        2,
        StorageOrder::RowMajor,
        Elements::F64(&[1.0, 0.0, 2.0, 0.0]),
    )
    .unwrap();
    let f = LeastSquares::new(dense, &[1.0, 2.0]).unwrap();
    let (x, report) = solve(&f, &L1::new(0.1).unwrap(), &[0.0, 5.0]);
    assert!(report.converged() && x[1] == 0.0, "{x:?}");
}

#[test]
fn separated_labels_without_a_penalty_have_no_minimum_and_it_is_said() {
    let dense = Dense::new(
        4,
        1,
        StorageOrder::RowMajor,
        Elements::F64(&[1.0, 2.0, -1.0, -3.0]),
    )
    .unwrap();
    let f = Logistic::new(dense, &[1.0, 1.0, -1.0, -1.0]).unwrap();
    let zero: Operator = "zero".parse().unwrap();
    let (_, report) = solve(&f, &zero, &[0.0]);
    let guarantee = report.certificate.of_method.guarantee;
    assert!(
        matches!(guarantee, Guarantee::None { because } if because.contains("no minimum")),
        "{guarantee}"
    );
    let mut panoc = Panoc::new(&f, &zero, &[0.0]).unwrap();
    let mut plain = Splitting::new(&f, &zero, &[0.0]).unwrap();
    for solver in [&mut panoc as &mut dyn Solver, &mut plain] {
        let guarantee = run(solver, &Stop::default(), ())
            .certificate
            .of_method
            .guarantee;
        assert!(
            matches!(guarantee, Guarantee::None { because } if because.contains("no minimum")),
            "{guarantee}"
        );
    }
    // A penalty holds x back.
    let (_, report) = solve(&f, &L1::new(0.1).unwrap(), &[0.0]);
    assert_eq!(report.certificate.verdict, Verdict::Stationary);
    assert_eq!(report.certificate.of_method.guarantee, Guarantee::Minimizer);
}

/// How many looks a run takes to its end, and how it ends.
fn looks<T: Real>(
    f: &dyn Linear<T>,
    g: &dyn Prox<T>,
    (relative, gap): (f64, Option<f64>),
) -> (usize, String) {
    let mut solver = WorkingSet::new(f, g, &vec![T::ZERO; f.dim()]).unwrap();
    let stop = Stop {
        residual: 0.0,
        relative,
        gap,
        passes: 5000.0,
        ..Stop::default()
    };
    let report = run(&mut solver, &stop, ());
    (report.trace.len(), report.certificate.words())
}

#[test]
fn tolerances_below_rounding_end_all_the_same() {
    let mut failures = Vec::new();
    for (rows, cols) in [(120, 20), (60, 400)] {
        let sample = Sample::new(rows, cols, 7);
        let single: Vec<f32> = sample.labels().iter().map(|&b| b as f32).collect();
        let logistic: Named = "logistic".parse().unwrap();
        let double = model("logistic", &sample);
        let single = logistic
            .model::<f32>(sample.matrix(), &single, Shape::default())
            .unwrap();
        for text in [
            "l1:3",
            "l1:0.1",
            "l1:0.003",
            "elastic:0.3,0.1",
            "group-l2:0.5,2",
            "sparse-group:0.3,0.5,2",
            "l1:0.3+nonneg",
        ] {
            let g: Operator = text.parse().unwrap();
            for ends in [(1e-12, Some(1e-9)), (1e-15, None)] {
                let found = [looks(&*double, &g, ends), looks(&*single, &g, ends)];
                for (looks, words) in found.into_iter().filter(|found| found.0 > 100) {
                    failures.push(format!(
                        "{text}, {rows} × {cols}, {ends:?}: {looks} looks, {words}"
                    ));
                }
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
