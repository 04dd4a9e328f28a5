//! The table of all text forms. It drives reading, printing, messages and listings.

use super::argument::{Argument, Values};
use super::operator::Both;
use super::{penalties::PENALTIES, sets::SETS};
use crate::Error;
use std::fmt;
use std::sync::Arc;

/// One operator of the catalogue.
#[derive(Debug, Clone, Copy)]
pub struct Entry {
    /// Its name, as in `l1`.
    pub name: &'static str,
    /// Its arguments, in order.
    pub arguments: &'static [Argument],
    /// The function or the set.
    pub formula: &'static str,
    /// Penalty or set.
    pub role: Role,
    /// `convex`, `weakly convex` or `nonconvex`.
    pub class: &'static str,
    /// A form with numbers, to try.
    pub example: &'static str,
    /// Makes the operator.
    pub(super) build: Build,
}

/// An operator from its arguments.
pub(super) type Build = fn(&Values) -> Result<Arc<dyn Both>, Error>;

/// What a constructor made.
pub(super) fn made<P: Both + 'static>(term: Result<P, Error>) -> Result<Arc<dyn Both>, Error> {
    Ok(Arc::new(term?))
}

/// What an operator is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Role {
    /// A function.
    Penalty,
    /// An indicator: 0 inside, +∞ outside.
    Set,
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(match self {
            Role::Penalty => "penalty",
            Role::Set => "set",
        })
    }
}

/// The form with letters for its arguments, as in `elastic:W1,W2`.
impl fmt::Display for Entry {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(self.name)?;
        for (i, argument) in self.arguments.iter().enumerate() {
            write!(f, "{}{argument}", if i == 0 { ':' } else { ',' })?;
        }
        Ok(())
    }
}

/// All operators that have a text form: penalties, then sets.
///
/// ```
/// let forms: Vec<String> = proxsplit::text::catalogue().map(|entry| entry.to_string()).collect();
/// assert!(forms.contains(&"scad:W,A".to_string()));
/// ```
pub fn catalogue() -> impl Iterator<Item = &'static Entry> {
    PENALTIES.iter().chain(SETS)
}

/// The operator of this name; else a message with the nearest one.
pub(super) fn find(name: &str) -> Result<&'static Entry, String> {
    if let Some(entry) = catalogue().find(|entry| entry.name == name) {
        return Ok(entry);
    }
    let nearest = catalogue().min_by_key(|entry| distance(entry.name, name));
    // A third of the letters may be wrong, two in a short word.
    let close = (name.chars().count() / 3).max(2);
    match nearest.filter(|entry| distance(entry.name, name) <= close) {
        Some(entry) => Err(format!(
            "there is no operator '{name}'; did you mean '{}'?",
            entry.name
        )),
        None => Err(format!(
            "there is no operator '{name}'; the catalogue lists all operators"
        )),
    }
}

/// How far a word is from a name, or from the beginning of a longer form of it: `nonegative` is meant to be `nonneg`.
fn distance(name: &str, word: &str) -> usize {
    let length = name.chars().count();
    let beginning: String = word.chars().take(length).collect();
    let whole = edits(name, word);
    match edits(name, &beginning) {
        begins if begins <= length / 3 => whole.min(begins),
        _ => whole,
    }
}

/// How many letters must be changed, added or dropped to turn one word into the other.
fn edits(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, from) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, &to) in b.iter().enumerate() {
            let change = diagonal + usize::from(from != to);
            diagonal = row[j + 1];
            row[j + 1] = change.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}
