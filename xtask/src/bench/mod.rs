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
use clap::{Args, Subcommand, ValueEnum};

use crate::process::{self, cargo, on_path};
use crate::server::Server;
use load::{Figures, report};
use program::{Program, READY, binary};
use workloads::{Workload, first_page};

/// A database to measure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Engine {
    Sqlite,
    Postgres,
}

/// What to measure instead of the load.
#[derive(Clone, Copy, Debug, Subcommand)]
enum What {
    /// Each operation on the demo's data, one request after another
    Operations,
    /// 2,000 writes a second for a minute on PostgreSQL, while an old snapshot stays open
    Ledger,
    /// How long files of 500, 5,000 and 20,000 rows hold SQLite's writer
    Imports,
    /// How long a changeset of 500 operations takes to simulate, execute and undo, and how long another write waits meanwhile
    Changesets,
    /// Searches of a catalogue of 2,040 invented colleges with 17,900 programs
    Colleges,
    /// Reads of the children whom a relation opens, among 200,000 in 200 clubs
    Children,
}

/// The load, whose options nothing else has.
#[derive(Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct Options {
    #[command(subcommand)]
    what: Option<What>,
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
}

pub(crate) fn run(options: &Options) -> Result<()> {
    match options.what {
        None => load_servers(options),
        Some(What::Operations) => on_demos("operations"),
        Some(What::Changesets) => on_demos("changesets"),
        Some(What::Ledger) => load_ledger(),
        Some(What::Imports) => {
            let example = "run --release --locked -p fieldhouse-commands --example import_time";
            process::run(cargo().args(example.split(' ')))
        }
        Some(What::Colleges) => search_colleges(),
        Some(What::Children) => read_children(),
    }
}

fn load_servers(options: &Options) -> Result<()> {
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

fn read_children() -> Result<()> {
    let server = Server::start_durable()?;
    let example = "run --release --locked -p fieldhouse-store --example child_list";
    process::run(cargo().args(example.split(' ')).envs(server.environment()))
}

/// Runs an example of the client with a demo on each engine.
fn on_demos(name: &str) -> Result<()> {
    process::run(cargo().args(["build", "--release", "--locked"]))?;
    let postgres = Server::start_durable()?;
    let folder = tempfile::tempdir()?;
    let mut example = cargo();
    example.args(["run", "--release", "--locked", "-p", "fieldhouse-client", "--example", name, "--"]);
    let mut programs = Vec::new();
    for (engine, database) in [("sqlite", None), ("postgresql", Some(&postgres))] {
        let folder = folder.path().join(engine);
        programs.push(start_with(Program::demo, &binary("fieldhouse"), &folder, database)?);
        example.arg(format!("{engine}={}", folder.join(READY).display()));
    }
    process::run(&mut example)
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
    start_with(Program::fieldhouse, path, folder, database)
}

fn start_with(
    start: fn(&Path, &Path, Option<&str>) -> Result<Program>,
    path: &Path,
    folder: &Path,
    database: Option<&Server>,
) -> Result<Program> {
    fs::create_dir(folder)?;
    let name = format!("bench_{}", folder.file_name().unwrap_or_default().to_string_lossy());
    let url = database.map(|server| server.create_database(&name)).transpose()?;
    start(path, folder, url.as_deref())
}
