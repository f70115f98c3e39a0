//! Running programs: how cargo is called, how output is shown or captured, where a program is found.
//!
//! Commands decide which programs they run, and in which order.

use std::env;
use std::ffi::OsStr;
use std::io::ErrorKind;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use anyhow::{Context, Error, Result, bail, ensure};

use crate::watchdog::Watchdog;

/// The cargo that runs xtask, as if it were called from the shell.
pub(crate) fn cargo() -> Command {
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    forget_cargo_run(&mut command);
    command
}

/// The folder of the builds.
pub(crate) fn target() -> PathBuf {
    env::var_os("CARGO_TARGET_DIR").map_or_else(|| PathBuf::from("target"), PathBuf::from)
}

/// Removes the variables that `cargo run` set for xtask. Otherwise build scripts that watch them would run, and their crates be compiled,
/// once for `cargo test` and again for `cargo xtask test`.
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

/// Runs a program that prints to xtask's output, and fails if it fails.
///
/// It gets its own process group, so that all its processes end when xtask is stopped by a signal. It may use the terminal only for
/// writing, because the terminal belongs to xtask's group.
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

/// Runs a program and returns its output. If it fails, the error contains its messages.
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

/// The path of `program` in the search path.
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

/// The command as it would be typed.
fn shown(command: &Command) -> String {
    let program = PathBuf::from(command.get_program());
    let name = program.file_name().unwrap_or(command.get_program());
    std::iter::once(name).chain(command.get_args()).map(OsStr::to_string_lossy).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_of_the_user_are_kept() {
        for name in ["CARGO_HOME", "CARGO_TARGET_DIR", "CARGO_TERM_COLOR", "RUSTFLAGS", "PATH"] {
            assert!(!is_set_by_cargo_run(name), "{name}");
        }
        for name in ["CARGO", "CARGO_MANIFEST_DIR", "CARGO_PKG_VERSION", "OUT_DIR"] {
            assert!(is_set_by_cargo_run(name), "{name}");
        }
    }
}
