//! The example of a gradient from an early-stopped solve: the run affords what its tolerance needs, and no more.

#[path = "../../examples/early_stopped.rs"]
#[allow(dead_code, unreachable_pub)] // its main, and what only an example can export
mod example;

use example::{solve, temperature};

#[test]
fn the_afforded_accuracy_is_enough_and_cheaper_than_fixed_ones() {
    let target = temperature();
    let rough = solve(&target, |_| 1e-2).unwrap();
    let exact = solve(&target, |_| 1e-10).unwrap();
    let afforded = solve(&target, |afforded| afforded.min(0.1)).unwrap();
    assert!(!rough.report.converged(), "{}", rough.report.certificate);
    for outcome in [&exact, &afforded] {
        let certificate = &outcome.report.certificate;
        assert!(outcome.report.converged(), "{certificate}");
        // What the inner solves may hide counts.
        let at = &certificate.at_point;
        let hidden = at.gradient_error.unwrap();
        assert!(at.residual + hidden <= 1.0001e-4 * at.scale, "{at:?}");
    }
    let (objective, least) = (
        afforded.report.certificate.at_point.objective,
        exact.report.certificate.at_point.objective,
    );
    assert!(
        (objective - least).abs() < 1e-4 * least,
        "{objective} {least}"
    );
    assert!(
        2 * afforded.steps < exact.steps,
        "{} and {} steps",
        afforded.steps,
        exact.steps
    );
}
