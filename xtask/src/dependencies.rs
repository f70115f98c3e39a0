//! Checks the workspace's dependencies with cargo-deny and `deny.toml`: bans, licences, sources.
//!
//! Compiling cargo-deny is slow, so `cargo xtask test` uses it only if it is installed. `cargo xtask test --all`, which a change must pass,
//! installs it.
//!
//! Advisories are not checked: their database is on the network, and whether a change passes must depend on the change alone.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Result;

use crate::process;

/// Pinned, because another version may decide differently.
const VERSION: &str = "0.20.2";
/// Among build output, because xtask changes nothing outside the workspace.
const TOOLS: &str = "target/tools";

pub(crate) const LEFT_OUT: &str = "cargo-deny is not installed, so the dependencies were not checked against deny.toml: \
     `cargo xtask test --all` installs it and checks them.";
pub(crate) const CANNOT_INSTALL: &str = "It is installed with `cargo install` and needs the crates registry.";
pub(crate) const NOT_ALLOWED: &str = "`cargo tree --invert <crate>` shows which crate depends on it. \
     Choose another, or allow it in deny.toml and say there why.";

/// The pinned cargo-deny, if it is in the tools folder or the search path.
pub(crate) fn installed() -> Option<PathBuf> {
    let ours = Path::new(TOOLS).join("bin/cargo-deny").canonicalize().ok();
    ours.into_iter().chain(process::on_path("cargo-deny")).find(|file| is_pinned(file))
}

/// The pinned cargo-deny; installs it if necessary.
pub(crate) fn install() -> Result<PathBuf> {
    if let Some(program) = installed() {
        println!("{}", program.display());
        return Ok(program);
    }
    println!("cargo-deny {VERSION} is not installed yet. Installing it takes some minutes, once.");
    // Without optimization it compiles in half the time, and a check still takes only seconds.
    let arguments =
        ["install", "cargo-deny", "--debug", "--locked", "--force", "--version", VERSION, "--root", TOOLS];
    process::run(process::cargo().args(arguments))?;
    Ok(Path::new(TOOLS).join("bin/cargo-deny").canonicalize()?)
}

fn is_pinned(program: &Path) -> bool {
    process::output(Command::new(program).arg("--version"))
        .is_ok_and(|line| line == format!("cargo-deny {VERSION}"))
}

/// Fails if a dependency is banned, has a licence that is not allowed, or does not come from crates.io.
pub(crate) fn check(cargo_deny: &Path) -> Result<()> {
    let mut command = Command::new(cargo_deny);
    process::forget_cargo_run(&mut command);
    process::run(command.args(["--locked", "check", "--hide-inclusion-graph", "bans", "licenses", "sources"]))
}
