//! Errors of the store. A missing record is not an error: it is `Ok(None)`.

use deadpool::managed::TimeoutType;
use tokio_postgres::error::SqlState;

use crate::postgres::{Failure, PoolError, Refusal};
use crate::sealing::SealError;

/// An error of the store.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Another record has the same unique key.
    #[error("a unique key is in use: {0}")]
    Duplicate(Taken),
    /// A reference to a missing record, or the deletion of a referenced one.
    #[error("a reference is violated: {0}")]
    Reference(String),
    /// A stored row cannot be read: it was changed outside of this program.
    #[error("corrupt row in {query}, column {column}, row {row}: {reason}")]
    Corrupt {
        /// The query.
        query: &'static str,
        /// The column.
        column: String,
        /// The value of the first column, which is usually the id.
        row: String,
        /// What is wrong.
        reason: String,
    },
    /// Too many requests wait. Nothing was done.
    #[error("the store is overloaded: {0}")]
    Overloaded(&'static str),
    /// A statement exceeded its time limit. Nothing was done.
    #[error("a statement took too long")]
    Timeout,
    /// A whole transaction, named here, exceeded its time limit. Nothing was done.
    #[error("the transaction {0} took too long")]
    Deadline(&'static str),
    /// A lock was not acquired in time. Nothing was done.
    #[error("a lock was not acquired in time")]
    LockTimeout,
    /// The database cannot be reached or used. The transaction may or may not have been carried out.
    #[error("the database cannot be used: {0}")]
    Unavailable(String),
    /// Data of a child cannot be sealed or opened.
    #[error(transparent)]
    Sealing(#[from] SealError),
    /// The database's schema is newer than this program.
    #[error("the database has schema version {found}, but this program supports {known}: update the program")]
    NewerSchema {
        /// The database's version.
        found: i64,
        /// The newest version that this program supports.
        known: i64,
    },
    /// An applied migration was edited.
    #[error("migration {0} was edited after it was applied")]
    EditedMigration(i64),
    /// Another process has locked the data folder.
    #[error("the data folder {0} is in use by another Fieldhouse process: stop it first")]
    Locked(String),
    /// A bug in this program.
    #[error("internal: {0}")]
    Internal(String),
}

/// A unique key that another record already has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Taken {
    /// The table.
    pub table: String,
    /// The field that must be unique. `None` for a key that no client sets.
    pub field: Option<String>,
}

impl Taken {
    /// Parses SQLite's message: `UNIQUE constraint failed: seasons.org_id, seasons.name_folded`.
    fn of_sqlite(text: &str) -> Self {
        let columns = text.rsplit(": ").next().unwrap_or_default();
        let (table, column) =
            columns.rsplit(", ").next().and_then(|last| last.split_once('.')).unwrap_or((columns, ""));
        let field = column.trim_end_matches("_folded");
        let field = (!matches!(field, "" | "id")).then(|| field.to_owned());
        Self { table: table.to_owned(), field }
    }

    /// Parses PostgreSQL's constraint, which the migrations name like `seasons__name`.
    fn of_postgres(refusal: &Refusal) -> Self {
        let constraint = refusal.constraint.as_deref().unwrap_or_default();
        let table = refusal.table.as_deref().unwrap_or_default();
        let (table, field) = constraint.split_once("__").unwrap_or((table, ""));
        Self { table: table.to_owned(), field: (!field.is_empty()).then(|| field.to_owned()) }
    }
}

impl std::fmt::Display for Taken {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} by {}", self.table, self.field.as_deref().unwrap_or("key"))
    }
}

/// The result of a store function.
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

impl From<Failure> for Error {
    fn from(failure: Failure) -> Self {
        let text = failure.to_string();
        let refusal = match failure {
            Failure::Refused(refusal) => refusal,
            Failure::Lost(text) => return Self::Unavailable(text),
            Failure::Internal(text) => return Self::Internal(text),
        };
        match refusal.code {
            SqlState::UNIQUE_VIOLATION => Self::Duplicate(Taken::of_postgres(&refusal)),
            SqlState::FOREIGN_KEY_VIOLATION => Self::Reference(text),
            SqlState::QUERY_CANCELED | SqlState::IDLE_IN_TRANSACTION_SESSION_TIMEOUT => Self::Timeout,
            SqlState::LOCK_NOT_AVAILABLE => Self::LockTimeout,
            // The server has become a standby.
            SqlState::READ_ONLY_SQL_TRANSACTION => Self::Unavailable(text),
            code if UNAVAILABLE.iter().any(|class| code.code().starts_with(class)) => Self::Unavailable(text),
            _ => Self::Internal(text),
        }
    }
}

/// Classes of SQLSTATE about the server instead of the statement: connection, resources, shutdown, disk.
const UNAVAILABLE: [&str; 4] = ["08", "53", "57P", "58"];

impl From<PoolError> for Error {
    fn from(error: PoolError) -> Self {
        match error {
            PoolError::Timeout(TimeoutType::Wait) => Self::Overloaded("all database connections are in use"),
            PoolError::Backend(failure) => Self::Unavailable(failure.to_string()),
            other => Self::Unavailable(other.to_string()),
        }
    }
}
