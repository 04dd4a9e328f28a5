//! `run.json` and `trace.jsonl`: what a run was asked to do, and what came of it.

use proxsplit::{Certificate, Ledger, Reason, Report, Row};
use proxsplit_factor::{Consensus, Outliers, Samples};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

/// The version of the layout of `run.json`; it changes when a name changes its meaning.
pub(crate) const FORMAT: u32 = 2;

/// The content of `run.json`.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Record {
    pub(crate) format: u32,
    /// The command line.
    pub(crate) command: Vec<String>,
    #[serde(deserialize_with = "null_is_nan")]
    pub(crate) objective: f64,
    /// Solving time, without reading and writing.
    pub(crate) seconds: f64,
    pub(crate) passes: f64,
    pub(crate) reason: Reason,
    pub(crate) converged: bool,
    pub(crate) certificate: Statement,
    pub(crate) data: DataRecord,
    /// Every setting by the name of its option, defaults included.
    pub(crate) settings: serde_json::Map<String, Value>,
    pub(crate) seed: u64,
    pub(crate) sparsity: Sparsity,
    /// What the reader should know besides.
    pub(crate) notes: Vec<String>,
    /// Entries that do not fit, for a loss that expects some.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) outliers: Option<Outliers>,
    /// What several runs agree on, if that was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) consensus: Option<Consensus>,
    pub(crate) versions: Versions,
}

/// The words of the command line, wherever the program lies; what is not Unicode in them is replaced.
pub(crate) fn command_line() -> Vec<String> {
    let words = std::env::args_os().skip(1);
    let words = words.map(|word| word.to_string_lossy().into_owned());
    std::iter::once("proxsplit".to_owned())
        .chain(words)
        .collect()
}

/// A certificate, with its words.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Statement {
    /// The verdict in words.
    pub(crate) words: String,
    /// What stands behind it, line by line.
    pub(crate) details: Vec<(String, String)>,
    #[serde(deserialize_with = "null_is_nan")]
    pub(crate) stationarity: f64,
    #[serde(deserialize_with = "null_is_nan")]
    pub(crate) tolerance: f64,
    /// The sum of the gradient's error levels that have a number.
    #[serde(deserialize_with = "null_is_nan")]
    pub(crate) error_level: f64,
    /// The other fields for programs: the verdict, both halves of the certificate, and what the first layout had beside them.
    #[serde(flatten)]
    pub(crate) fields: serde_json::Map<String, Value>,
}

impl From<&Certificate> for Statement {
    fn from(certificate: &Certificate) -> Self {
        let (at, of) = (&certificate.at_point, &certificate.of_method);
        let mut fields = object(certificate);
        fields.remove("tolerance");
        fields.insert("guarantee".into(), of.promise().into());
        fields.insert("residual".into(), at.residual.into());
        let details = certificate.details().into_iter();
        Self {
            words: certificate.words(),
            details: details
                .map(|(name, text)| (name.to_owned(), text))
                .collect(),
            stationarity: at.stationarity(),
            tolerance: certificate.tolerance,
            error_level: of.errors.total(),
            fields,
        }
    }
}

/// The fields of a struct by name.
pub(crate) fn object(fields: &impl Serialize) -> serde_json::Map<String, Value> {
    match serde_json::to_value(fields) {
        Ok(Value::Object(fields)) => fields,
        _ => serde_json::Map::new(),
    }
}

/// Passes of the whole run; the returned point may be an earlier one.
pub(crate) fn passes(report: &Report) -> f64 {
    let last = report.trace.last();
    last.map_or(0.0, |row| row.progress.passes)
}

/// The data that was factorized.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct DataRecord {
    /// The name that was given.
    pub(crate) source: String,
    pub(crate) features: usize,
    pub(crate) samples: usize,
    /// Tells different data apart.
    pub(crate) digest: String,
    /// Shape, storage and type for people.
    pub(crate) description: String,
    /// What the numbers were divided by.
    pub(crate) scale: f64,
    /// Whether samples are the columns or the rows of the file.
    pub(crate) orientation: Samples,
    /// How many entries were missing.
    #[serde(default)]
    pub(crate) missing: usize,
}

/// Shares of exact zeros.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Sparsity {
    pub(crate) x: f64,
    pub(crate) a: f64,
}

/// What made the result.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Versions {
    pub(crate) proxsplit: String,
    pub(crate) system: String,
    pub(crate) processor: String,
}

impl Versions {
    pub(crate) fn here() -> Self {
        Self {
            proxsplit: env!("CARGO_PKG_VERSION").to_owned(),
            system: std::env::consts::OS.to_owned(),
            processor: std::env::consts::ARCH.to_owned(),
        }
    }
}

/// A line of `trace.jsonl`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct TraceRow {
    pub(crate) pass: f64,
    pub(crate) seconds: f64,
    #[serde(deserialize_with = "null_is_nan")]
    pub(crate) objective: f64,
    /// NaN between looks.
    #[serde(deserialize_with = "null_is_nan")]
    pub(crate) residual: f64,
    pub(crate) step: f64,
    /// How far the objective may be above the minimum, if that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) gap: Option<f64>,
    /// The largest errors since the last look, if it was looked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) errors: Option<Ledger>,
    /// Of the factors, if there are some.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) sparsity: Option<Sparsity>,
}

impl TraceRow {
    pub(crate) fn new(row: &Row, sparsity: Option<Sparsity>) -> Self {
        Self {
            pass: row.progress.passes,
            seconds: row.seconds,
            objective: row.objective(),
            residual: row.at.map_or(f64::NAN, |at| at.residual),
            step: row.progress.step,
            gap: row.at.and_then(|at| at.gap),
            errors: row.at.map(|_| row.errors),
            sparsity,
        }
    }
}

/// JSON has no NaN and no infinity: they are written as null.
fn null_is_nan<'de, D: Deserializer<'de>>(source: D) -> Result<f64, D::Error> {
    Ok(Option::deserialize(source)?.unwrap_or(f64::NAN))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_survive_the_way_through_json_even_if_they_are_not_finite() {
        let row = TraceRow {
            pass: 1.0,
            seconds: 0.5,
            objective: f64::INFINITY,
            residual: 1e-3,
            step: 0.25,
            gap: None,
            errors: None,
            sparsity: Some(Sparsity { x: 0.5, a: 0.25 }),
        };
        let text = serde_json::to_string(&row).unwrap();
        let back: TraceRow = serde_json::from_str(&text).unwrap();
        assert!(back.objective.is_nan());
        assert_eq!((back.residual, back.sparsity), (row.residual, row.sparsity));
    }
}
