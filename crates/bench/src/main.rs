//! The benchmark of Fieldhouse, run as `cargo xtask bench`, which builds it and starts PostgreSQL.
//!
//! - What is measured: `workloads.rs` has a row for each kind of request, with its goal.
//! - Data: `dataset.rs` and the files below make data sets, once. `identities.rs` says who sends the requests.
//! - Servers: `field.rs` starts Fieldhouse on copies of them, `limit.rs` is plain axum, `by_hand.rs` runs the same statements on PostgreSQL.
//! - Runs: `rounds.rs` runs every workload in turns with `load.rs` (wrk), and `checks.rs` verifies responses.
//! - Results: `figures.rs`, `lines.rs`, `report.rs`, `chart.rs`, `result.rs`, `compare.rs`.
//!
//! To measure one more kind of request, add a row to `workloads.rs`.

mod by_hand;
mod capture;
mod chart;
mod checks;
mod compare;
mod dataset;
mod field;
mod figures;
mod footprint;
mod group_commit;
mod http;
mod identities;
mod limit;
mod lines;
mod load;
mod neighbours;
mod options;
mod postgres;
mod profile;
mod report;
mod requests;
mod result;
mod rounds;
mod servers;
mod site;
mod table;
mod tools;
mod workload;
mod workloads;

use std::process::ExitCode;

use anyhow::Result;
use clap::Parser;

use options::{Cli, Command};

#[tokio::main]
async fn main() -> ExitCode {
    match run(Cli::parse()).await {
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

async fn run(cli: Cli) -> Result<()> {
    match cli.command {
        None => table::run(&cli.options).await,
        Some(Command::Limit { file }) => limit::serve(&file).await,
        Some(Command::ByHand { file }) => by_hand::run(&file).await,
        Some(Command::GroupCommit(common)) => group_commit::run(&common).await,
        Some(Command::Neighbours(common)) => neighbours::run(&common).await,
    }
}
