//! A transaction that writes, on either engine.

use std::marker::PhantomData;

use crate::deadline::Deadline;
use crate::engine::{Engine, Reader};
use crate::error::{Error, Result};
use crate::ledger::entries::Unrecorded;
use crate::postgres::PostgresTx;
use crate::query::Query;
use crate::row::Row;
use crate::sqlite;
use crate::value::Value;

/// A transaction. `'tx` is its brand: invariant and its own, so that a proof minted in one transaction fits no other.
pub struct Tx<'tx> {
    pub(super) driver: TxDriver<'tx>,
    /// Whether a statement failed. PostgreSQL then carries out nothing more and takes COMMIT for ROLLBACK without an error, where
    /// SQLite would go on: on both a transaction ends there.
    pub(super) failed: bool,
    deadline: Deadline,
    /// What the ledger is to record before the transaction commits.
    pub(crate) unrecorded: Unrecorded,
    /// The same of what is around the savepoints that are open.
    pub(super) around: Vec<Unrecorded>,
    brand: Brand<'tx>,
}

/// Marks what belongs to one transaction.
pub(crate) type Brand<'tx> = PhantomData<fn(&'tx ()) -> &'tx ()>;

pub(super) enum TxDriver<'tx> {
    Sqlite(&'tx mut rusqlite::Connection),
    Postgres(&'tx mut PostgresTx),
}

impl<'tx> Tx<'tx> {
    pub(crate) fn sqlite(connection: &'tx mut rusqlite::Connection, deadline: Deadline) -> Self {
        Self::new(TxDriver::Sqlite(connection), deadline)
    }

    pub(crate) fn postgres(tx: &'tx mut PostgresTx, deadline: Deadline) -> Self {
        Self::new(TxDriver::Postgres(tx), deadline)
    }

    fn new(driver: TxDriver<'tx>, deadline: Deadline) -> Self {
        Self {
            driver,
            failed: false,
            deadline,
            unrecorded: Unrecorded::default(),
            around: Vec::new(),
            brand: PhantomData,
        }
    }

    pub(crate) fn brand(&self) -> Brand<'tx> {
        self.brand
    }

    /// On which engine it is.
    pub(crate) fn engine(&self) -> Engine {
        match self.driver {
            TxDriver::Sqlite(_) => Engine::Sqlite,
            TxDriver::Postgres(_) => Engine::Postgres,
        }
    }

    /// Runs a statement that gives no rows with each of several lists of values, without waiting for one before the next is sent.
    pub(crate) async fn run_each(&mut self, query: &'static Query, rows: &[Vec<Value<'_>>]) -> Result<()> {
        self.go_on(query.name)?;
        let ran = match &mut self.driver {
            TxDriver::Sqlite(connection) => {
                let deadline = Some(self.deadline);
                rows.iter().try_for_each(|values| sqlite::run(connection, deadline, query, values).map(drop))
            }
            TxDriver::Postgres(tx) => tx.run_each(query, rows).await,
        };
        self.note(ran)
    }

    /// Runs a statement that gives no rows: how many rows it changed.
    pub(crate) async fn run(&mut self, query: &'static Query, values: &[Value<'_>]) -> Result<u64> {
        self.go_on(query.name)?;
        let ran = match &mut self.driver {
            TxDriver::Sqlite(connection) => sqlite::run(connection, Some(self.deadline), query, values),
            TxDriver::Postgres(tx) => tx.run(query, values).await,
        };
        self.note(ran)
    }

    /// Begins it on PostgreSQL.
    pub(crate) async fn begin(&mut self, begin: &'static str) -> Result<()> {
        match &mut self.driver {
            TxDriver::Sqlite(_) => Ok(()),
            TxDriver::Postgres(tx) => tx.control(begin).await,
        }
    }

    /// Runs a transaction's body and then, as its last statements, records in the ledger what it changed.
    pub(crate) async fn complete<T, E, F>(&mut self, body: &F) -> std::result::Result<T, E>
    where
        E: From<Error>,
        F: for<'a> AsyncFn(&mut Tx<'a>) -> std::result::Result<T, E>,
    {
        let done = body(self).await?;
        let name = self.deadline.name();
        self.go_on(name)?;
        if !self.around.is_empty() {
            return Err(Error::Internal(format!("{name} left a part open")).into());
        }
        self.record(name).await?;
        Ok(done)
    }

    /// Remembers a failure: the transaction ends there.
    pub(super) fn note<T>(&mut self, ran: Result<T>) -> Result<T> {
        self.failed |= ran.is_err();
        ran.map_err(|error| self.deadline.explain(error))
    }

    /// Refuses `what` once a statement has failed, and once the time of the transaction is over.
    pub(crate) fn go_on(&mut self, what: &'static str) -> Result<()> {
        if self.failed {
            return Err(Error::Internal(format!(
                "{what} would go on after a statement of its transaction failed"
            )));
        }
        let in_time = self.deadline.check();
        self.note(in_time)
    }
}

impl Reader for Tx<'_> {
    async fn rows<T: Send>(
        &mut self,
        query: &'static Query,
        values: &[Value<'_>],
        mut each: impl FnMut(&mut Row<'_>) -> Result<T> + Send,
    ) -> Result<Vec<T>> {
        self.go_on(query.name)?;
        let read = match &mut self.driver {
            TxDriver::Sqlite(connection) => {
                sqlite::rows(connection, Some(self.deadline), query, values, &mut each)
            }
            TxDriver::Postgres(tx) => tx.rows(query, values, each).await,
        };
        self.note(read)
    }
}
