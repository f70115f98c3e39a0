//! Read-only transactions, whose queries all see one snapshot.

use std::sync::{Mutex, PoisonError};

use super::{Engine, Reader};
use crate::deadline::Deadline;
use crate::error::Result;
use crate::postgres::{PostgresRead, SharedRead};
use crate::query::Query;
use crate::row::Row;
use crate::sealing::Sealer;
use crate::sqlite;
use crate::value::Value;

/// A read-only transaction. A shared reference is a [`Reader`] too: queries that are awaited together, each with its own reference, are
/// sent to PostgreSQL in one round trip.
pub struct ReadTx<'tx> {
    driver: ReadDriver<'tx>,
    deadline: Deadline,
    sealer: &'tx Sealer,
}

enum ReadDriver<'tx> {
    /// The lock is always free, because a query on SQLite finishes before the next one begins.
    Sqlite(&'tx Mutex<rusqlite::Connection>),
    Postgres(&'tx PostgresRead),
    /// On a connection that others use too.
    Shared(&'tx SharedRead<'tx>),
}

impl<'tx> ReadTx<'tx> {
    pub(crate) fn sqlite(
        connection: &'tx Mutex<rusqlite::Connection>,
        deadline: Deadline,
        sealer: &'tx Sealer,
    ) -> Self {
        Self { driver: ReadDriver::Sqlite(connection), deadline, sealer }
    }

    pub(crate) fn postgres(tx: &'tx PostgresRead, deadline: Deadline, sealer: &'tx Sealer) -> Self {
        Self { driver: ReadDriver::Postgres(tx), deadline, sealer }
    }

    pub(crate) fn shared(tx: &'tx SharedRead<'tx>, deadline: Deadline, sealer: &'tx Sealer) -> Self {
        Self { driver: ReadDriver::Shared(tx), deadline, sealer }
    }
}

impl Reader for &ReadTx<'_> {
    fn engine(&self) -> Engine {
        match self.driver {
            ReadDriver::Sqlite(_) => Engine::Sqlite,
            ReadDriver::Postgres(_) | ReadDriver::Shared(_) => Engine::Postgres,
        }
    }

    fn sealer(&self) -> &Sealer {
        self.sealer
    }

    async fn rows<T: Send>(
        &mut self,
        query: &'static Query,
        values: &[Value<'_>],
        mut each: impl FnMut(&mut Row<'_>) -> Result<T> + Send,
    ) -> Result<Vec<T>> {
        self.deadline.check()?;
        let read = match &self.driver {
            ReadDriver::Sqlite(connection) => {
                let connection = connection.lock().unwrap_or_else(PoisonError::into_inner);
                sqlite::rows(&connection, Some(self.deadline), query, values, &mut each)
            }
            ReadDriver::Postgres(tx) => Box::pin(tx.rows(query, values, each)).await,
            ReadDriver::Shared(tx) => Box::pin(tx.rows(query, values, each)).await,
        };
        read.map_err(|error| self.deadline.explain(error))
    }
}

impl Reader for ReadTx<'_> {
    fn engine(&self) -> Engine {
        (&self).engine()
    }

    fn sealer(&self) -> &Sealer {
        self.sealer
    }

    async fn rows<T: Send>(
        &mut self,
        query: &'static Query,
        values: &[Value<'_>],
        each: impl FnMut(&mut Row<'_>) -> Result<T> + Send,
    ) -> Result<Vec<T>> {
        (&*self).rows(query, values, each).await
    }
}
