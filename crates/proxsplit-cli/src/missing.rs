//! `--missing`: which entries of the data were not observed.

use crate::number::count;
use proxsplit_factor::Missing;
use proxsplit_io::Nan;

/// What the names mean, for help.
pub(crate) const MEANINGS: &[(&str, &str)] = &[
    ("none", "none; NaN is an error"),
    ("nan", "NaN, and empty cells of tables"),
    ("unstored", "entries that sparse data do not store"),
];

/// What NaN is in the file.
pub(crate) fn of_the_file(missing: Missing) -> Nan {
    match missing {
        Missing::None => Nan::Refused {
            or: ", or declare it as missing with --missing nan",
        },
        Missing::Nan => Nan::Missing,
        Missing::Unstored => Nan::Refused { or: "" },
    }
}

/// How many entries are missing; nothing if none is.
pub(crate) fn words(missing: usize, (features, samples): (usize, usize)) -> Option<String> {
    (missing > 0).then(|| {
        format!(
            "{} of {} entries missing",
            count(missing),
            count(features * samples)
        )
    })
}
