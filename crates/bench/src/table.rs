//! The whole measurement: the workloads on each engine, the other figures, and the files with the result.

use std::fs;

use anyhow::{Context, Result, bail};

use crate::compare;
use crate::dataset::{DataSet, Size};
use crate::field::{self, Field};
use crate::figures::Measured;
use crate::options::{Engine, Options};
use crate::result::{self, Fact, Outcome};
use crate::rounds::Rounds;
use crate::workload::{Against, On, Workload};
use crate::workloads::ALL;
use crate::{chart, footprint, lines, report, servers, tools};

/// Measures, prints and writes the result.
pub(crate) async fn run(options: &Options) -> Result<()> {
    let mut commit = result::commit();
    if options.common.released {
        commit.push_str(" by cargo xtask release");
    }
    tools::require("wrk", "wrk")?;
    let base = options.compare.as_deref().map(Outcome::read).transpose()?;
    let mut measured: Vec<Measured> = Vec::new();
    let mut facts: Vec<Fact> = Vec::new();
    for engine in &options.common.engines {
        let workloads = chosen(*engine, options)?;
        if workloads.is_empty() {
            continue;
        }
        let field = Field::start(*engine, &options.common, &needed(&workloads)).await?;
        measured.extend(Rounds::prepare(&field, options, &workloads).await?.run()?);
        if let Ok(site) = field.site(On::Default) {
            let memory = site.server.resident_megabytes()?;
            let name = format!("memory after the load, {}", engine.name());
            facts.push(Fact::new(name, memory, "MB", Some(120.0)));
        }
    }
    if options.only.is_empty() && options.common.engines.contains(&Engine::Sqlite) {
        facts.extend(of_program(options).await?);
    }
    let outcome = Outcome::now(commit, options.common.seconds(), measured, facts);
    write(&outcome, options.publish)?;
    if let Some(base) = base {
        println!("{}", compare::changes(&base, &outcome));
    }
    Ok(())
}

/// The workloads that run on an engine.
fn chosen(engine: Engine, options: &Options) -> Result<Vec<&'static Workload>> {
    let is_named =
        |name: &str| options.only.is_empty() || options.only.iter().any(|only| name.contains(only.as_str()));
    for only in &options.only {
        if !ALL.iter().any(|workload| workload.name.contains(only.as_str())) {
            let names: Vec<_> = ALL.iter().map(|workload| workload.name).collect();
            bail!("no workload's name contains {only}. They are: {}", names.join(", "));
        }
    }
    // What a chosen workload is compared with runs, too.
    let is_needed = |name: &str| {
        let mut chosen = ALL.iter().filter(|workload| is_named(workload.name));
        chosen.any(|workload| matches!(workload.against, Against::Workload(other) if other == name))
    };
    let runs = |workload: &&Workload| {
        let on_engine = engine == Engine::Sqlite || workload.postgres.is_some();
        let is_chosen = is_named(workload.name) || is_needed(workload.name);
        on_engine && is_chosen && (workload.on != On::Large || options.large)
    };
    Ok(ALL.iter().filter(runs).collect())
}

/// The servers of some workloads.
fn needed(workloads: &[&Workload]) -> Vec<On> {
    [On::Default, On::Uncached, On::One, On::Large]
        .into_iter()
        .filter(|on| workloads.iter().any(|workload| workload.on == *on))
        .collect()
}

/// The figures of the program itself.
async fn of_program(options: &Options) -> Result<Vec<Fact>> {
    let root = field::root()?;
    let data = DataSet::prepare(&root, Engine::Sqlite, Size::Small, None).await?;
    let folder = tempfile::Builder::new().prefix("run-").tempdir_in(&root)?;
    let copy = folder.path().join("data");
    field::copy_folder(&data.folder, &copy)?;
    let program = options.common.program.clone().unwrap_or_else(servers::release);
    footprint::measure(&program, folder.path(), &copy)
}

/// The page with the published result, and its chart, in the repository.
const PAGE: &str = "docs/performance.md";
const CHART: &str = "docs/performance.svg";

/// Prints the tables and writes the files.
fn write(outcome: &Outcome, publishes: bool) -> Result<()> {
    let root = field::root()?;
    let lines = lines::lines(&outcome.measured);
    println!("\n{}\n", outcome.about());
    for engine in [Engine::Sqlite, Engine::Postgres] {
        let of_engine: Vec<_> = lines.iter().filter(|line| line.engine == engine).cloned().collect();
        if !of_engine.is_empty() {
            println!("{}\n{}", engine.title(), report::plain(&of_engine));
        }
    }
    println!("{}", report::facts(&outcome.facts));
    fs::write(root.join("result.json"), serde_json::to_vec_pretty(outcome)?)?;
    let chart = chart::svg(&lines, &outcome.about());
    let markdown = format!("{}\n\n{}", outcome.about(), report::markdown(&lines, &outcome.facts));
    fs::write(root.join("result.svg"), &chart)?;
    fs::write(root.join("result.md"), &markdown)?;
    if publishes {
        let page = fs::read_to_string(PAGE)?;
        fs::write(
            PAGE,
            report::published(&page, &markdown).context("docs/performance.md has no place for the tables")?,
        )?;
        fs::write(CHART, chart)?;
    }
    println!("Written: result.json, result.svg and result.md in {}", root.display());
    Ok(())
}
