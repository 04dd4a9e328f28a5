//! The theorem "Convergence" as a study: with an error that never vanishes, the final residual follows its level.

use crate::sample::{Sample, starts};
use proxsplit::gradient::{Injected, Shape};
use proxsplit::prox::L1;
use proxsplit::smooth::Cauchy;
use proxsplit::step::Constant;
use proxsplit::{Guarantee, Reason, Smooth, Splitting, Stop, run};

#[test]
fn the_final_residual_is_linear_in_the_error_level() {
    let sample = Sample::new(60, 8, 5);
    let f = Cauchy::new(sample.matrix(), &sample.targets, 0.7).unwrap();
    let g = L1::new(0.4).unwrap();
    let start = starts(8, 1).next().unwrap();
    for shape in [Shape::Bias, Shape::Random, Shape::Adversarial] {
        for exponent in 1..=6 {
            let level = 10f64.powi(-exponent);
            let source = Injected::new(&f, level, shape, 11).unwrap();
            let step = Constant::within(f.lipschitz()).unwrap();
            let mut solver = Splitting::new(&f, &g, &start)
                .unwrap()
                .gradient(source)
                .step(step);
            let stop = Stop {
                residual: 0.0,
                relative: 0.0,
                passes: 20_000.0,
                ..Stop::default()
            };
            let report = run(&mut solver, &stop, ());
            let residual = report.certificate.at_point.residual;
            let ratio = residual / level;
            assert_eq!(report.reason, Reason::ErrorFloor, "{shape:?} {level}");
            let words = report.certificate.words();
            assert!(words.starts_with("at the error floor"));
            assert!(words.ends_with("reduce the error at its source"));
            assert!(
                ratio < 3.0,
                "{shape:?}: residual {residual} at level {level}"
            );
            assert!(
                shape == Shape::Random || ratio > 0.1,
                "{shape:?}: the error cannot have been injected: {ratio}"
            );
            let of_method = &report.certificate.of_method;
            let Guarantee::Neighbourhood { error, radius } = of_method.guarantee else {
                panic!(
                    "the theorem covers this run, but the certificate says {}",
                    of_method.guarantee
                )
            };
            assert!((error - level).abs() < 1e-3 * level + 1e-12);
            assert!(residual <= radius, "{residual} is above K·ē = {radius}");
        }
    }
}
