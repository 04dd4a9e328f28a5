//! Names of the library as values of options: help lists them, and slips get the nearest one.

use clap::builder::PossibleValue;

/// Reads an enum of the library by its name; with a list of names and meanings, help explains them.
macro_rules! named {
    ($type:ty) => {
        $crate::args::named!($type, &[])
    };
    ($type:ty, $meanings:expr) => {{
        use clap::builder::{PossibleValuesParser, TypedValueParser};
        let values = <$type>::ALL
            .iter()
            .map(|value| $crate::args::named_value(value.name(), $meanings));
        PossibleValuesParser::new(values).try_map(|text| text.parse::<$type>())
    }};
}
pub(crate) use named;

/// A name with its meaning, if that is known.
pub(crate) fn named_value(
    name: &'static str,
    meanings: &[(&'static str, &'static str)],
) -> PossibleValue {
    let value = PossibleValue::new(name);
    match meanings.iter().find(|(known, _)| *known == name) {
        Some((_, meaning)) => value.help(*meaning),
        None => value,
    }
}
