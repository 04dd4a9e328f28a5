//! The HTML page about a run: one file, no network, no script.

mod compare;
mod curves;
mod meaning;
mod picture;
mod pictures;
mod png;
mod rank;
mod svg;
mod tables;

pub(crate) use compare::compare_page;
pub(crate) use rank::rank_page;

use crate::args::Image;
use crate::factors::{Atom, Factors};
use crate::number;
use crate::outliers;
use crate::record::{Record, TraceRow};
use askama::Template;
use curves::Run;
use pictures::{Codes, Gallery};
use proxsplit::Reason;
use svg::Bars;
use tables::{Family, Topic};

/// Everything that a page is made of.
pub(crate) struct Source<'a> {
    pub(crate) record: &'a Record,
    pub(crate) trace: &'a [TraceRow],
    pub(crate) factors: &'a Factors,
    /// Names of the features, where the data had them.
    pub(crate) features: Option<&'a [String]>,
    /// How a feature vector is laid out as a picture.
    pub(crate) image: Option<Image>,
}

impl<'a> Source<'a> {
    /// Its curves, under a name.
    fn run(&self, name: &'a str) -> Run<'a> {
        Run {
            name,
            record: self.record,
            trace: self.trace,
        }
    }
}

#[derive(Template)]
#[template(path = "report.html")]
struct Page<'a> {
    title: String,
    subtitle: String,
    tone: &'static str,
    verdict: (&'a str, &'a str),
    notes: &'a [String],
    /// How many entries do not fit, and the worst of them.
    outliers: Vec<String>,
    tiles: Vec<(&'static str, String)>,
    curves: Vec<String>,
    certificate: Vec<(String, String, &'static str)>,
    atoms: Option<Gallery>,
    topics: Vec<Topic<'a>>,
    consensus: Option<Family>,
    sparsity: [String; 2],
    codes: Option<Codes>,
    settings: Vec<Vec<(String, String)>>,
    command: String,
    origin: String,
}

/// The page as text.
pub(crate) fn html(source: &Source<'_>) -> askama::Result<String> {
    let record = source.record;
    let atoms = source.factors.atoms();
    let settings = tables::settings(record);
    let rank = source.factors.x.cols();
    let page = Page {
        title: format!("{}, rank {rank}", tables::name(record)),
        subtitle: tables::subtitle(record),
        tone: tone(record),
        verdict: match record.certificate.words.split_once(": ") {
            Some((head, rest)) => (head, rest),
            None => (&record.certificate.words, ""),
        },
        notes: &record.notes,
        outliers: record.outliers.as_ref().map_or_else(Vec::new, |found| {
            let worst = found.worst.iter().map(outliers::entry);
            std::iter::once(outliers::words(found))
                .chain(worst)
                .collect()
        }),
        tiles: tables::tiles(record),
        curves: curves::all(&[source.run("")]),
        certificate: tables::certificate(record),
        atoms: source
            .image
            .and_then(|image| pictures::gallery(source.factors, &atoms, image)),
        topics: tables::topics(source, &atoms),
        consensus: record.consensus.as_ref().map(tables::family),
        sparsity: bars(record, &atoms),
        codes: pictures::codes(source.factors, &atoms),
        settings: settings
            .chunks(settings.len().div_ceil(2).max(1))
            .map(<[_]>::to_vec)
            .collect(),
        command: shell(&record.command),
        origin: tables::origin(record),
    };
    page.render()
}

fn tone(record: &Record) -> &'static str {
    match record.reason {
        Reason::Diverged => "bad",
        _ if record.converged => "good",
        _ => "fair",
    }
}

fn bars(record: &Record, atoms: &[Atom]) -> [String; 2] {
    let factor = |name: &str, total: f64, share: fn(&Atom) -> f64| {
        let shares: Vec<(usize, f64)> =
            atoms.iter().map(|atom| (atom.index, share(atom))).collect();
        let title = format!(
            "zeros in {name}, by atom ({} in all)",
            number::percent(total)
        );
        let bars = Bars {
            title: &title,
            x_name: "atom",
            shares: &shares,
        };
        bars.svg()
    };
    [
        factor("X", record.sparsity.x, |atom| atom.zeros.x),
        factor("A", record.sparsity.a, |atom| atom.zeros.a),
    ]
}

/// The words of a command line, quoted where a shell needs it.
pub(crate) fn shell(command: &[String]) -> String {
    let plain = |sign: char| sign.is_ascii_alphanumeric() || "-_./:=,+@%".contains(sign);
    let quoted = command.iter().map(|word| {
        if !word.is_empty() && word.chars().all(plain) {
            word.clone()
        } else {
            format!("'{}'", word.replace('\'', "'\\''"))
        }
    });
    quoted.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::shell;

    #[test]
    fn words_are_quoted_for_the_shell() {
        let words = [
            "proxsplit",
            "my data.npy",
            "it's",
            "--x-penalty",
            "l1:1e-5",
            "",
        ];
        let words: Vec<String> = words.iter().map(ToString::to_string).collect();
        assert_eq!(
            shell(&words),
            "proxsplit 'my data.npy' 'it'\\''s' --x-penalty l1:1e-5 ''"
        );
    }
}
