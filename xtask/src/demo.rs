//! A served demo, for programs that use the API from outside.

use std::fs;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use serde_json::Value;
use tempfile::TempDir;

use crate::process::cargo;

/// The file that the server writes when it accepts requests.
const READY: &str = "ready.json";
/// The rate limits, high enough that they are never reached.
const NO_LIMIT: &str = "4000000000";

/// A running demo. It is killed and its data is removed when this is dropped.
pub(crate) struct Demo {
    process: Child,
    ready: Value,
    folder: TempDir,
}

impl Demo {
    /// Builds the server and starts it.
    pub(crate) fn start() -> Result<Self> {
        crate::process::run(cargo().args(["build", "--locked"]))?;
        Self::start_built("debug", None)
    }

    /// Starts the server of the release build, which exists.
    pub(crate) fn start_release(database: Option<&str>) -> Result<Self> {
        Self::start_built("release", database)
    }

    fn start_built(profile: &str, database: Option<&str>) -> Result<Self> {
        let folder = tempfile::tempdir()?;
        let file = folder.path().join(READY);
        let mut command = Command::new(crate::process::target().join(profile).join("fieldhouse"));
        command.args(["serve", "--demo", "--listen", "127.0.0.1:0", "--log", "warn", "--data-dir"]);
        command.arg(folder.path().join("data")).arg("--ready-file").arg(&file);
        for limit in ["key", "user", "organization", "address", "guests"] {
            command.arg(format!("--limit-{limit}")).arg(NO_LIMIT);
        }
        command.args(database.into_iter().flat_map(|url| ["--database-url", url]));
        let process = command.stdin(Stdio::null()).stdout(Stdio::null()).spawn()?;
        let mut demo = Self { process, ready: Value::Null, folder };
        let started = Instant::now();
        while !file.exists() {
            ensure!(demo.process.try_wait()?.is_none(), "the server has ended");
            ensure!(started.elapsed() < Duration::from_mins(1), "the server is not ready");
            sleep(Duration::from_millis(20));
        }
        demo.ready = serde_json::from_str(&fs::read_to_string(&file)?)?;
        Ok(demo)
    }

    /// The file with its URL and its accounts.
    pub(crate) fn ready_file(&self) -> PathBuf {
        self.folder.path().join(READY)
    }

    /// The folder to which it sends mail.
    pub(crate) fn mail(&self) -> PathBuf {
        self.folder.path().join("data/mail")
    }

    /// Its URL.
    pub(crate) fn url(&self) -> Result<&str> {
        self.ready["base_url"].as_str().context("the ready file names no address")
    }

    /// Environment variables for programs that use the API: the URL and the account of an admin, who may read every list.
    pub(crate) fn environment(&self) -> Result<[(&'static str, String); 3]> {
        let accounts = self.ready["accounts"].as_array().context("the ready file names no accounts")?;
        let admin = accounts.iter().find(|account| account["role"] == "admin").context("no admin")?;
        let text = |name: &str| admin[name].as_str().map(str::to_owned).context("an incomplete account");
        Ok([
            ("FIELDHOUSE_URL", self.url()?.to_owned()),
            ("FIELDHOUSE_EMAIL", text("email")?),
            ("FIELDHOUSE_PASSWORD", text("password")?),
        ])
    }
}

impl Drop for Demo {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
