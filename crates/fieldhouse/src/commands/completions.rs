//! `fieldhouse completions`: completion scripts for shells.

use std::io::Write;

use clap::Args;
use clap_complete::Shell;

/// A shell's completion script.
#[derive(Args)]
pub(crate) struct Options {
    /// The shell
    shell: Shell,
}

/// Prints the script.
pub(crate) fn run(options: &Options) -> anyhow::Result<()> {
    let mut script = Vec::new();
    clap_complete::generate(options.shell, &mut super::command(), "fieldhouse", &mut script);
    Ok(std::io::stdout().write_all(&script)?)
}
