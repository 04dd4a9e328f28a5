//! The page of a search for the rank: the curve, the verdict, the table.

use super::shell;
use super::svg::{Chart, Curve};
use super::tables::plain;
use crate::command::rank::RankRecord;
use crate::number;
use askama::Template;
use proxsplit_factor::RankRow;

#[derive(Template)]
#[template(path = "rank.html")]
struct Page<'a> {
    title: String,
    subtitle: String,
    tone: &'static str,
    verdict: (&'a str, &'a str),
    notes: &'a [String],
    curves: Vec<String>,
    /// With whether it is the chosen one.
    rows: Vec<(bool, Vec<String>)>,
    settings: Vec<(String, String)>,
    command: String,
    origin: String,
}

/// The page as text.
pub(crate) fn rank_page(record: &RankRecord) -> askama::Result<String> {
    let (choice, data) = (&record.choice, &record.data);
    let name = data.source.rsplit('/').find(|part| !part.is_empty());
    let settings = record.settings.iter().filter(|(_, value)| !value.is_null());
    let versions = &record.versions;
    let rows = record.table.iter();
    let page = Page {
        title: format!("{}: which rank?", name.unwrap_or(&data.source)),
        subtitle: format!(
            "{} features × {} samples, {} fits in {}",
            data.features,
            data.samples,
            record.table.iter().map(|row| row.fits).sum::<usize>(),
            number::duration(record.seconds)
        ),
        tone: if choice.turned { "good" } else { "fair" },
        verdict: choice.words.split_once(": ").unwrap_or((&choice.words, "")),
        notes: &choice.notes,
        curves: curves(record),
        rows: rows
            .map(|row| (row.rank == choice.rank, cells(row)))
            .collect(),
        settings: settings
            .map(|(name, value)| (name.replace('_', "-"), plain(value)))
            .collect(),
        command: shell(&record.command),
        origin: format!(
            "proxsplit {} on {} {}; data digest {}",
            versions.proxsplit, versions.system, versions.processor, data.digest
        ),
    };
    page.render()
}

/// The held-out error with its standard error, and what is known besides.
fn curves(record: &RankRecord) -> Vec<String> {
    let rows = &record.table;
    let spreads: Vec<f64> = rows.iter().map(|row| row.standard_error).collect();
    let mark = Some(record.choice.rank as f64);
    let chart = |title: &str, read: &dyn Fn(&RankRow) -> Option<f64>, spreads: &[f64]| {
        let points = rows
            .iter()
            .filter_map(|row| Some((row.rank as f64, read(row)?)));
        let points: Vec<(f64, f64)> = points.collect();
        let chart = Chart {
            title,
            x_name: "rank",
            curves: &[Curve {
                name: "",
                points: &points,
            }],
            levels: &[],
            spreads,
            mark,
            log: false,
        };
        (!points.is_empty()).then(|| chart.svg())
    };
    let above = |row: &RankRow| Some(row.objective? / row.bound? - 1.0);
    [
        chart(
            "held-out error, with its standard error",
            &|row| Some(row.error),
            &spreads,
        ),
        chart(
            "objective of all data above the singular-value bound, as a share",
            &above,
            &[],
        ),
        chart(
            "cosine of matched atoms between starts",
            &|row| row.cosine,
            &[],
        ),
        chart(
            "cophenetic correlation between starts",
            &|row| row.cophenetic,
            &[],
        ),
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn cells(row: &RankRow) -> Vec<String> {
    let or_dash = |number: Option<f64>| number.map_or_else(|| "–".to_owned(), number::short);
    vec![
        row.rank.to_string(),
        number::short(row.error),
        number::short(row.standard_error),
        or_dash(row.objective),
        or_dash(row.bound),
        or_dash(row.cosine),
        or_dash(row.cophenetic),
        format!("{} of {}", row.converged, row.fits),
        number::clock(row.seconds),
    ]
}
