//! The load: one run of wrk with a script, and what it measured.
//!
//! wrk picks requests from a file in a seeded order (`wrk.lua`), so that every server receives the same mix. To measure something else of a
//! run, add it to the line that the script prints and to [`Run`].

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use serde::Deserialize;

use crate::requests::Requests;
use crate::tools;

/// The script that wrk runs.
const SCRIPT: &str = include_str!("wrk.lua");
/// The number of connections of a workload.
pub(crate) const CONNECTIONS: u32 = 32;

/// What wrk printed about one run.
#[derive(Clone, Copy, Debug, Deserialize)]
pub(crate) struct Run {
    microseconds: f64,
    /// The number of responses.
    pub(crate) requests: f64,
    /// The median latency in microseconds.
    pub(crate) p50: f64,
    /// The 99th percentile of the latency in microseconds.
    pub(crate) p99: f64,
    connect: u64,
    read: u64,
    write: u64,
    status: u64,
    timeout: u64,
}

impl Run {
    /// Responses a second.
    pub(crate) fn rate(&self) -> f64 {
        self.requests * 1e6 / self.microseconds
    }

    /// Parses the line of the script, which is the last one that wrk printed.
    fn parse(printed: &str, refused: bool) -> Result<Self> {
        let line =
            printed.lines().rev().find(|line| line.starts_with('{')).context("wrk printed no figures")?;
        let run: Self = serde_json::from_str(line).with_context(|| format!("wrk printed {line}"))?;
        let Self { connect, read, write, status, timeout, .. } = run;
        #[expect(clippy::cast_precision_loss, reason = "a run has fewer responses")]
        let errors = status as f64;
        if refused {
            ensure!(errors >= run.requests, "{} responses had a status of success", run.requests - errors);
        } else {
            ensure!(status == 0, "{status} responses had a status that is not a success");
        }
        ensure!(connect + read + write + timeout == 0, "requests failed: {line}");
        ensure!(run.requests > 0.0, "no request had a response");
        Ok(run)
    }
}

/// How long a run lasts, from how many connections, and which requests it starts with.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shape {
    /// Seconds.
    pub(crate) seconds: u32,
    /// Connections.
    pub(crate) connections: u32,
    /// The seed of the order of the requests.
    pub(crate) seed: u64,
    /// The number that the bodies' counter starts after.
    pub(crate) first: u64,
    /// Whether every response must be an error, and not a success.
    pub(crate) refused: bool,
}

/// Runs wrk on one processor against a server.
pub(crate) fn run(folder: &Path, url: &str, requests: &Requests, shape: Shape) -> Result<Run> {
    let (script, file) = (folder.join("wrk.lua"), folder.join("requests.txt"));
    fs::write(&script, SCRIPT)?;
    fs::write(&file, requests.text())?;
    let mut command = wrk()?;
    command.args(["--threads", "1", "--timeout", "10s"]);
    command.args(["--connections", &shape.connections.to_string()]);
    command.arg(format!("--duration={}s", shape.seconds));
    command.arg("--script").arg(&script).arg(url).arg("--").arg(&file);
    command.args([shape.seed.to_string(), shape.first.to_string()]);
    Run::parse(&tools::output(&mut command)?, shape.refused)
}

/// wrk, on the machine's last processor if `taskset` is installed.
fn wrk() -> Result<Command> {
    tools::require("wrk", "wrk")?;
    if tools::on_path("taskset").is_none() {
        return Ok(Command::new("wrk"));
    }
    let last = std::thread::available_parallelism().map_or(0, |count| count.get() - 1);
    let mut command = Command::new("taskset");
    command.args(["--cpu-list", &last.to_string(), "wrk"]);
    Ok(command)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINE: &str = r#"{"microseconds":2000000,"requests":100,"bytes":9,"p50":10.5,"p99":20,"connect":0,"read":0,"write":0,"status":0,"timeout":0}"#;

    #[test]
    fn the_last_line_has_the_figures() {
        let run = Run::parse(&format!("Running 1s test\n{LINE}\n"), false).expect("a run");
        assert!((run.rate() - 50.0).abs() < 1e-9 && (run.p50 - 10.5).abs() < 1e-9);
    }

    #[test]
    fn a_wrong_status_fails_the_run() {
        let wrong = LINE.replace(r#""status":0"#, r#""status":3"#);
        let error = Run::parse(&wrong, false).expect_err("it fails").to_string();
        assert_eq!(error, "3 responses had a status that is not a success");
        assert!(Run::parse("nothing", false).is_err());
        let error = Run::parse(&wrong, true).expect_err("it fails").to_string();
        assert_eq!(error, "97 responses had a status of success");
        assert!(Run::parse(&LINE.replace(r#""status":0"#, r#""status":100"#), true).is_ok());
    }
}
