//! `cargo xtask test`: everything that a change must pass, in the order that finds the cheapest mistakes first.
//!
//! This file has the order and the advice for each step; `server.rs` starts PostgreSQL, `statuses.rs` compares the document with what the
//! tests saw, `dependencies.rs` finds cargo-deny. No step compares the generated files, because a test does.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, absolute};

use anyhow::Result;
use clap::Args;

use crate::process::{cargo, run as run_program};
use crate::server::Server;
use crate::steps::Steps;
use crate::{clients, dependencies, generate, statuses};

const TESTS_FAILED: &str = "The output of each failed test is above; run one again with \
     `cargo xtask test -- -p <crate> <name>`. If a generated file is stale, run `cargo xtask gen` and \
     commit it. The server's log is in target/postgres.log.";

/// The folder in which the server's tests record the statuses that operations have returned.
const PRODUCED: &str = "target/produced";
const PRODUCED_VARIABLE: &str = "FIELDHOUSE_PRODUCED";
const NOT_PRODUCED: &str = "Each line above is a status that the OpenAPI document declares for an operation and that no test of the \
     server has seen. Write a test that produces it, or remove it from crates/server/src/openapi/refusals.rs.";

/// Makes tests run longer: the ledger's with more load, changesets' with more histories, clients and killed processes.
const LONG_TESTS_VARIABLE: &str = "FIELDHOUSE_LONG_TESTS";
/// How many histories of changesets run on each engine. The 5,000 of the long setting take 12 minutes on two cores, too long for a run of
/// everything; `cargo xtask test --all -- -p fieldhouse-commands` runs them.
const HISTORIES_VARIABLE: &str = "FIELDHOUSE_HISTORIES";
const HISTORIES: &str = "1000";

#[derive(Args)]
pub(crate) struct Options {
    /// Also run what needs more than Rust and takes longer: generated clients in Python and TypeScript, generated requests, the long
    /// setting of the tests of the ledger and of changesets, and the check of the dependencies if cargo-deny is not installed yet
    #[arg(long)]
    all: bool,
    /// Passed to `cargo test`, for example `-- -p fieldhouse-store`. With any, only the tests run, with `--all` in the long setting
    #[arg(last = true, value_name = "ARGUMENTS")]
    cargo_test: Vec<OsString>,
}

pub(crate) fn run(options: &Options) -> Result<()> {
    let mut steps = Steps::default();
    let outcome = if options.cargo_test.is_empty() {
        everything(&mut steps, options.all)
    } else {
        cargo_test(&mut steps, &options.cargo_test, options.all)
    };
    println!("\n{steps}\n");
    outcome
}

fn everything(steps: &mut Steps, all: bool) -> Result<()> {
    steps.run("formatting", "Run `cargo fmt --all` and review its changes.", || {
        run_program(cargo().args(["fmt", "--all", "--check"]))
    })?;
    steps.run("lints", "Fix the lints above; warnings are errors.", || {
        run_program(cargo().args("clippy --workspace --all-targets --locked -- -D warnings".split(' ')))
    })?;
    empty(Path::new(PRODUCED))?;
    cargo_test(steps, &[], all)?;
    steps.run("declared statuses", NOT_PRODUCED, || statuses::check(Path::new(PRODUCED)))?;
    if all {
        let cargo_deny = steps.run("cargo-deny", dependencies::CANNOT_INSTALL, dependencies::install)?;
        steps.run("dependencies", dependencies::NOT_ALLOWED, || dependencies::check(&cargo_deny))?;
        return clients::steps(steps);
    }
    let Some(cargo_deny) = dependencies::installed() else {
        println!("\n{}", dependencies::LEFT_OUT);
        return Ok(());
    };
    steps.run("dependencies", dependencies::NOT_ALLOWED, || dependencies::check(&cargo_deny))
}

fn cargo_test(steps: &mut Steps, arguments: &[OsString], all: bool) -> Result<()> {
    let server = steps.run("PostgreSQL", "The tests need both engines.", Server::start)?;
    steps.run("tests", TESTS_FAILED, || {
        let mut command = cargo();
        command.args(["test", "--locked", "--no-fail-fast"]).envs(server.environment());
        if Path::new(PRODUCED).is_dir() {
            command.env(PRODUCED_VARIABLE, absolute(PRODUCED)?);
        }
        if all {
            command.env(LONG_TESTS_VARIABLE, "1");
            if arguments.is_empty() && std::env::var_os(HISTORIES_VARIABLE).is_none() {
                command.env(HISTORIES_VARIABLE, HISTORIES);
            }
        }
        // If it were still set in a shell, the generated files would not be compared.
        command.env_remove(generate::UPDATE);
        if !choose_packages(arguments) {
            command.arg("--workspace");
        }
        run_program(command.args(arguments))
    })
}

/// Creates an empty folder.
fn empty(folder: &Path) -> Result<()> {
    if folder.exists() {
        fs::remove_dir_all(folder)?;
    }
    Ok(fs::create_dir_all(folder)?)
}

/// Whether the arguments choose crates. If not, all crates are tested, not only the default ones.
fn choose_packages(arguments: &[OsString]) -> bool {
    let mut flags = arguments.iter().map(|flag| flag.to_string_lossy()).take_while(|flag| flag != "--");
    flags.any(|flag| {
        let name = flag.split('=').next().unwrap_or_default();
        name.starts_with("-p") || ["--package", "--workspace", "--all"].contains(&name)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_crates_unless_some_are_chosen() {
        let chosen = |line: &str| choose_packages(&line.split(' ').map(OsString::from).collect::<Vec<_>>());
        assert!(chosen("-p fieldhouse-store seasons"));
        assert!(chosen("--package=fieldhouse-store"));
        assert!(!chosen("seasons -- --nocapture"));
        assert!(!chosen("--all-features -- -p"));
    }
}
