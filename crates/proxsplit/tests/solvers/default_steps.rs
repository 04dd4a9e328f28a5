//! Incremental passes with their default step: no tuning, no rise of Φ, and no false word of a floor.

use crate::sample::Sample;
use proxsplit::data::{Dense, Elements, StorageOrder};
use proxsplit::gradient::Inner;
use proxsplit::prox::{L1, Mcp};
use proxsplit::smooth::{Cauchy, LeastSquares};
use proxsplit::{
    FiniteSum, IncrementalSplitting, Passes, Prox, Reason, Report, Splitting, Stop, run,
};

const ROWS: usize = 120;
const COLS: usize = 20;

/// Columns with a common part: one large eigenvalue, which makes 1/L a short step for all other directions.
fn correlated(sample: &Sample) -> Vec<f64> {
    sample.design.iter().map(|a| a + 1.0).collect()
}

fn incremental(f: &dyn FiniteSum, g: &dyn Prox, inner: Inner, passes: f64) -> Report {
    let visits = Passes {
        inner,
        batch: 10,
        ..Passes::default()
    };
    let mut solver = IncrementalSplitting::new(f, g, &[0.0; COLS], visits).unwrap();
    let stop = Stop {
        passes,
        ..Stop::default()
    };
    run(&mut solver, &stop, ())
}

fn check(f: &dyn FiniteSum, g: &dyn Prox) {
    let mut batch = Splitting::new(f, g, &[0.0; COLS]).unwrap();
    let batch = run(&mut batch, &Stop::default(), ());
    assert!(batch.converged());
    for inner in [Inner::Identity, Inner::Prox] {
        let report = incremental(f, g, inner, 2000.0);
        // A look at a penalty that is not convex is one prox step ahead of the pass.
        let objectives = report.trace.iter().filter_map(|row| row.progress.objective);
        assert!(objectives.is_sorted_by(|a, b| b <= a), "{inner:?}: Φ rose");
        let first = report.trace[0].objective();
        let (last, best) = (&report.certificate.at_point, &batch.certificate.at_point);
        let gained = (first - last.objective) / (first - best.objective);
        assert!(gained > 0.999, "{inner:?}: {gained} of the decrease");
    }
}

#[test]
fn convex_and_nonconvex_problems_come_within_a_thousandth_of_the_batch_result() {
    let sample = Sample::new(ROWS, COLS, 3);
    let design = correlated(&sample);
    let dense = || Dense::new(ROWS, COLS, StorageOrder::RowMajor, Elements::F64(&design)).unwrap();
    let least_squares = LeastSquares::new(dense(), &sample.targets).unwrap();
    check(&least_squares, &L1::new(1.5).unwrap());
    check(&least_squares, &Mcp::new(1.5, 3.0).unwrap());
    check(
        &Cauchy::new(dense(), &sample.targets, 1.0).unwrap(),
        &L1::new(0.5).unwrap(),
    );
}

/// After twenty passes the residual falls slowly, by less than a tenth in ten passes: that is no floor.
#[test]
fn a_slow_run_is_not_called_a_floor() {
    let sample = Sample::new(ROWS, COLS, 3);
    let design = correlated(&sample);
    let dense = Dense::new(ROWS, COLS, StorageOrder::RowMajor, Elements::F64(&design)).unwrap();
    let f = LeastSquares::new(dense, &sample.targets).unwrap();
    let report = incremental(&f, &L1::new(1.5).unwrap(), Inner::Identity, 60.0);
    assert_ne!(report.reason, Reason::ErrorFloor);
}
