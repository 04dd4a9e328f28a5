//! How a file is to be read where its name and content do not tell.

use crate::error::Fault;
use crate::format::Format;
use crate::nan::Nan;

/// The choices of a reader. The default decides by name and content, and refuses what is doubtful.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Reading {
    /// Whether entries may be missing.
    pub nan: Nan,
    /// The format, whatever the name says.
    pub format: Option<Format>,
    /// How a table is laid out.
    pub csv: CsvOptions,
    /// The layer of an `.h5ad` file to take in place of `X`.
    pub layer: Option<String>,
}

impl Reading {
    pub(crate) fn with_nan(nan: Nan) -> Self {
        Self {
            nan,
            ..Self::default()
        }
    }

    /// `Ok` if every choice means something for a file of this format.
    pub(crate) fn check(&self, format: Format) -> Result<(), Fault> {
        let (csv, table) = (self.csv, matches!(format, Format::Csv | Format::Tsv));
        let choices = [
            ("--header", csv.header.is_some(), table),
            (
                "--labels",
                csv.labels.is_some(),
                table || format == Format::Parquet,
            ),
            ("--delimiter", csv.delimiter.is_some(), table),
            ("--decimal", csv.decimal.is_some(), table),
            ("--triples", csv.triples, table),
            ("--layer", self.layer.is_some(), format == Format::Hdf5),
        ];
        let mut choices = choices.iter();
        match choices.find(|(_, chosen, applies)| *chosen && !applies) {
            Some((option, ..)) => Err(Fault::whole(format!(
                "{option} does not apply to files of this format; leave it out"
            ))),
            None => Ok(()),
        }
    }
}

/// How a `.csv` or `.tsv` table is laid out. `None` leaves it to the content, which must then leave no doubt.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CsvOptions {
    /// Whether the first line has the column names.
    pub header: Option<bool>,
    /// Whether the first cell of every line is the name of its row.
    pub labels: Option<bool>,
    /// What stands between two cells.
    pub delimiter: Option<u8>,
    /// The decimal sign of numbers, `.` or `,`.
    pub decimal: Option<u8>,
    /// Whether every line is one entry of a sparse matrix: row name, column name, value.
    pub triples: bool,
}

impl CsvOptions {
    /// `Ok` if the options can be meant together.
    pub(crate) fn check(self) -> Result<(), String> {
        let sign = |byte: u8| byte.escape_ascii();
        if let Some(decimal) = self.decimal
            && !matches!(decimal, b'.' | b',')
        {
            return Err(format!(
                "the decimal separator '{}' is neither . nor ,",
                sign(decimal)
            ));
        }
        match self.delimiter {
            Some(delimiter @ (b'"' | b'\n' | b'\r' | b'0'..=b'9' | 0x80..)) => Err(format!(
                "'{}' cannot separate cells; use a character such as , ; | or a tab",
                sign(delimiter)
            )),
            Some(delimiter) if Some(delimiter) == self.decimal => Err(format!(
                "'{}' cannot be both the decimal separator and the separator between cells",
                sign(delimiter)
            )),
            _ => Ok(()),
        }
    }
}
