//! Command lines that stand in the pages without their output.

use super::page::pages;
use crate::bench::Bench;
use std::collections::BTreeSet;
use std::fmt::Write;

/// Lines of the pages that begin with the program's name, in blocks of a shell.
fn commands() -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for page in pages() {
        let lines = page.lines();
        for block in page.blocks() {
            if !matches!(block.language.as_str(), "sh" | "text") {
                continue;
            }
            for line in &lines[block.lines.clone()] {
                let line = line.split(" # ").next().unwrap_or_default().trim();
                if line.starts_with("proxsplit ") && !line.contains(['>', '|']) {
                    found.insert(line.replace('\'', ""));
                }
            }
        }
    }
    found
}

/// Small files with the names that the commands use.
fn bench() -> Bench {
    let bench = Bench::new();
    let (rows, samples, atoms) = (361, 60, 49);
    let wave = |i: usize, j: usize| (1.0 + ((i * (j + 1)) as f64 * 0.37).sin()) * 100.0;
    let entries = |rows: usize, cols: usize| -> Vec<f64> {
        (0..rows * cols)
            .map(|at| wave(at / cols, at % cols).round())
            .collect()
    };
    bench.matrix("faces.npy", samples, &entries(rows, samples));
    bench.matrix("X.npy", atoms, &entries(rows, atoms));
    bench.matrix("A.npy", samples, &entries(atoms, samples));
    let signs: Vec<f64> = (0..atoms)
        .map(|i| if i % 3 == 0 { 1.0 } else { -1.0 })
        .collect();
    bench.vector("b.npy", &signs);
    bench.vector("v.npy", &[2.0, -3.0, 1.0]);
    bench
}

#[test]
fn every_command_line_is_accepted() {
    let commands = commands();
    assert!(commands.len() >= 5, "{commands:#?}");
    let bench = bench();
    bench.write_gzip("counts.mtx.gz", &counts());
    for command in commands {
        // Passes are few: what is tested is that the words are understood and the files are read.
        let words = command.strip_prefix("proxsplit ").unwrap_or_default();
        let few = match words.split(' ').next() {
            Some("factorize" | "solve" | "rank") => " --passes 3",
            _ => "",
        };
        let short = words.replace("2..60", "2..4");
        bench.run(&format!("{short}{few}")).done();
    }
}

/// A sparse matrix of 40 × 30.
fn counts() -> String {
    let mut text = String::from("%%MatrixMarket matrix coordinate integer general\n40 30 240\n");
    for at in 0..240 {
        let (row, col) = (at % 40 + 1, (at * 7 + at / 40) % 30 + 1);
        writeln!(text, "{row} {col} {}", at % 5 + 1).unwrap();
    }
    text
}
