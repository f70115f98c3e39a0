//! An open transaction on PostgreSQL.

use tokio_postgres::error::SqlState;

use super::connection::{Connection, Pooled};
use super::failure::{Failure, Sent};
use super::messages::{Piece, Response, Rows, Slot};
use crate::error::{Error, Result};
use crate::query::{Query, Running};
use crate::row::Row;
use crate::value::Value;

/// How a transaction collided with another one.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Collision {
    /// The database found the conflict.
    Seen,
    /// The row existed already, or the referenced row no longer exists. Transactions check before they write, so another transaction
    /// must have changed it unseen; if the same happens in the next run, it is a fault.
    Unseen,
}

/// An open transaction. If it is dropped before it is finished, its connection leaves the pool, because a transaction is still open on it.
pub(crate) struct PostgresTx {
    connection: Option<Pooled>,
    /// The statement that begins it, until it is sent.
    begin: Option<&'static str>,
    /// Whether an earlier run ended with [`Collision::Unseen`].
    had_unseen: bool,
    collided: Option<Collision>,
}

impl PostgresTx {
    /// A transaction that `begin` begins, in one round trip with its first query if it begins with one.
    pub(super) fn new(connection: Pooled, begin: &'static str, had_unseen: bool) -> Self {
        Self { connection: Some(connection), begin: Some(begin), had_unseen, collided: None }
    }

    /// How it collided with another transaction; `None` if it did not, so an error is its own.
    pub(super) fn collision(&self) -> Option<Collision> {
        self.collided
    }

    /// Whether it collided with another transaction and must be run again.
    pub(crate) fn collided(&self) -> bool {
        self.collided.is_some()
    }

    /// Returns the connection, on which the transaction is still open.
    pub(super) fn abandon(mut self) -> Option<Pooled> {
        self.connection.take()
    }

    fn open(&self) -> Result<&Pooled> {
        self.connection.as_ref().ok_or_else(|| ended().into())
    }

    /// The connection, once the transaction has begun. A statement that writes is sent only then.
    async fn begun(&mut self) -> Result<&Pooled> {
        if let Some(begin) = self.begin.take() {
            self.send(begin).await?;
        }
        self.open()
    }

    async fn send(&mut self, sql: &'static str) -> Result<()> {
        let result = send(self.open()?, sql).await;
        self.note(result)
    }

    pub(super) fn finish(&mut self) {
        self.connection = None;
    }

    fn note<T>(&mut self, result: Sent<T>) -> Result<T> {
        let code = result.as_ref().err().and_then(Failure::code);
        let one_of = |codes: [SqlState; 2]| code.is_some_and(|code| codes.contains(code));
        if one_of([SqlState::T_R_SERIALIZATION_FAILURE, SqlState::T_R_DEADLOCK_DETECTED]) {
            self.collided = Some(Collision::Seen);
        } else if !self.had_unseen && one_of([SqlState::UNIQUE_VIOLATION, SqlState::FOREIGN_KEY_VIOLATION]) {
            self.collided = Some(Collision::Unseen);
        }
        result.map_err(Error::from)
    }

    /// Commits the transaction and returns its connection to the pool.
    pub(crate) async fn commit(mut self) -> Result<()> {
        self.end("COMMIT").await?;
        self.finish();
        Ok(())
    }

    /// Begins or ends a part of it.
    pub(crate) async fn control(&mut self, sql: &'static str) -> Result<()> {
        self.begun().await?;
        self.send(sql).await
    }

    /// Ends it, if it has begun.
    pub(super) async fn end(&mut self, sql: &'static str) -> Result<()> {
        match self.begin {
            Some(_) => Ok(()),
            None => self.send(sql).await,
        }
    }

    pub(crate) async fn rows<T>(
        &mut self,
        query: &'static Query,
        values: &[Value<'_>],
        each: impl FnMut(&mut Row<'_>) -> Result<T>,
    ) -> Result<Vec<T>> {
        self.fetch(query, values).await?.read(query, each)
    }

    /// Reads rows as the driver has them.
    pub(crate) async fn fetch(&mut self, query: &'static Query, values: &[Value<'_>]) -> Result<Rows> {
        let fetched = self.fetch_now(query, values).await;
        self.note(fetched)
    }

    async fn fetch_now(&mut self, query: &'static Query, values: &[Value<'_>]) -> Sent<Rows> {
        let Some(connection) = &self.connection else { return Err(ended()) };
        let statement = connection.prepared(query).await?;
        let mut piece = Piece::new();
        if let Some(begin) = self.begin {
            piece.control(begin)?;
        }
        let slot = piece.query(query, &statement, values)?;
        // Only now: if the query could not be sent, the transaction has not begun.
        self.begin = None;
        connection.send(piece).response().await?.rows(&slot)
    }

    /// Reads rows for each list of values, all in one round trip.
    pub(crate) async fn fetch_each(
        &mut self,
        query: &'static Query,
        rows: &[&[Value<'_>]],
    ) -> Result<Vec<Rows>> {
        if rows.is_empty() {
            return Ok(Vec::new());
        }
        let (response, slots) = self.send_each(query, rows).await?;
        let read = slots.iter().map(|slot| response.rows(slot)).collect();
        self.note(read)
    }

    /// Runs a statement that returns no rows. Returns how many rows it changed.
    pub(crate) async fn run(&mut self, query: &'static Query, values: &[Value<'_>]) -> Result<u64> {
        let (response, slots) = self.send_each(query, &[values]).await?;
        let changed = slots.iter().map(|slot| response.changed(slot)).sum();
        self.note(changed)
    }

    /// Runs a statement that returns no rows for each list of values, all in one round trip.
    pub(crate) async fn run_each(&mut self, query: &'static Query, rows: &[Vec<Value<'_>>]) -> Result<()> {
        if rows.is_empty() {
            return Ok(());
        }
        self.send_each(query, rows).await.map(drop)
    }

    async fn send_each<'v>(
        &mut self,
        query: &'static Query,
        rows: &[impl AsRef<[Value<'v>]>],
    ) -> Result<(Response, Vec<Slot>)> {
        let sent = send_each(self.begun().await?, query, rows).await;
        self.note(sent)
    }
}

async fn send_each<'v>(
    connection: &Connection,
    query: &'static Query,
    rows: &[impl AsRef<[Value<'v>]>],
) -> Sent<(Response, Vec<Slot>)> {
    let mut piece = Piece::new();
    let mut slots = Vec::with_capacity(rows.len());
    let statement = connection.prepared(query).await?;
    for values in rows {
        slots.push(piece.query(query, &statement, values.as_ref())?);
    }
    Ok((connection.send(piece).response().await?, slots))
}

fn ended() -> Failure {
    Failure::Internal("the transaction has ended".to_owned())
}

/// Begins or ends a transaction or a part of one.
async fn send(connection: &Connection, sql: &'static str) -> Sent<()> {
    let _running = Running::begin(sql);
    connection.run_all(sql).await
}

impl Drop for PostgresTx {
    fn drop(&mut self) {
        if let Some(connection) = self.connection.take() {
            drop(Pooled::take(connection));
        }
    }
}
