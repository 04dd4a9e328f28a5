//! The page that compares two runs: curves on the same axes, and atoms side by side.

use super::curves;
use super::picture::Colours;
use super::pictures::name;
use super::tables::{self, Feature};
use super::{Source, shell, tone};
use crate::args::Image;
use crate::factors::Atom;
use askama::Template;

/// Pairs that are shown at most.
const MOST_PAIRS: usize = 60;

#[derive(Template)]
#[template(path = "compare.html")]
struct Page<'a> {
    title: String,
    names: [&'a str; 2],
    /// Tone and verdict of each run.
    verdicts: [(&'static str, &'a str); 2],
    /// Whether both have factorized the same numbers.
    same_data: bool,
    /// A quantity of both runs.
    rows: Vec<(&'static str, [String; 2])>,
    curves: Vec<String>,
    /// Settings in which the runs differ.
    settings: Vec<(String, [String; 2])>,
    caption: String,
    pairs: Vec<Pair<'a>>,
    commands: [String; 2],
}

/// Two atoms that are alike, or one without a partner.
struct Pair<'a> {
    cosine: String,
    sides: [Side<'a>; 2],
}

#[derive(Default)]
struct Side<'a> {
    name: String,
    picture: Option<String>,
    features: Vec<Feature<'a>>,
    dim: bool,
}

/// The page of two runs as text.
pub(crate) fn compare_page(names: [&str; 2], runs: [&Source<'_>; 2]) -> askama::Result<String> {
    let [one, other] = runs;
    let tiles = tables::tiles(one.record).into_iter();
    let rows = tiles.zip(tables::tiles(other.record));
    let page = Page {
        title: format!("{} and {}", names[0], names[1]),
        names,
        verdicts: runs.map(|run| (tone(run.record), run.record.certificate.words.as_str())),
        same_data: one.record.data.digest == other.record.data.digest,
        rows: rows.map(|((name, a), (_, b))| (name, [a, b])).collect(),
        curves: curves::all(&[one.run(names[0]), other.run(names[1])]),
        settings: differences(runs),
        caption: caption(runs),
        pairs: pairs(runs),
        commands: runs.map(|run| shell(&run.record.command)),
    };
    page.render()
}

/// Data and settings with different values.
fn differences(runs: [&Source<'_>; 2]) -> Vec<(String, [String; 2])> {
    let [one, other] = runs.map(|run| tables::settings(run.record));
    let value = |rows: &[(String, String)], name: &str| {
        let found = rows.iter().find(|(known, _)| known == name);
        found.map_or_else(|| "–".to_owned(), |(_, value)| value.clone())
    };
    let mut names: Vec<&String> = one.iter().chain(&other).map(|(name, _)| name).collect();
    let mut seen = std::collections::BTreeSet::new();
    names.retain(|name| seen.insert(name.as_str()));
    names
        .into_iter()
        .map(|name| (name.clone(), [value(&one, name), value(&other, name)]))
        .filter(|(_, [a, b])| a != b)
        .collect()
}

fn caption(runs: [&Source<'_>; 2]) -> String {
    let [one, other] = runs.map(|run| (run.factors.x.rows(), run.factors.x.cols()));
    if one.0 != other.0 {
        return format!(
            "The runs have {} and {} features: their atoms cannot be compared.",
            one.0, other.0
        );
    }
    let most = match one.1.max(other.1) {
        count if count > MOST_PAIRS => format!(" The first {MOST_PAIRS} pairs are shown."),
        _ => String::new(),
    };
    format!(
        "Pairs of atoms by decreasing cosine; each atom is used once. Captions: number, and share of ‖x‖·‖a‖.{most}"
    )
}

fn pairs<'a>(runs: [&Source<'a>; 2]) -> Vec<Pair<'a>> {
    let [one, other] = runs;
    if one.factors.x.rows() != other.factors.x.rows() {
        return Vec::new();
    }
    let atoms = runs.map(|run| run.factors.atoms());
    let totals =
        [&atoms[0], &atoms[1]].map(|atoms| atoms.iter().map(|atom| atom.size).sum::<f64>());
    let image = one
        .image
        .or(other.image)
        .filter(|image| image.rows * image.cols == one.factors.x.rows());
    let matched = matched(runs).into_iter().take(MOST_PAIRS);
    matched
        .map(|(cosine, indices)| {
            let at = |run: usize| {
                let atom =
                    indices[run].and_then(|k| atoms[run].iter().find(|atom| atom.index == k));
                atom.map_or_else(Side::default, |atom| {
                    side(runs[run], atom, totals[run], image)
                })
            };
            Pair {
                cosine: cosine.map_or_else(
                    || "no partner".to_owned(),
                    |cosine| format!("cosine {cosine:.3}"),
                ),
                sides: [at(0), at(1)],
            }
        })
        .collect()
}

fn side<'a>(run: &Source<'a>, atom: &Atom, total: f64, image: Option<Image>) -> Side<'a> {
    let x = run.factors.x.col(atom.index);
    let picture = image.map(|image| {
        let pixels = image.by_rows(x);
        Colours::of(&pixels).picture(image.cols, &pixels)
    });
    let features = run
        .features
        .map_or_else(Vec::new, |names| tables::features(x, names));
    Side {
        name: name(atom, total),
        picture,
        features,
        dim: atom.size == 0.0,
    }
}

/// Cosine and places of two atoms, the most alike first, each taken once; then those without a partner.
type Matched = Vec<(Option<f64>, [Option<usize>; 2])>;

fn matched(runs: [&Source<'_>; 2]) -> Matched {
    let [one, other] = runs.map(|run| &run.factors.x);
    let norm = |x: &[f64]| {
        x.iter()
            .map(|v| v * v)
            .sum::<f64>()
            .sqrt()
            .max(f64::MIN_POSITIVE)
    };
    let mut all = Vec::new();
    for i in 0..one.cols() {
        for j in 0..other.cols() {
            let (a, b) = (one.col(i), other.col(j));
            let dot: f64 = a.iter().zip(b).map(|(a, b)| a * b).sum();
            all.push((dot / norm(a) / norm(b), i, j));
        }
    }
    all.sort_by(|a, b| b.0.total_cmp(&a.0));
    let mut free = [vec![true; one.cols()], vec![true; other.cols()]];
    let mut pairs: Matched = Vec::new();
    for (cosine, i, j) in all {
        if free[0][i] && free[1][j] {
            (free[0][i], free[1][j]) = (false, false);
            pairs.push((Some(cosine), [Some(i), Some(j)]));
        }
    }
    let free = &free;
    let alone = |run: usize| (0..free[run].len()).filter(move |&k| free[run][k]);
    pairs.extend(alone(0).map(|k| (None, [Some(k), None])));
    pairs.extend(alone(1).map(|k| (None, [None, Some(k)])));
    pairs
}
