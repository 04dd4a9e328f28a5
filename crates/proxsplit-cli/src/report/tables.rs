//! The tables and lists of the page.

use super::Source;
use super::meaning::meaning;
use super::svg::shortened;
use crate::factors::Atom;
use crate::missing;
use crate::number;
use crate::record::Record;
use proxsplit_factor::{ALIKE, Consensus};
use serde_json::Value;

/// Atoms whose features are listed at most, and features of each.
const MOST_TOPICS: usize = 100;
const MOST_FEATURES: usize = 12;
/// Letters of a label at most; all of it is shown when the pointer rests on it.
const MOST_LETTERS: usize = 24;

/// The strongest features of an atom.
pub(super) struct Topic<'a> {
    pub(super) atom: usize,
    pub(super) features: Vec<Feature<'a>>,
    /// Whether nothing uses the atom.
    pub(super) dim: bool,
}

/// A feature with its weight in an atom.
pub(super) struct Feature<'a> {
    /// Shortened if it is long.
    pub(super) label: String,
    pub(super) whole: &'a str,
    pub(super) weight: String,
}

/// The strongest features of each atom, where features have names.
pub(super) fn topics<'a>(source: &Source<'a>, atoms: &[Atom]) -> Vec<Topic<'a>> {
    let Some(names) = source.features else {
        return Vec::new();
    };
    let largest = atoms.iter().take(MOST_TOPICS);
    largest
        .map(|atom| {
            let x = source.factors.x.col(atom.index);
            Topic {
                atom: atom.index,
                features: features(x, names),
                dim: atom.size == 0.0,
            }
        })
        .collect()
}

/// The strongest features of an atom by name.
pub(super) fn features<'a>(x: &[f64], names: &'a [String]) -> Vec<Feature<'a>> {
    let feature = |i: usize| Feature {
        label: shortened(&names[i], MOST_LETTERS),
        whole: &names[i],
        weight: number::short(x[i]),
    };
    strongest(x).into_iter().map(feature).collect()
}

/// Places of the entries of largest size, without zeros.
fn strongest(x: &[f64]) -> Vec<usize> {
    let mut places: Vec<usize> = (0..x.len()).filter(|i| x[*i] != 0.0).collect();
    let stronger = |a: &usize, b: &usize| x[*b].abs().total_cmp(&x[*a].abs());
    if places.len() > MOST_FEATURES {
        places.select_nth_unstable_by(MOST_FEATURES, stronger);
        places.truncate(MOST_FEATURES);
    }
    places.sort_by(stronger);
    places
}

/// How the atoms fared in several runs.
pub(super) struct Family {
    pub(super) caption: String,
    /// Atom, runs that have it, mean cosine with its partners, and the run of the medoid.
    pub(super) rows: Vec<[String; 4]>,
}

/// The atoms in the order of X.
pub(super) fn family(consensus: &Consensus) -> Family {
    let runs = consensus.objectives.len();
    let row = |(k, atom): (usize, &proxsplit_factor::ReturnedAtom)| {
        [
            k.to_string(),
            format!("{} of {runs}", atom.runs),
            format!("{:.3}", atom.cosine),
            (atom.medoid + 1).to_string(),
        ]
    };
    Family {
        caption: format!(
            "{runs} runs from different starts; run {} has the lowest objective, and its factors are shown. A run has found an atom if its cosine \
             with the matched atom of that run is at least {ALIKE}. Mean cosine of matched atoms over all pairs of runs {:.3}, cophenetic correlation of the \
             samples' groups {:.3}.",
            consensus.best + 1,
            consensus.cosine,
            consensus.cophenetic
        ),
        rows: consensus.atoms.iter().enumerate().map(row).collect(),
    }
}

/// The data without the folders before it.
pub(super) fn name(record: &Record) -> &str {
    let source = &record.data.source;
    source
        .rsplit('/')
        .find(|part| !part.is_empty())
        .unwrap_or(source)
}

pub(super) fn subtitle(record: &Record) -> String {
    let data = &record.data;
    let method = record
        .settings
        .get("method")
        .map_or_else(String::new, plain);
    let missing = missing::words(data.missing, (data.features, data.samples));
    let missing = missing.map_or_else(String::new, |words| format!(", {words}"));
    format!(
        "{} features × {} samples{missing}, method {method}, {} passes in {}",
        data.features,
        data.samples,
        number::short(record.passes),
        number::duration(record.seconds)
    )
}

pub(super) fn tiles(record: &Record) -> Vec<(&'static str, String)> {
    vec![
        ("objective", number::short(record.objective)),
        ("residual", number::short(record.certificate.stationarity)),
        ("passes", number::short(record.passes)),
        ("solving time", number::duration(record.seconds)),
        ("zeros in X", number::percent(record.sparsity.x)),
        ("zeros in A", number::percent(record.sparsity.a)),
    ]
}

/// Name, text and meaning of every line of the certificate; the meaning stands with the first line of its name.
pub(super) fn certificate(record: &Record) -> Vec<(String, String, &'static str)> {
    let certificate = &record.certificate;
    let mut rows = vec![
        ("verdict".to_owned(), certificate.words.clone()),
        (
            "tolerance".to_owned(),
            format!(
                "residual {:.3e}, tolerance {:.3e}",
                certificate.stationarity, certificate.tolerance
            ),
        ),
    ];
    rows.extend(certificate.details.iter().cloned());
    let mut last = String::new();
    rows.into_iter()
        .map(|(name, text)| {
            let explained = if name == last { "" } else { meaning(&name) };
            last.clone_from(&name);
            (name, text, explained)
        })
        .collect()
}

/// Data first, then every setting.
pub(super) fn settings(record: &Record) -> Vec<(String, String)> {
    let data = &record.data;
    let mut rows = vec![
        ("data".to_owned(), data.source.clone()),
        ("storage".to_owned(), data.description.clone()),
    ];
    let chosen = record.settings.iter().filter(|(_, value)| !value.is_null());
    rows.extend(chosen.map(|(name, value)| (name.replace('_', "-"), plain(value))));
    rows
}

pub(super) fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Bool(true) => "yes".to_owned(),
        Value::Bool(false) => "no".to_owned(),
        Value::Array(items) => items.iter().map(plain).collect::<Vec<_>>().join(" × "),
        other => other.to_string(),
    }
}

pub(super) fn origin(record: &Record) -> String {
    let versions = &record.versions;
    format!(
        "proxsplit {} on {} {}; seed {}; data digest {}",
        versions.proxsplit, versions.system, versions.processor, record.seed, record.data.digest
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_strongest_features_come_first_and_zeros_never() {
        assert_eq!(strongest(&[0.0, 1.0, -3.0, 2.0, 0.0]), [2, 3, 1]);
        let many: Vec<f64> = (0..50).map(f64::from).collect();
        let places = strongest(&many);
        assert_eq!(places.len(), MOST_FEATURES);
        assert_eq!((places[0], places[11]), (49, 38));
    }
}
