//! A server process, and a user at a command line.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use fieldhouse_testing::databases::{Database, both_blank};
use serde_json::Value;
use tempfile::TempDir;

/// Runs a test on both engines, each with a data folder of its own.
pub(crate) fn on_both(test: impl Fn(&Place)) {
    for database in both_blank() {
        test(&Place { folder: tempfile::tempdir().expect("a folder"), database });
    }
}

/// The places of a server's data.
pub(crate) struct Place {
    pub(crate) folder: TempDir,
    pub(crate) database: Database,
}

impl Place {
    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// The data folder, which also holds the key ring.
    pub(crate) fn data_dir(&self) -> &Path {
        self.database.folder().unwrap_or(self.folder())
    }

    pub(crate) fn database(&self) -> &Database {
        &self.database
    }

    /// A command on the server's machine, with the options for its data.
    pub(crate) fn operates(&self, arguments: &[&str]) -> Command {
        let mut command = fieldhouse(self.folder());
        command.args(arguments).env("FIELDHOUSE_LOG", "error").env("FIELDHOUSE_DATA_DIR", self.data_dir());
        if let Some(url) = self.database.url() {
            command
                .env("FIELDHOUSE_DATABASE_URL", url)
                .env("FIELDHOUSE_MAIL_DIR", self.folder().join("mail"));
        }
        command
    }

    /// Starts a server and waits until it is ready.
    pub(crate) fn serve(&self, arguments: &[&str]) -> Server {
        self.serve_with(arguments, &[])
    }

    /// The same with additional environment variables.
    pub(crate) fn serve_with(&self, arguments: &[&str], variables: &[(&str, &str)]) -> Server {
        let ready_file = self.folder().join("ready.json");
        let _ = std::fs::remove_file(&ready_file);
        let mut command = self.operates(&["serve", "--listen", "127.0.0.1:0", "--ready-file"]);
        command.arg(&ready_file).args(arguments).envs(variables.iter().copied());
        command.stdout(Stdio::null()).stderr(Stdio::inherit());
        let mut process = command.spawn().expect("the server starts");
        let started = Instant::now();
        loop {
            if let Ok(text) = std::fs::read_to_string(&ready_file) {
                let ready = serde_json::from_str(&text).expect("the ready file is JSON");
                return Server { process, ready };
            }
            let ended = process.try_wait().expect("the server's state is known");
            assert!(ended.is_none(), "the server ended: {ended:?}");
            assert!(started.elapsed() < Duration::from_mins(1), "the server is not ready");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// A user at a command line, with their own home folder.
    pub(crate) fn person<'a>(&'a self, server: &'a Server, name: &str) -> Person<'a> {
        Person { home: self.folder().join(name), server }
    }
}

fn fieldhouse(home: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_fieldhouse"));
    command.env_clear().env("TZ", "UTC").env("XDG_CONFIG_HOME", home).stdin(Stdio::null());
    command
}

/// A running server. It is killed when this is dropped.
pub(crate) struct Server {
    process: Child,
    /// The content of its ready file.
    pub(crate) ready: Value,
}

impl Server {
    pub(crate) fn base_url(&self) -> &str {
        self.ready["base_url"].as_str().expect("an address")
    }

    /// The e-mail address and password of a demo's user.
    pub(crate) fn account(&self, role: &str) -> (&str, &str) {
        let accounts = self.ready["accounts"].as_array().expect("accounts");
        let account =
            accounts.iter().find(|account| account["role"] == role).expect("an account of that role");
        (account["email"].as_str().expect("an address"), account["password"].as_str().expect("a password"))
    }

    /// Kills the process (SIGKILL).
    pub(crate) fn kill(&mut self) {
        self.process.kill().expect("the server is killed");
        self.process.wait().expect("the server is gone");
    }

    /// Stops the process (SIGTERM) and waits for its end.
    pub(crate) fn stop(mut self) {
        let id = self.process.id().to_string();
        let asked = Command::new("kill").args(["-TERM", &id]).status().expect("the server is asked to stop");
        assert!(asked.success());
        let ended = self.process.wait().expect("the server stops");
        assert!(ended.success(), "{ended}");
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// A user at a command line.
pub(crate) struct Person<'a> {
    home: std::path::PathBuf,
    server: &'a Server,
}

/// The output of a command.
#[derive(Debug)]
pub(crate) struct Printed {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) error: String,
}

impl Printed {
    /// The output as JSON.
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.out).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }
}

impl Person<'_> {
    /// Runs a command that must succeed.
    pub(crate) fn types(&self, arguments: &[&str]) -> Printed {
        let printed = self.tries(arguments, None);
        assert_eq!(printed.code, 0, "{arguments:?} {printed:?}");
        printed
    }

    /// Runs a command, with or without an API key in the environment.
    pub(crate) fn tries(&self, arguments: &[&str], key: Option<&str>) -> Printed {
        let mut command = fieldhouse(&self.home);
        command.args(arguments).env("FIELDHOUSE_URL", self.server.base_url());
        if let Some(key) = key {
            command.env("FIELDHOUSE_API_KEY", key);
        }
        run(command)
    }
}

/// Runs a command to completion.
pub(crate) fn run(mut command: Command) -> Printed {
    let output = command.output().expect("the command runs");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("text");
    Printed { code: output.status.code().unwrap_or(-1), out: text(output.stdout), error: text(output.stderr) }
}
