//! A problem in other units has the same certificate in these units.

use crate::sample::Sample;
use proxsplit::data::{Dense, Elements, StorageOrder};
use proxsplit::ledger::Source;
use proxsplit::prox::L1;
use proxsplit::smooth::LeastSquares;
use proxsplit::{Level, Report, Splitting, Stop, run};

/// ½‖sDx − sb‖² + s²·3‖x‖₁: the same x, and s² times the same numbers.
fn scaled(sample: &Sample, s: f64) -> (Report, Vec<f64>) {
    let times = |x: &[f64]| x.iter().map(|x| s * x).collect::<Vec<f64>>();
    let (design, targets) = (times(&sample.design), times(&sample.targets));
    let design = Dense::new(40, 8, StorageOrder::RowMajor, Elements::F64(&design)).unwrap();
    let f = LeastSquares::new(design, &targets).unwrap();
    let g = L1::new(3.0 * s * s).unwrap();
    let mut solver = Splitting::new(&f, &g, &[0.0; 8]).unwrap();
    let stop = Stop {
        residual: 0.0,
        relative: 1e-12,
        ..Stop::default()
    };
    let report = run(&mut solver, &stop, ());
    (report, solver.into_x())
}

#[test]
fn levels_scale_with_the_problem() {
    let sample = Sample::new(40, 8, 4);
    let (plain, x) = scaled(&sample, 1.0);
    assert!(plain.converged(), "{}", plain.certificate);
    // Powers of two scale without rounding.
    for exponent in [-200, -30, 30, 200] {
        let s = 2f64.powi(exponent);
        let (other, same) = scaled(&sample, s);
        assert_eq!(other.certificate.verdict, plain.certificate.verdict);
        assert_eq!(same, x, "2^{exponent}");
        let numbers = |report: &Report| {
            let (at, of) = (report.certificate.at_point, &report.certificate.of_method);
            let level = of.errors.get(Source::Rounding).and_then(Level::value);
            let tolerance = report.certificate.tolerance;
            [
                at.residual,
                at.scale,
                at.rounding,
                level.unwrap(),
                tolerance,
            ]
        };
        for (scaled, plain) in numbers(&other).into_iter().zip(numbers(&plain)) {
            let expected = s * s * plain;
            assert!(
                (scaled - expected).abs() <= 1e-9 * expected,
                "2^{exponent}: {scaled:e}, not {expected:e}"
            );
        }
    }
}
