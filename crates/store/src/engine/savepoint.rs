//! Savepoints: a part of a transaction that may fail by itself.

use super::tx::{Brand, Tx, TxDriver};
use crate::error::{Error, Result};
use crate::sqlite;

/// Nested savepoints share one name: on both engines, it means the innermost open savepoint.
const BEGIN: &str = "SAVEPOINT part";
const KEEP: &str = "RELEASE part";
const UNDO: &str = "ROLLBACK TO part";

/// A part of a transaction that is open, until [`Tx::end`] has it. A transaction that leaves one open is not kept.
#[derive(Debug)]
#[must_use = "a transaction that leaves a part open is not kept"]
pub struct Savepoint<'tx> {
    name: &'static str,
    /// How many others are open around it.
    depth: usize,
    _brand: Brand<'tx>,
}

impl<'tx> Tx<'tx> {
    /// Begins a part of the transaction, which may have parts itself. What comes now belongs to it, best in an `async` block whose
    /// result is given to [`Tx::end`].
    pub async fn savepoint(&mut self, name: &'static str) -> Result<Savepoint<'tx>> {
        self.go_on(name)?;
        let begun = self.control(BEGIN).await;
        self.note(begun)?;
        let depth = self.around.len();
        self.around.push(std::mem::take(&mut self.unrecorded));
        Ok(Savepoint { name, depth, _brand: self.brand() })
    }

    /// Ends a part of the transaction with its result. If the part failed, its records and their ledger entries are undone, and the
    /// transaction continues; proofs stay valid.
    ///
    /// The whole transaction fails if it collides with another one, is late, or loses its connection. On PostgreSQL, the first duplicate
    /// key or missing reference also counts as a collision, because it may come from a transaction that this one did not see.
    pub async fn end<T, E: From<Error>>(
        &mut self,
        part: Savepoint<'tx>,
        result: std::result::Result<T, E>,
    ) -> std::result::Result<T, E> {
        let result = result.and_then(|done| self.go_on(part.name).map(|()| done).map_err(E::from));
        // A part inside that was left is still open, and would be mistaken for this one.
        if self.around.len() != part.depth + 1 {
            self.failed = true;
            return result.and(Err(Error::Internal(format!("{} left a part open", part.name)).into()));
        }
        let around = self.around.pop().unwrap_or_default();
        let inside = std::mem::replace(&mut self.unrecorded, around);
        if result.is_ok() {
            self.unrecorded.absorb(inside);
        } else {
            let undone = self.may_go_on() && self.control(UNDO).await.is_ok();
            self.failed = !undone;
        }
        if !self.failed {
            let ended = self.control(KEEP).await;
            self.note(ended)?;
        }
        result
    }

    /// Whether the database can go back to a savepoint. SQLite ends the whole transaction when it interrupts a statement that writes.
    fn may_go_on(&self) -> bool {
        match &self.driver {
            TxDriver::Sqlite(connection) => !connection.is_autocommit(),
            TxDriver::Postgres(tx) => !tx.collided(),
        }
    }

    async fn control(&mut self, sql: &'static str) -> Result<()> {
        match &mut self.driver {
            TxDriver::Sqlite(connection) => sqlite::control(connection, sql),
            TxDriver::Postgres(tx) => tx.control(sql).await,
        }
    }
}
