//! Programs that xtask runs: how cargo is called, how output is shown or kept, where a program is found.
//!
//! Which programs a command runs, and in which order, is the command's own matter.

use std::env;
use std::ffi::OsStr;
use std::io::ErrorKind;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use anyhow::{Context, Error, Result, bail, ensure};

use crate::watchdog::Watchdog;

/// The cargo that runs xtask, as if it had been called from the shell.
pub(crate) fn cargo() -> Command {
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    forget_cargo_run(&mut command);
    command
}

/// Takes away the variables that `cargo run` gave to xtask. Build scripts that watch them would otherwise be
/// run, and their crates be compiled, once for `cargo test` and again for `cargo xtask test`.
pub(crate) fn forget_cargo_run(command: &mut Command) {
    for (name, _) in env::vars_os() {
        if is_set_by_cargo_run(&name.to_string_lossy()) {
            command.env_remove(name);
        }
    }
}

fn is_set_by_cargo_run(name: &str) -> bool {
    ["CARGO_PKG_", "CARGO_MANIFEST_", "CARGO_BIN_"].iter().any(|prefix| name.starts_with(prefix))
        || ["CARGO", "CARGO_CRATE_NAME", "CARGO_PRIMARY_PACKAGE", "OUT_DIR"].contains(&name)
}

/// Runs a program in the foreground of the output, and fails if it fails.
///
/// It gets a process group of its own, so that it ends with everything it started when xtask is stopped by a
/// signal. It must not use the terminal for more than writing: the terminal belongs to xtask's group.
pub(crate) fn run(command: &mut Command) -> Result<()> {
    let line = shown(command);
    println!("$ {line}");
    let mut child = command
        .stdin(Stdio::null())
        .process_group(0)
        .spawn()
        .map_err(|error| cannot_start(command, error))?;
    let _watchdog = Watchdog::over_group(child.id())?;
    let status = child.wait().with_context(|| format!("cannot wait for `{line}`"))?;
    ensure!(status.success(), "`{line}` ended with {status}");
    Ok(())
}

/// Runs a program and returns what it printed. If it fails, the error holds its complaint.
pub(crate) fn output(command: &mut Command) -> Result<String> {
    let output = command.stdin(Stdio::null()).output().map_err(|error| cannot_start(command, error))?;
    if !output.status.success() {
        bail!(
            "`{}` ended with {}:\n{}",
            shown(command),
            output.status,
            String::from_utf8_lossy(&output.stderr)
        );
    }
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// Where the search path has `program`.
pub(crate) fn on_path(program: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH")?;
    env::split_paths(&path).map(|folder| folder.join(program)).find(|file| file.is_file())
}

fn cannot_start(command: &Command, error: std::io::Error) -> Error {
    let advice = match error.kind() {
        ErrorKind::NotFound => "; is it installed and in PATH?",
        _ => "",
    };
    Error::new(error).context(format!("cannot start `{}`{advice}", shown(command)))
}

/// The command as a person would type it.
fn shown(command: &Command) -> String {
    let program = PathBuf::from(command.get_program());
    let name = program.file_name().unwrap_or(command.get_program());
    std::iter::once(name).chain(command.get_args()).map(OsStr::to_string_lossy).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_person_set_stays() {
        for name in ["CARGO_HOME", "CARGO_TARGET_DIR", "CARGO_TERM_COLOR", "RUSTFLAGS", "PATH"] {
            assert!(!is_set_by_cargo_run(name), "{name}");
        }
        for name in ["CARGO", "CARGO_MANIFEST_DIR", "CARGO_PKG_VERSION", "OUT_DIR"] {
            assert!(is_set_by_cargo_run(name), "{name}");
        }
    }
}
