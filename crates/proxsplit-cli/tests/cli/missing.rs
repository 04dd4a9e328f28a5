//! `--missing`: data with gaps, from the file to the report.

use crate::bench::Bench;

const NAN: f64 = f64::NAN;

/// 8 × 20 of rank 2 with gaps, row by row, and the values behind the gaps.
fn gappy() -> (Vec<f64>, Vec<f64>) {
    let entry = |i: usize, t: usize| {
        let x = [1.0 + (i % 3) as f64, 0.5 + (i * i % 5) as f64];
        let a = [0.2 + (t * 7 % 4) as f64, 1.0 + (t * 3 % 7) as f64];
        x[0] * a[0] + x[1] * a[1]
    };
    let full: Vec<f64> = (0..160).map(|at| entry(at / 20, at % 20)).collect();
    let is_missing = |at: &usize| (at / 20 * 3 + at % 20 * 7 + at / 7) % 10 < 2;
    let gaps = (0..160).map(|at| if is_missing(&at) { NAN } else { full[at] });
    (gaps.collect(), full)
}

/// ‖Y − XA‖/‖Y‖ over the missing entries.
fn held_out(bench: &Bench, folder: &str) -> f64 {
    let (gappy, full) = gappy();
    let (x, a) = (
        bench.dense(&format!("{folder}/X.npy")),
        bench.dense(&format!("{folder}/A.npy")),
    );
    let (mut error, mut size) = (0.0, 0.0);
    for at in (0..160).filter(|&at| gappy[at].is_nan()) {
        let product: f64 = (0..2).map(|k| x.col(k)[at / 20] * a.col(at % 20)[k]).sum();
        error += (product - full[at]).powi(2);
        size += full[at].powi(2);
    }
    (error / size).sqrt()
}

#[test]
fn an_array_with_nan_is_refused_unless_they_are_declared_missing() {
    let bench = Bench::new();
    let (values, _) = gappy();
    bench.matrix("y.npy", 20, &values);
    let words = "factorize y.npy -k 2 --seed 1 --passes 3000 --report --out out";
    bench.run(words).refused(
        1,
        &["is NaN", "or declare it as missing with --missing nan"],
    );
    bench
        .run(&format!("{words} --missing unstored"))
        .refused(1, &["is NaN"]);
    bench
        .run(&format!("{words} --missing nan --method aggregated"))
        .refused(1, &["use batch, incremental or sggd"]);
    let ran = bench.run(&format!("{words} --missing nan")).done();
    let count = values.iter().filter(|v| v.is_nan()).count();
    let sentence = format!("{count} of 160 entries missing");
    assert!(ran.out.contains(&sentence), "{}", ran.out);
    assert!(ran.err.contains(&sentence) && ran.err.contains("because entries are missing"));
    assert!(bench.text("out/report.html").contains(&sentence));
    let record = bench.json("out/run.json");
    assert_eq!(record["settings"]["missing"], "nan");
    assert_eq!(record["data"]["missing"], count);
    assert!(
        held_out(&bench, "out") < 1e-2,
        "{}",
        held_out(&bench, "out")
    );

    let check = "check y.npy out/X.npy out/A.npy";
    bench.run(check).refused(1, &["--missing nan"]);
    let audit = bench.run(&format!("{check} --missing nan --json")).json();
    let (found, told) = (&audit["objective"], &record["objective"]);
    let gap = (found.as_f64().unwrap() - told.as_f64().unwrap()).abs();
    assert!(gap < 1e-8, "{found}, {told}");
    let words = bench.run(&format!("{check} --missing nan")).done().out;
    assert!(words.contains(&sentence), "{words}");

    let encode = "encode y.npy --model out --out a.npy";
    bench.run(encode).refused(1, &["--missing nan"]);
    let printed = bench.run(&format!("{encode} --missing nan --json")).json();
    assert_eq!(printed["missing"], count);
    let (known, found) = (bench.dense("out/A.npy"), bench.dense("a.npy"));
    for (known, found) in known.data().iter().zip(found.data()) {
        assert!((known - found).abs() < 1e-5, "{known}, {found}");
    }
}

#[test]
fn every_file_format_gives_the_same_gaps() {
    let bench = Bench::new();
    let (values, _) = gappy();
    bench.matrix("y.npy", 20, &values);
    let marks = ["", "NA", "NaN", "nan"];
    let lines = values.chunks(20).enumerate().map(|(i, row)| {
        let cells = row.iter().map(|v| {
            if v.is_nan() {
                marks[i % 4].to_owned()
            } else {
                v.to_string()
            }
        });
        cells.collect::<Vec<_>>().join(",")
    });
    bench.write("y.csv", &lines.collect::<Vec<_>>().join("\n"));
    let observed = values.iter().enumerate().filter(|(_, v)| !v.is_nan());
    let entries: Vec<String> = observed
        .map(|(at, v)| format!("{} {} {v}\n", at / 20 + 1, at % 20 + 1))
        .collect();
    let head = "%%MatrixMarket matrix coordinate real general\n";
    let text = format!("{head}8 20 {}\n{}", entries.len(), entries.concat());
    bench.write("y.mtx", &text);
    bench
        .run("factorize y.csv -k 2 --out no")
        .refused(1, &["y.csv", "--missing nan"]);
    bench
        .run("factorize y.csv -k 2 --out no --missing unstored")
        .refused(1, &["y.csv", "is missing"]);
    bench.matrix("full.npy", 2, &[1.0, 2.0, 3.0, 4.0]);
    bench
        .run("factorize full.npy -k 2 --out no --missing unstored")
        .refused(1, &["--missing unstored is for sparse data"]);
    for (file, missing) in [("y.npy", "nan"), ("y.csv", "nan"), ("y.mtx", "unstored")] {
        let words = "-k 2 --init random --method batch --passes 25 --tol 0 -q";
        bench
            .run(&format!(
                "factorize {file} {words} --missing {missing} --out {file}-out"
            ))
            .done();
    }
    let x = |file: &str| bench.dense(&format!("{file}-out/X.npy"));
    for file in ["y.csv", "y.mtx"] {
        for (a, b) in x("y.npy").data().iter().zip(x(file).data()) {
            assert!((a - b).abs() < 1e-7, "{file}: {a}, {b}");
        }
    }
    // The zeros that a sparse file leaves out are data unless they are declared missing.
    let words =
        "factorize y.mtx -k 2 --init random --method batch --passes 25 --tol 0 -q --out zeros";
    bench.run(words).done();
    assert!(x("y.npy").data() != bench.dense("zeros/X.npy").data());
}

#[test]
fn a_checkpoint_with_other_gaps_is_refused() {
    let bench = Bench::new();
    let (values, full) = gappy();
    bench.matrix("y.npy", 20, &values);
    bench.matrix("full.npy", 20, &full);
    let words = "-k 2 --tol 0 -q --out";
    let run = |rest: &str| bench.run(&format!("factorize {rest}"));
    run(&format!("full.npy --passes 5 {words} a")).done();
    run(&format!(
        "full.npy --passes 9 {words} a --resume --missing nan"
    ))
    .refused(1, &["its missing was none, but now it is nan"]);
    run(&format!("y.npy --passes 5 {words} b --missing nan")).done();
    run(&format!(
        "y.npy --passes 9 {words} b --missing nan --resume"
    ))
    .done();
    run(&format!("y.npy --passes 9 {words} c --missing nan")).done();
    assert_eq!(bench.bytes("b/X.npy"), bench.bytes("c/X.npy"));
}
