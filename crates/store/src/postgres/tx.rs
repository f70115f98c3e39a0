//! An open transaction on PostgreSQL.

use futures_util::future::{join, try_join_all};
use tokio_postgres::error::SqlState;

use super::connection::Pooled;
use super::{execute, fetch, read_rows, run};
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
        self.connection.as_ref().ok_or_else(|| Error::Internal("the transaction has ended".to_owned()))
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

    fn note<T>(&mut self, result: std::result::Result<T, tokio_postgres::Error>) -> Result<T> {
        let code = result.as_ref().err().and_then(tokio_postgres::Error::code);
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
        read_rows(query, &self.fetch(query, values).await?, each)
    }

    /// Reads rows as the driver has them.
    pub(crate) async fn fetch(
        &mut self,
        query: &'static Query,
        values: &[Value<'_>],
    ) -> Result<Vec<tokio_postgres::Row>> {
        let begin = self.begin.take();
        let connection = self.open()?;
        let result = match begin {
            None => fetch(connection, query, values).await,
            Some(begin) => {
                // The driver sends in the order in which futures are first polled, so BEGIN is sent first.
                let (sent, rows) = join(send(connection, begin), fetch(connection, query, values)).await;
                sent.and(rows)
            }
        };
        self.note(result)
    }

    /// Reads rows for each list of values, all in one round trip.
    pub(crate) async fn fetch_each(
        &mut self,
        query: &'static Query,
        rows: &[&[Value<'_>]],
    ) -> Result<Vec<Vec<tokio_postgres::Row>>> {
        if rows.is_empty() {
            return Ok(Vec::new());
        }
        let connection = self.begun().await?;
        let sent = async {
            let statement = connection.prepared(query).await?;
            try_join_all(rows.iter().map(|values| run(connection, &statement, query, values))).await
        };
        let result = sent.await;
        self.note(result)
    }

    pub(crate) async fn run(&mut self, query: &'static Query, values: &[Value<'_>]) -> Result<u64> {
        let connection = self.begun().await?;
        let sent = async {
            let statement = connection.prepared(query).await?;
            execute(connection, &statement, query, values).await
        };
        let result = sent.await;
        self.note(result)
    }

    pub(crate) async fn run_each(&mut self, query: &'static Query, rows: &[Vec<Value<'_>>]) -> Result<()> {
        if rows.is_empty() {
            return Ok(());
        }
        let connection = self.begun().await?;
        let sent = async {
            let statement = connection.prepared(query).await?;
            // The driver sends in the order in which the futures are first polled, which is the order of the rows.
            try_join_all(rows.iter().map(|values| execute(connection, &statement, query, values))).await
        };
        let result = sent.await;
        self.note(result).map(drop)
    }
}

/// Begins or ends a transaction or a part of one.
async fn send(connection: &Pooled, sql: &'static str) -> std::result::Result<(), tokio_postgres::Error> {
    let _running = Running::begin(sql);
    connection.batch_execute(sql).await
}

impl Drop for PostgresTx {
    fn drop(&mut self) {
        if let Some(connection) = self.connection.take() {
            drop(Pooled::take(connection));
        }
    }
}
