//! `proxsplit rank`, and the consensus of several runs.

use crate::bench::Bench;
use serde_json::Value;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

const PLANTED: &str = "rank planted:40x60x3,0.3 --folds 5 --restarts 2";

/// The numbers of a table that do not depend on time.
fn numbers(record: &Value) -> Vec<Value> {
    let rows = record["table"].as_array().unwrap().iter();
    rows.map(|row| {
        let mut row = row.clone();
        row.as_object_mut().unwrap().remove("seconds");
        row
    })
    .collect()
}

#[test]
fn the_planted_rank_is_found_and_told() {
    let bench = Bench::new();
    let ran = bench
        .run(&format!("{PLANTED} --ranks 1..6 --out out"))
        .done();
    assert!(ran.out.starts_with("rank 3: "), "{ran:#?}");
    assert_eq!(bench.names("out"), ["rank.html", "rank.json"]);
    let record = bench.json("out/rank.json");
    assert_eq!(
        (&record["rank"], &record["turned"]),
        (&3.into(), &true.into())
    );
    let row = &record["table"][0];
    assert_eq!(
        (&row["rank"], row["errors"].as_array().unwrap().len()),
        (&1.into(), 5)
    );
    let page = bench.text("out/rank.html");
    assert!(page.contains("which rank?") && page.contains("<strong>rank 3</strong>"));
    assert!(page.contains("held-out error, with its standard error"));
    bench
        .run(&format!("{PLANTED} --ranks 1..6 --out out"))
        .refused(1, &["already exists", "--force"]);
    let threads = bench
        .run(&format!(
            "{PLANTED} --ranks 1..6 --out one --threads 1 --json"
        ))
        .json();
    assert_eq!(numbers(&record), numbers(&threads));
}

#[test]
fn a_search_goes_on_where_it_was_interrupted() {
    let bench = Bench::new();
    let words = "rank planted:300x400x4,0.5 --ranks 1..5 --patience 0 --folds 4 --restarts 2 --checkpoint-every 0";
    let whole = bench.run(&format!("{words} --out whole --json")).json();
    let parts = format!("{words} --out parts -q --resume");
    let mut interrupted = 0;
    for fits in [1, 3, 9] {
        let mut child = bench
            .command(&parts)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        // As soon as something was kept, and a little later each time.
        while !bench.path("parts/rank-checkpoint.npz").exists()
            && child.try_wait().unwrap().is_none()
        {
            sleep(Duration::from_millis(1));
        }
        sleep(Duration::from_millis(10 * fits));
        let id = child.id().to_string();
        let _ = Command::new("kill").args(["-INT", &id]).output();
        if child.wait().unwrap().code() != Some(130) {
            break;
        }
        interrupted += 1;
        assert!(!bench.path("parts/rank.json").exists());
    }
    assert!(
        interrupted > 0,
        "every search ended before it was interrupted"
    );
    if !bench.path("parts/rank.json").exists() {
        bench.run(&parts).done();
    }
    assert_eq!(numbers(&whole), numbers(&bench.json("parts/rank.json")));
}

#[test]
fn ranks_can_be_added_while_the_error_falls() {
    let bench = Bench::new();
    let whole = bench
        .run(&format!("{PLANTED} --ranks 1..4 --out whole --json"))
        .json();
    bench
        .run(&format!("{PLANTED} --ranks 1..2 --out parts -q"))
        .done();
    assert_eq!(
        bench.names("parts"),
        ["rank-checkpoint.npz", "rank.html", "rank.json"]
    );
    bench
        .run(&format!(
            "{PLANTED} --ranks 1..4 --folds 4 --out parts --resume"
        ))
        .refused(2, &["--folds"]);
    let other = PLANTED.replace("--folds 5", "--folds 4");
    bench
        .run(&format!("{other} --ranks 1..4 --out parts --resume -q"))
        .refused(1, &["cannot resume from", "folds was 5, but now it is 4"]);
    bench
        .run(&format!(
            "{PLANTED} --ranks 1..4 --scale 2 --out parts --resume -q"
        ))
        .refused(1, &["scale was 1.0, but now it is 2.0"]);
    bench
        .run(&format!("{PLANTED} --ranks 1..4 --out parts --resume -q"))
        .done();
    assert_eq!(numbers(&whole), numbers(&bench.json("parts/rank.json")));
}

#[test]
fn what_cannot_be_is_refused_and_leaves_nothing() {
    let bench = Bench::new();
    for (ranks, words) in [
        ("2..9", "rank 9 is not possible"),
        ("1 --folds 99", "99 folds are not possible"),
    ] {
        bench
            .run(&format!("rank rand:8x12 --ranks {ranks} --out out"))
            .refused(1, &[words]);
    }
    for ranks in ["5..2", "0", "x", ""] {
        let ran = bench
            .command("rank rand:8x12 --out out")
            .arg(format!("--ranks={ranks}"))
            .output();
        assert_eq!(ran.unwrap().status.code(), Some(2), "{ranks}");
    }
    bench
        .run("rank rand:2x2 --ranks 1 --folds 4 --out out")
        .refused(1, &["4 folds are not possible"]);
    bench.matrix("zero.npy", 4, &[0.0; 16]);
    bench
        .run("rank zero.npy --ranks 1 --folds 2 --out out")
        .refused(1, &["zero"]);
    assert!(!bench.path("out").exists());
}

#[test]
fn several_runs_are_compared() {
    let bench = Bench::new();
    let words = "factorize planted:40x60x3,0.05 -k 3 --restarts 4 --consensus --report --tol 1e-5";
    let ran = bench.run(&format!("{words} --out out")).done();
    assert!(
        ran.out.contains("3 of 3 atoms were found in all 4 runs"),
        "{ran:#?}"
    );
    assert!(ran.err.contains("run   4 of 4"), "{ran:#?}");
    let record = bench.json("out/run.json");
    let consensus = &record["consensus"];
    let objectives: Vec<f64> = consensus["objectives"]
        .as_array()
        .unwrap()
        .iter()
        .map(|v| v.as_f64().unwrap())
        .collect();
    let least = objectives.iter().copied().fold(f64::INFINITY, f64::min);
    assert_eq!(record["objective"].as_f64(), Some(least));
    assert_eq!(consensus["atoms"].as_array().unwrap().len(), 3);
    let medoids = bench.dense("out/medoids.npy");
    assert_eq!((medoids.rows(), medoids.cols()), (40, 3));
    assert!(
        bench
            .text("out/report.html")
            .contains("Consensus of several runs")
    );
    // The best run is the run with its seed, alone.
    let seed = consensus["best"].as_u64().unwrap();
    let alone = format!(
        "factorize planted:40x60x3,0.05 -k 3 --tol 1e-5 --init random --seed {seed} -q --out alone"
    );
    bench.run(&alone).done();
    assert_eq!(bench.bytes("out/X.npy"), bench.bytes("alone/X.npy"));
    bench
        .run("factorize rand:9x9 -k 2 --restarts 1 --consensus")
        .refused(2, &["--restarts 2"]);
    bench
        .run("factorize rand:9x9 -k 2 --restarts 3 --resume")
        .refused(2, &["--resume"]);
}
