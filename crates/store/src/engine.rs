//! The store and its transactions: which engine, and what can be asked of both.

use std::future::Future;
use std::marker::PhantomData;
use std::path::PathBuf;

use crate::error::{Error, Result};
use crate::ledger::entries::Unrecorded;
use crate::postgres::{Postgres, PostgresTx};
use crate::query::Query;
use crate::row::Row;
use crate::sqlite::{self, Sqlite};
use crate::value::Value;

/// Where the records are.
#[derive(Clone, Debug)]
pub enum Options {
    /// Embedded SQLite in a data folder.
    Sqlite {
        /// The folder.
        folder: PathBuf,
    },
    /// A PostgreSQL server.
    Postgres {
        /// Its address: `postgres://user:password@host/database?sslmode=require`.
        url: String,
        /// A file of certificates (PEM) to trust instead of the well-known ones.
        root_certificates: Option<PathBuf>,
        /// How many connections at most.
        connections: usize,
    },
}

/// A kind of database.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Engine {
    /// Embedded SQLite.
    Sqlite,
    /// PostgreSQL.
    Postgres,
}

impl Engine {
    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Sqlite => "sqlite",
            Self::Postgres => "postgresql",
        }
    }
}

/// All records, on either engine.
pub struct Store {
    driver: Driver,
}

enum Driver {
    Sqlite(Sqlite),
    Postgres(Postgres),
}

/// Something that queries can be read from: the store, where each query sees the newest state, or a transaction.
pub trait Reader: Send {
    /// All rows of a query.
    #[doc(hidden)]
    fn rows<T: Send>(
        &mut self,
        query: &'static Query,
        values: &[Value<'_>],
        each: impl FnMut(&mut Row<'_>) -> Result<T> + Send,
    ) -> impl Future<Output = Result<Vec<T>>> + Send;
}

/// The first row of a query.
pub(crate) async fn first<T: Send>(
    reader: &mut impl Reader,
    query: &'static Query,
    values: &[Value<'_>],
    each: impl FnMut(&mut Row<'_>) -> Result<T> + Send,
) -> Result<Option<T>> {
    Ok(reader.rows(query, values, each).await?.into_iter().next())
}

impl Store {
    /// The database's files in a data folder. The first one holds the records; the others are there while it is open.
    pub const FILES: [&str; 3] = sqlite::FILES;

    /// Opens the store. The schema is neither made nor checked: see [`crate::migrations`].
    pub async fn open(options: &Options) -> Result<Self> {
        let driver = match options {
            Options::Sqlite { folder } => Driver::Sqlite(Sqlite::open(folder)?),
            Options::Postgres { url, root_certificates, connections } => {
                Driver::Postgres(Postgres::connect(url, root_certificates.as_deref(), *connections).await?)
            }
        };
        Ok(Self { driver })
    }

    /// Which engine it is.
    pub fn engine(&self) -> Engine {
        match self.driver {
            Driver::Sqlite(_) => Engine::Sqlite,
            Driver::Postgres(_) => Engine::Postgres,
        }
    }

    /// Runs a transaction. `name` is its span, metric and log field. The body may be run several times, until it does not collide
    /// with another transaction; it must not wait for anything but the transaction. Nothing of it is kept where it fails.
    pub async fn write<T, E, F>(&self, name: &'static str, body: F) -> std::result::Result<T, E>
    where
        T: Send + 'static,
        E: From<Error> + Send + 'static,
        F: for<'tx> AsyncFn(&mut Tx<'tx>) -> std::result::Result<T, E> + Send + Sync + 'static,
    {
        match &self.driver {
            Driver::Sqlite(sqlite) => sqlite.write(name, body).await,
            Driver::Postgres(postgres) => postgres.write(name, body).await,
        }
    }

    pub(crate) fn sqlite(&self) -> Option<&Sqlite> {
        match &self.driver {
            Driver::Sqlite(sqlite) => Some(sqlite),
            Driver::Postgres(_) => None,
        }
    }

    pub(crate) fn postgres(&self) -> Option<&Postgres> {
        match &self.driver {
            Driver::Sqlite(_) => None,
            Driver::Postgres(postgres) => Some(postgres),
        }
    }
}

impl Reader for &Store {
    async fn rows<T: Send>(
        &mut self,
        query: &'static Query,
        values: &[Value<'_>],
        each: impl FnMut(&mut Row<'_>) -> Result<T> + Send,
    ) -> Result<Vec<T>> {
        match &self.driver {
            Driver::Sqlite(sqlite) => sqlite.read(query, values, each),
            Driver::Postgres(postgres) => postgres.read(query, values, each).await,
        }
    }
}

/// A transaction. `'tx` is its brand: invariant and its own, so that a proof minted in one transaction fits no other.
pub struct Tx<'tx> {
    driver: TxDriver<'tx>,
    /// Whether a statement failed. PostgreSQL then carries out nothing more and takes COMMIT for ROLLBACK without an error, where
    /// SQLite would go on: on both a transaction ends there.
    failed: bool,
    /// What the ledger is to record before the transaction commits.
    pub(crate) unrecorded: Unrecorded,
    brand: Brand<'tx>,
}

/// Marks what belongs to one transaction.
pub(crate) type Brand<'tx> = PhantomData<fn(&'tx ()) -> &'tx ()>;

enum TxDriver<'tx> {
    Sqlite(&'tx mut rusqlite::Connection),
    Postgres(&'tx mut PostgresTx),
}

impl<'tx> Tx<'tx> {
    pub(crate) fn sqlite(connection: &'tx mut rusqlite::Connection) -> Self {
        Self {
            driver: TxDriver::Sqlite(connection),
            failed: false,
            unrecorded: Unrecorded::default(),
            brand: PhantomData,
        }
    }

    pub(crate) fn postgres(tx: &'tx mut PostgresTx) -> Self {
        Self {
            driver: TxDriver::Postgres(tx),
            failed: false,
            unrecorded: Unrecorded::default(),
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
                rows.iter().try_for_each(|values| sqlite::run(connection, query, values).map(drop))
            }
            TxDriver::Postgres(tx) => tx.run_each(query, rows).await,
        };
        self.failed |= ran.is_err();
        ran
    }

    /// Runs a statement that gives no rows: how many rows it changed.
    pub(crate) async fn run(&mut self, query: &'static Query, values: &[Value<'_>]) -> Result<u64> {
        self.go_on(query.name)?;
        let ran = match &mut self.driver {
            TxDriver::Sqlite(connection) => sqlite::run(connection, query, values),
            TxDriver::Postgres(tx) => tx.run(query, values).await,
        };
        self.failed |= ran.is_err();
        ran
    }

    /// Runs a transaction's body and then, as its last statements, records in the ledger what it changed.
    pub(crate) async fn complete<T, E, F>(
        &mut self,
        name: &'static str,
        body: &F,
    ) -> std::result::Result<T, E>
    where
        E: From<Error>,
        F: for<'a> AsyncFn(&mut Tx<'a>) -> std::result::Result<T, E>,
    {
        let done = body(self).await?;
        self.go_on(name)?;
        self.record(name).await?;
        Ok(done)
    }

    /// Refuses `what` once a statement has failed.
    pub(crate) fn go_on(&self, what: &'static str) -> Result<()> {
        if self.failed {
            return Err(Error::Internal(format!(
                "{what} would go on after a statement of its transaction failed"
            )));
        }
        Ok(())
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
            TxDriver::Sqlite(connection) => sqlite::rows(connection, query, values, &mut each),
            TxDriver::Postgres(tx) => tx.rows(query, values, each).await,
        };
        self.failed |= read.is_err();
        read
    }
}
