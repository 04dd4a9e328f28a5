//! Options that say how data is read, and the name of the data.

use clap::ValueEnum;
use clap::builder::{OsStringValueParser, TypedValueParser};
use proxsplit_io::{CsvOptions, Format, Nan};
use std::ffi::OsString;
use std::fmt;
use std::ops::Deref;
use std::path::Path;

/// How data is read where its name and content do not tell.
#[derive(Debug, Clone, Default, clap::Args)]
#[command(next_help_heading = "Reading")]
pub(crate) struct Reading {
    /// The format of the data, regardless of its name: npy, npz, mtx, csv, tsv, h5ad, h5, parquet, png, pgm or tif
    #[arg(long, value_name = "NAME")]
    pub(crate) format: Option<Format>,
    /// Whether the first line of a table holds the column names
    #[arg(long, value_enum, value_name = "yes|no", hide_possible_values = true)]
    header: Option<Answer>,
    /// Whether the first column of a table holds the row names
    #[arg(long, value_enum, value_name = "yes|no", hide_possible_values = true)]
    labels: Option<Answer>,
    /// The separator between the cells of a table: one character, or tab
    #[arg(long, value_name = "C", value_parser = delimiter)]
    delimiter: Option<u8>,
    /// The decimal separator of a table, . or ,
    #[arg(long, value_name = "C", value_parser = decimal)]
    decimal: Option<u8>,
    /// Read a table with one entry per line: row name, column name, value
    #[arg(long, conflicts_with = "labels")]
    triples: bool,
    /// The layer of an .h5ad file to read instead of X
    #[arg(long, value_name = "NAME")]
    layer: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Answer {
    Yes,
    No,
}

impl Reading {
    /// The same for the library.
    pub(crate) fn with(&self, nan: Nan) -> proxsplit_io::Reading {
        let yes = |answer: Option<Answer>| answer.map(|answer| answer == Answer::Yes);
        proxsplit_io::Reading {
            nan,
            format: self.format,
            csv: CsvOptions {
                header: yes(self.header),
                labels: yes(self.labels),
                delimiter: self.delimiter,
                decimal: self.decimal,
                triples: self.triples,
            },
            layer: self.layer.clone(),
        }
    }
}

fn delimiter(text: &str) -> Result<u8, String> {
    match text.as_bytes() {
        b"tab" | b"\\t" => Ok(b'\t'),
        [one] => Ok(*one),
        _ => Err("expected a single character, or tab".to_owned()),
    }
}

fn decimal(text: &str) -> Result<u8, String> {
    match text {
        "." => Ok(b'.'),
        "," => Ok(b','),
        _ => Err("expected . or ,".to_owned()),
    }
}

/// What the data argument says: a file, whose name need not be text, `-`, or generated data. It reads as text where it is
/// shown.
#[derive(Debug, Clone)]
pub(crate) struct DataName {
    given: OsString,
    shown: String,
}

impl DataName {
    /// The parser of the argument.
    pub(crate) fn parser() -> impl TypedValueParser<Value = Self> {
        OsStringValueParser::new().map(|given| Self {
            shown: given.to_string_lossy().into_owned(),
            given,
        })
    }

    pub(crate) fn path(&self) -> &Path {
        Path::new(&self.given)
    }
}

impl Deref for DataName {
    type Target = str;

    fn deref(&self) -> &str {
        &self.shown
    }
}

impl fmt::Display for DataName {
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        out.write_str(&self.shown)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signs_are_single_characters() {
        assert_eq!(delimiter(";"), Ok(b';'));
        assert_eq!(delimiter("tab"), Ok(b'\t'));
        assert!(delimiter("::").is_err() && delimiter("").is_err() && delimiter("é").is_err());
        assert_eq!(decimal(","), Ok(b','));
        assert!(decimal(";").is_err());
    }
}
