//! The store and its transactions, the same on both engines.

mod facts;
mod read;
mod savepoint;
pub(crate) mod stream;
mod tx;

#[cfg(test)]
pub(crate) mod tests;

use std::future::Future;
use std::path::PathBuf;

use fieldhouse_domain::effects::Kind;
use fieldhouse_domain::ids::OrganizationId;
use uuid::Uuid;

pub(crate) use facts::Kept;
pub use read::ReadTx;
pub use savepoint::Savepoint;
pub use stream::Rows;
pub(crate) use tx::Brand;
pub use tx::{Tx, Watched};

use crate::error::{Error, Result};
use crate::postgres::Postgres;
use crate::query::Query;
use crate::row::Row;
use crate::sealing::Sealer;
use crate::sqlite::{self, Sqlite};
use crate::value::Value;

/// Where the records are stored.
#[derive(Clone, Debug)]
pub enum Options {
    /// Embedded SQLite in a data folder.
    Sqlite {
        /// The data folder.
        folder: PathBuf,
    },
    /// A PostgreSQL server.
    Postgres {
        /// Its address: `postgres://user:password@host/database?sslmode=require`.
        url: String,
        /// A file of certificates (PEM) to trust instead of the well-known ones.
        root_certificates: Option<PathBuf>,
        /// The maximum number of connections, besides four for exports and reports.
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

/// A query with its parameters and what reads each row.
type Wanted<'a, F> = (&'static Query, &'a [Value<'a>], F);

/// The futures of PostgreSQL are in boxes: each caller's future would contain them, and large futures are copied several times on their way, on
/// SQLite for nothing.
enum Driver {
    Sqlite(Sqlite),
    Postgres(Postgres),
}

/// A source of query results: the store, where each query sees the newest state, or a transaction.
pub trait Reader: Send {
    /// The engine that it reads from.
    #[doc(hidden)]
    fn engine(&self) -> Engine;

    /// What opens children's data.
    #[doc(hidden)]
    fn sealer(&self) -> &Sealer;

    /// Notes that a record was read, or looked for and not found. Only a transaction that is watched keeps it.
    #[doc(hidden)]
    fn note_read(&mut self, _record: (Kind, Uuid), _version: Option<i64>) {}

    /// Reads all rows of a query.
    #[doc(hidden)]
    fn rows<T: Send>(
        &mut self,
        query: &'static Query,
        values: &[Value<'_>],
        each: impl FnMut(&mut Row<'_>) -> Result<T> + Send,
    ) -> impl Future<Output = Result<Vec<T>>> + Send;
}

/// The store or a transaction, for a read that can be made in either.
pub enum Source<'a, 'tx> {
    /// The store.
    Store(&'a Store),
    /// A transaction.
    Transaction(&'a mut Tx<'tx>),
}

impl Reader for Source<'_, '_> {
    fn engine(&self) -> Engine {
        match self {
            Self::Store(store) => store.engine(),
            Self::Transaction(tx) => tx.engine(),
        }
    }

    fn sealer(&self) -> &Sealer {
        match self {
            Self::Store(store) => store.sealer(),
            Self::Transaction(tx) => tx.sealer(),
        }
    }

    async fn rows<T: Send>(
        &mut self,
        query: &'static Query,
        values: &[Value<'_>],
        each: impl FnMut(&mut Row<'_>) -> Result<T> + Send,
    ) -> Result<Vec<T>> {
        match self {
            Self::Store(store) => store.rows(query, values, each).await,
            Self::Transaction(tx) => tx.rows(query, values, each).await,
        }
    }
}

/// Reads the first row of a query.
pub(crate) async fn first<T: Send>(
    reader: &mut impl Reader,
    query: &'static Query,
    values: &[Value<'_>],
    each: impl FnMut(&mut Row<'_>) -> Result<T> + Send,
) -> Result<Option<T>> {
    Ok(reader.rows(query, values, each).await?.into_iter().next())
}

impl Store {
    /// The database's files in a data folder. The first one holds the records; the others exist while it is open.
    pub const FILES: [&str; 3] = sqlite::FILES;

    /// Opens the store. This neither creates nor checks the schema: see [`crate::migrations`].
    pub async fn open(options: &Options) -> Result<Self> {
        let driver = match options {
            Options::Sqlite { folder } => Driver::Sqlite(Sqlite::open(folder)?),
            Options::Postgres { url, root_certificates, connections } => {
                Driver::Postgres(Postgres::connect(url, root_certificates.as_deref(), *connections).await?)
            }
        };
        Ok(Self { driver })
    }

    /// Opens connections ahead of the first requests, as far as it can. A server calls it once when it starts.
    pub async fn prepare_to_serve(&self) {
        if let Driver::Postgres(postgres) = &self.driver {
            postgres.open_lanes().await;
        }
    }

    /// Gives the store what seals and opens children's data. Without it, the store cannot read or write that data.
    pub fn seal_with(&mut self, sealer: Sealer) {
        match &mut self.driver {
            Driver::Sqlite(sqlite) => sqlite.sealer = sealer,
            Driver::Postgres(postgres) => postgres.sealer = sealer,
        }
    }

    /// The store's engine.
    pub fn engine(&self) -> Engine {
        match self.driver {
            Driver::Sqlite(_) => Engine::Sqlite,
            Driver::Postgres(_) => Engine::Postgres,
        }
    }

    /// Runs a transaction. `name` appears in its span, metrics and logs. The body must not wait for anything but the transaction, and is
    /// run again if it collides with another one.
    ///
    /// If it fails, nothing is written. With waits and repeated runs it may take a minute; then it fails with [`Error::Deadline`].
    pub async fn write<T, E, F>(&self, name: &'static str, body: F) -> std::result::Result<T, E>
    where
        T: Send + 'static,
        E: From<Error> + Send + 'static,
        F: for<'tx> AsyncFn(&mut Tx<'tx>) -> std::result::Result<T, E> + Send + Sync + 'static,
    {
        match &self.driver {
            Driver::Sqlite(sqlite) => sqlite.write(name, body).await,
            Driver::Postgres(postgres) => Box::pin(postgres.write(name, body)).await,
        }
    }

    /// Runs a read-only transaction on one snapshot. `name` appears in its span. The body may be run several times, and must not wait for
    /// anything but the transaction.
    ///
    /// On SQLite it runs on the calling thread, as a single query does. If the future must be `Send`, as in a handler, the body must own
    /// what it captures.
    pub async fn read<T, E, F>(&self, name: &'static str, body: F) -> std::result::Result<T, E>
    where
        E: From<Error>,
        F: for<'tx> AsyncFn(&mut ReadTx<'tx>) -> std::result::Result<T, E>,
    {
        match &self.driver {
            Driver::Sqlite(sqlite) => sqlite.read_together(name, &body),
            Driver::Postgres(postgres) => Box::pin(postgres.read_together(name, &body)).await,
        }
    }

    /// The same for a body whose queries are all awaited together. PostgreSQL gets them in one piece, on a connection that other reads share. A
    /// body that awaits another query after their results is run again as [`Store::read`] runs it.
    pub async fn read_at_once<T, E, F>(&self, name: &'static str, body: F) -> std::result::Result<T, E>
    where
        E: From<Error>,
        F: for<'tx> AsyncFn(&mut ReadTx<'tx>) -> std::result::Result<T, E>,
    {
        match &self.driver {
            Driver::Sqlite(sqlite) => sqlite.read_together(name, &body),
            Driver::Postgres(postgres) => Box::pin(postgres.read_at_once(name, &body)).await,
        }
    }

    /// Reads the rows of two queries in one round trip.
    pub(crate) async fn rows_of_both<A, B>(
        &self,
        (query, values, each): Wanted<'_, impl FnMut(&mut Row<'_>) -> Result<A>>,
        (other, other_values, each_other): Wanted<'_, impl FnMut(&mut Row<'_>) -> Result<B>>,
    ) -> Result<(Vec<A>, Vec<B>)> {
        match &self.driver {
            Driver::Sqlite(sqlite) => {
                Ok((sqlite.read(query, values, each)?, sqlite.read(other, other_values, each_other)?))
            }
            Driver::Postgres(postgres) => {
                let fetched = Box::pin(postgres.fetch([(query, values), (other, other_values)])).await;
                let [rows, others] = fetched?;
                Ok((rows.read(query, each)?, others.read(other, each_other)?))
            }
        }
    }

    pub(crate) fn sqlite(&self) -> Option<&Sqlite> {
        match &self.driver {
            Driver::Sqlite(sqlite) => Some(sqlite),
            Driver::Postgres(_) => None,
        }
    }

    /// The state of an organization's records, if nothing but this process writes them: what was read after it was taken is current while
    /// it stays the same. `None` on PostgreSQL, where other nodes write too.
    pub fn local_generation(&self, organization: OrganizationId) -> Option<sqlite::LocalGeneration> {
        self.sqlite().map(|sqlite| sqlite.generations.of_records(organization))
    }

    pub(crate) fn postgres(&self) -> Option<&Postgres> {
        match &self.driver {
            Driver::Sqlite(_) => None,
            Driver::Postgres(postgres) => Some(postgres),
        }
    }
}

impl Reader for &Store {
    fn engine(&self) -> Engine {
        Store::engine(self)
    }

    fn sealer(&self) -> &Sealer {
        match &self.driver {
            Driver::Sqlite(sqlite) => &sqlite.sealer,
            Driver::Postgres(postgres) => &postgres.sealer,
        }
    }

    async fn rows<T: Send>(
        &mut self,
        query: &'static Query,
        values: &[Value<'_>],
        each: impl FnMut(&mut Row<'_>) -> Result<T> + Send,
    ) -> Result<Vec<T>> {
        match &self.driver {
            Driver::Sqlite(sqlite) => sqlite.read(query, values, each),
            Driver::Postgres(postgres) => Box::pin(postgres.read(query, values, each)).await,
        }
    }
}
