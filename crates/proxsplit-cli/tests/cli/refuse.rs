//! Wrong arguments and full disks: a clear message, the right code, nothing half-written.

use crate::bench::{Bench, Ran};

#[test]
fn impossible_settings_are_refused() {
    let bench = Bench::new();
    bench.matrix("y.npy", 2, &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    let words = "factorize y.npy --out out";
    bench
        .run(&format!("{words} --rank 0"))
        .refused(2, &["--rank", "expected a whole number of at least 1"]);
    bench
        .run(&format!("{words} --rank 1000000000000000"))
        .refused(1, &["rank = 1000000000000000", "fit into memory"]);
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
        .refused(2, &["--batch", "at least 1"]);
    bench
        .run(&format!("{words} -k 1 --threads 0"))
        .refused(2, &["--threads"]);
    bench
        .run(&format!("{words} -k 1 --step bb"))
        .refused(2, &["'bb' for '--step", "diminishing:FIRST,POWER"]);
    bench
        .run(&format!("{words} -k 1 --step 0.5"))
        .refused(2, &["--step is only for --method incremental"]);
    bench
        .run(&format!("{words} -k 1 --inner identity --method batch"))
        .refused(2, &["--inner identity is only for"]);
    bench
        .run(&format!("{words} -k 1 --method fast"))
        .refused(2, &["fast", "aggregated"]);
    bench
        .run(&format!("{words} -k 1 --method agregated"))
        .refused(2, &["a similar value exists: 'aggregated'"]);
    bench
        .run(&format!("{words} -k 1 --init nnsdvd"))
        .refused(1, &["--init nnsdvd", "did you mean 'nndsvd'"]);
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
    assert!(!bench.path("out").exists());
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
    std::fs::remove_file(bench.path("out/checkpoint.npz")).unwrap();
    bench
        .run(&format!("{words} --resume"))
        .refused(1, &["no checkpoint to continue from"]);
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
#[cfg(target_os = "linux")]
fn folders_that_nobody_may_write_to_are_refused_before_the_run() {
    let bench = Bench::new();
    // Not even the superuser may: permission bits would not stop a test that runs as root.
    for folder in ["/sys/proxsplit", "/sys/kernel"] {
        let words = format!("factorize rand:5x6 -k 2 --out {folder}");
        let ran = bench.run(&words);
        let remedies = [
            "check its permissions",
            "choose a folder on a writable disk",
        ];
        assert!(
            remedies.iter().any(|remedy| ran.err.contains(remedy)),
            "{ran:?}"
        );
        assert!(!ran.err.contains("pass 0"), "{ran:?}");
        ran.refused(1, &[folder]);
    }
    bench
        .run("prox nonneg v.npy --out /sys/kernel/p.npy")
        .refused(1, &["v.npy"]);
}

/// Runs a script in the folder of the bench, where `$PROXSPLIT` is the program.
fn shell(bench: &Bench, program: &str, words: &[&str]) -> Ran {
    let mut command = std::process::Command::new(program);
    command
        .current_dir(bench.path(""))
        .env("PROXSPLIT", env!("CARGO_BIN_EXE_proxsplit"))
        .args(words);
    Ran::of(&words.join(" "), &command.output().unwrap())
}

#[test]
fn a_limit_of_the_file_size_leaves_nothing_half_written() {
    let bench = Bench::new();
    // Files may have no more than 16 KB here, and the program is told so instead of being killed.
    let run = |data: &str, words: &str| {
        let script = format!(
            "trap '' XFSZ; ulimit -f 16; exec $PROXSPLIT factorize {data} -k 3 --passes 2 --tol 0 -q {words}"
        );
        shell(&bench, "bash", &["-c", &script])
    };
    run("rand:90x5", "--out small").done();
    run("rand:90x2000", "--out large").refused(1, &["large/", "choose another disk"]);
    assert!(!bench.path("large").exists());
    // The result that was there is still there, and whole.
    let before = bench.bytes("small/X.npy");
    run("rand:90x2000", "--out small --force")
        .refused(1, &["the result could not be written to small"]);
    assert_eq!(bench.bytes("small/X.npy"), before);
    bench.run("check rand:90x5 small/X.npy small/A.npy").done();
    assert!(!bench.names("small").contains(&".partial".to_owned()));
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_leaves_nothing_half_written() {
    let bench = Bench::new();
    std::fs::create_dir(bench.path("disk")).unwrap();
    let run = |size: &str| {
        let script = format!(
            "mount -t tmpfs -o size={size} tmpfs disk && cd disk && \
             $PROXSPLIT factorize rand:90x2000 -k 3 --passes 2 --tol 0 --out out -q; \
             echo $?; find ."
        );
        let words = [
            "--user",
            "--map-root-user",
            "--mount",
            "bash",
            "-c",
            &script,
        ];
        shell(&bench, "unshare", &words)
    };
    let large = run("4m");
    if large.out.is_empty() {
        // Not every system lets its users mount a small disk of their own; the test above needs nothing.
        return;
    }
    assert!(large.out.starts_with("0\n"), "{large:?}");
    let full = run("32k");
    assert_eq!(full.out, "1\n.\n", "{full:?}");
    assert!(
        full.err.contains("free some space or choose another disk"),
        "{full:?}"
    );
}

#[test]
#[cfg(target_os = "linux")]
fn output_that_cannot_be_written_is_an_error() {
    let bench = Bench::new();
    for words in ["list", "factorize rand:5x6 -k 2 --json -q"] {
        let full = std::fs::File::create("/dev/full").unwrap();
        let output = bench.command(words).stdout(full).output().unwrap();
        Ran::of(words, &output).refused(1, &["No space left"]);
    }
    assert!(bench.path("rand-rank2/run.json").exists());
}
