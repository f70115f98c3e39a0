//! What can go wrong below the domain. Not finding a record is not an error: it is `Ok(None)`.

use std::error::Error as _;

/// What went wrong in the store.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Another record has the same unique key.
    #[error("a unique key is taken: {0}")]
    Duplicate(Taken),
    /// A record refers to one that is not there, or is referred to.
    #[error("a reference does not hold: {0}")]
    Reference(String),
    /// A stored row cannot be read: somebody or something changed it outside of this program.
    #[error("corrupt row in {query}, column {column}, row {row}: {reason}")]
    Corrupt {
        /// The query that read it.
        query: &'static str,
        /// The column.
        column: String,
        /// The first column's value, which is the id where there is one.
        row: String,
        /// What is wrong.
        reason: String,
    },
    /// More is asked than the store can do now. Nothing was done.
    #[error("the store is overloaded: {0}")]
    Overloaded(&'static str),
    /// A statement took longer than it may. Nothing was done.
    #[error("a statement took too long")]
    Timeout,
    /// A whole transaction, named here, took longer than it may. Nothing was done.
    #[error("the transaction {0} took too long")]
    Deadline(&'static str),
    /// A lock could not be had in time. Nothing was done.
    #[error("a lock could not be had in time")]
    LockTimeout,
    /// The database cannot be reached or used. Whether the transaction was carried out may be unknown.
    #[error("the database cannot be used: {0}")]
    Unavailable(String),
    /// The database's schema is newer than this program.
    #[error("the database has schema version {found}, this program knows {known}: use a newer program")]
    NewerSchema {
        /// The database's version.
        found: i64,
        /// The newest that this program knows.
        known: i64,
    },
    /// A landed migration was edited.
    #[error("migration {0} is not the one that was applied")]
    EditedMigration(i64),
    /// Another process has the data folder.
    #[error("the data folder {0} is in use by another Fieldhouse process: stop it first")]
    Locked(String),
    /// A fault in this program.
    #[error("internal: {0}")]
    Internal(String),
}

/// A unique key that another record has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Taken {
    /// The table.
    pub table: String,
    /// The field by which records of the table are told apart; none for a key that no client sets.
    pub field: Option<String>,
}

impl Taken {
    /// What SQLite reports: `UNIQUE constraint failed: seasons.org_id, seasons.name_folded`.
    fn of_sqlite(text: &str) -> Self {
        let columns = text.rsplit(": ").next().unwrap_or_default();
        let (table, column) =
            columns.rsplit(", ").next().and_then(|last| last.split_once('.')).unwrap_or((columns, ""));
        let field = column.trim_end_matches("_folded");
        let field = (!matches!(field, "" | "id")).then(|| field.to_owned());
        Self { table: table.to_owned(), field }
    }

    /// What PostgreSQL reports: the name of the constraint, which is `seasons__name` by the migrations' custom.
    fn of_postgres(error: &tokio_postgres::error::DbError) -> Self {
        let constraint = error.constraint().unwrap_or_default();
        let (table, field) = constraint.split_once("__").unwrap_or((error.table().unwrap_or_default(), ""));
        Self { table: table.to_owned(), field: (!field.is_empty()).then(|| field.to_owned()) }
    }
}

impl std::fmt::Display for Taken {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} by {}", self.table, self.field.as_deref().unwrap_or("key"))
    }
}

/// What a store function gives.
pub type Result<T> = std::result::Result<T, Error>;

impl From<rusqlite::Error> for Error {
    fn from(error: rusqlite::Error) -> Self {
        use rusqlite::ErrorCode;
        use rusqlite::ffi;
        let text = error.to_string();
        let rusqlite::Error::SqliteFailure(failure, _) = &error else { return Self::Internal(text) };
        match (failure.extended_code, failure.code) {
            (ffi::SQLITE_CONSTRAINT_UNIQUE | ffi::SQLITE_CONSTRAINT_PRIMARYKEY, _) => {
                Self::Duplicate(Taken::of_sqlite(&text))
            }
            (ffi::SQLITE_CONSTRAINT_FOREIGNKEY, _) => Self::Reference(text),
            (_, ErrorCode::OperationInterrupted) => Self::Timeout,
            (_, ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Self::LockTimeout,
            (
                _,
                ErrorCode::DiskFull
                | ErrorCode::SystemIoFailure
                | ErrorCode::CannotOpen
                | ErrorCode::ReadOnly
                | ErrorCode::DatabaseCorrupt
                | ErrorCode::NotADatabase,
            ) => Self::Unavailable(text),
            _ => Self::Internal(text),
        }
    }
}

impl From<tokio_postgres::Error> for Error {
    fn from(error: tokio_postgres::Error) -> Self {
        use tokio_postgres::error::SqlState;
        let text = explain(&error);
        let Some(code) = error.code() else {
            // What the driver itself refuses, such as a value that does not fit its parameter, is no fault of the connection.
            let lost = error.is_closed() || error.source().is_some_and(|cause| cause.is::<std::io::Error>());
            return if lost { Self::Unavailable(text) } else { Self::Internal(text) };
        };
        match *code {
            SqlState::UNIQUE_VIOLATION => Self::Duplicate(
                error
                    .as_db_error()
                    .map_or_else(|| Taken { table: text.clone(), field: None }, Taken::of_postgres),
            ),
            SqlState::FOREIGN_KEY_VIOLATION => Self::Reference(text),
            SqlState::QUERY_CANCELED | SqlState::IDLE_IN_TRANSACTION_SESSION_TIMEOUT => Self::Timeout,
            SqlState::LOCK_NOT_AVAILABLE => Self::LockTimeout,
            // A server that has become a standby.
            SqlState::READ_ONLY_SQL_TRANSACTION => Self::Unavailable(text),
            _ if UNAVAILABLE.iter().any(|class| code.code().starts_with(class)) => Self::Unavailable(text),
            _ => Self::Internal(text),
        }
    }
}

/// Classes of SQLSTATE that tell of the server and not of the statement: the connection, its resources, its shutdown, its disk.
const UNAVAILABLE: [&str; 4] = ["08", "53", "57P", "58"];

impl From<deadpool_postgres::PoolError> for Error {
    fn from(error: deadpool_postgres::PoolError) -> Self {
        use deadpool_postgres::{HookError, PoolError, TimeoutType};
        match error {
            PoolError::Timeout(TimeoutType::Wait) => Self::Overloaded("all database connections are in use"),
            PoolError::Backend(error) | PoolError::PostCreateHook(HookError::Backend(error)) => {
                Self::Unavailable(explain(&error))
            }
            other => Self::Unavailable(other.to_string()),
        }
    }
}

/// What went wrong, with its causes. PostgreSQL's "detail" is left out: it quotes the values of the row.
fn explain(error: &tokio_postgres::Error) -> String {
    if let Some(error) = error.as_db_error() {
        return format!("{} ({})", error.message(), error.code().code());
    }
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text = format!("{text}: {error}");
        cause = error.source();
    }
    text
}
