//! The command line of proxsplit: arguments, progress and reports around the libraries.

mod args;
mod command;
mod factors;
mod input;
mod interrupt;
mod missing;
mod nearest;
mod number;
mod outliers;
mod output;
mod overwrite;
mod progress;
mod read;
mod record;
mod report;
mod scalar;
mod terms;

use clap::Parser;
use std::process::ExitCode;

/// How a command ended, when nothing went wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Outcome {
    Done,
    /// Not converged, and `--strict` asks to be told.
    NotConverged,
    /// The iterates ran away.
    Diverged,
    /// By Ctrl-C.
    Interrupted,
}

impl From<Outcome> for ExitCode {
    fn from(outcome: Outcome) -> Self {
        match outcome {
            Outcome::Done => ExitCode::SUCCESS,
            Outcome::NotConverged => ExitCode::from(3),
            Outcome::Diverged => ExitCode::from(4),
            Outcome::Interrupted => ExitCode::from(interrupt::EXIT_CODE),
        }
    }
}

fn main() -> ExitCode {
    let args = args::Args::parse();
    match args.run() {
        Ok(outcome) => outcome.into(),
        Err(error) if output::is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => match error.downcast::<clap::Error>() {
            Ok(usage) => usage.exit(),
            Err(error) => {
                output::complain(&error);
                ExitCode::FAILURE
            }
        },
    }
}
