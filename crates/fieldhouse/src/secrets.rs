//! Secrets from a person: typed without an echo, or piped in.

use std::io::{self, IsTerminal};

use anyhow::Context as _;

use crate::failure::Failure;

/// Asks for a secret on the terminal.
pub(crate) fn ask(question: &str, instead: &str) -> anyhow::Result<String> {
    if !io::stdin().is_terminal() {
        return Err(Failure::new(format!("{question} is missing")).next(instead).into());
    }
    rpassword::prompt_password(format!("{question}: ")).context("the terminal cannot be read")
}

/// Reads a secret from standard input: its first line.
pub(crate) fn piped() -> anyhow::Result<String> {
    let mut line = String::new();
    io::stdin().read_line(&mut line).context("standard input cannot be read")?;
    Ok(line.trim_end_matches(['\r', '\n']).to_owned())
}
