//! The error ledger: what is known of e(x) in ∇̃f(x) = ∇f(x) − e(x), by source.

use crate::bound::at_most;
#[cfg(feature = "serde")]
use crate::number::null_is_nan;
use std::fmt;

#[cfg(feature = "serde")]
mod saved;

/// Where an error comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "kebab-case")
)]
#[non_exhaustive]
pub enum Source {
    /// Terms of a pass are evaluated at moving points instead of at xᵏ.
    IncrementalDrift,
    /// An inner problem is solved approximately.
    InnerSolve,
    /// Only a sample of the terms is evaluated.
    Sampling,
    /// Gradients or statistics of earlier points are used again.
    Stale,
    /// The arithmetic rounds.
    Rounding,
    /// The prox is the result of a stopped iteration.
    Prox,
    /// Added on purpose, for tests and studies.
    Injected,
    /// The user's gradient is inexact in a way of its own.
    User,
}

impl Source {
    /// What makes this error smaller.
    pub fn remedy(self) -> &'static str {
        match self {
            Source::IncrementalDrift => "shrink the step",
            Source::InnerSolve => "solve the inner problem more exactly",
            Source::Sampling => "use larger batches or shrink the step",
            Source::Stale => "refresh more often or shrink the step",
            Source::Rounding => "use double precision; if it is already in use, scale the data",
            Source::Prox => "tighten the tolerance of the prox",
            Source::Injected | Source::User => "reduce the error at its source",
        }
    }

    /// All sources, in the order of the ledger.
    pub const ALL: [Source; 8] = [
        Source::IncrementalDrift,
        Source::InnerSolve,
        Source::Sampling,
        Source::Stale,
        Source::Rounding,
        Source::Prox,
        Source::Injected,
        Source::User,
    ];
}

impl fmt::Display for Source {
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        out.write_str(match self {
            Source::IncrementalDrift => "incremental drift",
            Source::InnerSolve => "inner solve",
            Source::Sampling => "sampling",
            Source::Stale => "stale gradients",
            Source::Rounding => "rounding",
            Source::Prox => "stopped prox",
            Source::Injected => "injected error",
            Source::User => "inexact user gradient",
        })
    }
}

/// What is known of the size of an error, in the units of ‖∇f‖.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "kebab-case")
)]
pub enum Level {
    /// Computed at an iterate of the run.
    Measured(#[cfg_attr(feature = "serde", serde(deserialize_with = "null_is_nan"))] f64),
    /// Proved to be no larger.
    Bounded(#[cfg_attr(feature = "serde", serde(deserialize_with = "null_is_nan"))] f64),
    /// A rule of thumb.
    Estimated(#[cfg_attr(feature = "serde", serde(deserialize_with = "null_is_nan"))] f64),
    /// Nothing is known.
    Unknown,
}

impl Level {
    /// The larger of two levels of one source. What is unknown may be larger than any number.
    #[must_use]
    pub fn or_larger(self, other: Level) -> Level {
        match (self.value(), other.value()) {
            (None, _) | (_, None) => Level::Unknown,
            (Some(a), Some(b)) if b > a => other,
            _ => self,
        }
    }

    /// The number, if there is a finite one: a level that overflowed bounds nothing.
    pub fn value(self) -> Option<f64> {
        match self {
            Level::Measured(e) | Level::Bounded(e) | Level::Estimated(e) => {
                e.is_finite().then_some(e)
            }
            Level::Unknown => None,
        }
    }
}

impl fmt::Display for Level {
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Level::Measured(e) => write!(out, "{e:.2e} (measured)"),
            Level::Bounded(e) => write!(out, "at most {}", at_most(*e, 2)),
            Level::Estimated(e) => write!(out, "about {e:.2e} (estimated)"),
            Level::Unknown => out.write_str("unknown"),
        }
    }
}

/// One level for every source that takes part in a run.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Ledger {
    levels: [Option<Level>; Source::ALL.len()],
}

impl Ledger {
    /// Writes down what is known of a source in place of what was known before.
    pub fn set(&mut self, source: Source, level: Level) {
        self.levels[source as usize] = Some(level);
    }

    /// Writes down a level of a source, unless a larger one is known: a theorem needs the largest of a stretch.
    pub fn raise(&mut self, source: Source, level: Level) {
        let known = &mut self.levels[source as usize];
        *known = Some(known.map_or(level, |known| known.or_larger(level)));
    }

    /// The larger level of every source in two stretches of one run.
    #[must_use]
    pub fn or_larger(mut self, other: &Ledger) -> Ledger {
        for (source, level) in other.entries() {
            self.raise(source, level);
        }
        self
    }

    /// What is known of a source; `None` if it takes no part in the run.
    pub fn get(&self, source: Source) -> Option<Level> {
        self.levels[source as usize]
    }

    /// The sources that take part, with their levels.
    pub fn entries(&self) -> impl Iterator<Item = (Source, Level)> + '_ {
        Source::ALL
            .into_iter()
            .filter_map(|source| self.get(source).map(|level| (source, level)))
    }

    /// The sum of all levels that have a number.
    pub fn total(&self) -> f64 {
        self.entries().filter_map(|(_, level)| level.value()).sum()
    }

    /// Whether every source that takes part has a number.
    pub fn is_known(&self) -> bool {
        self.entries().all(|(_, level)| level.value().is_some())
    }

    /// The largest entry, the one to work on first.
    pub fn largest(&self) -> Option<(Source, f64)> {
        let numbers = self
            .entries()
            .filter_map(|(source, level)| Some((source, level.value()?)));
        numbers.max_by(|a, b| a.1.total_cmp(&b.1))
    }

    /// Whether the rounding of the working precision is the only error.
    pub fn is_exact(&self) -> bool {
        self.is_exact_but_for(&[])
    }

    /// Whether there is no error but rounding and these sources.
    pub fn is_exact_but_for(&self, sources: &[Source]) -> bool {
        let harmless = |(source, level)| {
            let working = source == Source::Rounding && matches!(level, Level::Estimated(_));
            let vanishes = working || sources.contains(&source);
            level.value().is_some_and(|e| e == 0.0 || vanishes)
        };
        self.entries().all(harmless)
    }
}
