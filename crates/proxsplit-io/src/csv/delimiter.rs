//! What stands between the cells of a table.

use crate::format::Format;
use crate::reading::CsvOptions;

/// The delimiter by option, by format, or the only one that the first line has.
pub(super) fn of(line: &[u8], format: Format, options: CsvOptions) -> Result<u8, String> {
    if let Some(delimiter) = options.delimiter {
        return Ok(delimiter);
    }
    if format == Format::Tsv {
        return Ok(b'\t');
    }
    let usual: &[u8] = match options.decimal {
        Some(b',') => b";\t",
        _ => b",;\t",
    };
    let outside = unquoted(line);
    let mut found = usual.iter().filter(|sign| outside.contains(sign));
    match (found.next(), found.next()) {
        (None, _) => Ok(usual[0]),
        (Some(&only), None) => Ok(only),
        (Some(one), Some(other)) => Err(format!(
            "the first line has both '{}' and '{}'; choose which separates the cells with --delimiter '{}' or --delimiter '{}'",
            one.escape_ascii(),
            other.escape_ascii(),
            one.escape_ascii(),
            other.escape_ascii()
        )),
    }
}

/// The line without what stands between quotes.
fn unquoted(line: &[u8]) -> Vec<u8> {
    let parts = line.split(|&byte| byte == b'"');
    parts.step_by(2).flatten().copied().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_only_sign_is_taken_and_two_are_refused() {
        let of = |line: &str, decimal| {
            let options = CsvOptions {
                decimal,
                ..CsvOptions::default()
            };
            super::of(line.as_bytes(), Format::Csv, options)
        };
        assert_eq!(of("1,2", None), Ok(b','));
        assert_eq!(of("a;\"b,c\"", None), Ok(b';'));
        assert_eq!(of("5", None), Ok(b','));
        assert!(of("1,5;2,5", None).unwrap_err().contains("--delimiter ';'"));
        assert_eq!(of("1,5;2,5", Some(b',')), Ok(b';'));
    }
}
