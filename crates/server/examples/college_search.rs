//! How long searches of a catalogue of 2,040 invented colleges with 17,900 programs take, over HTTP, one after another.
//!
//! `cargo xtask bench colleges` runs it on both engines.

use std::sync::Arc;
use std::time::{Duration, Instant};

use fieldhouse_domain::mail::NOTIFY_HOLD;
use fieldhouse_imports::colleges;
use fieldhouse_server::app::App;
use fieldhouse_server::auth::limits::LimitOptions;
use fieldhouse_server::listener::{self, ConnectionOptions};
use fieldhouse_server::{Clock, KeyRing, operator, router};
use fieldhouse_testing::databases::{self, Database};
use fieldhouse_testing::eada;

/// What people type.
const SEARCHES: &[&str] = &[
    "/colleges?q=oakton",
    "/colleges?q=river",
    "/colleges?q=col",
    "/colleges?q=university",
    "/colleges?q=university+of+stone",
    "/colleges?q=c",
    "/colleges?q=zzz",
    "/colleges?state=WY",
    "/colleges?division=naia+division+i&state=RI",
    "/colleges?sport=fencing&gender=women&state=AK",
    "/colleges?sport=softball",
    "/colleges?q=saint&sport=rowing",
    "/colleges/programs?q=stonebrook",
    "/colleges/programs?q=college&sport=softball",
    "/colleges/programs?q=university&sport=rifle&state=WY",
    "/colleges/programs?sport=softball&gender=women",
    "/colleges/programs?sport=rifle",
    "/colleges/programs?state=WY",
    "/colleges/programs?state=WY&sport=softball",
    "/colleges/programs?division=naia&state=WY&sport=fencing",
    "/colleges/programs?q=c&limit=100",
];
/// How often each search runs, after some that are not counted.
const RUNS: usize = 200;
const WARM_UP: usize = 20;

#[tokio::main]
#[expect(clippy::print_stdout, reason = "a program that prints its measurements")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    for database in databases::both() {
        println!("\n{:?}: microseconds over HTTP, one request after another", database.engine());
        println!("{:<60} {:>8} {:>8} {:>8}", "", "records", "p50", "p99");
        measure(&database).await?;
    }
    Ok(())
}

#[expect(clippy::print_stdout, reason = "a program that prints its measurements")]
async fn measure(database: &Database) -> Result<(), Box<dyn std::error::Error>> {
    let (folder, clock) = (tempfile::tempdir()?, Clock::system());
    let store = Arc::new(database.open().await);
    for table in [eada::colleges(), eada::programs()] {
        let catalogue = colleges::read(table.as_bytes(), None)?;
        assert!(catalogue.bad.is_empty(), "{:?}", catalogue.bad);
        operator::load_colleges(&store, &clock, catalogue, false, |_, _| {}).await?;
    }
    if let Some(url) = database.url() {
        drop(url);
        database.execute("ANALYZE");
    }
    let socket = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
    let address = format!("http://{}", socket.local_addr()?);
    let limits = LimitOptions { address: std::num::NonZeroU32::MAX, ..LimitOptions::default() };
    let app = App::new(store, KeyRing::open(folder.path(), &clock)?, &address, limits, clock, NOTIFY_HOLD)?;
    let served =
        listener::serve(socket, router::router(app)?, ConnectionOptions::default(), std::future::pending());
    let serving = tokio::spawn(served);
    let http = reqwest::Client::builder().tls_certs_only([]).build()?;
    for search in SEARCHES {
        let mut times = Vec::new();
        let mut records = 0;
        for run in 0..RUNS + WARM_UP {
            let started = Instant::now();
            let response = http.get(format!("{address}/api/v1{search}")).send().await?.error_for_status()?;
            let body = response.bytes().await?;
            if run >= WARM_UP {
                times.push(started.elapsed());
            }
            let page: serde_json::Value = serde_json::from_slice(&body)?;
            records = page["data"].as_array().map_or(0, Vec::len);
        }
        times.sort_unstable();
        let micros = |time: Duration| time.as_micros();
        println!(
            "{search:<60} {records:>8} {:>8} {:>8}",
            micros(times[RUNS / 2]),
            micros(times[RUNS * 99 / 100])
        );
    }
    serving.abort();
    Ok(())
}
