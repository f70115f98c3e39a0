//! A temporary PostgreSQL: created in a temporary folder, tuned for tests, removed afterwards.
//!
//! It listens on a Unix socket without a password, which only the owner of the folder can reach, and on 127.0.0.1 with TLS and a password:
//! otherwise every user of the machine could be its superuser, and run programs.

use std::fs::{self, OpenOptions};
use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::path::Path;
use std::process::Stdio;

use anyhow::{Context, Result, bail};
use tempfile::TempDir;

use crate::account::Account;
use crate::watchdog::Watchdog;
use crate::{binaries, certificates, process};

/// Used in this order. A collation unlike SQLite's bytewise one comes first, because production has such a collation and tests should find
/// differences; machines differ in what they support.
const LOCALES: [&[&str]; 4] = [
    &["--locale-provider=icu", "--icu-locale=en-US", "--locale=C"],
    &["--locale=en_US.UTF-8"],
    &["--locale=C.UTF-8"],
    &["--locale=C"],
];

/// Nothing survives the run, so nothing waits for the disk. Tests of several crates connect at the same time.
const SETTINGS: &str = "
fsync = off
synchronous_commit = off
full_page_writes = off
shared_buffers = 128MB
max_connections = 400
listen_addresses = '127.0.0.1'
ssl = on
";

/// On request, starts the server and reports the result; when xtask is done or has ended, stops the server and removes the folder.
/// `immediate` stops a server that a stuck session keeps running. A program that xtask ran may still write into the folder, so removing it
/// may need several attempts.
const SERVE_AND_REMOVE: &str = r#"
cd /
read -r word
if [ "$word" = start ]; then
    if "$1/pg_ctl" start -s -w -t 60 -D "$2/data" -l "$2/postgres.log"; then
        echo started
    else
        echo failed
    fi
    read -r word
    for mode in fast immediate; do "$1/pg_ctl" stop -s -w -t 20 -D "$2/data" -m "$mode" && break; done
fi
for attempt in 1 2 3 4 5; do rm -rf "$2" && break || sleep 1; done
"#;

/// A running server. Dropping it stops it and removes its data.
pub(crate) struct Server {
    // Declared before the folder, because fields are dropped in order, and the server must stop before its files are removed.
    _watchdog: Watchdog,
    folder: TempDir,
    port: u16,
    password: String,
}

impl Server {
    /// Creates and starts a server, and returns when it accepts connections.
    pub(crate) fn start() -> Result<Self> {
        let binaries = binaries::folder()?;
        let account = Account::choose()?;
        // Always /tmp: the path of a socket must be short, and the other account may not be able to enter TMPDIR.
        let folder = tempfile::Builder::new().prefix("fieldhouse-postgres-").tempdir_in("/tmp")?;
        account.give(folder.path())?;
        let mut watchdog = watch(&binaries, &account, folder.path())?;

        let password = certificates::password(&account, folder.path())?;
        certificates::write(&account, folder.path())?;
        initdb(&binaries, &account, folder.path(), &password)?;
        let port = free_port()?;
        configure(folder.path(), port)?;
        launch(&mut watchdog, folder.path())?;
        println!(
            "PostgreSQL of {} listens in {} and on port {port}.",
            binaries.display(),
            folder.path().display()
        );
        Ok(Self { _watchdog: watchdog, folder, port, password })
    }

    /// The environment of the tests: the URL of the socket, the URL for TLS, and the certificate authority's file.
    pub(crate) fn environment(&self) -> [(&'static str, String); 3] {
        let Self { port, password, .. } = self;
        let folder = self.folder.path().display().to_string();
        let host = folder.replace('/', "%2F");
        [
            ("FIELDHOUSE_TEST_POSTGRES", format!("postgres://postgres@{host}:{port}/postgres")),
            (
                "FIELDHOUSE_TEST_POSTGRES_TLS",
                format!("postgres://postgres:{password}@localhost:{port}/postgres?sslmode=require"),
            ),
            ("FIELDHOUSE_TEST_POSTGRES_CA", format!("{folder}/{}", certificates::AUTHORITY)),
        ]
    }

    /// Whether the server is running: it removes this file when it ends.
    pub(crate) fn is_running(&self) -> bool {
        self.folder.path().join("data/postmaster.pid").exists()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // Kept to find the cause of a failed test. The run does not need it.
        let log = self.folder.path().join("postgres.log");
        if let Err(error) = fs::create_dir_all("target").and_then(|()| fs::copy(log, "target/postgres.log")) {
            println!("warning: cannot keep the server's log in target/postgres.log: {error}");
        }
    }
}

fn initdb(binaries: &Path, account: &Account, folder: &Path, password: &str) -> Result<()> {
    fs::write(folder.join("password"), password)?;
    let mut complaints = Vec::new();
    for locale in LOCALES {
        let mut command = account.command(binaries.join("initdb"), folder);
        command.args(["--pgdata=data", "--username=postgres", "--pwfile=password"]);
        command.args(["--encoding=UTF8", "--no-sync"]);
        command.args(["--auth-local=trust", "--auth-host=scram-sha-256"]).args(locale);
        match process::output(&mut command) {
            Ok(_) => {
                println!("PostgreSQL's text order: {}", locale.join(" "));
                return Ok(());
            }
            Err(error) => complaints.push(error.to_string()),
        }
    }
    bail!("initdb created no database:\n{}", complaints.join("\n"))
}

/// A port that was free a moment ago. If another program takes it first, PostgreSQL reports it and stops.
fn free_port() -> Result<u16> {
    Ok(TcpListener::bind(("127.0.0.1", 0))?.local_addr()?.port())
}

fn configure(folder: &Path, port: u16) -> Result<()> {
    let (certificate, key) = (certificates::SERVER, certificates::SERVER_KEY);
    let at = folder.display();
    let mut file = OpenOptions::new().append(true).open(folder.join("data/postgresql.conf"))?;
    write!(
        file,
        "{SETTINGS}port = {port}
unix_socket_directories = '{at}'
ssl_cert_file = '{at}/{certificate}'
ssl_key_file = '{at}/{key}'
"
    )?;
    Ok(())
}

fn watch(binaries: &Path, account: &Account, folder: &Path) -> Result<Watchdog> {
    let mut shell = account.command("sh", folder);
    shell.args(["-c", SERVE_AND_REMOVE, "watchdog"]).arg(binaries).arg(folder);
    Watchdog::start(shell.stdout(Stdio::piped()).stderr(Stdio::null()))
}

fn launch(watchdog: &mut Watchdog, folder: &Path) -> Result<()> {
    watchdog.say("start")?;
    let mut answer = String::new();
    let stdout = watchdog.stdout().context("the watchdog has no output")?;
    BufReader::new(stdout).read_line(&mut answer)?;
    if answer.trim() != "started" {
        let log = fs::read_to_string(folder.join("postgres.log")).unwrap_or_default();
        bail!("the server does not start. Its log:\n{log}");
    }
    Ok(())
}
