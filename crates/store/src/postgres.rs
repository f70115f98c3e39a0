//! The PostgreSQL engine: a pool of connections with prepared statements, a few connections that single reads share, and SERIALIZABLE
//! transactions that are run again after a collision.

mod connection;
mod lanes;
mod read;
mod shared;
mod streams;
mod tls;
mod tx;
mod writes;

#[cfg(test)]
pub(crate) mod tests;

pub(crate) use read::PostgresRead;
pub(crate) use shared::SharedRead;
pub(crate) use tx::PostgresTx;

use std::path::Path;
use std::time::Duration;

use constcat::concat;
use futures_util::future::join3;
use tokio_postgres::Statement;
use tokio_postgres::types::ToSql;
use tokio_postgres_rustls::MakeRustlsConnect;

pub(crate) use connection::PoolError;
use connection::{Connection, Pool, Pooled, pool};
use lanes::Lanes;

use crate::error::{Error, Result};
use crate::ledger::journal::Waiting;
use crate::query::{self, Query};
use crate::row::{Row, Source};
use crate::sealing::Sealer;
use crate::value::Value;

/// How long a request waits for a connection. Tests use a shorter limit.
const CONNECTION_TIME: Duration = Duration::from_millis(if cfg!(test) { 500 } else { 10_000 });
/// One plan of each query for all values, which is the plan that the tests check. It does not know how many rows match, and with a bitmap a
/// page of a list would read and sort all of them.
const PLAN_ONCE: &str = "SET plan_cache_mode = force_generic_plan; SET enable_bitmapscan = off";
/// Lets the next statement have a plan for its own values.
const PLAN_EACH_TIME: &str = "SET plan_cache_mode = force_custom_plan; SET enable_bitmapscan = on";
/// The settings of every connection: how long a statement, a lock and an idle transaction may take, and how queries are planned. A table that
/// is small would be scanned, and a serializable transaction that has scanned it collides with all that write to it. A scan that is needed all
/// the same seems so expensive then that it would be compiled.
const SETTINGS: &str = concat!(
    "SET statement_timeout = '10s'; SET lock_timeout = '5s';
    SET idle_in_transaction_session_timeout = '30s'; SET application_name = 'fieldhouse';
    SET enable_seqscan = off; SET jit = off; ",
    PLAN_ONCE
);

/// Begins a transaction on records.
const SERIALIZABLE: &str = "BEGIN ISOLATION LEVEL SERIALIZABLE";
/// Begins a transaction that reads the journal.
const POSTING: &str = "BEGIN ISOLATION LEVEL READ COMMITTED";

/// The engine.
pub(crate) struct Postgres {
    pool: Pool,
    /// For reads of one statement.
    lanes: Lanes,
    /// For streamed rows.
    streams: Pool,
    tls: MakeRustlsConnect,
    /// The entries that this process has committed to the journal.
    pub(crate) waiting: Waiting,
    pub(crate) sealer: Sealer,
}

impl Postgres {
    /// Creates the pools, and one connection to check that the server can be reached.
    pub(crate) async fn connect(url: &str, roots: Option<&Path>, connections: usize) -> Result<Self> {
        let wrong =
            |error: tokio_postgres::Error| Error::Unavailable(format!("the database address: {error}"));
        let config: tokio_postgres::Config = url.parse().map_err(wrong)?;
        let tls = MakeRustlsConnect::new(tls::client(roots)?);
        let count = lanes::count(connections);
        let pool = pool(config.clone(), tls.clone(), (connections - count).max(1))?;
        drop(pool.get().await?);
        let lanes = Lanes::new(self::pool(config.clone(), tls.clone(), count)?);
        let streams = self::pool(config, tls.clone(), streams::CONNECTIONS)?;
        Ok(Self { pool, lanes, streams, tls, waiting: Waiting::default(), sealer: Sealer::default() })
    }

    /// Opens the lanes, so that the first requests do not each open a connection of the pool. A later read tries
    /// again to open one that could not be opened.
    pub(crate) async fn open_lanes(&self) {
        self.lanes.open().await;
    }

    /// Begins a transaction in which each statement reads from its own snapshot.
    pub(crate) async fn begin_reading(&self) -> Result<PostgresTx> {
        Ok(PostgresTx::new(self.connection().await?, POSTING, true))
    }

    pub(crate) async fn connection(&self) -> Result<Pooled> {
        Ok(self.pool.get().await?)
    }

    /// Reads rows of the journal in one round trip.
    pub(crate) async fn read_journal<T>(
        &self,
        query: &'static Query,
        values: &[Value<'_>],
        each: impl FnMut(&mut Row<'_>) -> Result<T>,
    ) -> Result<Vec<T>> {
        PostgresRead::new(self.connection().await?, POSTING).rows(query, values, each).await
    }
}

type Sent<T> = std::result::Result<T, tokio_postgres::Error>;
type Params<'a> = Vec<&'a (dyn ToSql + Sync)>;

fn params<'a>(values: &'a [Value<'_>]) -> Params<'a> {
    values.iter().map(|value| value as &(dyn ToSql + Sync)).collect()
}

async fn fetch(
    connection: &Connection,
    query: &'static Query,
    values: &[Value<'_>],
) -> Sent<Vec<tokio_postgres::Row>> {
    let statement = connection.prepared(query).await?;
    run(connection, &statement, query, values).await
}

/// Runs a prepared query. It is sent when the future is first polled.
async fn run(
    connection: &Connection,
    statement: &Statement,
    query: &'static Query,
    values: &[Value<'_>],
) -> Sent<Vec<tokio_postgres::Row>> {
    let _running = query::Running::begin(query.name);
    let params = params(values);
    if !query.planned_each_time {
        return connection.query(statement, &params).await;
    }
    // One flight: the driver sends in the order in which the futures are first polled. In a failed transaction the last one is refused, and
    // the rollback does its work.
    let (set, rows, _) = join3(
        connection.batch_execute(PLAN_EACH_TIME),
        connection.query(statement, &params),
        connection.batch_execute(PLAN_ONCE),
    )
    .await;
    set.and(rows)
}

pub(crate) fn read_rows<T>(
    query: &'static Query,
    rows: &[tokio_postgres::Row],
    mut each: impl FnMut(&mut Row<'_>) -> Result<T>,
) -> Result<Vec<T>> {
    rows.iter().map(|row| each(&mut Row::new(Source::Postgres(row), query))).collect()
}

/// Runs a prepared statement that returns no rows.
async fn execute(
    connection: &Connection,
    statement: &Statement,
    query: &'static Query,
    values: &[Value<'_>],
) -> Sent<u64> {
    let _running = query::Running::begin(query.name);
    connection.execute(statement, &params(values)).await
}
