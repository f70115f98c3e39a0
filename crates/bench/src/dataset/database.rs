//! The database of a data set, past the store. Statements are the same for both engines; types and literals differ, and are here.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use fieldhouse_store::{Options, Store};
use uuid::Uuid;

use crate::options::Engine;
use crate::postgres::{self, Postgres};

/// Where a data set is.
pub(crate) enum Database {
    /// A folder.
    Sqlite(PathBuf),
    /// A URL.
    Postgres(String),
}

/// A connection past the store.
pub(crate) enum Connection {
    /// To the file.
    Sqlite(rusqlite::Connection),
    /// To the server.
    Postgres(tokio_postgres::Client),
}

impl Database {
    /// The database of an engine.
    pub(crate) fn of(engine: Engine, folder: &Path, name: &str, postgres: Option<&Postgres>) -> Result<Self> {
        Ok(match engine {
            Engine::Sqlite => Self::Sqlite(folder.to_owned()),
            Engine::Postgres => Self::Postgres(postgres.context("PostgreSQL is running")?.url(name)),
        })
    }

    /// The options that open it as a store.
    pub(crate) fn options(&self) -> Options {
        match self {
            Self::Sqlite(folder) => Options::Sqlite { folder: folder.clone() },
            Self::Postgres(url) => {
                Options::Postgres { url: url.clone(), root_certificates: None, connections: 4 }
            }
        }
    }

    /// Connects past the store, which must not be open on SQLite.
    pub(crate) async fn connect(&self) -> Result<Connection> {
        match self {
            Self::Sqlite(folder) => {
                let connection = rusqlite::Connection::open(folder.join(Store::FILES[0]))?;
                // A data set that was not finished is made again, so that nothing waits for the disk.
                connection.execute_batch(
                    "PRAGMA foreign_keys = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -400000; PRAGMA temp_store = MEMORY",
                )?;
                Ok(Connection::Sqlite(connection))
            }
            Self::Postgres(url) => {
                let client = postgres::connect(url).await?;
                client
                    .batch_execute("SET synchronous_commit = off; SET session_replication_role = replica")
                    .await?;
                Ok(Connection::Postgres(client))
            }
        }
    }

    /// Brings the database into the state of one that is looked after: on SQLite a restored backup, whose pages have their rows in the order of
    /// the tables, and on PostgreSQL what `VACUUM` leaves, with measured statistics. SQLite's were written by the migrations.
    pub(crate) async fn settle(&self) -> Result<()> {
        match self {
            Self::Sqlite(folder) => {
                let copy = folder.join("copy.db");
                fieldhouse_store::back_up(folder, &copy)?;
                for file in Store::FILES.map(|file| folder.join(file)).iter().filter(|file| file.exists()) {
                    fs::remove_file(file)?;
                }
                Ok(fs::rename(copy, folder.join(Store::FILES[0]))?)
            }
            Self::Postgres(_) => {
                let mut connection = self.connect().await?;
                connection.run("VACUUM ANALYZE").await?;
                connection.close().await
            }
        }
    }
}

impl Connection {
    /// Runs statements. `{uuid}` and `{bytes}` are the engine's types.
    pub(crate) async fn run(&mut self, sql: &str) -> Result<()> {
        let shown = || format!("this failed: {}", sql.chars().take(600).collect::<String>());
        match self {
            Self::Sqlite(connection) => {
                let sql = sql.replace("{uuid}", "BLOB").replace("{bytes}", "BLOB");
                connection.execute_batch(&sql).with_context(shown)
            }
            Self::Postgres(client) => {
                let sql = sql.replace("{uuid}", "UUID").replace("{bytes}", "BYTEA");
                client.batch_execute(&sql).await.with_context(shown)
            }
        }
    }

    /// The columns of a table.
    pub(crate) async fn columns(&self, table: &str) -> Result<Vec<String>> {
        match self {
            Self::Sqlite(connection) => {
                let mut columns = connection.prepare("SELECT name FROM pragma_table_info(?1)")?;
                let columns = columns.query_map([table], |row| row.get(0))?;
                Ok(columns.collect::<Result<_, _>>()?)
            }
            Self::Postgres(client) => {
                let columns = "SELECT CAST(column_name AS TEXT) FROM information_schema.columns
                    WHERE table_name = $1 AND table_schema = current_schema() ORDER BY ordinal_position";
                let rows = client.query(columns, &[&table]).await?;
                Ok(rows.iter().map(|row| row.get(0)).collect())
            }
        }
    }

    /// A UUID in SQL.
    pub(crate) fn uuid(&self, id: Uuid) -> String {
        match self {
            Self::Sqlite(_) => format!("x'{}'", id.simple()),
            Self::Postgres(_) => format!("CAST('{id}' AS UUID)"),
        }
    }

    /// Bytes in SQL.
    pub(crate) fn bytes(&self, bytes: &[u8]) -> String {
        let hex = bytes.iter().fold(String::new(), |hex, byte| format!("{hex}{byte:02x}"));
        match self {
            Self::Sqlite(_) => format!("x'{hex}'"),
            Self::Postgres(_) => format!("CAST('\\x{hex}' AS BYTEA)"),
        }
    }

    /// Closes it, and moves all of SQLite's log to the database, so that a copy of the file is complete.
    pub(crate) async fn close(self) -> Result<()> {
        match self {
            Self::Sqlite(connection) => {
                connection.execute_batch("PRAGMA wal_checkpoint(TRUNCATE)")?;
                connection.close().map_err(|(_, error)| error.into())
            }
            Self::Postgres(client) => Ok(client.batch_execute("CHECKPOINT").await?),
        }
    }
}
