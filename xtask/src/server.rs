//! A temporary PostgreSQL: created in a temporary folder, tuned for tests, removed afterwards.
//!
//! It listens on a Unix socket without a password, which only the owner of the folder can reach, and on 127.0.0.1 with TLS and a password:
//! otherwise every user of the machine could be its superuser, and run programs.

use std::fs::{self, OpenOptions, Permissions};
use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

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

/// Tests of several crates connect at the same time.
const SETTINGS: &str = "
shared_buffers = 128MB
max_connections = 400
listen_addresses = '127.0.0.1'
ssl = on
";

/// The file with our settings, beside PostgreSQL's own.
const OWN_SETTINGS: &str = "fieldhouse.conf";

/// For data sets that are larger than the buffers of tests, and written at once.
const KEPT: &str = "
shared_buffers = 1GB
max_wal_size = 4GB
";

/// For tests: nothing survives the run, so nothing waits for the disk, and little of the log is kept.
const NOT_DURABLE: &str = "
fsync = off
synchronous_commit = off
full_page_writes = off
wal_level = minimal
max_wal_senders = 0
max_wal_size = 256MB
";

/// Where the data of tests is if there is room. Each test has a database of a thousand files, and ext4 takes 0.4 s to create them after
/// the files of another were removed, because it looks for inodes that were not in use a moment ago.
const MEMORY: &str = "/dev/shm";
/// The room that tests need.
const MEMORY_BYTES: u64 = 2 << 30;
/// Where it is otherwise. Always here: the path of a socket must be short, and the other account may not be able to enter TMPDIR.
const DISK: &str = "/tmp";

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
        let has_room = rustix::fs::statvfs(MEMORY).is_ok_and(|it| it.f_bavail * it.f_frsize >= MEMORY_BYTES);
        Self::start_with(if has_room { MEMORY } else { DISK }, NOT_DURABLE)
    }

    /// The same with the durability of a real server, for benchmarks.
    pub(crate) fn start_durable() -> Result<Self> {
        Self::start_with(DISK, "")
    }

    /// The same with data that is kept in a folder, for benchmarks whose data sets take long to make. Only the socket, the log and the
    /// certificates are temporary.
    pub(crate) fn start_kept(keeper: &Path) -> Result<Self> {
        let version = binaries::version(&binaries::folder()?)?;
        let data = keeper.join(format!("postgres-{version}"));
        fs::create_dir_all(&data)?;
        Self::start_in(DISK, KEPT, Some(&data.canonicalize()?))
    }

    fn start_with(place: &str, settings: &str) -> Result<Self> {
        Self::start_in(place, settings, None)
    }

    /// Starts a server whose data is in the temporary folder, or in `kept`, to which the folder has a link.
    fn start_in(place: &str, settings: &str, kept: Option<&Path>) -> Result<Self> {
        let binaries = binaries::folder()?;
        let account = Account::choose()?;
        let folder = tempfile::Builder::new().prefix("fieldhouse-postgres-").tempdir_in(place)?;
        account.give(folder.path())?;
        if let Some(kept) = kept {
            account.give(kept)?;
            fs::set_permissions(kept, Permissions::from_mode(0o700))?;
            symlink(kept, folder.path().join("data"))?;
        }
        let mut watchdog = watch(&binaries, &account, folder.path())?;

        let password = certificates::password(&account, folder.path())?;
        certificates::write(&account, folder.path())?;
        if !folder.path().join("data/PG_VERSION").exists() {
            initdb(&binaries, &account, folder.path(), &password)?;
        }
        let port = free_port()?;
        configure(folder.path(), port, settings)?;
        launch(&mut watchdog, folder.path())?;
        println!(
            "PostgreSQL of {} listens in {} and on port {port}.",
            binaries.display(),
            folder.path().display()
        );
        Ok(Self { _watchdog: watchdog, folder, port, password })
    }

    /// Creates an empty database, and returns its URL.
    pub(crate) fn create_database(&self, name: &str) -> Result<String> {
        let mut command = Command::new(binaries::folder()?.join("createdb"));
        command.arg("--host").arg(self.folder.path()).args(["--port", &self.port.to_string()]);
        process::output(command.args(["--username=postgres", name]))?;
        Ok(self.url(name))
    }

    /// The file with its log.
    pub(crate) fn log(&self) -> PathBuf {
        self.folder.path().join("postgres.log")
    }

    /// The URL of a database.
    pub(crate) fn url(&self, database: &str) -> String {
        let host = self.folder.path().display().to_string().replace('/', "%2F");
        format!("postgres://postgres@{host}:{}/{database}", self.port)
    }

    /// The environment of the tests: the URL of the socket, the URL for TLS, and the certificate authority's file.
    pub(crate) fn environment(&self) -> [(&'static str, String); 3] {
        let Self { port, password, .. } = self;
        let folder = self.folder.path().display().to_string();
        [
            ("FIELDHOUSE_TEST_POSTGRES", self.url("postgres")),
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
        let log = self.log();
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

fn configure(folder: &Path, port: u16, settings: &str) -> Result<()> {
    let (certificate, key) = (certificates::SERVER, certificates::SERVER_KEY);
    let at = folder.display();
    // Kept data has the line of an earlier start.
    let main = folder.join("data/postgresql.conf");
    let include = format!("include = '{OWN_SETTINGS}'\n");
    if !fs::read_to_string(&main)?.contains(&include) {
        OpenOptions::new().append(true).open(&main)?.write_all(include.as_bytes())?;
    }
    let mut file = fs::File::create(folder.join("data").join(OWN_SETTINGS))?;
    write!(
        file,
        "{SETTINGS}{settings}port = {port}
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
