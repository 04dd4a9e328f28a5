//! Constant steps end at the floor that their drift leaves; shrinking ones go below it.

use super::planted;
use proxsplit::certificate::Verdict;
use proxsplit::set::NonNeg;
use proxsplit::{Looks, Report, Stop, run};
use proxsplit_factor::{Data, Factorization, Method, Problem, Settings, Step};

fn ended(problem: Problem<'_, f64>, step: Step) -> Report {
    let settings = Settings {
        method: Method::Incremental,
        batch: Some(15),
        step,
        ..Settings::default()
    };
    let stop = Stop {
        passes: 600.0,
        looks: Looks::Every(4.0),
        ..Stop::default()
    };
    run(
        &mut Factorization::new(problem, settings, None).unwrap(),
        &stop,
        (),
    )
}

#[test]
fn constant_steps_are_told_apart_from_shrinking_ones() {
    let generated = planted(0.3);
    let data = Data::<f64>::new(generated.matrix().unwrap(), 1.0).unwrap();
    let problem = Problem::new(&data, 3, &NonNeg, &NonNeg).unwrap();
    let constant = ended(problem, Step::Constant(0.5));
    assert_eq!(
        constant.certificate.verdict,
        Verdict::AtErrorFloor,
        "{}",
        constant.certificate
    );
    for step in [
        Step::Auto,
        Step::Diminishing {
            first: 0.5,
            power: 0.5,
        },
    ] {
        let shrinking = ended(problem, step);
        assert!(
            shrinking.certificate.at_point.residual < 0.3 * constant.certificate.at_point.residual,
            "{step:?}: {}",
            shrinking.certificate
        );
    }
}
