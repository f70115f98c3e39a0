//! `cargo xtask bench`: builds the server and its benchmark, starts PostgreSQL, and runs the benchmark with the same arguments.
//!
//! What is measured, and how, is in `crates/bench`. Some measurements are examples of other crates; they are in [`Example`], and
//! `bench --help` lists them with the others.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Result;
use clap::{Args, ValueEnum};

use crate::demo::Demo;
use crate::process::{self, cargo};
use crate::release;
use crate::server::Server;

/// Everything that follows `bench`.
#[derive(Args)]
#[command(disable_help_flag = true)]
pub(crate) struct Options {
    /// The arguments of the benchmark; `--help` lists them
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "ARGUMENTS")]
    arguments: Vec<String>,
}

/// A measurement that is an example of a crate.
#[derive(Clone, Copy, ValueEnum)]
enum Example {
    Operations,
    Changesets,
    Ledger,
    Imports,
    Colleges,
    Children,
}

pub(crate) fn run(options: &Options) -> Result<()> {
    let first = options.arguments.first();
    match first.and_then(|name| Example::from_str(name, false).ok()) {
        Some(example) => run_example(example),
        None => run_benchmark(&options.arguments),
    }
}

fn run_benchmark(arguments: &[String]) -> Result<()> {
    let has = |wanted: &str| arguments.iter().any(|argument| argument == wanted);
    let programs = if has("--released") { release::build()? } else { built(has("--profile"))? };
    if has("--help") || has("-h") {
        return process::run(Command::new(programs.join("fieldhouse-bench")).args(arguments));
    }
    measure(&programs, arguments, &[])
}

/// Runs the benchmark in a folder of programs, with PostgreSQL if it needs one.
pub(crate) fn measure(programs: &Path, arguments: &[String], environment: &[(&str, &OsStr)]) -> Result<()> {
    let mut benchmark = Command::new(programs.join("fieldhouse-bench"));
    benchmark.args(arguments).envs(environment.iter().copied());
    benchmark.env("FIELDHOUSE_BENCH_PROGRAM", programs.join("fieldhouse"));
    let server = needs_postgres(arguments)
        .then(|| Server::start_kept(&process::target().join("bench")))
        .transpose()?;
    if let Some(server) = &server {
        benchmark.env("FIELDHOUSE_BENCH_POSTGRES", server.url(""));
        benchmark.env("FIELDHOUSE_BENCH_POSTGRES_LOG", server.log());
    }
    process::run(&mut benchmark)
}

/// Builds the server and its benchmark, and returns their folder. For a profile, with the names of functions.
fn built(profile: bool) -> Result<PathBuf> {
    let target = if profile { process::target().join("profile") } else { process::target() };
    let mut build = build(&target);
    if profile {
        build.env("CARGO_PROFILE_RELEASE_STRIP", "none");
        build.env("CARGO_PROFILE_RELEASE_DEBUG", "line-tables-only");
    }
    process::run(&mut build)?;
    Ok(target.join("release"))
}

/// The command that builds the server and its benchmark in a folder.
pub(crate) fn build(target: &Path) -> Command {
    let mut build = cargo();
    build.args("build --release --locked -p fieldhouse -p fieldhouse-bench".split(' '));
    build.env("CARGO_TARGET_DIR", target);
    build
}

/// Whether PostgreSQL is among the engines, as it is by default.
fn needs_postgres(arguments: &[String]) -> bool {
    let separate = arguments.iter().position(|argument| argument == "--engines");
    let separate = separate.and_then(|at| arguments.get(at + 1)).map(String::as_str);
    let joined = arguments.iter().find_map(|argument| argument.strip_prefix("--engines="));
    separate.or(joined).is_none_or(|engines| engines.split(',').any(|engine| engine == "postgres"))
}

fn run_example(example: Example) -> Result<()> {
    match example {
        Example::Operations => on_demos("operations"),
        Example::Changesets => on_demos("changesets"),
        Example::Imports => process::run(&mut optimized("run", "fieldhouse-commands", "import_time")),
        Example::Colleges => with_databases("fieldhouse-server", "college_search"),
        Example::Children => with_databases("fieldhouse-store", "child_list"),
        Example::Ledger => {
            process::run(&mut optimized("build", "fieldhouse-store", "ledger_load"))?;
            let server = Server::start_durable()?;
            let url = server.create_database("bench_ledger")?;
            let load = process::target().join("release/examples/ledger_load");
            process::run(Command::new(load).args([&url, "2000", "60"]))
        }
    }
}

fn optimized(command: &str, package: &str, example: &str) -> Command {
    let mut cargo = cargo();
    cargo.args([command, "--release", "--locked", "-p", package, "--example", example]);
    cargo
}

/// Runs an example that creates its databases on both engines.
fn with_databases(package: &str, example: &str) -> Result<()> {
    let server = Server::start_durable()?;
    process::run(optimized("run", package, example).envs(server.environment()))
}

/// Runs an example of the client with a demo on each engine.
fn on_demos(name: &str) -> Result<()> {
    process::run(cargo().args(["build", "--release", "--locked"]))?;
    let postgres = Server::start_durable()?;
    let url = postgres.create_database("bench_demo")?;
    let mut example = optimized("run", "fieldhouse-client", name);
    example.arg("--");
    let mut demos = Vec::new();
    for (engine, database) in [("sqlite", None), ("postgresql", Some(url.as_str()))] {
        let demo = Demo::start_release(database)?;
        example.arg(format!("{engine}={}", demo.ready_file().display()));
        demos.push(demo);
    }
    process::run(&mut example)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn postgresql_is_started_unless_other_engines_are_named() {
        let needs = |line: &str| needs_postgres(&line.split(' ').map(str::to_owned).collect::<Vec<_>>());
        assert!(needs("--quick"));
        assert!(needs("--engines sqlite,postgres"));
        assert!(!needs("--engines=sqlite --quick"));
        assert!(!needs("--quick --engines sqlite"));
    }
}
