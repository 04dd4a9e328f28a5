//! Links, included files and paths of the pages.

use super::page::{Page, pages, root};
use std::collections::BTreeSet;
use std::path::Path;

#[test]
fn every_link_leads_somewhere() {
    let pages = pages();
    let mut wrong = Vec::new();
    for page in &pages {
        for target in links(page) {
            if let Err(cause) = follow(page, &target, &pages) {
                wrong.push(format!("{}: {target}: {cause}", page.name()));
            }
        }
        for path in included(page).into_iter().chain(mentioned(page)) {
            let beside = page.path.parent().unwrap().join(&path);
            if !beside.exists() && !root().join(&path).exists() {
                wrong.push(format!("{}: there is no {path}", page.name()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_page_is_in_the_summary() {
    let pages = pages();
    let in_book = |page: &&Page| page.name().starts_with("docs/src/");
    let summary = pages
        .iter()
        .find(|page| page.name().ends_with("SUMMARY.md"));
    let listed: BTreeSet<String> = links(summary.unwrap())
        .into_iter()
        .map(|target| format!("docs/src/{target}"))
        .collect();
    for page in pages.iter().filter(in_book) {
        let name = page.name();
        assert!(
            name.ends_with("SUMMARY.md") || listed.contains(&name),
            "{name} is not in SUMMARY.md"
        );
    }
}

/// `Err` with what is wrong about a target: a page, a file, a heading.
fn follow(page: &Page, target: &str, pages: &[Page]) -> Result<(), String> {
    if target.starts_with("https://") {
        return Ok(());
    }
    let (file, heading) = target.split_once('#').unwrap_or((target, ""));
    let path = match file {
        "" => page.path.clone(),
        file => page.path.parent().unwrap().join(file),
    };
    if !path.exists() {
        return Err("there is no such file".to_owned());
    }
    if heading.is_empty() {
        return Ok(());
    }
    let same = |other: &&Page| other.path.canonicalize().ok() == path.canonicalize().ok();
    match pages.iter().find(same) {
        Some(other) if headings(other).contains(heading) => Ok(()),
        Some(other) => Err(format!("{} has no such heading", other.name())),
        None => Err("this is no page".to_owned()),
    }
}

/// Text outside blocks of code.
fn prose(page: &Page) -> String {
    let blocks = page.blocks();
    let inside = |at: usize| blocks.iter().any(|block| block.lines.contains(&at));
    let lines = page.text.lines().enumerate();
    let kept = lines.filter(|&(at, line)| !inside(at) && !line.starts_with("    "));
    kept.map(|(_, line)| line).collect::<Vec<_>>().join("\n")
}

/// Targets of `[…](target)` and `![…](target)`.
fn links(page: &Page) -> Vec<String> {
    let text = prose(page);
    let targets = text.split("](").skip(1);
    targets
        .filter_map(|rest| rest.split_once(')'))
        .map(|(target, _)| target.to_owned())
        .collect()
}

/// Files of `{{#include file}}`.
fn included(page: &Page) -> Vec<String> {
    let files = page.text.split("{{#include ").skip(1);
    files
        .filter_map(|rest| rest.split_once("}}"))
        .map(|(file, _)| file.split(':').next().unwrap_or_default().to_owned())
        .collect()
}

/// Files and folders of the tree that are named in running text, as in `crates/proxsplit`.
fn mentioned(page: &Page) -> Vec<String> {
    let text = prose(page);
    let tops = [
        "crates/",
        "docs/",
        "bench/",
        "fuzz/",
        "experiments/",
        "tests/",
    ];
    let quoted = text.split('`').skip(1).step_by(2);
    quoted
        .filter_map(|words| words.split_whitespace().next())
        .filter(|word| tops.iter().any(|top| word.starts_with(top)))
        .filter(|word| !word.contains(['*', '{', '<', ',']) && !word.starts_with("docs/book"))
        .map(|word| word.split([':', '#']).next().unwrap_or_default().to_owned())
        .filter(|path| !Path::new(path).starts_with("tests") || page.name().starts_with("crates"))
        .collect()
}

/// The anchors that mdBook and GitHub make of headings.
fn headings(page: &Page) -> BTreeSet<String> {
    let text = prose(page);
    let titles = text.lines().filter(|line| line.starts_with('#'));
    titles
        .map(|line| {
            let title = line.trim_start_matches('#').trim().to_lowercase();
            let kept = title
                .chars()
                .filter(|c| c.is_alphanumeric() || " -_".contains(*c));
            kept.map(|c| if c == ' ' { '-' } else { c }).collect()
        })
        .collect()
}
