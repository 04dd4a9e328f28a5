//! Kill and resume: whatever happens on the way, the end is the same to the last bit.

use crate::bench::Bench;
use serde_json::Value;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

const PROBLEM: &str = "planted:60x120x4,0.1 --rank 4 --batch 40 --tol 0 --passes 40 -q";

fn same_bits(bench: &Bench, a: &str, b: &str) {
    for name in ["X.npy", "A.npy"] {
        assert_eq!(
            bench.bytes(&format!("{a}/{name}")),
            bench.bytes(&format!("{b}/{name}")),
            "{name} of {a} and {b}"
        );
    }
}

/// Kills runs at random moments until `kills` of them were alive, then lets the last one finish.
fn kill_and_resume(bench: &Bench, method: &str, kills: usize, seed: &mut u64) {
    let words = format!("factorize {PROBLEM} --method {method}");
    bench
        .run(&format!("{words} --threads 1 --out {method}-whole"))
        .done();
    let resume = format!("{words} --checkpoint-every 0 --resume --out {method}-killed");
    let start = Instant::now();
    bench.run(&format!("{resume}-timed --threads 2")).done();
    let whole = start.elapsed();
    let mut killed = 0;
    while killed < kills {
        // A small generator: the moments need not be reproducible, only spread.
        *seed = seed
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        let share = 0.02 + (*seed >> 40) as f64 / (1_u64 << 24) as f64 * 0.5;
        let mut child = bench
            .command(&format!("{resume} --threads {}", 1 + killed % 2))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        sleep(whole.mul_f64(share));
        if child.try_wait().unwrap().is_none() {
            child.kill().unwrap();
            killed += 1;
        } else {
            same_bits(
                bench,
                &format!("{method}-whole"),
                &format!("{method}-killed"),
            );
            std::fs::remove_dir_all(bench.path(&format!("{method}-killed"))).unwrap();
        }
        child.wait().unwrap();
    }
    bench.run(&resume).done();
    same_bits(
        bench,
        &format!("{method}-whole"),
        &format!("{method}-killed"),
    );
}

#[test]
fn kill_9_at_random_moments_changes_nothing() {
    let bench = Bench::new();
    let mut seed = u64::from(std::process::id());
    for method in ["auto", "batch", "incremental", "aggregated", "sggd"] {
        kill_and_resume(&bench, method, 4, &mut seed);
    }
}

#[test]
fn a_run_that_is_continued_stops_where_an_undisturbed_one_does() {
    let bench = Bench::new();
    for method in ["auto", "incremental"] {
        let words = format!(
            "factorize planted:40x60x3,0.1 -k 3 --batch 20 --tol 1e-5 -q --method {method}"
        );
        bench.run(&format!("{words} --out {method}-whole")).done();
        for passes in ["3", "7"] {
            bench
                .run(&format!(
                    "{words} --passes {passes} --resume --out {method}-parts"
                ))
                .done();
        }
        bench
            .run(&format!("{words} --resume --out {method}-parts"))
            .done();
        same_bits(
            &bench,
            &format!("{method}-whole"),
            &format!("{method}-parts"),
        );
        let looks = |folder: &str| -> Vec<(Value, Value)> {
            let text = bench.text(&format!("{method}-{folder}/trace.jsonl"));
            let rows = text
                .lines()
                .map(|line| serde_json::from_str::<Value>(line).unwrap());
            rows.map(|row| (row["pass"].clone(), row["residual"].clone()))
                .collect()
        };
        assert!(
            looks("whole").len() > 8,
            "{method} ended before it was interrupted"
        );
        assert_eq!(looks("whole"), looks("parts"), "{method}");
    }
}

#[test]
fn a_checkpoint_that_does_not_fit_is_refused() {
    let bench = Bench::new();
    let words = "factorize rand:20x30 -k 3 --tol 0 --passes 4 --out out -q";
    bench.run(words).done();
    bench
        .run(&format!("{words} --resume --passes 6"))
        .refused(2, &["--passes"]);
    let longer = words.replace("--passes 4", "--passes 6 --resume");
    bench
        .run(&longer.replace("rand:20x30", "rand:20x31"))
        .refused(
            1,
            &["cannot resume from out/checkpoint.npz", "different data"],
        );
    bench
        .run(&longer.replace("-k 3", "-k 4"))
        .refused(1, &["rank was 3, but now it is 4"]);
    bench
        .run(&format!("{longer} --seed 1"))
        .refused(1, &["seed was 0, but now it is 1"]);
    bench
        .run(&format!("{longer} --x-penalty l1:1 --a-penalty l1:1"))
        .refused(1, &["a-penalty was not set, but now it is l1:1"]);
    bench
        .run(&format!("{longer} --dtype f32"))
        .refused(1, &["dtype"]);
    bench
        .run(&format!("{longer} --method batch"))
        .refused(1, &["method"]);
    assert_eq!(bench.json("out/run.json")["passes"], 4.0);
    bench.run(&longer).done();
    bench
        .run("factorize rand:20x30 -k 3 --tol 0 --passes 6 --out whole -q")
        .done();
    same_bits(&bench, "whole", "out");
    std::fs::write(bench.path("out/checkpoint.npz"), "nonsense").unwrap();
    bench.run(&longer).refused(1, &["checkpoint.npz"]);
}

/// Starts a run, and waits until it has printed a line with these words.
fn started(bench: &Bench, words: &str, line: &str) -> (Child, impl FnOnce() -> String + use<>) {
    let mut child = bench
        .command(words)
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
    let seen = lines.find(|read| read.as_ref().unwrap().contains(line));
    assert!(seen.is_some(), "'{line}' was never printed");
    let rest = move || lines.map(Result::unwrap).collect::<Vec<_>>().join("\n");
    (child, rest)
}

/// Sends Ctrl-C as often as asked for, all at once.
fn ctrl_c(child: &Child, times: usize) {
    let id = child.id().to_string();
    let ids = std::iter::repeat_n(id.as_str(), times);
    let kill = Command::new("kill").arg("-INT").args(ids).status();
    assert!(kill.unwrap().success());
}

#[test]
fn ctrl_c_saves_a_valid_result_and_a_checkpoint() {
    let bench = Bench::new();
    let words = "factorize planted:60x120x4,0.1 --rank 4 --method incremental --batch 40 --tol 0";
    let endless = format!("{words} --passes 1e9 --out out");
    let (mut child, rest) = started(&bench, &endless, "pass 0");
    // Twice, as `timeout` does: to the process and to its group.
    ctrl_c(&child, 2);
    assert!(rest().contains("interrupted: result and checkpoint are saved"));
    assert_eq!(child.wait().unwrap().code(), Some(130));
    let record = bench.json("out/run.json");
    assert_eq!(record["reason"], "interrupted");
    assert_ne!(
        record["certificate"]["verdict"]["not-converged"],
        "diverged"
    );
    let further = (record["passes"].as_f64().unwrap() + 3.0).ceil();
    bench
        .run(&format!("{words} --passes {further} --resume --out out -q"))
        .done();
    bench
        .run(&format!("{words} --passes {further} --out whole -q"))
        .done();
    same_bits(&bench, "whole", "out");
}

#[test]
fn ctrl_c_works_during_the_start_and_in_solve() {
    let bench = Bench::new();
    let words = "factorize rand:2000x1500 -k 60 --init nndsvd --passes 1e9 --tol 0 --out out";
    let (mut child, rest) = started(&bench, words, "2000 × 1500");
    ctrl_c(&child, 1);
    sleep(Duration::from_millis(400));
    // The program may have ended by itself: then there is nobody to tell.
    let id = child.id().to_string();
    let _ = Command::new("kill").args(["-INT", &id]).output();
    rest();
    assert_eq!(child.wait().unwrap().code(), Some(130));
    let values: Vec<f64> = (0..400).map(|i| f64::from(i * i % 17)).collect();
    bench.matrix("a.npy", 20, &values);
    bench.vector("b.npy", &values[..20]);
    let words = "solve --loss least-squares --data a.npy --target b.npy --step 1e-9 --tol 0 --passes 1e12 --out x";
    let (mut child, rest) = started(&bench, words, "pass 0");
    ctrl_c(&child, 1);
    rest();
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert_eq!(bench.json("x/run.json")["reason"], "interrupted");
}
