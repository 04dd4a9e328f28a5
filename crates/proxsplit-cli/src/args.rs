//! The arguments: what every command shares, and which command is meant.

mod common;
mod graphs;
mod named;
mod ranks;
mod reading;
mod shape;
mod weights;

use crate::Outcome;
use crate::command::{check, encode, factorize, list, man, prox, rank, report, solve};
use clap::{CommandFactory, Parser, Subcommand};
use clap_complete::Shell;

pub(crate) use common::{
    Limits, Shown, array_file, count, default_folder, misuse, nonnegative, positive,
};
pub(crate) use graphs::GraphFiles;
pub(crate) use named::{named, named_value};
pub(crate) use ranks::Ranks;
pub(crate) use reading::{DataName, Reading};
pub(crate) use shape::Image;
pub(crate) use weights::WeightFiles;

/// How the program ends, for the help of commands that run.
const EXIT_CODES: &str = "\
Exit codes:
    0  done
    1  an error, described in one line
    2  invalid usage
    3  not converged (only with --strict)
    4  diverged; the best point seen is returned
  130  interrupted by Ctrl-C; the result is saved. A second Ctrl-C quits immediately";

/// Factorize matrices and minimize composite functions; a certificate states whether each run converged.
#[derive(Debug, Parser)]
#[command(
    name = "proxsplit",
    version,
    max_term_width = 100,
    arg_required_else_help = true,
    after_help = EXIT_CODES
)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Factorize a matrix: Y ≈ XA with penalties and constraints on both factors
    ///
    /// Finds X (features × K) and A (K × samples) that minimize ½‖Y − XA‖² (or another --loss) + ψ₀(X) + Σ ψ(a), with X and A in given sets.
    /// Penalties and sets act on the columns of X and of A (see `proxsplit list operators`). Writes X, A, run.json and
    /// trace.jsonl to the output folder.
    #[command(after_help = EXIT_CODES)]
    Factorize(Box<factorize::Args>),
    /// Choose the rank by the error on held-out entries
    ///
    /// Divides the entries of Y into folds and, at every rank, predicts each fold from a fit to the others. The answer is the smallest
    /// rank whose held-out error is within one standard error of the lowest. Fits to all the data from several starts show how stable
    /// the atoms are. Writes rank.json and rank.html to the output folder.
    #[command(after_help = EXIT_CODES)]
    Rank(Box<rank::Args>),
    /// Compute the codes of new samples with the atoms of a finished run
    ///
    /// The code of a sample y is argmin ½‖y − Xa‖² + ψ(a), with the X, ψ, loss, scale and orientation of the run.
    Encode(encode::Args),
    /// Audit factors computed by any program: objective, residuals, sets, dead atoms, sparsity
    ///
    /// Evaluates ½‖Y − XA‖² + ψ₀(X) + Σ ψ(a) by plain sums, and reports how far X and A are from stationary and from their
    /// sets, what replacing a dead atom would gain, how scale is balanced between the factors, and their shares of zeros.
    Check(check::Args),
    /// Write the HTML report of a finished run, or compare two runs
    Report(report::Args),
    /// Minimize the loss of a linear model plus a penalty, over a set
    ///
    /// Minimizes Σ_i ℓ(a_iᵀx, b_i) + penalty(x) over a set, where a_i are the rows of the data and b_i the targets.
    #[command(after_help = EXIT_CODES)]
    Solve(solve::Args),
    /// Apply the proximity operator of a penalty or set to a vector
    ///
    /// Prints g(p) and p = argmin_z g(z) + ‖z − v‖²/2η, or writes p to a file.
    Prox(prox::Args),
    /// List operators, losses, methods, steps and file formats
    List(list::Args),
    /// Print the completion script for a shell
    Completions {
        /// The shell
        shell: Shell,
    },
    /// Print the manual page of the program or of one command (roff; pipe it to `man -l -`)
    Man(man::Args),
}

impl Args {
    pub(crate) fn run(self) -> anyhow::Result<Outcome> {
        match self.command {
            Command::Factorize(args) => args.run(),
            Command::Rank(args) => args.run(),
            Command::Encode(args) => args.run(),
            Command::Check(args) => args.run(),
            Command::Report(args) => args.run(),
            Command::Solve(args) => args.run(),
            Command::Prox(args) => args.run(),
            Command::List(args) => args.run(),
            Command::Completions { shell } => man::completions(shell, &mut Args::command()),
            Command::Man(args) => args.run(Args::command()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_definitions_are_consistent() {
        Args::command().debug_assert();
    }
}
