//! Readers: each thread's own read-only connections. A thread needs one per store, and one more per nested read transaction.
//!
//! While nothing is committed, they map the database into memory: a page that the system has already is not copied. At its next read after a
//! commit, SQLite ends the mapping and begins another one, which takes longer than a read, so that readers stop mapping while there are writes.

use std::cell::RefCell;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use rusqlite::Connection;

use super::writer::poll_once;
use super::{Sqlite, control, open_reader, rows};
use crate::deadline::Deadline;
use crate::engine::ReadTx;
use crate::error::{Error, Result};
use crate::query::Query;
use crate::row::Row;
use crate::value::Value;

/// How many bytes of the database a reader maps.
const MAPPED: i64 = 1 << 30;
/// After how many reads with no more than one commit between them a reader maps the database.
const QUIET_READS: u32 = 256;

thread_local! {
    pub(super) static READERS: RefCell<Vec<Reader>> = const { RefCell::new(Vec::new()) };
}

/// A thread's connection to one store.
pub(super) struct Reader {
    store: Weak<()>,
    connection: Box<Mutex<Connection>>,
    mapping: Mapping,
}

/// Whether a reader maps the database.
#[derive(Default)]
struct Mapping {
    is_on: bool,
    /// The reads since the count of commits was taken.
    reads: u32,
    commits: u64,
}

impl Mapping {
    /// Counts a read, and returns whether it is the one before which the mapping begins or ends.
    fn turns(&mut self, commits: u64) -> bool {
        self.reads += 1;
        let is_quiet = commits <= self.commits + 1;
        if is_quiet && self.reads < QUIET_READS {
            return false;
        }
        (self.reads, self.commits) = (0, commits);
        let turns = is_quiet != self.is_on;
        self.is_on = is_quiet;
        turns
    }
}

impl Reader {
    fn is_of(&self, life: &Arc<()>) -> bool {
        std::ptr::eq(self.store.as_ptr(), Arc::as_ptr(life))
    }
}

/// A reader in use, which returns to the thread on drop. Reads within the body of a read transaction use another one.
struct Lease(Option<Reader>);

impl Lease {
    fn take(life: &Arc<()>, file: &Path, commits: u64) -> Result<Self> {
        let kept = READERS.with_borrow_mut(|readers| {
            let kept =
                readers.iter().rposition(|reader| reader.is_of(life)).map(|at| readers.swap_remove(at));
            if kept.is_none() {
                // Stores that were closed on another thread leave their readers here.
                readers.retain(|reader| reader.store.strong_count() > 0);
            }
            kept
        });
        let mut reader = if let Some(reader) = kept {
            reader
        } else {
            let connection = Box::new(Mutex::new(open_reader(file)?));
            Reader { store: Arc::downgrade(life), connection, mapping: Mapping::default() }
        };
        if reader.mapping.turns(commits) {
            let size = if reader.mapping.is_on { MAPPED } else { 0 };
            let connection = reader.connection.lock().unwrap_or_else(PoisonError::into_inner);
            connection.pragma_update(None, "mmap_size", size)?;
        }
        Ok(Self(Some(reader)))
    }

    fn connection(&self) -> Result<&Mutex<Connection>> {
        let reader = self.0.as_ref().ok_or_else(|| Error::Internal("the reader was returned".to_owned()))?;
        Ok(&reader.connection)
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        let Some(reader) = self.0.take() else { return };
        let is_idle = {
            let connection = reader.connection.lock().unwrap_or_else(PoisonError::into_inner);
            connection.is_autocommit() || control(&connection, "ROLLBACK").is_ok()
        };
        // Once its store is closed or its thread is ending, no read asks for it again.
        if is_idle && reader.store.strong_count() > 0 {
            let _ = READERS.try_with(|readers| readers.borrow_mut().push(reader));
        }
    }
}

impl Sqlite {
    fn lease(&self) -> Result<Lease> {
        Lease::take(&self.life, &self.file, self.generations.commits())
    }

    /// Reads rows on this thread's own connection.
    pub(crate) fn read<T>(
        &self,
        query: &'static Query,
        values: &[Value<'_>],
        mut each: impl FnMut(&mut Row<'_>) -> Result<T>,
    ) -> Result<Vec<T>> {
        let lease = self.lease()?;
        let connection = lease.connection()?.lock().unwrap_or_else(PoisonError::into_inner);
        rows(&connection, None, query, values, &mut each)
    }

    /// Runs a read transaction on the calling thread. Its body must not wait for anything but the transaction.
    pub(crate) fn read_together<T, E, F>(&self, name: &'static str, body: &F) -> std::result::Result<T, E>
    where
        E: From<Error>,
        F: for<'tx> AsyncFn(&mut ReadTx<'tx>) -> std::result::Result<T, E>,
    {
        let _span = tracing::debug_span!("read", name).entered();
        let deadline = Deadline::of(name);
        let lease = self.lease()?;
        let connection = lease.connection()?;
        control(&connection.lock().unwrap_or_else(PoisonError::into_inner), "BEGIN")?;
        let mut tx = ReadTx::sqlite(connection, deadline, &self.sealer);
        poll_once(body(&mut tx)).unwrap_or_else(|| {
            let reason = format!("{name} waited for something other than its transaction");
            Err(Error::Internal(reason).into())
        })
    }

    /// Closes this thread's readers. If the thread is ending, they are closed already.
    pub(super) fn close_readers(&self) {
        let others = |reader: &Reader| !reader.is_of(&self.life);
        let _ = READERS.try_with(|readers| readers.borrow_mut().retain(others));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether the mapping is on after so many reads at a count of commits.
    fn after(mapping: &mut Mapping, reads: u32, commits: u64) -> bool {
        (0..reads).for_each(|_| {
            mapping.turns(commits);
        });
        mapping.is_on
    }

    #[test]
    fn readers_map_the_database_while_nothing_is_committed() {
        let mut mapping = Mapping::default();
        assert!(!after(&mut mapping, QUIET_READS - 1, 0));
        assert!(after(&mut mapping, 1, 0), "it is quiet");
        assert!(after(&mut mapping, 100, 1), "one commit is no reason to stop");
        assert!(!after(&mut mapping, 1, 2), "two are");
        assert!(!after(&mut mapping, QUIET_READS - 1, 3));
        assert!(after(&mut mapping, 1, 3), "it is quiet again");
        let mut busy = Mapping::default();
        assert!((0..10_000_u64).all(|read| !after(&mut busy, 1, read / 100)), "a commit every 100 reads");
    }
}
