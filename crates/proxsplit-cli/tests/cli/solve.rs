//! `proxsplit solve`.

use crate::bench::Bench;
use proxsplit_io::Data;

/// Rows (aᵢ) and targets of a small regression whose lasso solution is known: the design is diagonal.
fn diagonal(bench: &Bench) {
    bench.matrix("a.npy", 3, &[2.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.5]);
    bench.vector("b.npy", &[4.0, 0.05, -2.0]);
}

fn solution(bench: &Bench, folder: &str) -> Vec<f64> {
    let data = Data::open(bench.path(&format!("{folder}/x.npy"))).unwrap();
    let proxsplit::Matrix::Dense(x) = data.matrix() else {
        panic!("x is dense");
    };
    (0..x.rows()).map(|i| x.get(i, 0)).collect()
}

#[test]
fn the_lasso_is_solved_by_both_methods_and_all_steps() {
    let bench = Bench::new();
    diagonal(&bench);
    // min (2x − 4)²/2 + 0.1|x| has x = (8 − 0.1)/4; (x − 0.05)²/2 is cut to 0; (x/2 + 2)²/2 has x = (−1 + 0.1)/0.25.
    let expected = [1.975, 0.0, -3.6];
    let ways = [
        "--step auto",
        "--method working-set",
        "--method panoc",
        "--step 0.2",
        "--step backtracking",
        "--step bb",
        "--step adaptive",
        "--method incremental --step diminishing:0.2,0.5 --passes 200000 --tol 1e-5",
        "--method incremental --inner prox --batch 3 --step 0.2",
        "--method mini-batch --batch 3",
        "--method page",
        "--method saga --passes 5000",
        "--method saga --batch 1 --step 0.02 --passes 20000",
    ];
    for (i, way) in ways.iter().enumerate() {
        let ran = bench.run(&format!(
            "solve --loss least-squares --data a.npy --target b.npy --penalty l1:0.1 {way} --out out{i} --json"
        ));
        let record = ran.json();
        assert_eq!(record["converged"], true, "{way}: {record:#}");
        assert_eq!(record, bench.json(&format!("out{i}/run.json")));
        for (x, expected) in solution(&bench, &format!("out{i}")).iter().zip(expected) {
            assert!((x - expected).abs() < 1e-3, "{way}: {x} is not {expected}");
        }
    }
}

#[test]
fn the_record_says_what_was_asked_and_what_came_of_it() {
    let bench = Bench::new();
    diagonal(&bench);
    bench
        .run("solve --loss huber:10 --data a.npy --target b.npy --set nonneg --out out --quiet")
        .done();
    assert_eq!(bench.names("out"), ["run.json", "trace.jsonl", "x.npy"]);
    let record = bench.json("out/run.json");
    for name in [
        "objective",
        "seconds",
        "passes",
        "certificate",
        "settings",
        "seed",
        "versions",
        "command",
        "data",
    ] {
        assert!(!record[name].is_null(), "{name} is missing");
    }
    assert_eq!(record["settings"]["loss"], "huber:10");
    assert_eq!(record["settings"]["set"], "nonneg");
    assert!(
        record["certificate"]["words"]
            .as_str()
            .unwrap()
            .starts_with("stationary")
    );
    let first: serde_json::Value =
        serde_json::from_str(bench.text("out/trace.jsonl").lines().next().unwrap()).unwrap();
    assert_eq!(first["pass"], 0.0);
    assert!(first["residual"].is_f64() && first["errors"].is_array());
    // At x = 0 the loss is quadratic everywhere: (16 + 0.0025 + 4)/2.
    assert!((first["objective"].as_f64().unwrap() - 10.001_25).abs() < 1e-9);
    assert!(solution(&bench, "out").iter().all(|x| *x >= 0.0));
}

#[test]
fn limits_end_a_run_and_strict_tells_it() {
    let bench = Bench::new();
    diagonal(&bench);
    let words =
        "solve --loss logistic --data a.npy --target s.npy --step 0.01 --passes 5 --out out";
    bench.vector("s.npy", &[1.0, -1.0, 1.0]);
    let ran = bench.run(&format!("{words} --strict"));
    assert_eq!(ran.code, Some(3), "{ran:#?}");
    assert!(ran.out.contains("not converged: hit the pass limit"));
    assert_eq!(bench.json("out/run.json")["passes"], 5.0);
    bench.run(words).refused(1, &["already exists"]);
    let forced = bench
        .run(&format!("{words} --force --tol 0 --quiet"))
        .done();
    assert_eq!((forced.out.as_str(), forced.err.as_str()), ("", ""));
}

#[test]
fn a_gap_ends_a_convex_run_and_others_are_told() {
    let bench = Bench::new();
    diagonal(&bench);
    let words = "solve --loss least-squares --data a.npy --target b.npy --step 0.05 --tol 0";
    let record = bench
        .run(&format!(
            "{words} --penalty l1:0.1 --gap 1e-3 --out l1 --json"
        ))
        .json();
    assert_eq!(record["certificate"]["verdict"], "optimal");
    let (objective, gap) = (
        record["objective"].as_f64().unwrap(),
        record["certificate"]["at_point"]["gap"].as_f64().unwrap(),
    );
    // (2x − 4)²/2 + 0.1|x| at 1.975, 0.05²/2 and (x/2 + 2)²/2 + 0.1|x| at −3.6.
    let least = 0.00125 + 0.1975 + 0.00125 + 0.02 + 0.36;
    assert!(objective - least <= gap && gap <= 1e-3 * (objective - gap));
    let nonconvex = bench.run(&format!(
        "{words} --penalty l0:0.1 --gap 1e-3 --passes 50 --out l0"
    ));
    assert!(nonconvex.err.contains("no gap is known"), "{nonconvex:?}");
}

#[test]
fn what_does_not_fit_is_refused_before_anything_is_written() {
    let bench = Bench::new();
    diagonal(&bench);
    bench.vector("short.npy", &[1.0]);
    let words = "solve --data a.npy --out out";
    let loss = "--loss least-squares";
    bench
        .run(&format!("{words} {loss} --target short.npy"))
        .refused(1, &["1 targets", "3 rows"]);
    bench
        .run(&format!("{words} {loss} --target a.npy"))
        .refused(1, &["must be a vector"]);
    bench
        .run(&format!("{words} --loss hinge --target b.npy"))
        .refused(2, &["unknown loss 'hinge'", "logistic"]);
    bench
        .run(&format!("{words} --loss logstic --target b.npy"))
        .refused(2, &["did you mean 'logistic'"]);
    bench
        .run(&format!("{words} --loss logistic --target b.npy"))
        .refused(1, &["4"]);
    bench
        .run(&format!(
            "{words} {loss} --target b.npy --method incremental --step bb"
        ))
        .refused(1, &["in advance"]);
    bench
        .run(&format!(
            "{words} {loss} --target b.npy --method saga --step bb"
        ))
        .refused(1, &["needs a number"]);
    bench
        .run(&format!(
            "{words} {loss} --target b.npy --method page --penalty l1:1 --path 3"
        ))
        .refused(2, &["full gradients"]);
    assert!(!bench.path("out").exists());
}

#[test]
fn a_path_begins_at_zero_and_its_points_are_those_of_single_runs() {
    let bench = Bench::new();
    diagonal(&bench);
    let words = "solve --loss least-squares --data a.npy --target b.npy --tol 1e-9";
    let record = bench
        .run(&format!(
            "{words} --penalty l1:1 --path 5 --path-end 0.01 --out path --json"
        ))
        .json();
    let points = record["path"].as_array().unwrap();
    assert_eq!((points.len(), &record["converged"]), (5, &true.into()));
    // |Aᵀb| = (8, 0.05, 1): from 8 on nothing moves.
    assert!((points[0]["factor"].as_f64().unwrap() - 8.0).abs() < 1e-6);
    assert_eq!(points[0]["nonzeros"], 0);
    assert_eq!(points[4]["nonzeros"], 2);
    assert_eq!(bench.names("path"), ["path.csv", "path.npy", "run.json"]);
    assert_eq!(bench.text("path/path.csv").lines().count(), 6);
    let last = points[4]["term"].as_str().unwrap();
    let single = bench
        .run(&format!("{words} --penalty {last} --out single --json"))
        .json();
    let (a, b) = (
        points[4]["objective"].as_f64().unwrap(),
        single["objective"].as_f64().unwrap(),
    );
    assert!((a - b).abs() <= 1e-9 * b.abs());
    bench
        .run(&format!("{words} --path 5 --out none"))
        .refused(2, &["--penalty"]);
    bench
        .run(&format!("{words} --penalty sql2:1 --path 5 --out none"))
        .refused(1, &["x = 0 is never a solution"]);
}

#[test]
fn a_method_that_does_not_apply_is_refused_with_the_reason() {
    let bench = Bench::new();
    diagonal(&bench);
    let words = "solve --loss least-squares --data a.npy --target b.npy --out out";
    bench
        .run(&format!("{words} --method working-set --penalty l2:1"))
        .refused(1, &["separate over entries or groups"]);
    bench
        .run(&format!("{words} --method working-set --step 0.1"))
        .refused(1, &["--step"]);
}
