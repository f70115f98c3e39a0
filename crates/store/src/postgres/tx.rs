//! An open transaction on PostgreSQL.

use tokio_postgres::error::SqlState;
use uuid::Uuid;

use super::connection::{Connection, Pooled};
use super::failure::{Failure, Sent};
use super::messages::{Piece, Response, Rows, Slot};
use crate::error::{Error, Result};
use crate::query::{Query, Running};
use crate::records::moved;
use crate::row::Row;
use crate::value::Value;

/// How many statements may wait.
const MOST_WAITING: usize = 100;

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
    /// Statements that are sent with the next one.
    waiting: Option<Waiting>,
    /// Whether an earlier run ended with [`Collision::Unseen`].
    had_unseen: bool,
    collided: Option<Collision>,
}

/// Statements that each write one record, and were not sent yet.
#[derive(Default)]
struct Waiting {
    piece: Piece,
    /// Where the response will have their results, with the ids of their records.
    written: Vec<(Slot, Uuid)>,
}

impl PostgresTx {
    /// A transaction that `begin` begins, in one round trip with its first query if it begins with one.
    pub(super) fn new(connection: Pooled, begin: &'static str, had_unseen: bool) -> Self {
        Self { connection: Some(connection), begin: Some(begin), waiting: None, had_unseen, collided: None }
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

    /// Sends SQL that begins or ends a transaction or a part of one. Only a ROLLBACK may discard what still waits.
    async fn send(&mut self, sql: &'static str) -> Result<()> {
        if self.waiting.take().is_some() && !sql.starts_with("ROLLBACK") {
            return Err(Error::Internal(format!("{sql} before everything was sent")));
        }
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
        let connection = self.connection.as_ref().ok_or_else(ended)?;
        let statement = connection.prepared(query).await?;
        let mut waiting = self.waiting.take().unwrap_or_default();
        if let Some(begin) = self.begin {
            waiting.piece.control(begin)?;
        }
        let slot = waiting.piece.query(query, &statement, values)?;
        // Only now: if the query could not be sent, the transaction has not begun.
        self.begin = None;
        exchange(connection, waiting).await?.rows(&slot)
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

    /// Runs a statement that changes one row, that of a record. It is sent with the next statement or by [`PostgresTx::flush`], which return
    /// its error. A second run sends it at once, so that a duplicate or a missing reference is the error of its own statement.
    pub(crate) async fn run_later(
        &mut self,
        query: &'static Query,
        values: &[Value<'_>],
        record: Uuid,
    ) -> Result<()> {
        let prepared = self.begun().await?.prepared(query).await;
        let statement = self.note(prepared)?;
        let mut waiting = self.waiting.take().unwrap_or_default();
        let slot = waiting.piece.query(query, &statement, values);
        waiting.written.push((self.note(slot)?, record));
        let may_wait = !self.had_unseen && waiting.written.len() < MOST_WAITING;
        self.waiting = Some(waiting);
        if may_wait { Ok(()) } else { self.flush().await }
    }

    /// Sends what waits.
    pub(crate) async fn flush(&mut self) -> Result<()> {
        let Some(waiting) = self.waiting.take() else { return Ok(()) };
        let sent = exchange(self.open()?, waiting).await;
        self.note(sent).map(drop)
    }

    async fn send_each<'v>(
        &mut self,
        query: &'static Query,
        rows: &[impl AsRef<[Value<'v>]>],
    ) -> Result<(Response, Vec<Slot>)> {
        self.begun().await?;
        let sent = self.send_each_now(query, rows).await;
        self.note(sent)
    }

    async fn send_each_now<'v>(
        &mut self,
        query: &'static Query,
        rows: &[impl AsRef<[Value<'v>]>],
    ) -> Sent<(Response, Vec<Slot>)> {
        let connection = self.connection.as_ref().ok_or_else(ended)?;
        let statement = connection.prepared(query).await?;
        let mut waiting = self.waiting.take().unwrap_or_default();
        let slots = rows.iter().map(|values| waiting.piece.query(query, &statement, values.as_ref()));
        let slots = slots.collect::<Sent<Vec<_>>>()?;
        Ok((exchange(connection, waiting).await?, slots))
    }
}

/// Sends statements and returns the response. Fails if one that waited has not changed its row.
async fn exchange(connection: &Connection, Waiting { piece, written }: Waiting) -> Sent<Response> {
    let response = connection.send(piece).response().await?;
    for (slot, record) in &written {
        if response.changed(slot)? != 1 {
            return Err(Failure::Internal(moved(*record)));
        }
    }
    Ok(response)
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
