//! Other programs: whether they are installed, and running them.

use std::env;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

/// Runs a program and returns what it printed. If it fails, the error contains its messages.
pub(crate) fn output(command: &mut Command) -> Result<String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command.stdin(Stdio::null()).output().with_context(|| format!("cannot start {name}"))?;
    let printed = String::from_utf8_lossy(&output.stdout);
    if !output.status.success() {
        bail!("{name} ended with {}:\n{printed}{}", output.status, String::from_utf8_lossy(&output.stderr));
    }
    Ok(printed.into_owned())
}

/// The path of a program in the search path.
pub(crate) fn on_path(program: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH")?;
    env::split_paths(&path).map(|folder| folder.join(program)).find(|file| file.is_file())
}

/// Fails with the name of the package if a program is missing.
pub(crate) fn require(program: &str, package: &str) -> Result<()> {
    if on_path(program).is_none() {
        bail!(
            "{program} is missing: install it with `apt-get install {package}` or `brew install {package}`"
        );
    }
    Ok(())
}

/// The folder of the builds: `target`, or `CARGO_TARGET_DIR`.
pub(crate) fn target() -> PathBuf {
    env::var_os("CARGO_TARGET_DIR").map_or_else(|| PathBuf::from("target"), PathBuf::from)
}
