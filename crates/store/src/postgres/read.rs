//! Read transactions. BEGIN is sent in one round trip with the first queries, and COMMIT without waiting for the result.

use std::pin::pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Waker};

use futures_util::future::join;
use tokio_postgres::error::SqlState;

use super::connection::{Connection, Pooled};
use super::writes::Backoff;
use super::{Postgres, Sent, read_rows, run};
use crate::deadline::Deadline;
use crate::engine::ReadTx;
use crate::error::{Error, Result};
use crate::query::Query;
use crate::row::Row;
use crate::value::Value;

/// Begins a read-only transaction on one snapshot.
pub(super) const BEGIN: &str = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";
const COMMIT: &str = "COMMIT";

/// Errors that a retry resolves: a standby dropped the snapshot, or the server ended the session.
const RETRYABLE: [SqlState; 3] =
    [SqlState::T_R_SERIALIZATION_FAILURE, SqlState::T_R_DEADLOCK_DETECTED, SqlState::ADMIN_SHUTDOWN];

/// Whether reads that failed may succeed if they are run again on another connection.
pub(super) fn can_retry(error: &tokio_postgres::Error) -> bool {
    error.is_closed() || error.code().is_some_and(|code| RETRYABLE.contains(code))
}

/// An open read-only transaction.
pub(crate) struct PostgresRead {
    connection: Option<Pooled>,
    begin: &'static str,
    begun: AtomicBool,
    /// Whether it failed with an error that a retry resolves.
    can_retry: AtomicBool,
}

impl Postgres {
    /// Runs a read-only transaction. It is run again if the connection is lost, or if the server had to drop its snapshot.
    pub(crate) async fn read_together<T, E, F>(
        &self,
        name: &'static str,
        body: &F,
    ) -> std::result::Result<T, E>
    where
        E: From<Error>,
        F: for<'tx> AsyncFn(&mut ReadTx<'tx>) -> std::result::Result<T, E>,
    {
        let deadline = Deadline::of(name);
        let mut backoff = Backoff::new(deadline);
        loop {
            let mut open = PostgresRead::new(self.connection().await?, BEGIN);
            let mut tx = ReadTx::postgres(&open, deadline, &self.sealer);
            // Boxed because handlers nest deeply, and the compiler limits the depth of futures.
            let run = Box::pin(body(&mut tx));
            let Ok(result) = tokio::time::timeout_at(deadline.at().into(), run).await else {
                self.stop(open.connection.take()).await;
                return Err(deadline.error().into());
            };
            if result.is_ok() || !open.can_retry.load(Ordering::Relaxed) {
                return result;
            }
            drop(open);
            backoff.wait().await?;
        }
    }
}

impl PostgresRead {
    /// A transaction that begins with `begin` at its first query.
    pub(super) fn new(connection: Pooled, begin: &'static str) -> Self {
        Self {
            connection: Some(connection),
            begin,
            begun: AtomicBool::new(false),
            can_retry: AtomicBool::new(false),
        }
    }

    pub(crate) async fn rows<T>(
        &self,
        query: &'static Query,
        values: &[Value<'_>],
        each: impl FnMut(&mut Row<'_>) -> Result<T>,
    ) -> Result<Vec<T>> {
        let connection = self.connection()?;
        let fetch = async {
            let statement = connection.prepared(query).await?;
            run(connection, &statement, query, values).await
        };
        let rows = begin_with(connection, self.begin, &self.begun, fetch).await;
        let rows = rows.inspect_err(|error| self.note(error))?;
        read_rows(query, &rows, each)
    }

    fn connection(&self) -> Result<&Pooled> {
        self.connection.as_ref().ok_or_else(|| Error::Internal("the transaction has ended".to_owned()))
    }

    fn note(&self, error: &tokio_postgres::Error) {
        self.can_retry.fetch_or(can_retry(error), Ordering::Relaxed);
    }
}

/// Runs a query, and begins the transaction before it if it is the first.
pub(super) async fn begin_with<T>(
    connection: &Connection,
    sql: &'static str,
    begun: &AtomicBool,
    query: impl Future<Output = Sent<T>>,
) -> Sent<T> {
    if begun.swap(true, Ordering::Relaxed) {
        return query.await;
    }
    // The driver sends in the order in which futures are first polled, so BEGIN is sent before all queries.
    let (begun, rows) = join(connection.batch_execute(sql), query).await;
    begun.and(rows)
}

/// Sends COMMIT without waiting for the result. Returns whether it was sent.
pub(super) fn send_commit(connection: &Connection) -> bool {
    let end = pin!(connection.batch_execute(COMMIT));
    // The first poll sends it.
    let sent = end.poll(&mut Context::from_waker(Waker::noop()));
    !matches!(sent, Poll::Ready(Err(_)))
}

/// Sends the end of the transaction without waiting for it: the next user of the connection is served after it.
impl Drop for PostgresRead {
    fn drop(&mut self) {
        let Some(connection) = self.connection.take() else { return };
        let ended = !*self.begun.get_mut() || send_commit(&connection);
        if !ended || *self.can_retry.get_mut() {
            drop(Pooled::take(connection));
        }
    }
}
