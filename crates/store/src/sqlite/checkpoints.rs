//! Checkpoints: the write-ahead log is copied to the database, so that it begins again and stays small.
//!
//! To copy a long log takes as long as many batches, mostly because the database's file must be flushed. So a thread of its own copies most of
//! it while the writer continues. The writer then copies the rest between two batches, and SQLite begins the log again with the next one.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::JoinHandle;
use std::time::Duration;

use rusqlite::{Connection, OpenFlags};

use super::prepare;
use super::readers::Readers;
use crate::error::{Error, Result};

/// How many pages the log has when it is copied. With more of them, pages that change again and again are copied less often.
const LONG: usize = 3000;
/// The pages at which the writer waits for readers. SQLite begins the log again only at a moment when no one reads in it, so that under constant
/// load it could grow without end.
const TOO_LONG: usize = 5000;
/// How long the writer waits for readers, and how often: new readers may begin after each wait.
const PATIENCE: Duration = Duration::from_millis(100);
const TRIES: usize = 10;

/// The writer's view of the log.
pub(super) struct Checkpoints {
    /// The pages in the log after the last commit.
    pages: Arc<AtomicUsize>,
    /// The pages at which it is copied, and those at which the writer waits for readers.
    long: usize,
    too_long: usize,
    copier: Copier,
    is_copying: bool,
    readers: Arc<Readers>,
}

impl Checkpoints {
    /// Starts the thread that copies the log of the writer's connection.
    pub(super) fn of(writer: &mut Connection, readers: Arc<Readers>) -> Result<Self> {
        let pages = Arc::<AtomicUsize>::default();
        let in_log = pages.clone();
        // Without this, SQLite copies the log at the end of a commit.
        writer.wal_hook(Some(move |_: &'_ mut rusqlite::hooks::Wal, pages: i32| {
            in_log.store(usize::try_from(pages).unwrap_or_default(), Ordering::Relaxed);
            Ok(())
        }))?;
        let path = writer.path().unwrap_or_default();
        let copier =
            Copier::start(prepare(Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_WRITE)?)?)?;
        Ok(Self { pages, long: LONG, too_long: TOO_LONG, copier, is_copying: false, readers })
    }

    /// Keeps the log small, between two batches.
    pub(super) fn keep_small(&mut self, writer: &Connection) {
        let pages = self.pages.load(Ordering::Relaxed);
        if pages < LONG {
            // SQLite has begun it again.
            (self.long, self.too_long) = (LONG, TOO_LONG);
        }
        if self.is_copying && !self.copier.is_busy() {
            let _released = self.readers.release();
            let _ = checkpoint(writer, "PASSIVE");
            self.is_copying = false;
            self.long = pages + LONG;
        } else if pages >= self.long && !self.is_copying {
            self.is_copying = self.copier.begin();
        }
        if pages >= self.too_long {
            let _ = writer.busy_timeout(PATIENCE);
            let is_empty = (0..TRIES).any(|_| empty_log(writer, &self.readers));
            let _ = writer.busy_timeout(super::BUSY_TIME);
            // During a long read, the next attempt waits until much more has been written.
            self.too_long = if is_empty { TOO_LONG } else { pages + TOO_LONG };
        }
    }
}

/// The thread that copies the log.
struct Copier {
    begin: Option<SyncSender<()>>,
    is_busy: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Copier {
    fn start(connection: Connection) -> Result<Self> {
        let (begin, requests) = sync_channel(1);
        let is_busy = Arc::<AtomicBool>::default();
        let of_thread = is_busy.clone();
        let thread = std::thread::Builder::new()
            .name("sqlite-copier".to_owned())
            .spawn(move || copy_all(&connection, &requests, &of_thread))
            .map_err(|error| Error::Unavailable(error.to_string()))?;
        Ok(Self { begin: Some(begin), is_busy, thread: Some(thread) })
    }

    /// Begins to copy the log. Returns whether that is possible.
    fn begin(&self) -> bool {
        self.is_busy.store(true, Ordering::Release);
        self.begin.as_ref().is_some_and(|begin| begin.try_send(()).is_ok())
    }

    fn is_busy(&self) -> bool {
        self.is_busy.load(Ordering::Acquire)
    }
}

impl Drop for Copier {
    fn drop(&mut self) {
        self.begin = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn copy_all(connection: &Connection, requests: &Receiver<()>, is_busy: &AtomicBool) {
    while requests.recv().is_ok() {
        let _ = checkpoint(connection, "PASSIVE");
        is_busy.store(false, Ordering::Release);
    }
}

/// Copies what it can of the log. Returns whether that was all, and no one else used it.
fn checkpoint(connection: &Connection, mode: &str) -> rusqlite::Result<bool> {
    let sql = format!("PRAGMA wal_checkpoint({mode})");
    connection.query_row(&sql, [], |row| row.get::<_, i64>(0)).map(|is_busy| is_busy == 0)
}

/// Copies all of the log to the database and empties its file. Returns whether that succeeded.
pub(super) fn empty_log(connection: &Connection, readers: &Readers) -> bool {
    let _released = readers.release();
    checkpoint(connection, "TRUNCATE").unwrap_or_default()
}

/// The write-ahead log's file.
pub(super) fn log_of(connection: &Connection) -> PathBuf {
    PathBuf::from(format!("{}-wal", connection.path().unwrap_or_default()))
}
