//! Numbers in files: JSON has neither NaN nor infinity, and writes them as null.

use serde::{Deserialize, Deserializer};

/// Reads null as NaN.
pub(crate) fn null_is_nan<'de, D: Deserializer<'de>>(source: D) -> Result<f64, D::Error> {
    Ok(Option::deserialize(source)?.unwrap_or(f64::NAN))
}
