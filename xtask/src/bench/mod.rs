//! `cargo xtask bench`: the server on each engine beside plain axum, which answers the same bytes, in turns in one run.
//!
//! Absolute figures vary with the machine; ratios and the processor time of a request hold. The load is wrk's: 32 connections that stay
//! open. Every round checks that each response was a success. What is measured is in `workloads.rs`, the servers are in `program.rs`.

mod load;
mod program;
mod workloads;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Result, bail};
use clap::{Args, ValueEnum};

use crate::process::{self, cargo, on_path};
use crate::server::Server;
use load::{Figures, report};
use program::{Program, binary};
use workloads::{Workload, first_page};

/// A database to measure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Engine {
    Sqlite,
    Postgres,
}

#[derive(Args)]
pub(crate) struct Options {
    /// How long each workload runs in a round, in seconds
    #[arg(long, default_value_t = 5)]
    seconds: u32,
    /// How often each workload is run
    #[arg(long, default_value_t = 3)]
    rounds: usize,
    /// The databases to measure
    #[arg(long, value_enum, value_delimiter = ',', default_values = ["sqlite", "postgres"])]
    engines: Vec<Engine>,
    /// Another `fieldhouse` program to measure in turns with this one, such as one built from an earlier commit
    #[arg(long, value_name = "PROGRAM")]
    other: Option<PathBuf>,
    /// Load the ledger instead: 2,000 writes a second for a minute on PostgreSQL, while an old snapshot stays open
    #[arg(long, conflicts_with_all = ["seconds", "rounds", "engines", "other"])]
    ledger: bool,
    /// Import files of 500, 5,000 and 20,000 rows instead, and measure how long each holds SQLite's writer
    #[arg(long, conflicts_with_all = ["seconds", "rounds", "engines", "other", "ledger"])]
    imports: bool,
    /// Search a catalogue of 2,040 invented colleges with 17,900 programs instead
    #[arg(long, conflicts_with_all = ["seconds", "rounds", "engines", "other", "ledger", "imports"])]
    colleges: bool,
}

pub(crate) fn run(options: &Options) -> Result<()> {
    if options.ledger {
        return load_ledger();
    }
    if options.imports {
        let example = "run --release --locked -p fieldhouse-commands --example import_time";
        return process::run(cargo().args(example.split(' ')));
    }
    if options.colleges {
        return search_colleges();
    }
    if on_path("wrk").is_none() {
        bail!("wrk is missing: install it with `apt-get install wrk` or `brew install wrk`");
    }
    process::run(cargo().args(["build", "--release", "--locked"]))?;
    let limit = "build --release --locked -p fieldhouse-server --example limit";
    process::run(cargo().args(limit.split(' ')))?;
    let postgres = options.engines.contains(&Engine::Postgres).then(Server::start_durable);
    let postgres = postgres.transpose()?;
    for engine in &options.engines {
        let database = postgres.as_ref().filter(|_| *engine == Engine::Postgres);
        measure(options, *engine, database)?;
    }
    Ok(())
}

fn load_ledger() -> Result<()> {
    let example = "build --release --locked -p fieldhouse-store --example ledger_load";
    process::run(cargo().args(example.split(' ')))?;
    let server = Server::start_durable()?;
    let url = server.create_database("bench_ledger")?;
    process::run(Command::new(binary("examples/ledger_load")).args([&url, "2000", "60"]))
}

fn search_colleges() -> Result<()> {
    let server = Server::start_durable()?;
    let example = "run --release --locked -p fieldhouse-server --example college_search";
    let mut search = cargo();
    process::run(search.args(example.split(' ')).envs(server.environment()))
}

fn measure(options: &Options, engine: Engine, database: Option<&Server>) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let this = binary("fieldhouse");
    let named = [("", Some(this.as_path())), ("other: ", options.other.as_deref())];
    let mut programs = Vec::new();
    for (label, path) in named {
        let Some(path) = path else { continue };
        programs.push((label, start(path, &folder.path().join(programs.len().to_string()), database)?));
    }
    let bytes = folder.path().join("body.json");
    let page = first_page(&programs[0].1)?;
    fs::write(&bytes, &page)?;
    let limit = Program::limit(&bytes)?;

    let mut workloads = vec![Workload::limit(&limit)];
    for (label, program) in &programs {
        workloads.extend(Workload::all(label, program)?);
    }
    // All reads come first, because writes change what is read.
    let (reads, writes): (Vec<_>, Vec<_>) = workloads.into_iter().partition(Workload::reads);
    let mut measured = Vec::new();
    for workloads in [reads, writes] {
        let mut rounds: Vec<Vec<Figures>> = Vec::new();
        for round in 0..options.rounds {
            let figures = workloads.iter().map(|workload| workload.measure(options.seconds, round));
            rounds.push(figures.collect::<Result<_>>()?);
        }
        measured.extend(workloads.iter().enumerate().map(|(at, workload)| {
            let figures: Vec<Figures> = rounds.iter().map(|round| round[at]).collect();
            (workload.name.clone(), figures)
        }));
    }
    println!(
        "\n{engine:?}: {} bytes in a page of seasons, 32 connections, medians of {} rounds",
        page.len(),
        options.rounds
    );
    report(&measured);
    for (label, program) in &programs {
        println!("{label}resident memory afterwards: {} MB.", program.resident_megabytes()?);
    }
    Ok(())
}

fn start(path: &Path, folder: &Path, database: Option<&Server>) -> Result<Program> {
    fs::create_dir(folder)?;
    let name = format!("bench_{}", folder.file_name().unwrap_or_default().to_string_lossy());
    let url = database.map(|server| server.create_database(&name)).transpose()?;
    Program::fieldhouse(path, folder, url.as_deref())
}
