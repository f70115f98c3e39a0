//! Fieldhouse's own build tool, run as `cargo xtask <command>`.
//!
//! This file has only the list of commands. Each command has a file (`test.rs`, `postgres.rs`, `bench.rs`, `generate.rs`) with a function
//! `run`; shared code is in files named by its noun. To add a command, add a file and a line to [`Command`].

use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::{Parser, Subcommand};

mod account;
mod bench;
mod binaries;
mod certificates;
mod clients;
mod demo;
mod dependencies;
mod documents;
mod examples;
mod generate;
mod links;
mod postgres;
mod process;
mod release;
mod server;
mod statuses;
mod steps;
mod test;
mod watchdog;
mod words;

#[derive(Parser)]
#[command(bin_name = "cargo xtask", about = "Fieldhouse's own build tool.")]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Everything a change must pass: formatting, lints, the tests on both engines, dependencies.
    Test(test::Options),
    /// The part of `test --all` that generates clients from the served OpenAPI document and uses them. Needs Python and Node.js.
    Clients,
    /// A temporary PostgreSQL that runs until Ctrl-C, to run `cargo test` by hand.
    Postgres,
    /// Measures the server beside plain axum, which returns the same bytes: `bench --help`. Needs wrk.
    Bench(bench::Options),
    /// Builds the program as it is released: arranged for the requests of the benchmark. Needs wrk, and llvm-tools of rustup.
    Release,
    /// Rewrites the generated files: the examples of the OpenAPI document, the document, docs/permissions.md and docs/errors.md.
    Gen,
}

fn main() -> ExitCode {
    match run(&Cli::parse().command) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            #[expect(clippy::print_stderr, reason = "a message to the person who typed the command")]
            {
                eprintln!("error: {error:#}");
            }
            ExitCode::FAILURE
        }
    }
}

fn run(command: &Command) -> Result<()> {
    // All paths and cargo commands are relative to the workspace, wherever xtask was called from.
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().context("xtask has no parent folder")?;
    std::env::set_current_dir(root).with_context(|| format!("cannot enter {}", root.display()))?;

    match command {
        Command::Test(options) => test::run(options),
        Command::Clients => clients::run(),
        Command::Postgres => postgres::run(),
        Command::Bench(options) => bench::run(options),
        Command::Release => release::run(),
        Command::Gen => generate::run(),
    }
}
