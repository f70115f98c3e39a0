//! `fieldhouse completions`: completion scripts for shells.

use std::io::{self, Write};

use clap::Args;
use clap_complete::Shell;
use clap_complete::env::Shells;

use crate::completion;

/// A shell's completion script.
#[derive(Args)]
pub(crate) struct Options {
    /// The shell
    shell: Shell,
}

/// Prints the script, which asks this program for each completion.
pub(crate) fn run(options: &Options) -> anyhow::Result<()> {
    let shells = Shells::builtins();
    let mut script = Vec::new();
    if let Some(shell) = shells.completer(&options.shell.to_string()) {
        shell.write_registration(
            completion::VARIABLE,
            "fieldhouse",
            "fieldhouse",
            "fieldhouse",
            &mut script,
        )?;
    }
    Ok(io::stdout().write_all(&script)?)
}
