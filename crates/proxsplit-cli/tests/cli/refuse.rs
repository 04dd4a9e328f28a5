//! Wrong arguments and full disks: a clear message, the right code, nothing half-written.

use crate::bench::{Bench, Ran};

#[test]
fn impossible_settings_are_refused() {
    let bench = Bench::new();
    bench.matrix("y.npy", 2, &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    let words = "factorize y.npy --out out";
    bench
        .run(&format!("{words} --rank 0"))
        .refused(1, &["--rank 0", "at least 1"]);
    bench
        .run(&format!("{words} --rank 3"))
        .refused(1, &["--rank 3", "number of samples, 2"]);
    bench
        .run(&format!("{words} --rank x"))
        .refused(2, &["--rank"]);
    bench.run(words).refused(2, &["--rank"]);
    bench
        .run(&format!("{words} -k 1 --x-penalty l7:1"))
        .refused(2, &["--x-penalty", "l7"]);
    bench
        .run(&format!("{words} -k 1 --a-set nonneeg"))
        .refused(2, &["did you mean 'nonneg'"]);
    bench
        .run(&format!("{words} -k 1 --image 2x2"))
        .refused(1, &["4 pixels", "3 features"]);
    bench
        .run(&format!("{words} -k 1 --image 2"))
        .refused(2, &["RxC"]);
    bench
        .run(&format!("{words} -k 1 --scale 0"))
        .refused(2, &["--scale", "greater than 0"]);
    bench
        .run(&format!("{words} -k 1 --batch 0"))
        .refused(1, &["--batch 0"]);
    bench
        .run(&format!("{words} -k 1 --threads 0"))
        .refused(2, &["--threads"]);
    bench
        .run(&format!("{words} -k 1 --step bb"))
        .refused(1, &["--step bb"]);
    bench
        .run(&format!("{words} -k 1 --method fast"))
        .refused(2, &["fast", "aggregated"]);
    bench
        .run("factorize z.npy -k 1 --out out")
        .refused(1, &["cannot read z.npy"]);
    bench
        .run("factorize rand:3 -k 1 --out out")
        .refused(1, &["rand:ROWSxCOLUMNS"]);
    bench.write("bad.csv", "1,2\n3,nan\n");
    bench
        .run("factorize bad.csv -k 1 --out out")
        .refused(1, &["bad.csv", "line 2", "nan"]);
    assert_eq!(bench.names("out"), [""; 0]);
}

#[test]
fn results_are_kept_unless_force_is_given() {
    let bench = Bench::new();
    let words = "factorize rand:5x6 -k 2 --passes 3 --out out -q";
    bench.run(words).done();
    let before = bench.bytes("out/X.npy");
    bench
        .run(&format!("{words} --seed 1"))
        .refused(1, &["run.json already exists", "--force"]);
    assert_eq!(bench.bytes("out/X.npy"), before);
    bench.run(&format!("{words} --seed 1 --force")).done();
    assert_ne!(bench.bytes("out/X.npy"), before);
    bench
        .run(&format!("{words} --force --resume"))
        .refused(2, &["--force", "--resume"]);
}

#[test]
fn a_file_in_place_of_the_folder_is_refused_before_the_run() {
    let bench = Bench::new();
    bench.write("file", "");
    bench
        .run("factorize rand:5x6 -k 2 --out file/out")
        .refused(1, &["file/out", "not a folder"]);
    bench
        .run("factorize rand:5x6 -k 2 --out file")
        .refused(1, &["file"]);
}

#[test]
fn a_full_disk_leaves_nothing_half_written() {
    let bench = Bench::new();
    // Files may have no more than 16 KB here, and the program is told so instead of being killed.
    let program = env!("CARGO_BIN_EXE_proxsplit");
    let script = format!(
        "trap '' XFSZ; ulimit -f 16; exec {program} factorize rand:90x5 -k 3 --passes 2 --tol 0 --out small -q"
    );
    let mut shell = std::process::Command::new("bash");
    let small = shell
        .current_dir(bench.path(""))
        .arg("-c")
        .arg(&script)
        .output()
        .unwrap();
    Ran::of(&script, &small).done();
    let script = script
        .replace("90x5", "90x2000")
        .replace("--out small", "--out large");
    let mut shell = std::process::Command::new("bash");
    let large = shell
        .current_dir(bench.path(""))
        .arg("-c")
        .arg(&script)
        .output()
        .unwrap();
    Ran::of(&script, &large).refused(1, &["large/"]);
    assert_eq!(bench.names("large"), [""; 0]);
}
