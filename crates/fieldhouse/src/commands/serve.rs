//! `fieldhouse serve`: the server.

use std::io::ErrorKind;
use std::net::{Ipv4Addr, SocketAddr};
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context as _;
use clap::{Args, ValueEnum};
use fieldhouse_server::auth::limits::LimitOptions;
use fieldhouse_server::listener::{self, ConnectionOptions};
use fieldhouse_server::{App, Clock, erasures, router, workers};
use fieldhouse_store::{Engine, organizations};
use futures_util::FutureExt;
use tokio::net::TcpListener;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

use crate::arguments::count;
use crate::database::{self, Database};
use crate::demo;
use crate::failure::Failure;
use crate::global::address;
use crate::log;
use crate::mail::Mail;
use crate::open_files;
use crate::output::note;
use crate::ready::{self, Ready};
use crate::running::{self, Running};
use crate::threads;

#[derive(Args)]
pub(crate) struct Options {
    #[command(flatten)]
    database: Database,
    /// The address to listen on; port 0 chooses a free port
    #[arg(long, env = "FIELDHOUSE_LISTEN", default_value = "127.0.0.1:8080", value_parser = listening, value_name = "ADDRESS")]
    listen: SocketAddr,
    /// The URL at which clients reach the server, if it differs from the listening address
    #[arg(long, env = "FIELDHOUSE_PUBLIC_URL", value_name = "URL", value_parser = address)]
    public_url: Option<String>,
    /// Serve a demo: an organization with a real league, the college catalogue, and a user for each role
    ///
    /// Its data is deleted when the server stops, unless --data-dir or --database-url is given.
    #[arg(long)]
    demo: bool,
    /// A JSON file to write when the server accepts requests: the URL, the demo's accounts and the process id; it is removed at every start
    /// and stop
    #[arg(long, value_name = "FILE")]
    ready_file: Option<PathBuf>,
    #[command(flatten)]
    mail: Mail,
    #[command(flatten)]
    limits: Limits,
    #[command(flatten)]
    connections: Connections,
    /// What to log: a level, or levels by module as in `info,fieldhouse_server=debug`
    #[arg(long, env = "FIELDHOUSE_LOG", value_name = "FILTER")]
    log: Option<String>,
    /// The format of log lines
    #[arg(long, env = "FIELDHOUSE_LOG_FORMAT", value_enum, default_value_t = LogFormat::Json)]
    log_format: LogFormat,
}

/// Rate limits.
#[derive(Args)]
struct Limits {
    /// Requests per minute of an API key
    #[arg(long = "limit-key", env = "FIELDHOUSE_LIMIT_KEY", default_value_t = LimitOptions::default().key, value_parser = count::<NonZeroU32>, value_name = "NUMBER")]
    key: NonZeroU32,
    /// Requests per minute of a user
    #[arg(long = "limit-user", env = "FIELDHOUSE_LIMIT_USER", default_value_t = LimitOptions::default().user, value_parser = count::<NonZeroU32>, value_name = "NUMBER")]
    user: NonZeroU32,
    /// Requests per minute of an organization
    #[arg(long = "limit-organization", env = "FIELDHOUSE_LIMIT_ORGANIZATION", default_value_t = LimitOptions::default().organization, value_parser = count::<NonZeroU32>, value_name = "NUMBER")]
    organization: NonZeroU32,
    /// Requests per minute of an address without a credential, except for the next three
    #[arg(long = "limit-address", env = "FIELDHOUSE_LIMIT_ADDRESS", default_value_t = LimitOptions::default().address, value_parser = count::<NonZeroU32>, value_name = "NUMBER")]
    address: NonZeroU32,
    /// Sign-ins per minute of an address
    #[arg(long = "limit-sign-in", env = "FIELDHOUSE_LIMIT_SIGN_IN", default_value_t = LimitOptions::default().sign_in, value_name = "NUMBER")]
    sign_in: NonZeroU32,
    /// Session refreshes per minute of an address
    #[arg(long = "limit-refresh", env = "FIELDHOUSE_LIMIT_REFRESH", default_value_t = LimitOptions::default().refresh, value_name = "NUMBER")]
    refresh: NonZeroU32,
    /// Guests created per hour by an address
    #[arg(long = "limit-guests", env = "FIELDHOUSE_LIMIT_GUESTS", default_value_t = LimitOptions::default().guests, value_name = "NUMBER")]
    guests: NonZeroU32,
    /// Bytes of responses that are kept in memory; 0 for none
    #[arg(long = "cache-bytes", env = "FIELDHOUSE_CACHE_BYTES", default_value_t = LimitOptions::default().cache_bytes, value_name = "NUMBER")]
    cache_bytes: u64,
}

/// Connection limits.
#[derive(Args)]
struct Connections {
    /// Maximum number of connections; more are closed at once
    #[arg(long = "connections", env = "FIELDHOUSE_CONNECTIONS", default_value_t = ConnectionOptions::default().max, value_parser = clap::value_parser!(u32).range(1..), value_name = "NUMBER")]
    max: u32,
    /// Maximum number of connections from one address; 0 for no limit, as behind a proxy, whose address all clients share
    #[arg(long = "connections-per-address", env = "FIELDHOUSE_CONNECTIONS_PER_ADDRESS", default_value_t = ConnectionOptions::default().max_per_address, value_name = "NUMBER")]
    max_per_address: u32,
}

#[derive(Clone, Copy, ValueEnum)]
enum LogFormat {
    /// One JSON object per line, for programs
    Json,
    /// One line of text per event, for people
    Text,
}

pub(crate) async fn run(mut options: Options) -> anyhow::Result<()> {
    let _log = start_log(&options)?;
    // A program that waits for the file must not find that of an earlier server.
    ready::remove(options.ready_file.as_deref())?;
    // Dropped last: the folder is removed after everything in it is closed.
    let throw_away = temporary_folder(&mut options)?;
    let mut opened =
        if options.demo { options.database.open().await? } else { options.database.open_existing().await? };
    if !options.demo && !organizations::any(&mut &opened.store).await? {
        let next = "create the first one with `fieldhouse init`, or try `fieldhouse serve --demo`";
        return Err(Failure::new("the database has no organization yet").next(next).into());
    }
    let key_ring = options.database.key_ring(&mut opened.store).await?;
    let demo =
        if options.demo { Some(demo::prepare(&opened, options.database.folder()).await?) } else { None };
    database::bind(&key_ring, &opened.store).await?;
    opened.created.keep();
    let folder = (opened.store.engine() == Engine::Sqlite || options.demo).then(|| options.database.folder());
    let mailer = options.mail.mailer(folder)?;
    let mail_folder = options.mail.folder(folder)?;
    running::remove(options.database.folder())?;
    let listener = listen(options.listen).await?;
    let base_url = match options.public_url.as_deref().filter(|url| !url.is_empty()) {
        Some(url) => url.trim_end_matches('/').to_owned(),
        None => format!("http://{}", listener.local_addr()?),
    };
    let store = Arc::new(opened.store);
    store.prepare_to_serve().await;
    if store.engine() == Engine::Sqlite {
        threads::yield_before_sleep();
    }
    let hold = options.mail.hold();
    let app = App::new(store.clone(), key_ring, &base_url, options.limits.options(), Clock::system(), hold)
        .map_err(anyhow::Error::msg)?;
    erase_again(&app, options.database.folder()).await?;
    let router = router::router(app.clone()).map_err(anyhow::Error::msg)?;
    let working = workers::start(app.clone(), mailer);
    let stop = stop_signal()?.shared();
    let mut connections = options.connections.options();
    connections.max = open_files::room_for(connections.max);
    let (local, operators) = for_operators(&listener).await?;
    let of_operators = operators.map(|listener| {
        let connections = ConnectionOptions::default();
        tokio::spawn(listener::serve(listener, router.clone(), connections, stop.clone()))
    });
    let serving = tokio::spawn(listener::serve(listener, router, connections, stop));
    let running = (store.engine() == Engine::Sqlite)
        .then(|| record(options.database.folder(), local, &app))
        .transpose()?;
    let ready =
        Ready { base_url, engine: store.engine(), mail_folder, demo, thrown_away: throw_away.is_some() };
    ready.announce(options.ready_file.as_deref())?;
    if let Some(demo) = ready.demo {
        demo.load_catalogue(&store, options.database.folder()).await;
    }
    serving.await?;
    if let Some(of_operators) = of_operators {
        of_operators.await?;
    }
    drop(running);
    // A file that cannot be removed is reported after everything is closed.
    let removed = ready::remove(options.ready_file.as_deref());
    working.abort();
    workers::flush(&app).await;
    drop(app);
    drop(store);
    drop(opened.lock);
    removed
}

/// Erases children again whom a restored database still has.
pub(crate) async fn erase_again(app: &App, folder: &Path) -> anyhow::Result<()> {
    app.erasures.keep_in(folder).with_context(|| {
        format!("the list of erased children {} is unusable", folder.join(erasures::FILE).display())
    })?;
    let again = erasures::apply(app).await.context("children could not be erased again")?;
    if again > 0 {
        note(&format!("Erased {again} children again, whom the restored database still had."));
    }
    Ok(())
}

fn listening(text: &str) -> Result<SocketAddr, &'static str> {
    text.parse().map_err(|_| "write an IP address and a port, such as 127.0.0.1:8080")
}

async fn listen(address: SocketAddr) -> anyhow::Result<TcpListener> {
    match TcpListener::bind(address).await {
        Err(error) if error.kind() == ErrorKind::AddrInUse => {
            let what = format!("cannot listen on {address}: the address is in use");
            Err(Failure::new(what)
                .next("choose another address; --listen 127.0.0.1:0 chooses a free port")
                .into())
        }
        bound => bound.with_context(|| format!("cannot listen on {address}")),
    }
}

/// The address at which commands on this machine reach the server, with a listener of its own if the other one has another address.
async fn for_operators(listener: &TcpListener) -> anyhow::Result<(SocketAddr, Option<TcpListener>)> {
    if let Some(local) = running::local(listener.local_addr()?) {
        return Ok((local, None));
    }
    let own = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.context("no port of this machine is free")?;
    Ok((own.local_addr()?, Some(own)))
}

/// Records in the data folder where the server can be reached.
fn record(folder: &Path, address: SocketAddr, app: &App) -> anyhow::Result<running::Written> {
    let running = Running { address, process: app.process.to_string(), pid: std::process::id() };
    running.write(folder).with_context(|| format!("{} cannot be written to", folder.display()))
}

impl Limits {
    fn options(&self) -> LimitOptions {
        LimitOptions {
            key: self.key,
            user: self.user,
            organization: self.organization,
            address: self.address,
            sign_in: self.sign_in,
            refresh: self.refresh,
            guests: self.guests,
            cache_bytes: self.cache_bytes,
            ..LimitOptions::default()
        }
    }
}

impl Connections {
    fn options(&self) -> ConnectionOptions {
        let Self { max, max_per_address } = *self;
        ConnectionOptions { max, max_per_address, ..ConnectionOptions::default() }
    }
}

fn start_log(options: &Options) -> anyhow::Result<log::Writer> {
    let (batches, writer) = log::Batches::start()?;
    let default = if options.demo { "warn" } else { "info" };
    let filter = options.log.as_deref().unwrap_or(default);
    let targets: Targets = filter.parse().map_err(|_| {
        Failure::usage(format!("--log {filter} is not a filter"))
            .next("write a level such as info, or levels by module as in info,fieldhouse_server=debug")
    })?;
    let registry = tracing_subscriber::registry().with(targets);
    match options.log_format {
        LogFormat::Json => registry.with(log::JsonLines::new(batches)).init(),
        LogFormat::Text => registry.with(tracing_subscriber::fmt::layer().with_writer(batches)).init(),
    }
    Ok(writer)
}

/// A demo without a data folder gets a temporary one, which is removed at the end.
fn temporary_folder(options: &mut Options) -> anyhow::Result<Option<tempfile::TempDir>> {
    if !options.demo || options.database.is_named() {
        return Ok(None);
    }
    let folder = tempfile::Builder::new().prefix("fieldhouse-demo-").tempdir()?;
    options.database.data_dir = Some(folder.path().to_owned());
    Ok(Some(folder))
}

/// Completes when the process is asked to stop.
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
