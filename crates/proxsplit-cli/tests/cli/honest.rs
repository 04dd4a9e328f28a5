//! What the program says is true, and its exit code agrees: runs that were once told wrong.

use crate::bench::{Bench, Ran};
use serde_json::Value;

/// The record of a run that may end in any way but by an error.
fn told(ran: &Ran) -> Value {
    assert!(matches!(ran.code, Some(0 | 3 | 4)), "{ran:#?}");
    let record: Value = serde_json::from_str(&ran.out).unwrap();
    let is_diverged = record["reason"] == "diverged";
    assert_eq!(ran.code == Some(4), is_diverged, "{ran:#?}");
    record
}

/// The kind of the verdict.
fn kind(record: &Value) -> &str {
    let verdict = &record["certificate"]["verdict"];
    let of_object = || {
        verdict
            .as_object()
            .and_then(|v| v.keys().next())
            .map(String::as_str)
    };
    verdict.as_str().or_else(of_object).unwrap()
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or(f64::NAN)
}

/// A verdict of success needs its numbers.
fn agrees_with_itself(record: &Value) {
    let certificate = &record["certificate"];
    let (residual, tolerance) = (&certificate["stationarity"], &certificate["tolerance"]);
    if kind(record) == "stationary" {
        assert!(number(residual) <= number(tolerance), "{certificate:#}");
        let start = number(&certificate["start_objective"]);
        let end = number(&record["objective"]);
        assert!(
            end <= start + 1e-9 * start.abs(),
            "{end} is above the start, {start}"
        );
    }
    assert_eq!(
        record["converged"],
        ["stationary", "optimal"].contains(&kind(record))
    );
}

#[test]
fn divergence_is_never_called_convergence() {
    let bench = Bench::new();
    let runs = [
        "planted:40x60x4,0.1 -k 8 --method incremental --inner identity --batch 8 --passes 200",
        "swimmer -k 2 --method incremental --step 1e155 --passes 50",
        "swimmer -k 2 --method sggd --step 1e300 --passes 50",
        "planted:60x80x5,0.1 -k 5 --method incremental --step 2.1 --passes 100",
    ];
    for (i, run) in runs.iter().enumerate() {
        let record = told(&bench.run(&format!("factorize {run} --out out{i} --json -q")));
        agrees_with_itself(&record);
    }
}

#[test]
fn the_default_step_of_plain_inner_passes_does_not_blow_up() {
    let bench = Bench::new();
    let words = "factorize planted:40x60x4,0.1 -k 8 --method incremental --inner identity --batch 8 --json -q";
    let record = told(&bench.run(&format!("{words} --passes 60 --out out")));
    assert_ne!(record["reason"], "diverged");
    let start = number(&record["certificate"]["start_objective"]);
    assert!(number(&record["objective"]) <= start);
}

#[test]
fn diverged_runs_end_with_4_and_return_the_best_point() {
    let bench = Bench::new();
    let words =
        "factorize planted:30x40x3,0.1 -k 3 --method sggd --step 1e300 --passes 20 --out out";
    let ran = bench.run(&format!("{words} --json -q"));
    assert_eq!(ran.code, Some(4), "{ran:#?}");
    let record = told(&ran);
    assert_eq!(kind(&record), "diverged");
    assert!(number(&record["objective"]).is_finite());
    let x = bench.dense("out/X.npy");
    assert!(x.data().iter().all(|x| x.is_finite()));
    // The same from solve: a step far beyond 2/L.
    bench.matrix("a.npy", 2, &[1.0, 0.5, 0.0, 1.0, 2.0, 1.0]);
    bench.vector("b.npy", &[1.0, 2.0, 3.0]);
    let ran = bench
        .run("solve --loss least-squares --data a.npy --target b.npy --step 100 --out x --json -q");
    assert_eq!(ran.code, Some(4), "{ran:#?}");
    assert!(number(&told(&ran)["objective"]).is_finite());
}

#[test]
fn a_step_that_is_too_long_is_named() {
    let bench = Bench::new();
    let words = "factorize planted:60x80x5,0.1 -k 5 --method incremental --step 2.1 --passes 300";
    let record = told(&bench.run(&format!("{words} --out out --json -q")));
    let guarantee = record["certificate"]["guarantee"].as_str().unwrap();
    assert!(
        guarantee.starts_with("no theorem covers this run"),
        "{guarantee}"
    );
    assert_ne!(kind(&record), "stationary");
}

#[test]
fn the_first_command_of_the_readme_ends_with_a_guarantee() {
    let bench = Bench::new();
    let ran = bench
        .run("factorize swimmer --rank 17 --out swimmer-demo")
        .done();
    assert!(
        ran.out.starts_with("stationary to tolerance"),
        "{}",
        ran.out
    );
    assert!(
        !ran.out.contains("no theorem covers this run"),
        "{}",
        ran.out
    );
    let progress = ran.err.lines().filter(|line| line.starts_with("pass "));
    assert!(progress.clone().count() > 2, "{}", ran.err);
    assert!(progress.into_iter().all(|line| line.chars().count() <= 80));
}

#[test]
fn a_start_at_a_solution_is_recognized_in_one_look() {
    let bench = Bench::new();
    for (data, more) in [
        ("planted:40x60x3,0.1", ""),
        (
            "planted:40x60x3,0.1",
            "--x-penalty l1:0.01 --a-penalty l1:0.1",
        ),
        ("planted:30x50x3,0", ""),
    ] {
        let words = format!("factorize {data} -k 3 {more} --force -q");
        bench.run(&format!("{words} --strict --out first")).done();
        let second = bench
            .run(&format!("{words} --init first --out second --json"))
            .json();
        assert_eq!(second["converged"], true, "{data} {more}");
        assert_eq!(second["passes"], 0.0, "{data} {more}");
    }
}

#[test]
fn results_in_single_precision_are_in_their_sets() {
    let bench = Bench::new();
    let sets = [
        "l2-ball:1",
        "l1-ball:1",
        "simplex:1",
        "box:0,0.5",
        "monotone",
        "nonneg+l2-ball:1",
        "linf-ball:1",
    ];
    for set in sets {
        let words = format!("factorize swimmer -k 8 --x-set {set} --dtype f32 --force -q");
        bench
            .run(&format!("{words} --passes 20 --out single"))
            .done();
        let check = format!("check swimmer single/X.npy single/A.npy --x-set {set} --json");
        let audit = bench.run(&check).json();
        assert!(audit["objective"].is_f64(), "{set}: {audit:#}");
        assert_eq!(audit["outside"], Value::Null, "{set}");
        for dtype in ["f32", "f64"] {
            let words = format!("factorize swimmer -k 8 --x-set {set} --dtype {dtype} --force -q");
            bench
                .run(&format!("{words} --passes 2 --init single --out again"))
                .done();
        }
    }
}

#[test]
fn a_small_residual_far_above_the_minimum_is_not_called_stationary() {
    let bench = Bench::new();
    // Nonnegative least squares with positive, strongly correlated columns: ill-conditioned.
    let (rows, cols) = (600, 120);
    let mut state = 1_u64;
    let mut uniform = || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as f64 / (1_u64 << 31) as f64
    };
    let design: Vec<f64> = (0..rows * cols).map(|_| uniform()).collect();
    let x: Vec<f64> = (0..cols).map(|_| uniform()).collect();
    let target: Vec<f64> = design
        .chunks(cols)
        .map(|row| row.iter().zip(&x).map(|(a, x)| a * x).sum::<f64>() + uniform() - 0.5)
        .collect();
    bench.matrix("a.npy", cols, &design);
    bench.vector("b.npy", &target);
    let words = "solve --loss least-squares --set nonneg --data a.npy --target b.npy --json -q";
    let rough = told(&bench.run(&format!("{words} --tol 1e-3 --out rough")));
    let exact = told(&bench.run(&format!("{words} --tol 1e-9 --passes 20000 --out exact")));
    let (rough_value, least) = (number(&rough["objective"]), number(&exact["objective"]));
    assert!(
        kind(&rough) != "stationary" || rough_value <= 1.1 * least,
        "{rough_value} is called stationary, but {least} is possible"
    );
    if let Some(gap) = rough["certificate"]["at_point"]["gap"].as_f64() {
        assert!(rough_value - least <= gap * (1.0 + 1e-9), "{gap}");
    }
}
