use super::super::theorem::tests::{of, plain};
use super::super::{AtPoint, Certificate, Standard, Verdict};

fn at(objective: f64, residual: f64) -> AtPoint {
    AtPoint {
        objective,
        residual,
        reference_step: 1.0,
        prox_error: Some(0.0),
        gradient_error: Some(0.0),
        scale: 1.0,
        rounding: 1e-15,
        fall: None,
        before: None,
        gap: None,
        lower_bound: None,
        feasible: true,
        pair: None,
    }
}

const STANDARD: Standard = Standard {
    residual: 1e-9,
    relative: 1e-6,
    gap: Some(1e-6),
    start_objective: 10.0,
};

#[test]
fn nothing_unsound_is_stationary_or_optimal() {
    assert!(STANDARD.is_stationary(&at(1.0, 1e-7)));
    let spoiled: [fn(&mut AtPoint); 12] = [
        |at| at.feasible = false,
        |at| at.objective = f64::NEG_INFINITY,
        |at| at.objective = f64::NAN,
        |at| at.residual = f64::NAN,
        |at| at.residual = 1.1e-6,
        |at| at.objective = 10.1,
        |at| at.prox_error = None,
        |at| at.prox_error = Some(1e-5),
        |at| at.gradient_error = None,
        |at| at.gradient_error = Some(1e-5),
        |at| at.gap = Some(0.1),
        |at| at.fall = Some(0.1),
    ];
    for (i, spoil) in spoiled.iter().enumerate() {
        let mut at = at(1.0, 1e-7);
        spoil(&mut at);
        assert!(!STANDARD.is_stationary(&at), "{i}");
        assert!(!STANDARD.is_optimal(&at), "{i}");
    }
}

fn optimal(at: AtPoint) -> Certificate {
    Certificate {
        verdict: Verdict::Optimal,
        at_point: at,
        of_method: of(&plain()),
        tolerance: STANDARD.tolerance(&at),
        start_objective: 10.0,
        passes: 1.0,
        obstacle: None,
    }
}

#[test]
fn a_gap_that_is_no_part_of_the_minimum_is_told_by_itself() {
    let mut at = at(1e-17, 1e-7);
    at.gap = Some(1e-17);
    assert!(STANDARD.is_optimal(&at));
    let words = optimal(at).words();
    assert!(
        words.ends_with("objective at most 1.0e-17 above the minimum"),
        "{words}"
    );
}

#[test]
fn a_gap_that_rounds_below_zero_is_zero() {
    let mut at = at(1.0, 1e-7);
    at.gap = Some(-1e-17);
    assert!(STANDARD.is_stationary(&at) && STANDARD.is_optimal(&at));
    let text = optimal(at).to_string();
    assert!(
        text.contains("at most 0.0") && !text.contains("at most -"),
        "{text}"
    );
}

#[test]
fn a_problem_without_scale_has_an_absolute_tolerance_only() {
    let flat = |residual| AtPoint {
        scale: 0.0,
        rounding: 0.0,
        gap: Some(1e-300),
        ..at(0.0, residual)
    };
    assert!(STANDARD.is_stationary(&flat(1e-9)) && !STANDARD.is_stationary(&flat(2e-9)));
    let exact = Standard {
        residual: 0.0,
        relative: 0.0,
        gap: None,
        start_objective: 0.0,
    };
    assert_eq!(exact.tolerance(&at(1.0, 0.0)), 0.0);
    assert!(!exact.is_stationary(&at(0.0, 1e-300)));
}
