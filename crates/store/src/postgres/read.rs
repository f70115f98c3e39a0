//! Read transactions: begun in one flight with their first queries, ended without waiting.

use std::future::Future as _;
use std::pin::pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Waker};

use deadpool_postgres::Object;
use futures_util::future::join;
use tokio_postgres::error::SqlState;

use super::writes::Patience;
use super::{Postgres, fetch};
use crate::deadline::Deadline;
use crate::engine::ReadTx;
use crate::error::{Error, Result};
use crate::query::Query;
use crate::row::{Row, Source};
use crate::value::Value;

/// How a transaction begins that only reads, from one snapshot.
const BEGIN: &str = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";

/// Errors that a retry resolves: a standby dropped the snapshot, or the server ended the session.
const PASSING: [SqlState; 3] =
    [SqlState::T_R_SERIALIZATION_FAILURE, SqlState::T_R_DEADLOCK_DETECTED, SqlState::ADMIN_SHUTDOWN];

/// An open transaction that only reads.
pub(crate) struct PostgresRead {
    connection: Option<Object>,
    begun: AtomicBool,
    /// Whether it failed for a reason that is over when it is run again.
    unlucky: AtomicBool,
}

impl Postgres {
    /// Runs a transaction that only reads. It is run again where the connection was lost, or the server had to drop its snapshot.
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
        let mut patience = Patience::new(deadline);
        loop {
            let mut open = PostgresRead::new(self.connection().await?);
            let mut tx = ReadTx::postgres(&open, deadline);
            // Boxed, for handlers nest deep as it is, and the compiler follows futures only so far.
            let run = Box::pin(body(&mut tx));
            let Ok(result) = tokio::time::timeout_at(deadline.at().into(), run).await else {
                self.stop(open.connection.take()).await;
                return Err(deadline.error().into());
            };
            if result.is_ok() || !open.unlucky.load(Ordering::Relaxed) {
                return result;
            }
            drop(open);
            patience.wait().await?;
        }
    }
}

impl PostgresRead {
    fn new(connection: Object) -> Self {
        Self { connection: Some(connection), begun: AtomicBool::new(false), unlucky: AtomicBool::new(false) }
    }

    pub(crate) async fn rows<T>(
        &self,
        query: &'static Query,
        values: &[Value<'_>],
        mut each: impl FnMut(&mut Row<'_>) -> Result<T>,
    ) -> Result<Vec<T>> {
        let over = || Error::Internal("the transaction is over".to_owned());
        let connection = self.connection.as_ref().ok_or_else(over)?;
        let rows = if self.begun.swap(true, Ordering::Relaxed) {
            fetch(connection, query, values).await
        } else {
            // The driver sends in the order in which futures are first polled, so that this comes before all queries.
            let (begun, rows) = join(connection.batch_execute(BEGIN), fetch(connection, query, values)).await;
            begun.and(rows)
        };
        let rows = rows.inspect_err(|error| {
            let passing = error.code().is_some_and(|code| PASSING.contains(code));
            self.unlucky.fetch_or(passing || error.is_closed(), Ordering::Relaxed);
        })?;
        rows.iter().map(|row| each(&mut Row::new(Source::Postgres(row), query))).collect()
    }
}

/// Sends the end of the transaction without waiting for it: the next user of the connection is served after it.
impl Drop for PostgresRead {
    fn drop(&mut self) {
        let Some(connection) = self.connection.take() else { return };
        if !*self.begun.get_mut() {
            return;
        }
        let sent = {
            let end = pin!(connection.batch_execute("COMMIT"));
            // The first poll sends it.
            let sent = end.poll(&mut Context::from_waker(Waker::noop()));
            !matches!(sent, std::task::Poll::Ready(Err(_)))
        };
        if !sent || *self.unlucky.get_mut() {
            drop(Object::take(connection));
        }
    }
}
