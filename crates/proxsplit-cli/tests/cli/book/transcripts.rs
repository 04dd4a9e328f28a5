//! Commands that stand in the pages with what they print.

use super::alike::alike;
use super::page::{Page, pages, root};
use std::ops::Range;
use std::path::Path;
use std::process::Command;
use std::{env, fs};

/// A command of a page, and the lines of its output.
struct Transcript {
    command: String,
    output: Range<usize>,
}

#[test]
fn every_transcript_says_what_the_program_says() {
    let write = env::var_os("PROXSPLIT_BOOK").is_some_and(|mode| mode == "write");
    let mut wrong = Vec::new();
    let mut count = 0;
    for page in pages() {
        let transcripts = transcripts(&page);
        if transcripts.is_empty() {
            continue;
        }
        count += transcripts.len();
        let folder = tempfile::tempdir().unwrap();
        copy_data(folder.path());
        let said: Vec<String> = transcripts
            .iter()
            .map(|transcript| run(&transcript.command, folder.path()))
            .collect();
        if write {
            fs::write(&page.path, rewritten(&page, &transcripts, &said)).unwrap();
        }
        let lines = page.lines();
        for (transcript, said) in transcripts.iter().zip(&said) {
            let told = lines[transcript.output.clone()].join("\n");
            if let Err(difference) = alike(&told, said) {
                let (page, line) = (page.name(), transcript.output.start);
                wrong.push(format!(
                    "{page}, line {line}: $ {}\n{difference}",
                    transcript.command
                ));
            }
        }
    }
    assert!(count > 10, "only {count} transcripts were found");
    assert!(
        write || wrong.is_empty(),
        "PROXSPLIT_BOOK=write would write what the program says:\n{}",
        wrong.join("\n")
    );
}

fn transcripts(page: &Page) -> Vec<Transcript> {
    let lines = page.lines();
    let mut found = Vec::new();
    for block in page.blocks() {
        let starts: Vec<usize> = block
            .lines
            .clone()
            .filter(|&at| lines[at].starts_with("$ "))
            .collect();
        let ends = starts.iter().skip(1).copied().chain([block.lines.end]);
        for (&start, end) in starts.iter().zip(ends) {
            found.push(Transcript {
                command: lines[start][2..].to_owned(),
                output: start + 1..end,
            });
        }
    }
    found
}

/// The files of the book that its commands read.
fn copy_data(folder: &Path) {
    for entry in fs::read_dir(root().join("docs/src/data")).unwrap() {
        let entry = entry.unwrap();
        fs::copy(entry.path(), folder.join(entry.file_name())).unwrap();
    }
}

/// What a command prints, on both streams.
fn run(command: &str, folder: &Path) -> String {
    let program = Path::new(env!("CARGO_BIN_EXE_proxsplit"));
    let mut places = vec![program.parent().unwrap().to_owned()];
    places.extend(env::split_paths(&env::var_os("PATH").unwrap_or_default()));
    let ran = Command::new("sh")
        .args(["-c", &format!("{{ {command}; }} 2>&1")])
        .env("PATH", env::join_paths(places).unwrap())
        .current_dir(folder)
        .output()
        .unwrap();
    String::from_utf8_lossy(&ran.stdout).into_owned()
}

/// The page with today's output, a blank line between two commands.
fn rewritten(page: &Page, transcripts: &[Transcript], said: &[String]) -> String {
    let mut lines: Vec<String> = page.lines().into_iter().map(str::to_owned).collect();
    for (transcript, said) in transcripts.iter().zip(said).rev() {
        let follows = lines[transcript.output.end].starts_with("$ ");
        let blank = follows.then(String::new);
        let said = said.trim_end().lines().map(str::to_owned).chain(blank);
        lines.splice(transcript.output.clone(), said.collect::<Vec<_>>());
    }
    lines.join("\n") + "\n"
}
