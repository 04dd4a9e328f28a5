//! `--loss kl`: counts, from the file to the codes of new samples.

use crate::bench::Bench;

/// 9 × 16 counts, row by row; one of them is replaced.
fn counts(bad: Option<(usize, f64)>) -> Vec<f64> {
    let mut values: Vec<f64> = (0..144)
        .map(|at| f64::from((at / 16 * 5 + at % 16 * 3 + at / 16 * (at % 16)) % 7))
        .collect();
    if let Some((at, value)) = bad {
        values[at] = value;
    }
    values
}

/// Σ y log(y/z) − y + z.
fn divergence(bench: &Bench, codes: &str) -> f64 {
    let (x, a) = (bench.dense("out/X.npy"), bench.dense(codes));
    let entries = counts(None).into_iter().enumerate();
    entries
        .map(|(at, y)| {
            let z: f64 = (0..3).map(|k| x.col(k)[at / 16] * a.col(at % 16)[k]).sum();
            z - y + if y > 0.0 { y * (y / z).ln() } else { 0.0 }
        })
        .sum()
}

#[test]
fn counts_are_factorized_and_encoded_by_their_divergence() {
    let bench = Bench::new();
    bench.matrix("y.npy", 16, &counts(None));
    let words = "factorize y.npy -k 3 --seed 2 --passes 3000 --loss kl";
    let ran = bench.run(&format!("{words} --report --out out")).done();
    assert!(ran.err.contains("for kl"), "{}", ran.err);
    let record = bench.json("out/run.json");
    assert_eq!(record["settings"]["loss"], "kl");
    let found = divergence(&bench, "out/A.npy");
    let told = record["objective"].as_f64().unwrap();
    assert!((told - found).abs() < 1e-6 * found, "{told}, not {found}");
    bench.run("encode y.npy --model out --out codes.npy").done();
    let encoded = divergence(&bench, "codes.npy");
    assert!(
        (encoded - found).abs() < 1e-6 * found,
        "{encoded}, not {found}"
    );
}

#[test]
fn negative_counts_are_refused_with_their_place() {
    let bench = Bench::new();
    bench.matrix("y.npy", 16, &counts(Some((37, -2.0))));
    bench
        .run("factorize y.npy -k 3 --loss kl --out out")
        .refused(1, &["row 2, column 5", "-2"]);
    bench
        .run("factorize y.npy -k 3 --loss kl --a-set simplex:1 --out out")
        .refused(1, &["row 2, column 5"]);
    bench
        .run("factorize y.npy -k 3 --loss poisson --out out")
        .refused(2, &["squared", "kl"]);
}
