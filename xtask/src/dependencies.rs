//! The check of what the workspace depends on, by cargo-deny and `deny.toml`: bans, licences, sources.
//!
//! Advisories are not checked: their database lives on the network, and whether a change passes must depend
//! on the change alone.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Result;

use crate::process;

/// Pinned, because another version may judge otherwise.
const VERSION: &str = "0.20.2";
/// Among build output and not in cargo's home: xtask changes nothing outside the workspace.
const TOOLS: &str = "target/tools";

pub(crate) const CANNOT_INSTALL: &str = "It is installed with `cargo install` and needs the crates registry.";
pub(crate) const NOT_ALLOWED: &str = "`cargo tree --invert <crate>` shows who brings it. \
     Choose another, or allow it in deny.toml and say there why.";

/// The pinned cargo-deny; installs it, if neither the tools folder nor the search path has it.
pub(crate) fn cargo_deny() -> Result<PathBuf> {
    let installed = Path::new(TOOLS).join("bin/cargo-deny").canonicalize().ok();
    if let Some(program) =
        installed.into_iter().chain(process::on_path("cargo-deny")).find(|file| is_pinned(file))
    {
        println!("{}", program.display());
        return Ok(program);
    }
    println!("cargo-deny {VERSION} is not here yet. Installing it takes some minutes and happens once.");
    let arguments = ["install", "cargo-deny", "--locked", "--force", "--version", VERSION, "--root", TOOLS];
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
