//! Savepoints: a part of a transaction that may fail by itself.

use super::facts::Facts;
use super::tx::{Brand, Tx, TxDriver};
use crate::error::{Error, Result};
use crate::ledger::posting::Posted;
use crate::sqlite;

/// Nested savepoints share one name: on both engines, it means the innermost open savepoint.
const BEGIN: &str = "SAVEPOINT part";
const RELEASE: &str = "RELEASE part";
const ROLL_BACK: &str = "ROLLBACK TO part";

/// An open part of a transaction, which [`Tx::end`] ends. A transaction that leaves one open fails.
#[derive(Debug)]
#[must_use = "a transaction that leaves a savepoint open fails"]
pub struct Savepoint<'tx> {
    name: &'static str,
    /// How many savepoints were open when it began.
    depth: usize,
    _brand: Brand<'tx>,
}

impl<'tx> Tx<'tx> {
    /// Begins a part of the transaction, which may contain others. Run its statements in an `async` block, and pass the result to
    /// [`Tx::end`].
    pub async fn savepoint(&mut self, name: &'static str) -> Result<Savepoint<'tx>> {
        self.check_usable(name)?;
        if let TxDriver::Sqlite(writing) = &mut self.driver {
            writing.touched.uncounted += 1;
        }
        self.write_posted()?;
        self.flush().await?;
        let begun = self.control(BEGIN).await;
        self.note(begun)?;
        let depth = self.outer.len();
        self.outer.push(std::mem::take(&mut self.unrecorded));
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
        // What waits belongs to the part, and counts even if the part is undone as planned.
        let flushed = if self.failed { Ok(()) } else { self.flush().await };
        let result = flushed.map_err(E::from).and(result);
        let result = result.and_then(|done| self.check_usable(part.name).map(|()| done).map_err(E::from));
        // An inner savepoint that is still open has the same name, and would be ended instead of this one.
        if self.outer.len() != part.depth + 1 {
            self.failed = true;
            return result.and(Err(Error::Internal(format!("{} left a savepoint open", part.name)).into()));
        }
        let outer = self.outer.pop().unwrap_or_default();
        let inside = std::mem::replace(&mut self.unrecorded, outer);
        if result.is_ok() {
            self.unrecorded.absorb(inside);
        } else {
            // Keys that were created or destroyed in the part are so no longer.
            self.child_keys.clear();
            self.posted().into_iter().for_each(Posted::forget);
            self.facts.iter_mut().for_each(Facts::clear);
            let undone = self.can_roll_back() && self.control(ROLL_BACK).await.is_ok();
            self.failed = !undone;
        }
        if !self.failed {
            let ended = self.control(RELEASE).await;
            self.note(ended)?;
        }
        result
    }

    /// Whether the database can roll back to a savepoint. SQLite ends the whole transaction if it interrupts a statement that writes.
    fn can_roll_back(&self) -> bool {
        match &self.driver {
            TxDriver::Sqlite(writing) => !writing.connection.is_autocommit(),
            TxDriver::Postgres(tx) => !tx.collided(),
        }
    }

    async fn control(&mut self, sql: &'static str) -> Result<()> {
        match &mut self.driver {
            TxDriver::Sqlite(writing) => sqlite::control(writing.connection, sql),
            TxDriver::Postgres(tx) => Box::pin(tx.control(sql)).await,
        }
    }
}
