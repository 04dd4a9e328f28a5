//! Help, lists, completions, manual pages, exit codes.

use crate::bench::Bench;
use std::process::Stdio;

#[test]
fn wrong_usage_ends_with_2_and_says_what_is_wrong() {
    let bench = Bench::new();
    bench.run("").refused(2, &["Usage"]);
    bench.run("factorise").refused(2, &["factorise"]);
    bench.run("solve").refused(2, &["--loss", "--data"]);
    bench
        .run("prox l1:1 v.npy --steps 3")
        .refused(2, &["--steps"]);
    bench
        .run("list nonsense")
        .refused(2, &["nonsense", "operators"]);
}

#[test]
fn help_and_version_are_printed() {
    let bench = Bench::new();
    assert!(bench.run("--help").done().out.contains("solve"));
    assert!(
        bench
            .run("--version")
            .done()
            .out
            .starts_with("proxsplit 0.")
    );
    assert!(bench.run("solve --help").done().out.contains("--penalty"));
    let long = bench.run("factorize --help").done().out;
    assert!(long.contains("½‖Y − XA‖²") && long.contains("--x-penalty"));
}

#[test]
fn lists_are_complete_for_people_and_programs() {
    let bench = Bench::new();
    let text = bench.run("list").done().out;
    for name in [
        "l1:W",
        "box-sum:L,U,B",
        "geman-mcclure",
        "incremental",
        "diminishing",
        "nndsvdar",
        ".mtx",
        "swimmer",
    ] {
        assert!(text.contains(name), "{name} is missing in\n{text}");
    }
    let operators = bench.run("list operators --json").json();
    let operators = operators["operators"].as_array().unwrap();
    assert_eq!(operators.len(), proxsplit::text::catalogue().count());
    assert!(
        operators
            .iter()
            .all(|entry| entry["name"].is_string() && entry["meaning"].is_string())
    );
}

#[test]
fn completions_and_manual_pages_know_the_options() {
    let bench = Bench::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = bench.run(&format!("completions {shell}")).done().out;
        assert!(
            script.contains("penalty") && script.contains("solve"),
            "{shell}"
        );
    }
    assert!(bench.run("man").done().out.contains(".TH proxsplit"));
    assert!(bench.run("man solve").done().out.contains("\\-\\-penalty"));
    bench
        .run("man nothing")
        .refused(1, &["no command 'nothing'"]);
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let bench = Bench::new();
    // The pipe is closed before the program writes to it.
    let mut child = bench
        .command("list")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert!(output.stderr.is_empty());
}
