//! The servers that are measured: Fieldhouse with its demo, and plain axum.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use crate::process::output;

/// How many requests a minute the server is told to allow, so that its limits are counted and never reached.
const NO_LIMIT: &str = "4000000000";
/// The file that a server writes when it accepts requests.
pub(super) const READY: &str = "ready.json";
/// How many seasons the organization has.
const SEASONS: usize = 20;

/// A server that is measured. It is killed when this is dropped.
pub(super) struct Program {
    process: Child,
    pub(super) url: String,
    /// An API key of a manager; empty for plain axum.
    pub(super) key: String,
    /// What [`READY`] contains; null for plain axum.
    ready: Value,
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// A program of the release build.
pub(super) fn binary(name: &str) -> PathBuf {
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| PathBuf::from("target"), PathBuf::from);
    target.join("release").join(name)
}

impl Program {
    /// Starts a server with its demo, and prepares what is measured.
    pub(super) fn fieldhouse(path: &Path, folder: &Path, database: Option<&str>) -> Result<Self> {
        let mut program = Self::demo(path, folder, database)?;
        program.key = program.prepare(path, folder)?;
        println!("Resident memory idle, catalogue loaded: {} MB.", program.resident_megabytes()?);
        Ok(program)
    }

    /// Starts a server with its demo, which writes [`READY`] to the folder.
    pub(super) fn demo(path: &Path, folder: &Path, database: Option<&str>) -> Result<Self> {
        let ready = folder.join(READY);
        let mut command = Command::new(path);
        command.args(["serve", "--demo", "--log", "info", "--listen", "127.0.0.1:0"]);
        command.arg("--data-dir").arg(folder.join("data")).arg("--ready-file").arg(&ready);
        if let Some(url) = database {
            command.args(["--database-url", url]);
        }
        let help = output(Command::new(path).args(["serve", "--help"]))?;
        for limit in ["key", "user", "organization", "address", "guests"] {
            let option = format!("--limit-{limit}");
            if help.contains(&option) {
                command.args([&option, NO_LIMIT]);
            }
        }
        let started = Instant::now();
        let log = fs::File::create(folder.join("log"))?;
        let process = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(log).spawn()?;
        let mut program = Self { process, url: String::new(), key: String::new(), ready: Value::Null };
        while !ready.exists() {
            let ended = program.process.try_wait()?.is_some();
            let late = started.elapsed() > Duration::from_secs(30);
            ensure!(!ended && !late, "the server is not ready:\n{}", fs::read_to_string(folder.join("log"))?);
            std::thread::sleep(Duration::from_millis(1));
        }
        println!("{}: ready after {} ms.", path.display(), started.elapsed().as_millis());
        program.ready = serde_json::from_str(&fs::read_to_string(&ready)?)?;
        program.ready["base_url"].as_str().context("no address")?.clone_into(&mut program.url);
        Ok(program)
    }

    /// Starts plain axum, which answers every request with the bytes of a file.
    pub(super) fn limit(bytes: &Path) -> Result<Self> {
        let mut command = Command::new(binary("examples/limit"));
        let mut process = command.arg(bytes).stdin(Stdio::null()).stdout(Stdio::piped()).spawn()?;
        let mut url = String::new();
        BufReader::new(process.stdout.take().context("an output")?).read_line(&mut url)?;
        Ok(Self { process, url: url.trim().to_owned(), key: String::new(), ready: Value::Null })
    }

    /// Signs in, and creates a key and the seasons.
    fn prepare(&self, path: &Path, folder: &Path) -> Result<String> {
        let accounts = self.ready["accounts"].as_array().context("no accounts")?;
        let manager = accounts.iter().find(|account| account["role"] == "manager").context("no manager")?;
        let [email, password] =
            ["email", "password"].map(|field| manager[field].as_str().unwrap_or_default());
        let tool = |arguments: &[&str]| {
            let mut command = Command::new(path);
            command.args(arguments).env("XDG_CONFIG_HOME", folder).env("FIELDHOUSE_URL", &self.url);
            output(&mut command)
        };
        tool(&["login", email, password])?;
        for number in 1..SEASONS {
            let name = format!("name=Season {number}");
            let day = format!("starts_on=20{:02}-03-01", number + 5);
            let zone = "time_zone=Australia/Melbourne";
            let fields = ["-F", &name, "-F", "sport=basketball", "-F", zone, "-F", &day];
            tool(&[&["api", "POST", "/api/v1/seasons"], &fields[..]].concat())?;
        }
        Ok(tool(&["admin", "api-keys", "create", "--name", "bench"])?.trim().to_owned())
    }

    pub(super) fn resident_megabytes(&self) -> Result<u64> {
        let status = fs::read_to_string(format!("/proc/{}/status", self.process.id()))?;
        let line = status.lines().find(|line| line.starts_with("VmRSS")).context("no VmRSS")?;
        let kilobytes: u64 = line.split_whitespace().nth(1).context("no number")?.parse()?;
        Ok(kilobytes / 1024)
    }

    /// Processor time so far, in microseconds: clock ticks are hundredths of a second on Linux.
    pub(super) fn processor_time(&self) -> Result<f64> {
        let stat = fs::read_to_string(format!("/proc/{}/stat", self.process.id()))?;
        let fields: Vec<&str> = stat.rsplit(')').next().context("no fields")?.split_whitespace().collect();
        let ticks =
            |at: usize| fields.get(at).and_then(|field| field.parse::<f64>().ok()).context("no ticks");
        Ok((ticks(11)? + ticks(12)?) * 10_000.0)
    }
}
