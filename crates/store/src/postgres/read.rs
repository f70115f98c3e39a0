//! Read transactions. BEGIN is sent in one round trip with the first queries, and COMMIT with the last ones or without waiting for the result.

use std::future::Future as _;
use std::pin::pin;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::task::{Context, Waker};

use futures_util::future::join;
use tokio_postgres::error::SqlState;

use super::connection::Pooled;
use super::writes::Backoff;
use super::{Postgres, read_rows, run};
use crate::deadline::Deadline;
use crate::engine::ReadTx;
use crate::error::{Error, Result};
use crate::query::Query;
use crate::row::Row;
use crate::value::Value;

/// Begins a read-only transaction on one snapshot.
const BEGIN: &str = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";
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
    /// The queries that have not been sent yet, because they are being prepared.
    unsent: AtomicUsize,
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
            unsent: AtomicUsize::new(0),
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
        let unsent = Unsent::begin(&self.unsent);
        let fetch = async move {
            let statement = connection.prepared(query).await?;
            drop(unsent);
            run(connection, &statement, query, values).await
        };
        let rows = if self.begun.swap(true, Ordering::Relaxed) {
            fetch.await
        } else {
            // The driver sends in the order in which futures are first polled, so BEGIN is sent before all queries.
            let (begun, rows) = join(connection.batch_execute(self.begin), fetch).await;
            begun.and(rows)
        };
        let rows = rows.inspect_err(|error| self.note(error))?;
        read_rows(query, &rows, each)
    }

    /// Sends COMMIT behind the queries that have been sent, unless others are being prepared: those belong to the transaction too. A query
    /// after that begins another transaction.
    pub(crate) async fn end(&self) -> Result<()> {
        let connection = self.connection()?;
        if self.unsent.load(Ordering::Relaxed) > 0 || !self.begun.swap(false, Ordering::Relaxed) {
            return Ok(());
        }
        Ok(connection.batch_execute(COMMIT).await.inspect_err(|error| self.note(error))?)
    }

    fn connection(&self) -> Result<&Pooled> {
        self.connection.as_ref().ok_or_else(|| Error::Internal("the transaction has ended".to_owned()))
    }

    fn note(&self, error: &tokio_postgres::Error) {
        self.can_retry.fetch_or(can_retry(error), Ordering::Relaxed);
    }
}

/// Counts a query until it is about to be sent.
struct Unsent<'a>(&'a AtomicUsize);

impl<'a> Unsent<'a> {
    fn begin(count: &'a AtomicUsize) -> Self {
        count.fetch_add(1, Ordering::Relaxed);
        Self(count)
    }
}

impl Drop for Unsent<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Sends the end of the transaction without waiting for it: the next user of the connection is served after it.
impl Drop for PostgresRead {
    fn drop(&mut self) {
        let Some(connection) = self.connection.take() else { return };
        let ended = !*self.begun.get_mut() || {
            let end = pin!(connection.batch_execute(COMMIT));
            // The first poll sends COMMIT.
            let sent = end.poll(&mut Context::from_waker(Waker::noop()));
            !matches!(sent, std::task::Poll::Ready(Err(_)))
        };
        if !ended || *self.can_retry.get_mut() {
            drop(Pooled::take(connection));
        }
    }
}
