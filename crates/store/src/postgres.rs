//! The PostgreSQL engine: a pool of connections with prepared statements, a few connections that single reads share, and SERIALIZABLE
//! transactions that are run again after a collision.

mod connection;
mod dialing;
mod failure;
mod lanes;
mod messages;
mod read;
mod shared;
mod streams;
mod tls;
mod tx;
mod wire;
mod writes;

#[cfg(test)]
pub(crate) mod tests;

pub(crate) use read::PostgresRead;
pub(crate) use shared::SharedRead;
pub(crate) use tx::PostgresTx;

use std::path::Path;
use std::time::Duration;

use constcat::concat;
use tokio_postgres_rustls::MakeRustlsConnect;

pub(crate) use connection::{Connection, PoolError, Pooled};
use connection::{Pool, pool};
pub(crate) use failure::{Failure, Refusal};
use lanes::Lanes;
pub(crate) use messages::{Column, Rows};

use crate::error::{Error, Result};
use crate::ledger::journal::Waiting;
use crate::query::Query;
use crate::row::Row;
use crate::sealing::Sealer;
use crate::value::Value;

/// How long a request waits for a connection. Tests use a shorter limit.
const CONNECTION_TIME: Duration = Duration::from_millis(if cfg!(test) { 500 } else { 10_000 });
/// One plan of each query for all values, which is the plan that the tests check. It does not know how many rows match, and with a bitmap a
/// page of a list would read and sort all of them.
const PLAN_ONCE: [&str; 2] = ["SET plan_cache_mode = force_generic_plan", "SET enable_bitmapscan = off"];
/// Lets the next statement have a plan for its own values.
const PLAN_EACH_TIME: [&str; 2] = ["SET plan_cache_mode = force_custom_plan", "SET enable_bitmapscan = on"];
/// The settings of every connection: how long a statement, a lock and an idle transaction may take, that the statements of a piece see one
/// snapshot, and how queries are planned. A table that
/// is small would be scanned, and a serializable transaction that has scanned it collides with all that write to it. A scan that is needed all
/// the same seems so expensive then that it would be compiled.
const SETTINGS: &str = concat!(
    "SET statement_timeout = '10s'; SET lock_timeout = '5s';
    SET idle_in_transaction_session_timeout = '30s'; SET application_name = 'fieldhouse';
    SET default_transaction_isolation = 'repeatable read';
    SET enable_seqscan = off; SET jit = off; ",
    PLAN_ONCE[0],
    "; ",
    PLAN_ONCE[1]
);
/// The settings of a lane, on which nothing is written.
const LANE_SETTINGS: &str = concat!(SETTINGS, "; SET default_transaction_read_only = on");

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
        dialing::check_address(&config)?;
        let tls = MakeRustlsConnect::new(tls::client(roots)?);
        let count = lanes::count(connections);
        let pool = |settings, connections| pool(config.clone(), tls.clone(), settings, connections);
        let transactions = pool(SETTINGS, (connections - count).max(1))?;
        drop(transactions.get().await?);
        let lanes = Lanes::new(pool(LANE_SETTINGS, count)?);
        let streams = pool(SETTINGS, streams::CONNECTIONS)?;
        let (waiting, sealer) = (Waiting::default(), Sealer::default());
        Ok(Self { pool: transactions, lanes, streams, waiting, sealer })
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
