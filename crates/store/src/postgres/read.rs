//! Read transactions. BEGIN is sent in one piece with the first query, and COMMIT without waiting for the result.

use std::sync::atomic::{AtomicBool, Ordering};

use super::Postgres;
use super::connection::{Connection, Pooled};
use super::failure::Sent;
use super::messages::{Piece, Rows};
use super::writes::Backoff;
use crate::deadline::Deadline;
use crate::engine::ReadTx;
use crate::error::{Error, Result};
use crate::query::Query;
use crate::row::Row;
use crate::value::Value;

/// Begins a read-only transaction on one snapshot.
pub(super) const BEGIN: &str = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";

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
        let rows = self.fetch(self.connection()?, query, values).await;
        let rows = rows.inspect_err(|failure| {
            self.can_retry.fetch_or(failure.can_retry(), Ordering::Relaxed);
        })?;
        rows.read(query, each)
    }

    async fn fetch(
        &self,
        connection: &Connection,
        query: &'static Query,
        values: &[Value<'_>],
    ) -> Sent<Rows> {
        let statement = connection.prepared(query).await?;
        let mut piece = Piece::new();
        if !self.begun.load(Ordering::Relaxed) {
            piece.control(self.begin)?;
        }
        let slot = piece.query(query, &statement, values)?;
        self.begun.store(true, Ordering::Relaxed);
        connection.send(piece).response().await?.rows(&slot)
    }

    fn connection(&self) -> Result<&Pooled> {
        self.connection.as_ref().ok_or_else(|| Error::Internal("the transaction has ended".to_owned()))
    }
}

/// Ends it without waiting for the result.
impl Drop for PostgresRead {
    fn drop(&mut self) {
        let Some(connection) = self.connection.take() else { return };
        let ended = !*self.begun.get_mut() || connection.send_unawaited("COMMIT").is_ok();
        if !ended || *self.can_retry.get_mut() {
            drop(Pooled::take(connection));
        }
    }
}
