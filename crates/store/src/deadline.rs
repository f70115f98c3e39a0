//! The deadline of a whole transaction.

use std::time::{Duration, Instant};

use crate::error::{Error, Result};

/// How long a transaction may take, including waits and repeated runs. The largest upload is about 100,000 statements, which take half of
/// this on a nearby PostgreSQL server; on SQLite, a longer transaction would block every other write. Tests use a shorter limit.
pub(crate) const TRANSACTION_TIME: Duration = Duration::from_millis(if cfg!(test) { 2_000 } else { 60_000 });

/// The time by which a transaction must be finished.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Deadline {
    name: &'static str,
    at: Instant,
}

impl Deadline {
    /// The deadline of a transaction that is requested now.
    pub(crate) fn of(name: &'static str) -> Self {
        Self { name, at: Instant::now() + TRANSACTION_TIME }
    }

    /// The same, or sooner: this long from now.
    pub(crate) fn within(self, time: Duration) -> Self {
        Self { at: self.at.min(Instant::now() + time), ..self }
    }

    /// The transaction's name.
    pub(crate) fn name(&self) -> &'static str {
        self.name
    }

    pub(crate) fn at(&self) -> Instant {
        self.at
    }

    pub(crate) fn is_over(&self) -> bool {
        Instant::now() >= self.at
    }

    /// The error for a transaction that is late.
    pub(crate) fn error(&self) -> Error {
        Error::Deadline(self.name)
    }

    pub(crate) fn check(&self) -> Result<()> {
        if self.is_over() { Err(self.error()) } else { Ok(()) }
    }

    /// Reports a statement that the deadline interrupted as a late transaction, not as a slow statement.
    pub(crate) fn explain(&self, error: Error) -> Error {
        match error {
            Error::Timeout if self.is_over() => self.error(),
            error => error,
        }
    }
}
