//! `proxsplit man` and `proxsplit completions`: made from the definitions of the arguments.

use crate::{Outcome, output};
use anyhow::Context;
use clap::Command;
use clap_complete::Shell;
use clap_mangen::Man;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// A command; without it, the page of the program
    command: Option<String>,
}

impl Args {
    pub(crate) fn run(self, mut program: Command) -> anyhow::Result<Outcome> {
        program.build();
        let page = match self.command {
            None => program,
            Some(name) => program
                .find_subcommand(&name)
                .with_context(|| format!("there is no command '{name}'; see proxsplit --help"))?
                .clone(),
        };
        let mut text = Vec::new();
        Man::new(page).render(&mut text)?;
        output::print(&String::from_utf8_lossy(&text))?;
        Ok(Outcome::Done)
    }
}

/// Prints the script that completes commands and options.
pub(crate) fn completions(shell: Shell, program: &mut Command) -> anyhow::Result<Outcome> {
    let mut script = Vec::new();
    clap_complete::generate(shell, program, "proxsplit", &mut script);
    output::print(&String::from_utf8_lossy(&script))?;
    Ok(Outcome::Done)
}
