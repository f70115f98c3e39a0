//! The options of the command line.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use serde::{Deserialize, Serialize};

/// Measures Fieldhouse beside plain axum, which responds with the same bytes, in turns in one run.
#[derive(Parser)]
#[command(bin_name = "cargo xtask bench", args_conflicts_with_subcommands = true, after_help = OTHERS)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
    #[command(flatten)]
    pub(crate) options: Options,
}

/// What xtask runs itself.
const OTHERS: &str = "Other measurements, which take no options:
  operations   each operation on the demo's data, one request after another
  changesets   how long a changeset of 500 operations takes, and how long another write waits meanwhile
  ledger       2,000 writes a second for a minute on PostgreSQL, while an old snapshot stays open
  imports      how long files of 500, 5,000 and 20,000 rows hold SQLite's writer
  colleges     searches of a catalogue of 2,040 invented colleges with 17,900 programs
  children     reads of the children whom a relation opens, among 200,000 in 200 clubs";

/// What to measure instead of the table of workloads.
#[derive(Subcommand)]
pub(crate) enum Command {
    /// Durable writes from 1 to 256 connections, which SQLite's writer commits together
    GroupCommit(Common),
    /// Idle connections, and reads beside a slow client, an export, an import and a flood of sign-ins
    Neighbours(Common),
    /// Plain axum with fixed responses
    #[command(hide = true)]
    Limit {
        /// The file with the responses
        file: PathBuf,
    },
    /// The statements of requests, from tokio-postgres by hand
    #[command(hide = true)]
    ByHand {
        /// The file with the statements
        file: PathBuf,
    },
}

/// A database to measure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Engine {
    /// SQLite.
    Sqlite,
    /// PostgreSQL.
    Postgres,
}

impl Engine {
    /// Its name in files and tables.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Sqlite => "sqlite",
            Self::Postgres => "postgres",
        }
    }

    /// Its name for people.
    pub(crate) fn title(self) -> &'static str {
        match self {
            Self::Sqlite => "SQLite",
            Self::Postgres => "PostgreSQL",
        }
    }
}

/// Options of every measurement.
#[derive(Args, Clone, Debug)]
pub(crate) struct Common {
    /// The databases to measure
    #[arg(long, value_enum, value_delimiter = ',', default_values = ["sqlite", "postgres"])]
    pub(crate) engines: Vec<Engine>,
    /// How often each workload runs [default: 3, or 1 with --quick]
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u32).range(1..))]
    rounds: Option<u32>,
    /// How long each workload runs in a round [default: 5, or 1 with --quick]
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u32).range(1..))]
    seconds: Option<u32>,
    /// One round of a second, to see that everything works
    #[arg(long)]
    pub(crate) quick: bool,
    /// Measure what `cargo xtask release` builds
    #[arg(long)]
    pub(crate) released: bool,
    /// The program to measure [default: that of the release build]
    #[arg(long, env = "FIELDHOUSE_BENCH_PROGRAM", hide_env = true, value_name = "PROGRAM")]
    pub(crate) program: Option<PathBuf>,
    /// The URL of PostgreSQL without a database; `cargo xtask bench` starts one
    #[arg(long, env = "FIELDHOUSE_BENCH_POSTGRES", value_name = "URL", hide = true)]
    pub(crate) postgres: Option<String>,
    /// PostgreSQL's log file
    #[arg(long, env = "FIELDHOUSE_BENCH_POSTGRES_LOG", value_name = "FILE", hide = true)]
    pub(crate) postgres_log: Option<PathBuf>,
}

impl Common {
    /// The number of rounds.
    pub(crate) fn rounds(&self) -> u32 {
        self.rounds.unwrap_or(if self.quick { 1 } else { 3 })
    }

    /// The seconds of each workload in a round.
    pub(crate) fn seconds(&self) -> u32 {
        self.seconds.unwrap_or(if self.quick { 1 } else { 5 })
    }
}

/// The options of the table of workloads.
#[derive(Args, Clone, Debug)]
pub(crate) struct Options {
    #[command(flatten)]
    pub(crate) common: Common,
    /// Only workloads whose name contains this; can be repeated
    #[arg(long, value_name = "NAME")]
    pub(crate) only: Vec<String>,
    /// Also read the list among 10,000,000 seasons in 500,000 organizations
    #[arg(long)]
    pub(crate) large: bool,
    /// A result.json of an earlier run, to show what changed
    #[arg(long, value_name = "FILE")]
    pub(crate) compare: Option<PathBuf>,
    /// Another server that takes part with the paths of the list, such as `other=http://127.0.0.1:9000`; can be repeated
    #[arg(long, value_name = "NAME=URL")]
    pub(crate) peer: Vec<String>,
    /// A header of the requests to peers, such as `X-Key: abc`; can be repeated
    #[arg(long, value_name = "HEADER")]
    pub(crate) peer_header: Vec<String>,
    /// Also write the tables into docs/performance.md, and the chart beside it
    #[arg(long)]
    pub(crate) publish: bool,
    /// Record where the server spends its time: `target/bench/NAME.folded` for each workload, with perf
    #[arg(long, conflicts_with = "released")]
    pub(crate) profile: bool,
}
