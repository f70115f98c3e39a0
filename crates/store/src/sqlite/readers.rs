//! Readers: the read-only connections of a store. A read needs one, and one more while it is nested in a read transaction.
//!
//! While nothing is committed, readers keep what a read begins with: their snapshot, so that the next read takes no locks of files, and the
//! database mapped into memory, so that a page that the system has already is not copied. After a commit, a new snapshot and a new mapping take
//! longer than a read, so that readers keep neither while there are writes.

use std::cell::Cell;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rusqlite::Connection;

use super::writer::poll_once;
use super::{Generations, Sqlite, control, open_reader, rows};
use crate::deadline::Deadline;
use crate::engine::ReadTx;
use crate::error::{Error, Result};
use crate::query::Query;
use crate::row::Row;
use crate::value::Value;

/// How many bytes of the database a reader maps.
const MAPPED: i64 = 1 << 30;
/// After how many reads with no more than one commit between them the database is quiet.
const QUIET_READS: u32 = 256;
/// How many groups of idle readers there are. Threads that share one may wait for each other for a moment.
const GROUPS: usize = 64;

thread_local! {
    static GROUP: Cell<Option<usize>> = const { Cell::new(None) };
}
static THREADS: AtomicUsize = AtomicUsize::new(0);

/// The idle readers of a store, in groups, so that a thread mostly finds the reader that it used before.
pub(super) struct Readers {
    file: PathBuf,
    generations: Arc<Generations>,
    groups: Box<[Mutex<Vec<Reader>>]>,
    /// How many want to empty the log. Meanwhile no idle reader keeps a snapshot.
    emptying: AtomicUsize,
}

/// A connection. In a box with its lock, because what reads with it refers to it.
struct Reader {
    connection: Box<Mutex<Connection>>,
    quiet: Quiet,
    /// The count of commits before its transaction began, if it is in one.
    begun: Option<u64>,
}

/// Whether the database was quiet during the last reads.
#[derive(Default)]
struct Quiet {
    is_on: bool,
    /// The reads since the count of commits was taken.
    reads: u32,
    commits: u64,
}

impl Quiet {
    /// Counts a read, and returns whether it is the one before which the quiet begins or ends.
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
    fn connection(&self) -> MutexGuard<'_, Connection> {
        self.connection.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Begins to read the newest snapshot, or continues with the one that it has if nothing was committed since.
    fn begin(&mut self, commits: u64, together: bool) -> Result<()> {
        if self.begun.is_some_and(|begun| begun != commits) {
            self.end()?;
        }
        if self.quiet.turns(commits) {
            self.end()?;
            let size = if self.quiet.is_on { MAPPED } else { 0 };
            self.connection().pragma_update(None, "mmap_size", size)?;
        }
        if self.begun.is_none() && (self.quiet.is_on || together) {
            control(&self.connection(), "BEGIN")?;
            self.begun = Some(commits);
        }
        Ok(())
    }

    /// Ends its transaction.
    fn end(&mut self) -> Result<()> {
        if self.begun.take().is_some() && !self.connection().is_autocommit() {
            control(&self.connection(), "ROLLBACK")?;
        }
        Ok(())
    }

    /// Whether the snapshot that it has will be useful for the next read.
    fn keeps_snapshot(&self, commits: u64) -> bool {
        self.quiet.is_on && self.begun == Some(commits) && !self.connection().is_autocommit()
    }
}

impl Readers {
    pub(super) fn new(file: PathBuf, generations: Arc<Generations>) -> Self {
        let groups = (0..GROUPS).map(|_| Mutex::default()).collect();
        Self { file, generations, groups, emptying: AtomicUsize::new(0) }
    }

    /// The group of this thread.
    fn group(&self) -> MutexGuard<'_, Vec<Reader>> {
        let group = GROUP.get().unwrap_or_else(|| {
            let group = THREADS.fetch_add(1, Ordering::Relaxed) % GROUPS;
            GROUP.set(Some(group));
            group
        });
        self.groups[group].lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A reader that has begun to read. `together` gives several reads one snapshot.
    fn lease(&self, together: bool) -> Result<Lease<'_>> {
        let kept = self.group().pop();
        let reader = if let Some(reader) = kept {
            reader
        } else {
            let connection = Box::new(Mutex::new(open_reader(&self.file)?));
            Reader { connection, quiet: Quiet::default(), begun: None }
        };
        let mut lease = Lease { readers: self, reader: Some(reader) };
        lease.reader()?.begin(self.generations.commits(), together)?;
        Ok(lease)
    }

    /// Ends the snapshots of idle readers, and lets no reader keep one until the result is dropped: the log cannot be emptied while someone
    /// may read in it.
    pub(super) fn release(&self) -> Released<'_> {
        self.emptying.fetch_add(1, Ordering::SeqCst);
        for group in &self.groups {
            let mut idle = group.lock().unwrap_or_else(PoisonError::into_inner);
            idle.retain_mut(|reader| reader.end().is_ok());
        }
        Released(self)
    }

    /// Closes all idle readers.
    pub(super) fn close(&self) {
        for group in &self.groups {
            group.lock().unwrap_or_else(PoisonError::into_inner).clear();
        }
    }

    /// How many readers are idle, and how many of them keep a snapshot.
    #[cfg(test)]
    pub(super) fn idle(&self) -> (usize, usize) {
        let count = |group: &Mutex<Vec<Reader>>| {
            let idle = group.lock().expect("no panic");
            (idle.len(), idle.iter().filter(|reader| reader.begun.is_some()).count())
        };
        self.groups.iter().map(count).fold((0, 0), |all, one| (all.0 + one.0, all.1 + one.1))
    }
}

/// While it lives, idle readers keep no snapshot.
pub(super) struct Released<'a>(&'a Readers);

impl Drop for Released<'_> {
    fn drop(&mut self) {
        self.0.emptying.fetch_sub(1, Ordering::SeqCst);
    }
}

/// A reader in use, which is idle again on drop.
struct Lease<'a> {
    readers: &'a Readers,
    reader: Option<Reader>,
}

impl Lease<'_> {
    fn reader(&mut self) -> Result<&mut Reader> {
        self.reader.as_mut().ok_or_else(|| Error::Internal("the reader was returned".to_owned()))
    }

    fn connection(&self) -> Result<&Mutex<Connection>> {
        let reader = self.reader.as_ref();
        Ok(&reader.ok_or_else(|| Error::Internal("the reader was returned".to_owned()))?.connection)
    }
}

impl Drop for Lease<'_> {
    fn drop(&mut self) {
        let Some(mut reader) = self.reader.take() else { return };
        // The group stays locked between the question and the return: `release` comes either before both or after both.
        let mut idle = self.readers.group();
        let may_keep = self.readers.emptying.load(Ordering::SeqCst) == 0;
        let keeps = may_keep && reader.keeps_snapshot(self.readers.generations.commits());
        if keeps || reader.end().is_ok() {
            idle.push(reader);
        }
    }
}

impl Sqlite {
    /// Reads rows on the calling thread.
    pub(crate) fn read<T>(
        &self,
        query: &'static Query,
        values: &[Value<'_>],
        mut each: impl FnMut(&mut Row<'_>) -> Result<T>,
    ) -> Result<Vec<T>> {
        let lease = self.readers.lease(false)?;
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
        let lease = self.readers.lease(true)?;
        let mut tx = ReadTx::sqlite(lease.connection()?, deadline, &self.sealer);
        poll_once(body(&mut tx)).unwrap_or_else(|| {
            let reason = format!("{name} waited for something other than its transaction");
            Err(Error::Internal(reason).into())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether it is quiet after so many reads at a count of commits.
    fn after(quiet: &mut Quiet, reads: u32, commits: u64) -> bool {
        (0..reads).for_each(|_| {
            quiet.turns(commits);
        });
        quiet.is_on
    }

    #[test]
    fn it_is_quiet_while_nothing_is_committed() {
        let mut quiet = Quiet::default();
        assert!(!after(&mut quiet, QUIET_READS - 1, 0));
        assert!(after(&mut quiet, 1, 0), "it is quiet");
        assert!(after(&mut quiet, 100, 1), "one commit is no reason to stop");
        assert!(!after(&mut quiet, 1, 2), "two are");
        assert!(!after(&mut quiet, QUIET_READS - 1, 3));
        assert!(after(&mut quiet, 1, 3), "it is quiet again");
        let mut busy = Quiet::default();
        assert!((0..10_000_u64).all(|read| !after(&mut busy, 1, read / 100)), "a commit every 100 reads");
    }
}
