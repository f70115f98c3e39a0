//! `fieldhouse`: the command-line tool. `commands` has one file for each command.

mod arguments;
mod clock;
mod commands;
mod context;
mod created;
mod credentials;
mod database;
mod demo;
mod failure;
mod fields;
mod json;
mod listing;
mod log;
mod mail;
mod open_files;
mod output;
mod reports;
mod secrets;
mod tables;

use std::process::ExitCode;

use clap::{CommandFactory, FromArgMatches};

use commands::Options;

/// Returns memory to the system: a password hash takes 19 MiB for a moment, and the usual allocator keeps that for every thread.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

#[tokio::main]
async fn main() -> ExitCode {
    let command = Options::command();
    let matches = command.clone().get_matches();
    let options = Options::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());
    match options.run().await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => failure::report(error, commands::typed(&command, &matches)),
    }
}
