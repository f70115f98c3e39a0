//! Migrations: numbered files, applied in order, each once and in a transaction of its own, the same steps on both engines.
//!
//! The texts hold type tokens in braces, for the engines' types differ. A landed migration is never edited: its checksum is kept and
//! compared. To change the schema, add `migrations/NNNN_name.sql` and a line to [`ALL`].

use sha2::{Digest, Sha256};
use uuid::Uuid;

use crate::engine::{Engine, Store};
use crate::error::{Error, Result};

/// One step of the schema.
pub struct Migration {
    /// Its number.
    pub number: i64,
    /// What it does.
    pub name: &'static str,
    sql: &'static str,
}

/// All steps, in order.
pub const ALL: &[Migration] =
    &[Migration { number: 1, name: "foundation", sql: include_str!("../migrations/0001_foundation.sql") }];

/// What the tokens mean on SQLite and on PostgreSQL.
const TOKENS: &[(&str, &str, &str)] = &[
    ("{uuid}", "BLOB", "UUID"),
    ("{text}", "TEXT", "TEXT COLLATE \"C\""),
    ("{date}", "TEXT", "TEXT COLLATE \"C\""),
    ("{int}", "INTEGER", "BIGINT"),
    ("{time}", "INTEGER", "BIGINT"),
    ("{bool}", "INTEGER", "BOOLEAN"),
    ("{real}", "REAL", "DOUBLE PRECISION"),
    ("{bytes}", "BLOB", "BYTEA"),
    ("{tenant}", "STRICT, WITHOUT ROWID", ""),
    ("{reference}", "STRICT", ""),
    ("{reference_without_rowid}", "STRICT, WITHOUT ROWID", ""),
];

impl Migration {
    /// Its text for an engine.
    pub fn sql(&self, engine: Engine) -> String {
        TOKENS.iter().fold(self.sql.to_owned(), |sql, (token, sqlite, postgres)| {
            sql.replace(token, if engine == Engine::Sqlite { sqlite } else { postgres })
        })
    }

    fn checksum(&self) -> String {
        let digest: [u8; 32] = Sha256::digest(self.sql.as_bytes()).into();
        Uuid::new_v8(std::array::from_fn(|at| digest[at])).simple().to_string()
    }
}

/// How far a database's schema is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Status {
    /// The newest step that was applied; 0: none.
    pub applied: i64,
    /// The newest that this program knows.
    pub known: i64,
}

const TABLE: &str = "CREATE TABLE IF NOT EXISTS schema_migrations (
    number BIGINT NOT NULL PRIMARY KEY, name TEXT NOT NULL, checksum TEXT NOT NULL)";
const APPLIED: &str = "SELECT number, checksum FROM schema_migrations ORDER BY number";
const NOTE: &str = "INSERT INTO schema_migrations (number, name, checksum) VALUES ($1, $2, $3)";

/// How far the schema is, without changing it. Fails where it is newer than this program or a step was edited.
pub async fn status(store: &Store) -> Result<Status> {
    let applied = match (store.sqlite(), store.postgres()) {
        (Some(sqlite), _) => {
            sqlite
                .with_writer(|connection| {
                    connection.execute_batch(TABLE)?;
                    let mut statement = connection.prepare(APPLIED)?;
                    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
                    Ok(rows.collect::<rusqlite::Result<Vec<_>>>()?)
                })
                .await?
        }
        (_, Some(postgres)) => {
            let connection = postgres.connection().await?;
            make_table(&connection).await?;
            let rows = connection.query(APPLIED, &[]).await?;
            rows.iter().map(|row| Ok((row.try_get(0)?, row.try_get(1)?))).collect::<Result<Vec<_>>>()?
        }
        _ => Vec::new(),
    };
    check(&applied)
}

/// Brings the schema up to this program. Gives the steps that were applied now.
pub async fn run(store: &Store) -> Result<Vec<&'static Migration>> {
    let before = status(store).await?;
    let mut done = Vec::new();
    for migration in ALL.iter().filter(|migration| migration.number > before.applied) {
        apply(store, migration).await?;
        done.push(migration);
    }
    Ok(done)
}

fn check(applied: &[(i64, String)]) -> Result<Status> {
    let known = ALL.last().map_or(0, |migration| migration.number);
    let newest = applied.last().map_or(0, |(number, _)| *number);
    if newest > known {
        return Err(Error::NewerSchema { found: newest, known });
    }
    for (number, checksum) in applied {
        let same =
            ALL.iter().any(|migration| migration.number == *number && migration.checksum() == *checksum);
        if !same {
            return Err(Error::EditedMigration(*number));
        }
    }
    Ok(Status { applied: newest, known })
}

async fn apply(store: &Store, migration: &'static Migration) -> Result<()> {
    let sql = migration.sql(store.engine());
    if let Some(sqlite) = store.sqlite() {
        return sqlite
            .with_writer(move |connection| {
                connection.execute_batch(&sql)?;
                connection.execute(NOTE, (migration.number, migration.name, migration.checksum()))?;
                Ok(())
            })
            .await;
    }
    if let Some(postgres) = store.postgres() {
        let mut connection = postgres.connection().await?;
        let transaction = connection.transaction().await?;
        // Noted first: a second program that migrates at the same time waits here, then fails and finds it done.
        let noted =
            transaction.execute(NOTE, &[&migration.number, &migration.name, &migration.checksum()]).await;
        match noted.map_err(Error::from) {
            Err(Error::Duplicate(_)) => return Ok(()),
            other => other?,
        };
        transaction.batch_execute(&sql).await?;
        transaction.commit().await?;
    }
    Ok(())
}

/// Two programs that make the table at once collide in the catalogue even with IF NOT EXISTS; the loser finds it made.
async fn make_table(connection: &deadpool_postgres::Object) -> Result<()> {
    match connection.batch_execute(TABLE).await.map_err(Error::from) {
        Err(Error::Duplicate(_)) => Ok(connection.batch_execute(TABLE).await?),
        other => other,
    }
}
