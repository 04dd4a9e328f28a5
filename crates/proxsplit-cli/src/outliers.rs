//! Entries that do not fit, in words.

use crate::number::{count, short};
use proxsplit_factor::{Outlier, Outliers};

/// How many there are.
pub(crate) fn words(found: &Outliers) -> String {
    format!(
        "{} entries differ from the fit by more than the bound D of the loss, {} of them grossly (by more than 4 D)",
        count(found.beyond),
        count(found.wrong)
    )
}

/// One of them.
pub(crate) fn entry(entry: &Outlier) -> String {
    format!(
        "row {}, column {}: {}, fitted as {}",
        entry.row,
        entry.column,
        short(entry.value),
        short(entry.fit)
    )
}

/// Lines below the certificate of a run.
pub(crate) fn lines(found: &Outliers) -> String {
    let mut text = format!("\n  outliers    {}", words(found));
    for worst in &found.worst {
        text.push_str("\n              ");
        text.push_str(&entry(worst));
    }
    text
}
