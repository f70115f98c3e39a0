//! `fieldhouse`: the command-line tool. `commands` has one file for each command.

mod applies;
mod arguments;
mod clock;
mod commands;
mod completion;
mod confirm;
mod context;
mod contexts;
mod created;
mod credentials;
mod database;
mod demo;
mod examples;
mod failure;
mod fields;
mod global;
mod hints;
mod import_report;
mod jq;
mod json;
mod json_fields;
mod listing;
mod log;
mod mail;
mod member;
mod narrow;
mod open_files;
mod operating;
mod output;
mod pager;
mod place;
mod progress;
mod ready;
mod report;
mod running;
mod secrets;
mod spreadsheet;
mod tables;
mod terminal;
mod threads;
mod zone;

use std::process::ExitCode;

use clap::FromArgMatches;

use applies::Typed;
use commands::Options;

/// Returns memory to the system: a password hash takes 19 MiB for a moment, and the usual allocator keeps that for every thread.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    completion::answer();
    match threads::start() {
        Ok(threads) => threads.block_on(run()),
        Err(error) => {
            #[expect(clippy::print_stderr, reason = "a message to the person who typed the command")]
            {
                eprintln!("error: no threads can be started: {error}");
            }
            ExitCode::FAILURE
        }
    }
}

async fn run() -> ExitCode {
    let mut command = commands::command();
    command.build();
    let parsed = command.clone().try_get_matches().and_then(|matches| {
        let options = Options::from_arg_matches(&matches)?;
        Ok((matches, options))
    });
    let (matches, options) = match parsed {
        Ok(parsed) => parsed,
        Err(error) => return report::report_usage(&error, report::asks_for_json(std::env::args())),
    };
    let typed = Typed::of(&command, &matches);
    let as_json = options.prints_json();
    match options.run(&typed).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => report::report(error, &typed, as_json),
    }
}
