//! Text streams: lines, words and numbers.

mod lines;
mod number;

pub(crate) use lines::Lines;
pub(crate) use number::{number, unsigned, word};
