//! `proxsplit factorize`: results, settings, limits.

use crate::bench::Bench;
use serde_json::Value;

/// 6 × 8, of rank 2, all positive.
fn small(bench: &Bench, name: &str) -> Vec<f64> {
    let x = [
        [1.0, 0.0],
        [2.0, 1.0],
        [0.0, 3.0],
        [1.0, 1.0],
        [4.0, 0.5],
        [0.5, 2.0],
    ];
    let a = [
        [1.0, 2.0, 0.0, 1.0, 3.0, 0.2, 1.0, 0.7],
        [0.0, 1.0, 2.0, 1.5, 0.3, 1.0, 0.6, 2.0],
    ];
    let entries = x
        .iter()
        .flat_map(|x| (0..8).map(move |t| x[0] * a[0][t] + x[1] * a[1][t]));
    let values: Vec<f64> = entries.collect();
    bench.matrix(name, 8, &values);
    values
}

#[test]
fn the_record_and_the_trace_keep_the_contract() {
    let bench = Bench::new();
    small(&bench, "y.npy");
    let record = bench
        .run("factorize y.npy --rank 2 --x-penalty l1:0.01 --a-penalty l1:0.02 --seed 7 --threads 1 --out out --json")
        .json();
    assert_eq!(record, bench.json("out/run.json"));
    for name in ["objective", "seconds", "passes"] {
        assert!(record[name].is_f64(), "{name}: {}", record[name]);
    }
    assert_eq!(record["format"], 2);
    let certificate = &record["certificate"];
    for name in ["words", "guarantee"] {
        assert!(certificate[name].is_string(), "{name}");
    }
    for name in [
        "stationarity",
        "tolerance",
        "error_level",
        "residual",
        "start_objective",
        "passes",
    ] {
        assert!(certificate[name].is_f64(), "{name}: {}", certificate[name]);
    }
    assert!(certificate["at_point"]["pair"]["residual_x"].is_f64());
    assert!(certificate["of_method"]["assumptions"].is_array());
    let details = certificate["details"].as_array().unwrap();
    assert!(
        details
            .iter()
            .all(|line| line[0].is_string() && line[1].is_string())
    );
    assert_eq!(record["seed"], 7);
    assert_eq!(record["settings"]["rank"], 2);
    assert_eq!(record["settings"]["x_penalty"], "l1:0.01");
    assert_eq!(record["settings"]["a_set"], "nonneg");
    assert_eq!(record["data"]["digest"].as_str().unwrap().len(), 32);
    assert!(record["versions"]["proxsplit"].is_string());
    let rows: Vec<Value> = bench
        .text("out/trace.jsonl")
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    for name in [
        "pass",
        "seconds",
        "objective",
        "residual",
        "step",
        "sparsity",
    ] {
        assert!(rows.iter().all(|row| row.get(name).is_some()), "{name}");
    }
    assert!(rows.is_sorted_by(|a, b| a["pass"].as_f64() < b["pass"].as_f64()));
    assert_eq!(rows.last().unwrap()["objective"], record["objective"]);
    let (x, a) = (bench.dense("out/X.npy"), bench.dense("out/A.npy"));
    assert_eq!((x.rows(), x.cols(), a.rows(), a.cols()), (6, 2, 2, 8));
    assert!(x.data().iter().chain(a.data()).all(|v| *v >= 0.0));
}

#[test]
fn planted_factors_are_found_by_every_method() {
    let bench = Bench::new();
    let values = small(&bench, "y.npy");
    let square: f64 = values.iter().map(|v| v * v).sum();
    for method in ["auto", "batch", "incremental", "aggregated"] {
        let record = bench
            .run(&format!("factorize y.npy -k 2 --method {method} --batch 4 --passes 3000 --out {method} --json"))
            .json();
        let objective = record["objective"].as_f64().unwrap();
        assert!(objective < 1e-6 * square, "{method}: {objective}");
        let (x, a) = (
            bench.dense(&format!("{method}/X.npy")),
            bench.dense(&format!("{method}/A.npy")),
        );
        let misfit: f64 = (0..6)
            .flat_map(|i| (0..8).map(move |t| (i, t)))
            .map(|(i, t)| {
                (0..2).map(|k| x.col(k)[i] * a.col(t)[k]).sum::<f64>() - values[i * 8 + t]
            })
            .map(|r| r * r / 2.0)
            .sum();
        assert!(
            (misfit - objective).abs() <= 1e-8 * square,
            "{method}: {misfit} and {objective}"
        );
    }
}

#[test]
fn limits_are_exact_to_one_mini_batch() {
    let bench = Bench::new();
    let words = "factorize planted:30x200x4,0.1 --rank 4 --tol 0 --batch 50 --json --quiet";
    for method in ["incremental", "aggregated", "sggd"] {
        let record = bench
            .run(&format!(
                "{words} --method {method} --passes 2.5 --out {method}"
            ))
            .json();
        assert_eq!(record["passes"], 2.5, "{method}");
        assert_eq!(record["reason"], "pass-limit");
    }
    let record = bench
        .run(&format!("{words} --method batch --passes 7 --out batch"))
        .json();
    assert_eq!(record["passes"], 7.0);
    let record = bench
        .run(&format!("{words} --passes 1e9 --time 0.2 --out time"))
        .json();
    assert_eq!(record["reason"], "time-limit");
    assert!(record["seconds"].as_f64().unwrap() >= 0.2);
    let strict = bench.run(&format!("{words} --passes 3 --strict --out strict"));
    assert_eq!(strict.code, Some(3));
}

#[test]
fn threads_and_repetition_do_not_change_a_bit() {
    let bench = Bench::new();
    for (i, threads) in ["1", "2", "2"].iter().enumerate() {
        bench
            .run(&format!("factorize planted:70x90x5,0.2 --rank 5 --passes 12 --tol 0 --threads {threads} --out out{i} -q"))
            .done();
        assert_eq!(
            bench.bytes("out0/X.npy"),
            bench.bytes(&format!("out{i}/X.npy"))
        );
        assert_eq!(
            bench.bytes("out0/A.npy"),
            bench.bytes(&format!("out{i}/A.npy"))
        );
    }
}

#[test]
fn rows_and_columns_agree_and_scale_divides() {
    let bench = Bench::new();
    let values = small(&bench, "y.npy");
    // A power of two, so that dividing by it is exact.
    let transposed: Vec<f64> = (0..48).map(|p| 8.0 * values[p % 6 * 8 + p / 6]).collect();
    bench.matrix("t.npy", 6, &transposed);
    bench
        .run("factorize y.npy -k 2 --passes 40 --tol 0 --out columns -q")
        .done();
    bench
        .run("factorize t.npy -k 2 --passes 40 --tol 0 --samples rows --scale 8 --out rows -q")
        .done();
    for name in ["X.npy", "A.npy"] {
        let (c, r) = (
            bench.dense(&format!("columns/{name}")),
            bench.dense(&format!("rows/{name}")),
        );
        assert_eq!((c.rows(), c.cols()), (r.rows(), r.cols()));
        let far = c
            .data()
            .iter()
            .zip(r.data())
            .map(|(c, r)| (c - r).abs())
            .fold(0.0, f64::max);
        assert!(far < 1e-12, "{name}: {far}");
    }
    assert_eq!(bench.json("rows/run.json")["data"]["scale"], 8.0);
}

#[test]
fn single_precision_and_sparse_output_are_written_as_asked() {
    let bench = Bench::new();
    small(&bench, "y.npy");
    bench
        .run("factorize y.npy -k 2 --passes 20 --dtype f32 --out single -q")
        .done();
    let header = bench.bytes("single/X.npy");
    assert!(String::from_utf8_lossy(&header[..80]).contains("<f4"));
    bench
        .run("factorize y.npy -k 2 --passes 20 --out dense -q")
        .done();
    bench
        .run("factorize y.npy -k 2 --passes 20 --sparse-out --out sparse -q")
        .done();
    assert!(!bench.path("sparse/X.npy").exists());
    for name in ["X", "A"] {
        let (d, s) = (
            bench.dense(&format!("dense/{name}.npy")),
            bench.dense(&format!("sparse/{name}.npz")),
        );
        assert_eq!(d.data(), s.data());
    }
}

#[test]
fn a_run_can_start_from_the_factors_of_another() {
    let bench = Bench::new();
    small(&bench, "y.npy");
    bench
        .run("factorize y.npy -k 2 --passes 100 --tol 0 --out first -q")
        .done();
    let first = bench.json("first/run.json")["objective"].as_f64().unwrap();
    let second = bench
        .run("factorize y.npy -k 2 --passes 0 --init first --out second --json -q")
        .json();
    let gap = (second["objective"].as_f64().unwrap() - first).abs();
    assert!(gap <= 1e-9 * (1.0 + first), "{gap}");
    for start in ["nndsvd", "nndsvda", "nndsvdar"] {
        bench
            .run(&format!(
                "factorize y.npy -k 2 --passes 5 --init {start} --out {start} -q"
            ))
            .done();
    }
    bench
        .run("factorize y.npy -k 2 --init nowhere --out no")
        .refused(1, &["nowhere", "nndsvda"]);
    bench
        .run("factorize y.npy -k 3 --init first --out no")
        .refused(1, &["--init first has rank 2", "--rank is 3", "--rank 2"]);
}

#[test]
fn the_step_diminishes_with_the_power_that_is_asked_for() {
    let bench = Bench::new();
    // One batch a pass: the steps of the first two passes.
    let steps = |method: &str, power: f64| -> [f64; 2] {
        let out = format!("{method}{power}");
        let words = format!(
            "factorize planted:30x40x3,0.1 -k 3 --method {method} --batch 40 --out {out} -q"
        );
        bench
            .run(&format!(
                "{words} --step diminishing:0.5,{power} --tol 0 --passes 2"
            ))
            .done();
        let trace = bench.text(&format!("{out}/trace.jsonl"));
        let rows = trace
            .lines()
            .map(|line| serde_json::from_str::<Value>(line).unwrap());
        // No step has been made at the start.
        let steps = rows.map(|row| row["step"].as_f64().unwrap());
        let steps: Vec<f64> = steps.filter(|step| *step > 0.0).collect();
        steps.try_into().unwrap()
    };
    for power in [0.5, 0.75, 1.0] {
        let [first, second] = steps("incremental", power);
        assert_eq!(first, 0.5);
        assert!((second - 0.5 / 2_f64.powf(power)).abs() < 1e-12, "{second}");
    }
    // sggd divides by the curvature, which is the same in the first two passes whatever the power.
    let ([first, slow], [same, fast]) = (steps("sggd", 0.6), steps("sggd", 1.0));
    assert_eq!(first, same);
    assert!(
        (slow / fast - 2_f64.powf(0.4)).abs() < 1e-12,
        "{slow} and {fast}"
    );
    bench
        .run("factorize rand:5x6 -k 2 --method incremental --step diminishing:1,2 --out no")
        .refused(2, &["--step"]);
}

#[test]
fn a_folder_is_chosen_if_none_is_given() {
    let bench = Bench::new();
    small(&bench, "y.npy");
    let ran = bench.run("factorize y.npy -k 2 --passes 5").done();
    assert!(bench.path("y-rank2/run.json").exists());
    assert!(ran.out.contains("y-rank2"));
    assert!(ran.err.contains("pass 0"), "{}", ran.err);
}

/// An overcomplete dictionary of 8 samples, written, audited, encoded and started from again.
#[test]
fn more_atoms_than_samples() {
    let bench = Bench::new();
    small(&bench, "y.npy");
    let words = "--x-set l2-ball:1 --a-set zero --a-penalty l1:0.1";
    let factorize = format!("factorize y.npy --rank 12 {words}");
    let record = bench.run(&format!("{factorize} --out out --json")).json();
    assert_eq!(
        record["certificate"]["at_point"]["lower_bound"],
        Value::Null
    );
    assert_eq!(bench.dense("out/X.npy").cols(), 12);
    assert_eq!(bench.dense("out/A.npy").rows(), 12);
    let audit = bench
        .run(&format!("check y.npy out/X.npy out/A.npy {words} --json"))
        .json();
    let objectives = [&record["objective"], &audit["objective"]].map(|o| o.as_f64().unwrap());
    assert!((objectives[0] - objectives[1]).abs() <= 1e-9 * objectives[0]);
    bench.run("encode y.npy --model out --out codes.npy").done();
    bench
        .run(&format!("{factorize} --init out --out again --passes 3"))
        .done();
}

#[test]
fn metric_rescaling_and_inner_accuracy_are_remembered_and_refused_where_they_mean_nothing() {
    let bench = Bench::new();
    let words = "factorize planted:40x60x3,0.1 -k 3 --batch 20 --tol 0 -q --method incremental";
    let chosen = "--metric scalar --rescale no --codes-tol 0.5";
    bench
        .run(&format!("{words} {chosen} --passes 4 --out whole"))
        .done();
    let run: Value = serde_json::from_str(&bench.text("whole/run.json")).unwrap();
    assert_eq!(run["settings"]["metric"], "scalar");
    for other in [
        "--metric gram --rescale no --codes-tol 0.5",
        "--metric scalar --rescale yes --codes-tol 0.5",
        "--metric scalar --rescale no",
    ] {
        bench
            .run(&format!("{words} {other} --passes 8 --resume --out whole"))
            .refused(1, &["was"]);
    }
    for method in ["auto", "batch", "aggregated"] {
        for option in ["--metric gram", "--codes-tol 0.1"] {
            bench
                .run(&format!(
                    "factorize rand:5x6 -k 2 --method {method} {option} --out no"
                ))
                .refused(2, &["only for --method incremental"]);
        }
    }
    bench
        .run("factorize rand:5x6 -k 2 --loss kl --method incremental --metric gram --out no")
        .refused(1, &["leave it out"]);
}
