//! `proxsplit prox`.

use crate::bench::Bench;
use proxsplit_io::Data;
use serde_json::json;

#[test]
fn value_and_result_are_printed_as_json() {
    let bench = Bench::new();
    bench.vector("v.npy", &[2.0, -0.25, -1.0]);
    let printed = bench.run("prox l1:0.5 v.npy --json").json();
    assert_eq!(printed["result"], json!([1.5, 0.0, -0.5]));
    assert_eq!(printed["value"], 1.0);
    assert_eq!(printed["operator"], "l1:0.5");
    let half = bench.run("prox l1:0.5+nonneg --step 0.5 v.npy").done();
    assert_eq!(half.out, "1.75\n0\n0\n");
}

#[test]
fn the_result_keeps_its_shape_in_a_file() {
    let bench = Bench::new();
    bench.vector("v.npy", &[2.0, -0.25]);
    bench.run("prox nonneg v.npy --out p.npy").done();
    let header = std::fs::read(bench.path("p.npy")).unwrap();
    assert!(String::from_utf8_lossy(&header[..80]).contains("(2,)"));
    // The rank-one part of a diagonal matrix is its larger entry.
    bench.matrix("m.npy", 2, &[3.0, 0.0, 0.0, 1.0]);
    bench.run("prox rank-ball:1,2x2 m.npy --out q.npy").done();
    let data = Data::open(bench.path("q.npy")).unwrap();
    assert_eq!((data.matrix().rows(), data.matrix().cols()), (2, 2));
    let printed = bench.run("prox rank-ball:1,2x2 m.npy --json").json();
    let entries: Vec<f64> = serde_json::from_value(printed["result"].clone()).unwrap();
    for (entry, expected) in entries.iter().zip([3.0, 0.0, 0.0, 0.0]) {
        assert!((entry - expected).abs() < 1e-12, "{entries:?}");
    }
    bench
        .run("prox nonneg v.npy --out p.npy")
        .refused(1, &["p.npy already exists", "--force"]);
    bench.run("prox nonneg v.npy --out p.npy --force").done();
}

#[test]
fn what_cannot_be_done_is_refused() {
    let bench = Bench::new();
    bench.vector("v.npy", &[2.0, -0.25, 1.0]);
    bench
        .run("prox gruop-l2:1,2 v.npy")
        .refused(2, &["did you mean 'group-l2'"]);
    bench.run("prox l1:-1 v.npy").refused(2, &["-1"]);
    bench
        .run("prox l1:1 v.npy --step 0")
        .refused(2, &["--step", "greater than 0"]);
    bench
        .run("prox l1:1 w.npy")
        .refused(1, &["cannot read w.npy"]);
    bench
        .run("prox nuclear:1,2x2 v.npy")
        .refused(1, &["length 3", "2x2"]);
    bench
        .run("prox l1:1 v.npy --out p.txt")
        .refused(2, &["--out", ".npy"]);
    bench
        .run("prox l1:1 v.npy --out no/p.npy")
        .refused(1, &["no/p.npy"]);
}
