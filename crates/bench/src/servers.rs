//! The servers that are measured: Fieldhouse, and the limit. Each is a process that is stopped when it is dropped.

use std::env;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use rustix::process::{Pid, Signal};
use serde_json::Value;

use crate::limit::Fixed;
use crate::tools;

/// How many requests a minute the server is told to allow, so that its limits are counted and never reached.
const NO_LIMIT: &str = "4000000000";
/// The options of its limits.
const LIMITS: [&str; 7] = ["key", "user", "organization", "address", "sign-in", "refresh", "guests"];
/// How long a start may take.
const PATIENCE: Duration = Duration::from_mins(2);
/// How long a stop may take.
const STOPPING: Duration = Duration::from_secs(20);
/// How long after a start the server's jobs have run for the first time: the first of them begin after five seconds.
const FIRST_JOBS: Duration = Duration::from_secs(6);
/// How long a server that has settled uses no processor.
const QUIET: Duration = Duration::from_millis(700);
/// Microseconds of a tick of the processor clock: Linux counts hundredths of a second.
const TICK: f64 = 10_000.0;

/// A running server.
pub(crate) struct Server {
    process: Child,
    started: Instant,
    /// Where it listens.
    pub(crate) url: String,
    /// How long it took to accept requests.
    pub(crate) ready_after: Duration,
}

impl Drop for Server {
    /// Asks it to stop, so that a program that counts for `cargo xtask release` writes what it has counted.
    fn drop(&mut self) {
        let _ = rustix::process::kill_process(Pid::from_child(&self.process), Signal::TERM);
        let asked = Instant::now();
        while let Ok(None) = self.process.try_wait() {
            if asked.elapsed() > STOPPING {
                let _ = self.process.kill();
            }
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

/// How Fieldhouse is started.
#[derive(Clone, Debug)]
pub(crate) struct Start<'a> {
    /// The program.
    pub(crate) program: &'a Path,
    /// The data folder.
    pub(crate) folder: &'a Path,
    /// The database on PostgreSQL.
    pub(crate) database: Option<&'a str>,
    /// Further arguments, such as `--cache-bytes 0`.
    pub(crate) more: &'a [&'a str],
}

/// The `fieldhouse` of the release build.
pub(crate) fn release() -> PathBuf {
    tools::target().join("release/fieldhouse")
}

impl Server {
    /// Starts Fieldhouse, and waits until it accepts requests. Its log is beside the data folder.
    pub(crate) fn fieldhouse(start: &Start<'_>) -> Result<Self> {
        let (ready, log) = (start.folder.with_extension("ready.json"), start.folder.with_extension("log"));
        if ready.exists() {
            fs::remove_file(&ready)?;
        }
        let mut command = Command::new(start.program);
        command.args(["serve", "--listen", "127.0.0.1:0", "--log", "info"]);
        command.arg("--data-dir").arg(start.folder).arg("--ready-file").arg(&ready);
        command.args(LIMITS.iter().flat_map(|limit| [format!("--limit-{limit}"), NO_LIMIT.to_owned()]));
        command.args(["--connections-per-address", "0"]).args(start.more);
        if let Some(url) = start.database {
            // On SQLite, mail is written to the data folder by default.
            command.args(["--database-url", url]).arg("--mail-dir").arg(start.folder.with_extension("mail"));
        }
        for (name, _) in env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("FIELDHOUSE_"))
        {
            command.env_remove(name);
        }
        let program = start.program.display();
        let file = fs::File::create(&log)?;
        let started = Instant::now();
        let process = command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(file)
            .spawn()
            .with_context(|| format!("cannot start {program}: build it with `cargo build --release`"))?;
        let mut server = Self { process, started, url: String::new(), ready_after: Duration::ZERO };
        while !ready.exists() {
            let ended = server.process.try_wait()?.is_some();
            let in_time = started.elapsed() < PATIENCE;
            ensure!(!ended && in_time, "{program} is not ready:\n{}", fs::read_to_string(&log)?);
            std::thread::sleep(Duration::from_millis(1));
        }
        server.ready_after = started.elapsed();
        let document: Value = serde_json::from_str(&fs::read_to_string(&ready)?)?;
        document["base_url"].as_str().context("the ready file has no URL")?.clone_into(&mut server.url);
        Ok(server)
    }

    /// Starts the limit with these responses.
    pub(crate) fn limit(folder: &Path, responses: &[Fixed]) -> Result<Self> {
        let file = folder.join("limit.json");
        fs::write(&file, serde_json::to_vec(responses)?)?;
        let started = Instant::now();
        let mut process = Command::new(env::current_exe()?)
            .arg("limit")
            .arg(&file)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()?;
        let mut url = String::new();
        BufReader::new(process.stdout.take().context("an output")?).read_line(&mut url)?;
        ensure!(url.starts_with("http"), "the limit server did not start");
        Ok(Self { process, started, url: url.trim().to_owned(), ready_after: started.elapsed() })
    }

    /// Waits until it has finished what it does after a start, such as the retention of every organization.
    pub(crate) fn settle(&self) -> Result<()> {
        std::thread::sleep(FIRST_JOBS.saturating_sub(self.started.elapsed()));
        let started = Instant::now();
        let mut before = self.processor_time()?;
        while started.elapsed() < PATIENCE {
            std::thread::sleep(QUIET);
            let now = self.processor_time()?;
            if now - before <= TICK {
                break;
            }
            before = now;
        }
        Ok(())
    }

    /// Its process id.
    pub(crate) fn id(&self) -> u32 {
        self.process.id()
    }

    /// Resident memory in megabytes, without the pages of the database that are mapped: the system has them in memory in any case, and counts
    /// them once for each thread that maps them.
    pub(crate) fn resident_megabytes(&self) -> Result<f64> {
        let maps = fs::read_to_string(format!("/proc/{}/smaps", self.id()))?;
        let (mut is_counted, mut kilobytes) = (true, 0.0);
        for line in maps.lines() {
            // A mapping begins with its addresses, in lower case. Its figures follow.
            if !line.starts_with(|first: char| first.is_ascii_uppercase()) {
                is_counted = !line.ends_with("fieldhouse.db");
            } else if let Some(size) = line.strip_prefix("Rss:").filter(|_| is_counted) {
                kilobytes += size.trim().trim_end_matches(" kB").parse::<f64>()?;
            }
        }
        Ok(kilobytes / 1024.0)
    }

    /// Processor time so far, in microseconds.
    pub(crate) fn processor_time(&self) -> Result<f64> {
        processor_time(&self.id().to_string())
    }
}

/// Processor time of a process so far, in microseconds. `self` is this one.
pub(crate) fn processor_time(process: &str) -> Result<f64> {
    let stat = fs::read_to_string(format!("/proc/{process}/stat"))?;
    let fields: Vec<&str> = stat.rsplit(')').next().context("no fields")?.split_whitespace().collect();
    let ticks = |at: usize| fields.get(at).and_then(|field| field.parse::<f64>().ok()).context("no ticks");
    Ok((ticks(11)? + ticks(12)?) * TICK)
}
