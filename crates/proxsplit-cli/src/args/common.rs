//! Options that several commands share.

use crate::Outcome;
use clap::error::ErrorKind;
use proxsplit::{Reason, Report, Stop};
use std::path::PathBuf;
use std::time::Duration;

/// When to stop.
#[derive(Debug, Clone, Copy, clap::Args)]
pub(crate) struct Limits {
    /// Stop after N passes over the data
    #[arg(long, value_name = "N", default_value_t = 1000.0, value_parser = nonnegative)]
    pub(crate) passes: f64,
    /// Stop after this many seconds of solving
    #[arg(long, value_name = "SECONDS", value_parser = nonnegative)]
    pub(crate) time: Option<f64>,
    /// Stop when the residual is at most T, relative to the size of the terms that cancel at a solution; 0 runs until another limit is reached
    #[arg(long, value_name = "T", default_value = "1e-6", value_parser = nonnegative)]
    pub(crate) tol: f64,
}

impl Limits {
    /// The same for the library.
    pub(crate) fn stop(&self) -> Stop {
        let time = self
            .time
            .and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
        Stop {
            // Data of any size get the same treatment.
            residual: 0.0,
            relative: self.tol,
            passes: self.passes,
            time: time.unwrap_or(Duration::MAX),
            at_floor: self.tol > 0.0,
            ..Stop::default()
        }
    }
}

/// Where results go and how they are told.
#[derive(Debug, Clone, clap::Args)]
#[allow(clippy::struct_excessive_bools)] // Independent flags of the command line.
pub(crate) struct Shown {
    /// Replace an existing result
    #[arg(long)]
    pub(crate) force: bool,
    /// Print the record of the run as JSON
    #[arg(long)]
    pub(crate) json: bool,
    /// Print nothing but errors
    #[arg(long, short)]
    pub(crate) quiet: bool,
    /// Exit with code 3 if the run has not converged
    #[arg(long)]
    pub(crate) strict: bool,
}

impl Shown {
    /// How the program ends after a run that ended so.
    pub(crate) fn outcome(&self, report: &Report) -> Outcome {
        match report.reason {
            Reason::Diverged => Outcome::Diverged,
            Reason::Interrupted => Outcome::Interrupted,
            _ if self.strict && !report.converged() => Outcome::NotConverged,
            _ => Outcome::Done,
        }
    }
}

/// Options that do not go together: wrong usage.
pub(crate) fn misuse(cause: &str) -> clap::Error {
    clap::Error::raw(ErrorKind::ArgumentConflict, format!("{cause}\n"))
}

/// A number that is at least 0.
pub(crate) fn nonnegative(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(number) if number >= 0.0 => Ok(number),
        _ => Err("expected a number of at least 0".to_owned()),
    }
}

/// A number above 0.
pub(crate) fn positive(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(number) if number > 0.0 && number.is_finite() => Ok(number),
        _ => Err("expected a finite number greater than 0".to_owned()),
    }
}

/// A whole number above 0.
pub(crate) fn count(text: &str) -> Result<usize, String> {
    match text.parse::<usize>() {
        Ok(number) if number > 0 => Ok(number),
        _ => Err("expected a whole number of at least 1".to_owned()),
    }
}

/// The name of a file for an array, with one of these extensions.
pub(crate) fn array_file(text: &str, extensions: &[&str]) -> Result<PathBuf, String> {
    let path = PathBuf::from(text);
    if extensions
        .iter()
        .any(|known| path.extension().is_some_and(|end| end == *known))
    {
        Ok(path)
    } else {
        Err(format!(
            "the file name must end in .{}",
            extensions.join(" or .")
        ))
    }
}

/// A folder beside the working directory, named after the data.
pub(crate) fn default_folder(data: &str, what: &str) -> PathBuf {
    let name = data
        .rsplit(['/', '\\'])
        .find(|part| !part.is_empty())
        .unwrap_or("data");
    let stem = name
        .split(['.', ':'])
        .next()
        .filter(|stem| !stem.is_empty())
        .unwrap_or("data");
    PathBuf::from(format!("{stem}-{what}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_are_named_after_the_data() {
        let cases = [
            ("faces/Y.npy", "Y-rank9"),
            ("swimmer", "swimmer-rank9"),
            ("rand:40x40", "rand-rank9"),
            ("cells/", "cells-rank9"),
            ("a.npz:key", "a-rank9"),
            ("", "data-rank9"),
        ];
        for (data, folder) in cases {
            assert_eq!(default_folder(data, "rank9"), PathBuf::from(folder));
        }
    }

    #[test]
    fn a_tolerance_of_zero_leaves_only_the_limits() {
        let limits = Limits {
            passes: 7.0,
            time: None,
            tol: 0.0,
        };
        let stop = limits.stop();
        assert_eq!(
            (stop.residual, stop.relative, stop.at_floor),
            (0.0, 0.0, false)
        );
        assert_eq!((stop.passes, stop.time), (7.0, Duration::MAX));
    }
}
