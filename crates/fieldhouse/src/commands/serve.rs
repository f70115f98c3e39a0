//! `fieldhouse serve`: the server.

use std::io::ErrorKind;
use std::net::SocketAddr;
use std::num::NonZeroU32;
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::Context as _;
use clap::{Args, ValueEnum};
use fieldhouse_server::auth::limits::LimitOptions;
use fieldhouse_server::{App, Clock, listener, router, workers};
use fieldhouse_store::{Engine, organizations};
use serde_json::json;
use tokio::net::TcpListener;
use tracing_subscriber::EnvFilter;

use crate::database::Database;
use crate::demo::{self, Demo};
use crate::failure::Failure;
use crate::log;
use crate::output::note;

#[derive(Args)]
pub(crate) struct Options {
    #[command(flatten)]
    database: Database,
    /// The address to listen on; port 0 picks a free one
    #[arg(long, env = "FIELDHOUSE_LISTEN", default_value = "127.0.0.1:8080", value_name = "ADDRESS")]
    listen: SocketAddr,
    /// The address under which clients reach the server, where it is another than the one it listens on
    #[arg(long, env = "FIELDHOUSE_PUBLIC_URL", value_name = "URL")]
    public_url: Option<String>,
    /// Serve a demo: an organization with a real league, the college catalogue, and a user for each role
    ///
    /// Its data goes to a folder that is thrown away at the end, unless --data-dir or --database-url is given.
    #[arg(long)]
    demo: bool,
    /// Once requests are accepted, write the address, the demo's accounts and the process id there as JSON; it is removed at a start and at
    /// a stop
    #[arg(long, value_name = "FILE")]
    ready_file: Option<PathBuf>,
    #[command(flatten)]
    limits: Limits,
    /// What is logged: a level, or levels by module as in `info,fieldhouse_server=debug`
    #[arg(long, env = "FIELDHOUSE_LOG", value_name = "FILTER")]
    log: Option<String>,
    /// How log lines are written
    #[arg(long, env = "FIELDHOUSE_LOG_FORMAT", value_enum, default_value_t = LogFormat::Json)]
    log_format: LogFormat,
}

/// How many requests a minute each may make.
#[derive(Args)]
struct Limits {
    /// Requests a minute of an API key
    #[arg(long = "limit-key", env = "FIELDHOUSE_LIMIT_KEY", default_value_t = LimitOptions::default().key, value_name = "NUMBER")]
    key: NonZeroU32,
    /// Requests a minute of a user
    #[arg(long = "limit-user", env = "FIELDHOUSE_LIMIT_USER", default_value_t = LimitOptions::default().user, value_name = "NUMBER")]
    user: NonZeroU32,
    /// Requests a minute of an organization
    #[arg(long = "limit-organization", env = "FIELDHOUSE_LIMIT_ORGANIZATION", default_value_t = LimitOptions::default().organization, value_name = "NUMBER")]
    organization: NonZeroU32,
    /// Requests a minute of an address without a credential
    #[arg(long = "limit-address", env = "FIELDHOUSE_LIMIT_ADDRESS", default_value_t = LimitOptions::default().address, value_name = "NUMBER")]
    address: NonZeroU32,
}

#[derive(Clone, Copy, ValueEnum)]
enum LogFormat {
    /// One JSON object a line, for machines
    Json,
    /// One line of text each, for people
    Text,
}

pub(crate) async fn run(mut options: Options) -> anyhow::Result<()> {
    let _log = start_log(&options)?;
    // Who waits for the file must not find that of a server that is gone.
    remove_ready_file(&options)?;
    // Dropped last of all: the folder goes when everything in it is closed.
    let throw_away = throw_away_folder(&mut options)?;
    let opened = options.database.open().await?;
    let demo =
        if options.demo { Some(demo::prepare(&opened, options.database.folder()).await?) } else { None };
    if !organizations::any(&mut &opened.store).await? {
        let next = "make the first organization: fieldhouse init --organization NAME --owner EMAIL, or try fieldhouse serve --demo";
        return Err(Failure::new("this server holds no organization yet").next(next).into());
    }
    let listener = listen(options.listen).await?;
    let base_url = match &options.public_url {
        Some(url) => url.trim_end_matches('/').to_owned(),
        None => format!("http://{}", listener.local_addr()?),
    };
    let store = Arc::new(opened.store);
    let app = App::new(store.clone(), opened.key_ring, &base_url, options.limits.options(), Clock::system())
        .map_err(anyhow::Error::msg)?;
    let router = router::router(app.clone()).map_err(anyhow::Error::msg)?;
    let working = workers::start(app.clone());
    let stop = stop_signal()?;
    let serving = tokio::spawn(listener::serve(listener, router, stop));
    announce(&options, &base_url, demo.as_ref(), throw_away.is_some(), store.engine())?;
    if demo.is_some() {
        demo::load_catalogue(&store).await;
    }
    serving.await?;
    // A file that cannot be removed is told of once all is closed.
    let removed = remove_ready_file(&options);
    working.abort();
    workers::flush(&app).await;
    drop(app);
    drop(store);
    drop(opened.lock);
    removed
}

async fn listen(address: SocketAddr) -> anyhow::Result<TcpListener> {
    match TcpListener::bind(address).await {
        Err(error) if error.kind() == ErrorKind::AddrInUse => {
            let what = format!("{address} cannot be listened on: another program does already");
            Err(Failure::new(what).next("--listen 127.0.0.1:0 picks a free port").into())
        }
        bound => bound.with_context(|| format!("{address} cannot be listened on")),
    }
}

fn remove_ready_file(options: &Options) -> anyhow::Result<()> {
    let Some(file) = &options.ready_file else { return Ok(()) };
    match std::fs::remove_file(file) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            Err(error).with_context(|| format!("{} cannot be removed", file.display()))
        }
        _ => Ok(()),
    }
}

impl Limits {
    fn options(&self) -> LimitOptions {
        LimitOptions {
            key: self.key,
            user: self.user,
            organization: self.organization,
            address: self.address,
        }
    }
}

fn start_log(options: &Options) -> anyhow::Result<log::Writer> {
    let (batches, writer) = log::Batches::start()?;
    let usual = if options.demo { "warn" } else { "info" };
    let filter = options.log.as_deref().unwrap_or(usual);
    let filter = EnvFilter::try_new(filter).with_context(|| format!("--log {filter} cannot be read"))?;
    let log = tracing_subscriber::fmt().with_env_filter(filter).with_writer(batches);
    match options.log_format {
        LogFormat::Json => log.json().flatten_event(true).init(),
        LogFormat::Text => log.init(),
    }
    Ok(writer)
}

/// A demo without a place of its own gets a folder that goes at the end.
fn throw_away_folder(options: &mut Options) -> anyhow::Result<Option<tempfile::TempDir>> {
    if !options.demo || options.database.data_dir.is_some() {
        return Ok(None);
    }
    let folder = tempfile::Builder::new().prefix("fieldhouse-demo-").tempdir()?;
    options.database.data_dir = Some(folder.path().to_owned());
    Ok(Some(folder))
}

fn announce(
    options: &Options,
    base_url: &str,
    demo: Option<&Demo>,
    thrown_away: bool,
    engine: Engine,
) -> anyhow::Result<()> {
    if let Some(file) = &options.ready_file {
        let ready = json!({
            "base_url": base_url,
            "organization": demo.map(|demo| &demo.organization),
            "accounts": demo.map(|demo| demo.accounts.as_slice()).unwrap_or_default(),
            "pid": std::process::id(),
        });
        write_private(file, &ready.to_string())
            .with_context(|| format!("{} cannot be written", file.display()))?;
    }
    if let Some(demo) = demo {
        demo.announce(base_url, thrown_away);
    } else {
        note(&format!("Fieldhouse serves {base_url} on {}. Documentation: {base_url}/docs", engine.name()));
    }
    Ok(())
}

/// Writes a file that its owner alone may read, whole or not at all, for whoever waits for it must not read half of it.
pub(crate) fn write_private(file: &std::path::Path, text: &str) -> std::io::Result<()> {
    use std::io::Write;
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty());
    let mut beside = tempfile::NamedTempFile::new_in(folder.unwrap_or(std::path::Path::new(".")))?;
    beside.write_all(text.as_bytes())?;
    beside.persist(file)?;
    Ok(())
}

/// Ready when the process is asked to stop.
fn stop_signal() -> anyhow::Result<impl Future<Output = ()>> {
    #[cfg(unix)]
    let mut terminate = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate())?;
    Ok(async move {
        #[cfg(unix)]
        tokio::select! {
            _ = terminate.recv() => {}
            _ = tokio::signal::ctrl_c() => {}
        }
        #[cfg(not(unix))]
        let _ = tokio::signal::ctrl_c().await;
    })
}
