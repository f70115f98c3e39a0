//! An open transaction on PostgreSQL.

use deadpool_postgres::Object;
use futures_util::future::try_join_all;
use tokio_postgres::error::SqlState;

use super::{execute, fetch};
use crate::error::{Error, Result};
use crate::query::Query;
use crate::row::{Row, Source};
use crate::value::Value;

/// How a transaction met another one.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Collision {
    /// The database found the conflict.
    Seen,
    /// The row existed already, or the referenced row no longer exists. Transactions check before they write, so another transaction
    /// must have changed it unseen; if the same happens in the next run, it is a fault.
    Unseen,
}

/// An open transaction. Dropped before it is finished, it takes its connection out of the pool, so that none comes back mid-way.
pub(crate) struct PostgresTx {
    connection: Option<Object>,
    /// Whether this run is to see what one before did not.
    looked_again: bool,
    collided: Option<Collision>,
}

impl PostgresTx {
    pub(super) fn new(connection: Object, looked_again: bool) -> Self {
        Self { connection: Some(connection), looked_again, collided: None }
    }

    /// How it met another transaction; none: it did not, and what failed is its own failure.
    pub(super) fn collision(&self) -> Option<Collision> {
        self.collided
    }

    /// Whether it met another transaction, so that all of it is run again.
    pub(crate) fn collided(&self) -> bool {
        self.collided.is_some()
    }

    /// Its connection, in the midst of it.
    pub(super) fn give_up(mut self) -> Option<Object> {
        self.connection.take()
    }

    fn open(&self) -> Result<&Object> {
        self.connection.as_ref().ok_or_else(|| Error::Internal("the transaction is over".to_owned()))
    }

    pub(super) fn finish(&mut self) {
        self.connection = None;
    }

    fn note<T>(&mut self, result: std::result::Result<T, tokio_postgres::Error>) -> Result<T> {
        let code = result.as_ref().err().and_then(tokio_postgres::Error::code);
        let one_of = |codes: [SqlState; 2]| code.is_some_and(|code| codes.contains(code));
        if one_of([SqlState::T_R_SERIALIZATION_FAILURE, SqlState::T_R_DEADLOCK_DETECTED]) {
            self.collided = Some(Collision::Seen);
        } else if !self.looked_again && one_of([SqlState::UNIQUE_VIOLATION, SqlState::FOREIGN_KEY_VIOLATION])
        {
            self.collided = Some(Collision::Unseen);
        }
        result.map_err(Error::from)
    }

    /// Ends the transaction and gives its connection back.
    pub(crate) async fn commit(mut self) -> Result<()> {
        self.control("COMMIT").await?;
        self.finish();
        Ok(())
    }

    pub(crate) async fn control(&mut self, sql: &'static str) -> Result<()> {
        let result = self.open()?.batch_execute(sql).await;
        self.note(result)
    }

    pub(crate) async fn rows<T>(
        &mut self,
        query: &'static Query,
        values: &[Value<'_>],
        mut each: impl FnMut(&mut Row<'_>) -> Result<T>,
    ) -> Result<Vec<T>> {
        let result = fetch(self.open()?, query, values).await;
        self.note(result)?.iter().map(|row| each(&mut Row::new(Source::Postgres(row), query))).collect()
    }

    pub(crate) async fn run(&mut self, query: &'static Query, values: &[Value<'_>]) -> Result<u64> {
        let result = execute(self.open()?, query, values).await;
        self.note(result)
    }

    pub(crate) async fn run_each(&mut self, query: &'static Query, rows: &[Vec<Value<'_>>]) -> Result<()> {
        let connection = self.open()?;
        // The driver sends in the order in which the futures are first polled, which is the order of the rows.
        let result = try_join_all(rows.iter().map(|values| execute(connection, query, values))).await;
        self.note(result).map(drop)
    }
}

impl Drop for PostgresTx {
    fn drop(&mut self) {
        if let Some(connection) = self.connection.take() {
            drop(Object::take(connection));
        }
    }
}
