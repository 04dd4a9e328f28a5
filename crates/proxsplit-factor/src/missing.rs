//! How data say that an entry was not observed.

use serde::{Deserialize, Serialize};

/// Which entries of the data are missing. The misfit is summed over the others only.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Missing {
    /// None: NaN is refused.
    #[default]
    None,
    /// Those that are NaN.
    Nan,
    /// Those that sparse data do not store, as of ratings.
    Unstored,
}

proxsplit::names!("kind of missing entries", Missing: "none" => None, "nan" => Nan, "unstored" => Unstored);
