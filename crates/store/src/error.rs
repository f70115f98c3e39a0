//! What can go wrong below the domain. Not finding a record is not an error: it is `Ok(None)`.

/// What went wrong in the store.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Another record holds the same unique key. Commands look first, so this is a race that the loser hears of.
    #[error("a unique key is taken: {0}")]
    Duplicate(String),
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

/// What a store function gives.
pub type Result<T> = std::result::Result<T, Error>;

impl From<rusqlite::Error> for Error {
    fn from(error: rusqlite::Error) -> Self {
        use rusqlite::ErrorCode;
        use rusqlite::ffi;
        let text = error.to_string();
        let rusqlite::Error::SqliteFailure(failure, _) = &error else { return Self::Internal(text) };
        match (failure.extended_code, failure.code) {
            (ffi::SQLITE_CONSTRAINT_UNIQUE | ffi::SQLITE_CONSTRAINT_PRIMARYKEY, _) => Self::Duplicate(text),
            (ffi::SQLITE_CONSTRAINT_FOREIGNKEY, _) => Self::Reference(text),
            (_, ErrorCode::OperationInterrupted) => Self::Timeout,
            (_, ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Self::LockTimeout,
            (
                _,
                ErrorCode::DiskFull
                | ErrorCode::SystemIoFailure
                | ErrorCode::CannotOpen
                | ErrorCode::ReadOnly,
            ) => Self::Unavailable(text),
            _ => Self::Internal(text),
        }
    }
}

impl From<tokio_postgres::Error> for Error {
    fn from(error: tokio_postgres::Error) -> Self {
        use tokio_postgres::error::SqlState;
        let text = error.as_db_error().map_or_else(|| error.to_string(), ToString::to_string);
        match error.code() {
            Some(code) if *code == SqlState::UNIQUE_VIOLATION => Self::Duplicate(text),
            Some(code) if *code == SqlState::FOREIGN_KEY_VIOLATION => Self::Reference(text),
            Some(code) if *code == SqlState::QUERY_CANCELED => Self::Timeout,
            Some(code) if *code == SqlState::LOCK_NOT_AVAILABLE => Self::LockTimeout,
            Some(code)
                if code.code().starts_with("08")
                    || code.code().starts_with("57P")
                    || code.code().starts_with("53") =>
            {
                Self::Unavailable(text)
            }
            Some(_) => Self::Internal(text),
            None => Self::Unavailable(text),
        }
    }
}

impl From<deadpool_postgres::PoolError> for Error {
    fn from(error: deadpool_postgres::PoolError) -> Self {
        match error {
            deadpool_postgres::PoolError::Timeout(_) => {
                Self::Overloaded("all database connections are in use")
            }
            other => Self::Unavailable(other.to_string()),
        }
    }
}
