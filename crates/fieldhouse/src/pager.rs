//! The pager for lists on a terminal.

use std::io::{self, Write};
use std::process::{Child, Command, Stdio};

use crate::terminal::variable;

/// The variable that names the pager of this program only.
const OWN: &str = "FIELDHOUSE_PAGER";
/// Ends at once if the text fits on the screen, shows colours, and leaves the text on the screen.
const USUAL: &str = "less -FRX";
/// The shell's exit code if the pager does not exist.
const NOT_FOUND: i32 = 127;

/// Shows text in the user's pager, or prints it if there is none.
pub(crate) fn show(text: &str) -> io::Result<()> {
    let shown = match command() {
        Some(pager) => through(&pager, text)?,
        None => false,
    };
    if shown { Ok(()) } else { writeln!(anstream::stdout(), "{text}") }
}

/// The pager; an empty variable switches it off.
fn command() -> Option<String> {
    let named = std::env::var(OWN).ok().or_else(|| variable("PAGER"));
    Some(named.unwrap_or_else(|| USUAL.to_owned())).filter(|pager| !matches!(pager.trim(), "" | "cat"))
}

/// Whether the pager has shown the text.
fn through(pager: &str, text: &str) -> io::Result<bool> {
    let Ok(mut child) = start(pager) else { return Ok(false) };
    // Ctrl-C is for the pager, which would otherwise be left alone with the terminal.
    #[cfg(unix)]
    let _interrupts = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::interrupt());
    if let Some(mut input) = child.stdin.take() {
        // A pager that was closed early does not read the rest.
        match writeln!(input, "{text}") {
            Err(error) if error.kind() != io::ErrorKind::BrokenPipe => return Err(error),
            _ => {}
        }
    }
    Ok(child.wait()?.code() != Some(NOT_FOUND))
}

fn start(pager: &str) -> io::Result<Child> {
    let (shell, option) = if cfg!(windows) { ("cmd", "/C") } else { ("sh", "-c") };
    Command::new(shell).args([option, pager]).stdin(Stdio::piped()).spawn()
}
