//! Weights, outliers and fixed atoms, from the files to the report.

use crate::bench::Bench;

/// 9 × 20 of about rank 2, row by row; entry (4, 7) is wrong.
fn numbers() -> Vec<f64> {
    let entry = |i: usize, t: usize| {
        let clean = ((i % 3 + 1) * (t % 4 + 1) + (i * i % 5) * (t * 3 % 7)) as f64;
        let noise = ((i * 31 + t * 17) % 11) as f64 / 50.0;
        clean + noise + if (i, t) == (4, 7) { 500.0 } else { 0.0 }
    };
    (0..180).map(|at| entry(at / 20, at % 20)).collect()
}

/// ½Σ w(y − z)² for the weights u of rows and v of columns.
fn misfit(bench: &Bench, folder: &str, (u, v): (&[f64], &[f64])) -> f64 {
    let (x, a) = (
        bench.dense(&format!("{folder}/X.npy")),
        bench.dense(&format!("{folder}/A.npy")),
    );
    let entries = numbers().into_iter().enumerate();
    entries
        .map(|(at, y)| {
            let (i, t) = (at / 20, at % 20);
            let z: f64 = (0..2).map(|k| x.col(k)[i] * a.col(t)[k]).sum();
            0.5 * u[i] * v[t] * (y - z).powi(2)
        })
        .sum()
}

#[test]
fn rows_and_columns_are_weighted_and_the_audit_agrees() {
    let bench = Bench::new();
    bench.matrix("y.npy", 20, &numbers());
    let u: Vec<f64> = (0..9).map(|i| f64::from(i % 3)).collect();
    let v: Vec<f64> = (0..20).map(|t| 0.5 + f64::from(t % 4)).collect();
    bench.vector("u.npy", &u);
    bench.vector("v.npy", &v);
    let weights = "--row-weights u.npy --column-weights v.npy";
    let words = format!("factorize y.npy -k 2 --seed 1 {weights} --passes 2000");
    bench.run(&format!("{words} --out out")).done();
    let record = bench.json("out/run.json");
    let (told, found) = (
        record["objective"].as_f64().unwrap(),
        misfit(&bench, "out", (&u, &v)),
    );
    assert!((told - found).abs() <= 1e-9 * found, "{told}, not {found}");
    assert!(
        record["settings"]["row_weights"]
            .as_str()
            .unwrap()
            .starts_with("u.npy (")
    );
    let check = format!("check y.npy out/X.npy out/A.npy {weights} --json");
    let audit = bench.run(&check).json();
    assert!((audit["misfit"].as_f64().unwrap() - found).abs() <= 1e-9 * found);
    // The same data turned round.
    let turned: Vec<f64> = (0..180).map(|at| numbers()[at % 9 * 20 + at / 9]).collect();
    bench.matrix("turned.npy", 9, &turned);
    let words = "factorize turned.npy --samples rows -k 2 --seed 1 --passes 2000";
    bench
        .run(&format!(
            "{words} --row-weights v.npy --column-weights u.npy --out turned"
        ))
        .done();
    let same = misfit(&bench, "turned", (&u, &v));
    assert!((same - found).abs() <= 1e-6 * found, "{same}, not {found}");
}

#[test]
fn weights_that_do_not_fit_are_refused_with_their_place() {
    let bench = Bench::new();
    bench.matrix("y.npy", 20, &numbers());
    let refused = |options: &str, words: &[&str]| {
        let run = format!("factorize y.npy -k 2 --out out {options}");
        bench.run(&run).refused(1, words);
    };
    bench.vector("short.npy", &[1.0; 8]);
    refused("--row-weights short.npy", &["8 weights of features, but 9"]);
    let mut v = vec![1.0; 20];
    v[3] = -2.0;
    bench.vector("v.npy", &v);
    refused(
        "--column-weights v.npy",
        &["the weight of sample 3 (counting from 0) is -2"],
    );
    v[3] = f64::NAN;
    bench.vector("v.npy", &v);
    refused("--column-weights v.npy", &["v.npy", "NaN"]);
    let mut w = vec![1.0; 180];
    w[2 * 20 + 5] = -1.0;
    bench.matrix("w.npy", 20, &w);
    refused(
        "--weights w.npy",
        &["row 2, column 5 (counting from 0) is -1"],
    );
    bench.matrix("w.npy", 9, &vec![1.0; 180]);
    refused("--weights w.npy", &["20 × 9, but the data are 9 × 20"]);
    refused(
        "--row-weights y.npy",
        &["y.npy is 9 × 20", "single row or column"],
    );
    bench.matrix("w.npy", 20, &vec![1.0; 180]);
    refused("--weights w.npy --method incremental", &["use batch"]);
    refused(
        "--weights w.npy --loss kl",
        &["kl does not support weights"],
    );
    refused("--loss huber:1 --method sggd", &["use batch"]);
}

#[test]
fn other_weights_are_no_continuation() {
    let bench = Bench::new();
    bench.matrix("y.npy", 20, &numbers());
    bench.vector("v.npy", &[1.0; 20]);
    let words = "factorize y.npy -k 2 --column-weights v.npy --tol 0 --out out";
    bench.run(&format!("{words} --passes 3")).done();
    bench.run(&format!("{words} --passes 6 --resume")).done();
    bench.vector("v.npy", &[2.0; 20]);
    bench
        .run(&format!("{words} --passes 9 --resume"))
        .refused(1, &["its column-weights was v.npy"]);
}

#[test]
fn outliers_are_listed_in_the_record_and_the_report() {
    let bench = Bench::new();
    bench.matrix("y.npy", 20, &numbers());
    let words = "factorize y.npy -k 2 --seed 1 --loss huber:0.5 --passes 3000 --report";
    let ran = bench.run(&format!("{words} --out out")).done();
    let record = bench.json("out/run.json");
    assert_eq!(record["settings"]["loss"], "huber:0.5");
    let worst = &record["outliers"]["worst"][0];
    assert_eq!((&worst["row"], &worst["column"]), (&4.into(), &7.into()));
    let value = worst["value"].as_f64().unwrap();
    assert!((value - numbers()[4 * 20 + 7]).abs() < 1e-9);
    for text in [ran.out, bench.text("out/report.html")] {
        assert!(text.contains("row 4, column 7"), "{text}");
    }
    let check = "check y.npy out/X.npy out/A.npy --loss huber:0.5 --json";
    let audit = bench.run(check).json();
    let (told, found) = (
        record["objective"].as_f64().unwrap(),
        audit["objective"].as_f64().unwrap(),
    );
    assert!((told - found).abs() <= 1e-9 * found, "{told}, not {found}");
}

#[test]
fn fixed_atoms_are_kept_to_the_bit() {
    let bench = Bench::new();
    bench.matrix("y.npy", 20, &numbers());
    let atoms: Vec<f64> = (0..9).map(|i| f64::from(i) / 7.0 - 0.3).collect();
    bench.matrix("fixed.npy", 1, &atoms);
    for method in ["auto", "batch", "incremental", "aggregated", "sggd"] {
        let words = format!("factorize y.npy -k 3 --fixed-x fixed.npy --method {method} --force");
        bench.run(&format!("{words} --passes 20 --out out")).done();
        assert_eq!(bench.dense("out/X.npy").col(0), atoms);
        let check = "check y.npy out/X.npy out/A.npy --json";
        let audit = bench.run(&format!("{check} --fixed-x fixed.npy")).json();
        assert!(audit["outside"].is_null(), "{audit}");
        // Without the option the atom lies outside its set.
        assert!(bench.run(check).json()["outside"].is_object());
    }
    bench.matrix("four.npy", 4, &[1.0; 36]);
    bench
        .run("factorize y.npy -k 3 --fixed-x four.npy --out other")
        .refused(1, &["--fixed-x four.npy", "4 fixed atoms"]);
}
