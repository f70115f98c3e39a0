//! `cargo xtask bench`: compares the server with plain axum, which returns the same bytes, in alternating rounds.
//!
//! Absolute figures vary with the machine; the ratio of the two and the processor time for each request are comparable. The load is wrk
//! with 32 open connections. Every round checks that all responses were 200.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use clap::Args;
use tempfile::TempDir;

use crate::process::{self, cargo, on_path, output};

/// The rate limits, high enough that they are counted and never reached.
const NO_LIMIT: &str = "4000000000";
/// The number of seasons in the organization.
const SEASONS: usize = 20;

#[derive(Args)]
pub(crate) struct Options {
    /// How long each workload runs in a round, in seconds
    #[arg(long, default_value_t = 5)]
    seconds: u32,
    /// How often each workload is run
    #[arg(long, default_value_t = 3)]
    rounds: usize,
}

pub(crate) fn run(options: &Options) -> Result<()> {
    if on_path("wrk").is_none() {
        bail!("wrk is missing: install it with `apt-get install wrk` or `brew install wrk`");
    }
    process::run(cargo().args(["build", "--release", "--locked"]))?;
    process::run(cargo().args([
        "build",
        "--release",
        "--locked",
        "-p",
        "fieldhouse-server",
        "--example",
        "limit",
    ]))?;
    let folder = tempfile::tempdir()?;
    let server = Measured::fieldhouse(&folder)?;
    let key = prepare(&folder, &server)?;
    let header = format!("x-api-key: {key}");
    let path = "/api/v1/seasons?limit=20";
    let body = curl(&[&header], &format!("{}{path}", server.url))?;
    let bytes = folder.path().join("body.json");
    fs::write(&bytes, &body)?;
    let limit = Measured::limit(&bytes)?;
    let tag = entity_tag(&header, &format!("{}{path}", server.url))?;

    let workloads = [
        Workload {
            name: "limit: the same bytes from plain axum",
            server: &limit,
            path: "/",
            headers: vec![],
        },
        Workload { name: "GET /seasons, API key", server: &server, path, headers: vec![header.clone()] },
        Workload {
            name: "GET /seasons, API key, If-None-Match (304)",
            server: &server,
            path,
            headers: vec![header, format!("If-None-Match: {tag}")],
        },
    ];
    let mut rounds: Vec<Vec<Figures>> = Vec::new();
    for _ in 0..options.rounds {
        rounds
            .push(workloads.iter().map(|workload| workload.measure(options.seconds)).collect::<Result<_>>()?);
    }
    report(&workloads, &rounds, body.len());
    println!("Resident memory of the server afterwards: {} MB.", server.resident_megabytes()?);
    Ok(())
}

/// A server to measure. It is killed when this is dropped.
struct Measured {
    process: Child,
    url: String,
}

impl Drop for Measured {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn binary(name: &str) -> PathBuf {
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| PathBuf::from("target"), PathBuf::from);
    target.join("release").join(name)
}

impl Measured {
    fn fieldhouse(folder: &TempDir) -> Result<Self> {
        let ready = folder.path().join("ready.json");
        let mut command = Command::new(binary("fieldhouse"));
        command.args(["serve", "--demo", "--log", "info", "--listen", "127.0.0.1:0"]);
        command.arg("--data-dir").arg(folder.path().join("data")).arg("--ready-file").arg(&ready);
        for limit in ["key", "user", "organization", "address"] {
            command.arg(format!("--limit-{limit}")).arg(NO_LIMIT);
        }
        let started = Instant::now();
        let process = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
        let mut server = Self { process, url: String::new() };
        while !ready.exists() {
            ensure!(started.elapsed() < Duration::from_secs(30), "the server is not ready");
            std::thread::sleep(Duration::from_millis(1));
        }
        println!("Start to ready, demo and all: {} ms.", started.elapsed().as_millis());
        std::thread::sleep(Duration::from_secs(2));
        println!("Resident memory idle, catalogue loaded: {} MB.", server.resident_megabytes()?);
        server.url = text_of(&fs::read_to_string(&ready)?, "base_url")?;
        Ok(server)
    }

    fn limit(bytes: &Path) -> Result<Self> {
        let mut command = Command::new(binary("examples/limit"));
        let mut process = command.arg(bytes).stdin(Stdio::null()).stdout(Stdio::piped()).spawn()?;
        let mut url = String::new();
        BufReader::new(process.stdout.take().context("an output")?).read_line(&mut url)?;
        Ok(Self { process, url: url.trim().to_owned() })
    }

    fn resident_megabytes(&self) -> Result<u64> {
        let status = fs::read_to_string(format!("/proc/{}/status", self.process.id()))?;
        let line = status.lines().find(|line| line.starts_with("VmRSS")).context("no VmRSS")?;
        let kilobytes: u64 = line.split_whitespace().nth(1).context("no number")?.parse()?;
        Ok(kilobytes / 1024)
    }

    /// Processor time so far, in microseconds: clock ticks are hundredths of a second on Linux.
    fn processor_time(&self) -> Result<f64> {
        let stat = fs::read_to_string(format!("/proc/{}/stat", self.process.id()))?;
        let fields: Vec<&str> = stat.rsplit(')').next().context("no fields")?.split_whitespace().collect();
        let ticks =
            |at: usize| fields.get(at).and_then(|field| field.parse::<f64>().ok()).context("no ticks");
        Ok((ticks(11)? + ticks(12)?) * 10_000.0)
    }
}

/// Signs in, creates a key and the seasons.
fn prepare(folder: &TempDir, server: &Measured) -> Result<String> {
    let ready = fs::read_to_string(folder.path().join("ready.json"))?;
    let manager = ready.split("\"email\":\"manager@").nth(1).context("no manager")?;
    let password = text_of(&format!("{{{manager}"), "password")?;
    let tool = |arguments: &[&str]| {
        let mut command = Command::new(binary("fieldhouse"));
        command.args(arguments).env("XDG_CONFIG_HOME", folder.path()).env("FIELDHOUSE_URL", &server.url);
        output(&mut command)
    };
    tool(&["login", "manager@demo.example", &password])?;
    for number in 1..SEASONS {
        let name = format!("name=Season {number}");
        let day = format!("starts_on=20{:02}-03-01", number + 5);
        let zone = "time_zone=Australia/Melbourne";
        tool(&[
            "api",
            "POST",
            "/api/v1/seasons",
            "-F",
            &name,
            "-F",
            "sport=basketball",
            "-F",
            zone,
            "-F",
            &day,
        ])?;
    }
    tool(&["admin", "api-keys", "create", "--name", "bench"])
}

/// The string in a field of some JSON, without a parser.
fn text_of(json: &str, field: &str) -> Result<String> {
    let after = json.split(&format!("\"{field}\":\"")).nth(1).with_context(|| format!("no {field}"))?;
    Ok(after.split('"').next().unwrap_or_default().to_owned())
}

fn curl(headers: &[&str], url: &str) -> Result<String> {
    let mut command = Command::new("curl");
    command.args(["--silent", "--fail", "--show-error"]);
    for header in headers {
        command.args(["--header", header]);
    }
    output(command.arg(url))
}

fn entity_tag(header: &str, url: &str) -> Result<String> {
    let head = output(
        Command::new("curl")
            .args(["--silent", "--dump-header", "-", "--output", "/dev/null"])
            .args(["--header", header, url]),
    )?;
    let line = head.lines().find(|line| line.to_ascii_lowercase().starts_with("etag:")).context("no ETag")?;
    Ok(line.split_once(':').map(|(_, tag)| tag.trim().to_owned()).unwrap_or_default())
}

struct Workload<'a> {
    name: &'static str,
    server: &'a Measured,
    path: &'static str,
    headers: Vec<String>,
}

#[derive(Clone, Copy)]
struct Figures {
    requests_a_second: f64,
    processor_microseconds: f64,
    p50: f64,
    p99: f64,
}

impl Workload<'_> {
    fn measure(&self, seconds: u32) -> Result<Figures> {
        let before = self.server.processor_time()?;
        let mut command = Command::new("wrk");
        command
            .args(["--threads", "1", "--connections", "32", "--latency"])
            .arg(format!("--duration={seconds}s"));
        for header in &self.headers {
            command.args(["--header", header]);
        }
        let printed = output(command.arg(format!("{}{}", self.server.url, self.path)))?;
        ensure!(!printed.contains("Non-2xx"), "{}: not every response was 200:\n{printed}", self.name);
        let used = self.server.processor_time()? - before;
        let requests = number_before(&printed, " requests in ")?;
        Ok(Figures {
            requests_a_second: number_after(&printed, "Requests/sec:")?,
            processor_microseconds: used / requests,
            p50: milliseconds(&printed, "50%")?,
            p99: milliseconds(&printed, "99%")?,
        })
    }
}

fn number_after(text: &str, label: &str) -> Result<f64> {
    let after = text.split(label).nth(1).and_then(|after| after.split_whitespace().next());
    Ok(after.with_context(|| format!("wrk printed no {label}"))?.parse()?)
}

fn number_before(text: &str, label: &str) -> Result<f64> {
    let before = text.split(label).next().and_then(|before| before.split_whitespace().last());
    Ok(before.with_context(|| format!("wrk printed no {label}"))?.parse()?)
}

fn milliseconds(text: &str, label: &str) -> Result<f64> {
    let lines = text.lines().map(str::trim_start);
    let time = lines.filter_map(|line| line.strip_prefix(label)).map(str::trim).next();
    let time = time.with_context(|| format!("wrk printed no {label}"))?;
    let scale = |unit: &str, by: f64| {
        time.strip_suffix(unit).and_then(|number| number.parse::<f64>().ok()).map(|it| it * by)
    };
    scale("us", 0.001)
        .or_else(|| scale("ms", 1.0))
        .or_else(|| scale("s", 1000.0))
        .context("wrk printed no time")
}

fn report(workloads: &[Workload<'_>], rounds: &[Vec<Figures>], bytes: usize) {
    let median = |at: usize, figure: fn(&Figures) -> f64| {
        let mut all: Vec<f64> = rounds.iter().filter_map(|round| round.get(at)).map(figure).collect();
        all.sort_by(f64::total_cmp);
        all.get(all.len() / 2).copied().unwrap_or_default()
    };
    println!("\n{SEASONS} seasons, {bytes} bytes, 32 connections, medians of {} rounds:", rounds.len());
    println!("{:45} {:>10} {:>7} {:>9} {:>9} {:>9}", "", "requests/s", "ratio", "CPU µs", "p50 ms", "p99 ms");
    let limit = median(0, |figures| figures.requests_a_second);
    for (at, workload) in workloads.iter().enumerate() {
        let rate = median(at, |figures| figures.requests_a_second);
        println!(
            "{:45} {rate:>10.0} {:>7.2} {:>9.1} {:>9.2} {:>9.2}",
            workload.name,
            rate / limit,
            median(at, |figures| figures.processor_microseconds),
            median(at, |figures| figures.p50),
            median(at, |figures| figures.p99),
        );
    }
}
