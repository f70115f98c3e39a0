//! Makes commits durable: one thread that flushes the write-ahead log, and only then lets transactions return their results.
//!
//! Meanwhile the writer runs the next transactions, and commits them when the flush has ended. They see commits that are not durable yet, as
//! readers do, but none of them returns before the log is flushed up to its own commit, and so up to all commits before it.

use std::fs::File;
use std::io;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, OnceLock, Weak};
use std::thread::{JoinHandle, ThreadId};
use std::time::{Duration, Instant};

use rusqlite::Connection;

use super::checkpoints::log_of;
use super::queue::{Committed, Entrance, Job};
use crate::error::{Error, Result};
use crate::folder::sync_folder;

/// Flushes the log.
pub(super) trait Log: Send + 'static {
    /// Returns when everything that was written to the log before is durable.
    fn flush(&mut self) -> io::Result<()>;
}

/// The file of the log. It stays the same file while the database is open.
pub(super) struct LogFile(File);

impl LogFile {
    /// Opens the log of a database.
    pub(super) fn of(connection: &Connection) -> Result<Self> {
        // SQLite creates the log when the database is first read.
        connection.query_row("SELECT count(*) FROM sqlite_schema", [], |_| Ok(()))?;
        let file = log_of(connection);
        let opened = || {
            // SQLite would do so with its own first flush.
            file.parent().map_or(Ok(()), sync_folder)?;
            File::options().write(true).open(&file).map(Self)
        };
        opened().map_err(|error: io::Error| Error::Unavailable(format!("{}: {error}", file.display())))
    }
}

impl Log for LogFile {
    fn flush(&mut self) -> io::Result<()> {
        self.0.sync_data()
    }
}

/// The thread that flushes the log.
pub(super) struct Syncer {
    committed: Option<Sender<Vec<Box<dyn Job>>>>,
    state: Arc<State>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Default)]
struct State {
    /// The transactions whose commits are not durable yet.
    flushing: AtomicUsize,
    /// How long the last flush took, in nanoseconds.
    flush_time: AtomicU64,
    failed: OnceLock<String>,
}

impl Syncer {
    /// Starts the thread. It sends a message to the writer at the end of each flush.
    pub(super) fn start(log: impl Log, writer: Weak<Entrance>) -> Result<Self> {
        let (committed, waiting) = mpsc::channel();
        let state = Arc::<State>::default();
        let of_thread = state.clone();
        let thread = std::thread::Builder::new()
            .name("sqlite-syncer".to_owned())
            .spawn(move || sync_all(log, &waiting, &of_thread, &writer))
            .map_err(|error| Error::Unavailable(error.to_string()))?;
        Ok(Self { committed: Some(committed), state, thread: Some(thread) })
    }

    /// The thread that returns results.
    pub(super) fn thread(&self) -> Option<ThreadId> {
        self.thread.as_ref().map(|thread| thread.thread().id())
    }

    /// Why the log could not be flushed. Then nothing may be written any more: the system may have dropped what it could not write, so that
    /// a later flush that succeeds proves nothing.
    pub(super) fn failure(&self) -> Option<&String> {
        self.state.failed.get()
    }

    /// How many committed transactions wait for a flush. When it ends, the writer gets a message.
    pub(super) fn flushing(&self) -> usize {
        self.state.flushing.load(Ordering::Acquire)
    }

    /// How long the last flush took.
    pub(super) fn flush_time(&self) -> Duration {
        Duration::from_nanos(self.state.flush_time.load(Ordering::Relaxed))
    }

    /// Lets committed transactions return their results once they are durable.
    pub(super) fn acknowledge(&self, jobs: Vec<Box<dyn Job>>) {
        let count = jobs.len();
        self.state.flushing.fetch_add(count, Ordering::AcqRel);
        let closed = match &self.committed {
            Some(committed) => committed.send(jobs).map_err(|unsent| unsent.0),
            None => Err(jobs),
        };
        // The flush begins at once, also if its thread waits for this one's processor.
        std::thread::yield_now();
        if let Err(jobs) = closed {
            self.state.flushing.fetch_sub(count, Ordering::AcqRel);
            answer_all(jobs, &Err("the log is no longer flushed".to_owned()));
        }
    }
}

impl Drop for Syncer {
    fn drop(&mut self) {
        // The thread flushes what waits, and ends.
        self.committed = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn sync_all(
    mut log: impl Log,
    waiting: &Receiver<Vec<Box<dyn Job>>>,
    state: &State,
    writer: &Weak<Entrance>,
) {
    while let Ok(mut jobs) = waiting.recv() {
        // All commits so far become durable together.
        jobs.extend(waiting.try_iter().flatten());
        let begun = Instant::now();
        let flushed = match state.failed.get() {
            Some(reason) => Err(reason.clone()),
            None => log.flush().map_err(|error| {
                tracing::error!(%error, "the log could not be flushed; nothing is written until the next start");
                state.failed.get_or_init(|| format!("the log could not be flushed: {error}")).clone()
            }),
        };
        let time = u64::try_from(begun.elapsed().as_nanos()).unwrap_or(u64::MAX);
        state.flush_time.store(time, Ordering::Relaxed);
        state.flushing.fetch_sub(jobs.len(), Ordering::AcqRel);
        if let Some(writer) = writer.upgrade() {
            writer.note_flushed();
        }
        answer_all(jobs, &flushed);
    }
}

/// Returns results, on a thread of the runtime in which their callers wait: so that is woken up once, and not for each of them.
fn answer_all(jobs: Vec<Box<dyn Job>>, committed: &Committed) {
    let runtime = jobs.iter().find_map(|job| job.runtime()).cloned();
    let answers = Answers { jobs, committed: committed.clone() };
    if let Some(runtime) = runtime {
        runtime.spawn(async move { drop(answers) });
    }
}

/// Results, which are returned when this is dropped. So they are even if the runtime ends before it runs its task.
struct Answers {
    jobs: Vec<Box<dyn Job>>,
    committed: Committed,
}

impl Drop for Answers {
    fn drop(&mut self) {
        for job in self.jobs.drain(..) {
            job.answer(self.committed.clone());
        }
    }
}

#[cfg(test)]
mod tests {
    use tokio::runtime::Handle;

    use super::super::writer::Writing;
    use super::*;

    /// A log whose flushes end when the test says how.
    struct Controlled {
        ends: Receiver<io::Result<()>>,
        flushes: Arc<AtomicUsize>,
    }

    impl Log for Controlled {
        fn flush(&mut self) -> io::Result<()> {
            self.flushes.fetch_add(1, Ordering::SeqCst);
            self.ends.recv().map_err(io::Error::other)?
        }
    }

    /// A syncer, how to end its flushes, how often it has begun one, and an answer whose result can be received.
    fn controlled() -> (Syncer, Sender<io::Result<()>>, Arc<AtomicUsize>) {
        let (end, ends) = mpsc::channel();
        let flushes = Arc::new(AtomicUsize::new(0));
        let log = Controlled { ends, flushes: flushes.clone() };
        (Syncer::start(log, Weak::new()).expect("a thread"), end, flushes)
    }

    /// A transaction that passes on how its commit ended.
    struct Told(Sender<Committed>, Option<Handle>);

    impl Job for Told {
        fn run(&mut self, _: Writing<'_>) -> bool {
            true
        }

        fn fail(&mut self, _: String) {}

        fn answer(self: Box<Self>, committed: Committed) {
            let _ = self.0.send(committed);
        }

        fn runtime(&self) -> Option<&Handle> {
            self.1.as_ref()
        }
    }

    fn answer() -> (Box<dyn Job>, Receiver<Committed>) {
        let (send, receive) = mpsc::channel();
        (Box::new(Told(send, None)), receive)
    }

    #[test]
    fn a_result_returns_after_a_flush_that_began_after_its_commit() {
        let (syncer, end, flushes) = controlled();
        let (first, first_result) = answer();
        syncer.acknowledge(vec![first]);
        while flushes.load(Ordering::SeqCst) == 0 {
            std::thread::yield_now();
        }
        // These commits came after the flush began, so that it proves nothing about them.
        let ((second, second_result), (third, third_result)) = (answer(), answer());
        syncer.acknowledge(vec![second]);
        syncer.acknowledge(vec![third]);
        assert!(first_result.recv_timeout(Duration::from_millis(20)).is_err(), "it is not durable yet");
        end.send(Ok(())).expect("it waits");
        assert_eq!(first_result.recv(), Ok(Ok(())));
        assert!(second_result.recv_timeout(Duration::from_millis(20)).is_err(), "another flush is needed");
        end.send(Ok(())).expect("it waits");
        assert_eq!((second_result.recv(), third_result.recv()), (Ok(Ok(())), Ok(Ok(()))));
        assert_eq!(flushes.load(Ordering::SeqCst), 2, "one flush for both");
    }

    #[test]
    fn results_return_even_if_the_runtime_of_their_callers_has_ended() {
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(1).build().expect("a runtime");
        let (syncer, end, _) = controlled();
        let handle = runtime.handle().clone();
        let returned = || {
            let (send, receive) = mpsc::channel();
            end.send(Ok(())).expect("a thread");
            syncer.acknowledge(vec![Box::new(Told(send, Some(handle.clone())))]);
            receive.recv()
        };
        assert_eq!(returned(), Ok(Ok(())));
        runtime.shutdown_background();
        assert_eq!(returned(), Ok(Ok(())));
    }

    #[test]
    fn after_a_failed_flush_nothing_is_acknowledged() {
        let (syncer, end, flushes) = controlled();
        assert_eq!(syncer.failure(), None);
        let ((first, first_result), (second, second_result)) = (answer(), answer());
        end.send(Err(io::Error::other("no disk"))).expect("a thread");
        syncer.acknowledge(vec![first]);
        let reason = first_result.recv().expect("a result").expect_err("it is not durable");
        assert!(reason.contains("no disk"), "{reason}");
        syncer.acknowledge(vec![second]);
        assert!(second_result.recv().expect("a result").is_err(), "no flush would prove anything now");
        assert_eq!(flushes.load(Ordering::SeqCst), 1);
        assert!(syncer.failure().is_some());
    }
}
