//! `--missing`: which entries of the data were not observed.

use crate::number::count;
use clap::ValueEnum;
use proxsplit_io::Nan;
use std::fmt;

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Missing {
    /// None; NaN is refused
    None,
    /// NaN, and empty cells of tables
    Nan,
    /// Whatever sparse data do not store
    Unstored,
}

impl fmt::Display for Missing {
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        self.of_the_data().fmt(out)
    }
}

impl Missing {
    /// The factorization's name for it.
    pub(crate) fn of_the_data(self) -> proxsplit_factor::Missing {
        match self {
            Missing::None => proxsplit_factor::Missing::None,
            Missing::Nan => proxsplit_factor::Missing::Nan,
            Missing::Unstored => proxsplit_factor::Missing::Unstored,
        }
    }

    /// What NaN is in the file.
    pub(crate) fn of_the_file(self) -> Nan {
        match self {
            Missing::None => Nan::Refused {
                or: ", or declare it as missing with --missing nan",
            },
            Missing::Nan => Nan::Missing,
            Missing::Unstored => Nan::Refused { or: "" },
        }
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
