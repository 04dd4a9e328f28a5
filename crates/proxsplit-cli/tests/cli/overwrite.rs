//! What a command reads is never overwritten by what it writes, with `--force` or without.

use crate::bench::Bench;

const WORDS: &[&str] = &["would overwrite", "--out"];

#[test]
fn data_is_never_overwritten_by_a_result() {
    let bench = Bench::new();
    std::fs::create_dir(bench.path("out")).unwrap();
    bench.matrix("out/X.npy", 3, &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    let before = bench.bytes("out/X.npy");
    for force in ["", "--force"] {
        for out in ["out", "./out", "out/../out"] {
            bench
                .run(&format!("factorize out/X.npy -k 1 --out {out} {force}"))
                .refused(1, WORDS);
        }
        bench
            .run(&format!("prox nonneg out/X.npy --out out/X.npy {force}"))
            .refused(1, WORDS);
    }
    assert_eq!(bench.bytes("out/X.npy"), before);
    assert_eq!(bench.names("out"), ["X.npy"]);
}

#[test]
#[cfg(unix)]
fn links_do_not_hide_the_data() {
    let bench = Bench::new();
    std::fs::create_dir(bench.path("out")).unwrap();
    bench.matrix("out/X.npy", 3, &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    std::os::unix::fs::symlink("out/X.npy", bench.path("y.npy")).unwrap();
    bench
        .run("factorize y.npy -k 1 --out out --force")
        .refused(1, WORDS);
}

#[test]
fn starts_targets_and_models_are_safe_too() {
    let bench = Bench::new();
    bench
        .run("factorize rand:4x6 -k 2 --passes 3 --out first -q")
        .done();
    bench
        .run("factorize rand:4x6 -k 2 --init first --out first --force")
        .refused(1, WORDS);
    bench
        .run("encode rand:4x6 --model first --out first/A.npy --force")
        .refused(1, WORDS);
    bench
        .run("report first --out first/X.npy")
        .refused(1, WORDS);
    std::fs::create_dir(bench.path("out")).unwrap();
    bench.matrix("a.npy", 2, &[1.0, 2.0, 3.0, 4.0]);
    bench.vector("out/x.npy", &[1.0, 2.0]);
    let solve = "solve --loss least-squares --data a.npy --out out --force";
    bench
        .run(&format!("{solve} --target out/x.npy"))
        .refused(1, WORDS);
    bench.vector("b.npy", &[1.0, 2.0]);
    bench
        .run(&format!("{solve} --target b.npy --start out/x.npy"))
        .refused(1, WORDS);
    bench.run(&format!("{solve} --target b.npy -q")).done();
}
