//! The writer: one thread that runs every transaction and commits many together.
//!
//! A transaction goes to a bounded queue. The writer begins, runs every waiting transaction in a savepoint of its own, commits once,
//! and only then answers (group commit): `synchronous=FULL` then costs one flush for many. Between commits it keeps the log small.

use std::future::Future;
use std::panic::AssertUnwindSafe;
use std::path::PathBuf;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Waker};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use rusqlite::Connection;
use tokio::sync::{mpsc, oneshot};

use super::control;
use crate::deadline::Deadline;
use crate::engine::Tx;
use crate::error::{Error, Result};

/// How many transactions may wait before more are refused.
pub(super) const QUEUE: usize = 4096;
/// How many transactions are committed together at most.
const BATCH: usize = 256;
/// How long a batch is added to: whoever is done waits no longer than this and one more transaction.
const BATCH_TIME: Duration = Duration::from_millis(500);
/// How many bytes the log may have before the writer waits for those who read from it. SQLite empties it by itself only in a moment
/// in which nobody does, and where there is always somebody it grows without end.
const LOG: u64 = 16 << 20;
/// How long the writer waits for them, and how often: SQLite waits for a place among the readers that another one may take at once.
const LOG_PATIENCE: Duration = Duration::from_millis(100);
const LOG_TRIES: usize = 10;

/// The writer thread and the queue before it.
pub(super) struct Writer {
    queue: Option<mpsc::Sender<Job>>,
    thread: Option<JoinHandle<()>>,
}

/// A transaction that waits: runs in its savepoint and gives back how to answer once the commit is known.
type Job = Box<dyn FnOnce(&mut Connection) -> Answer + Send>;
/// How to answer: whether the commit held, or why not.
type Answer = Box<dyn FnOnce(std::result::Result<(), String>) + Send>;

impl Writer {
    pub(super) fn start(connection: Connection) -> Result<Self> {
        let (queue, jobs) = mpsc::channel(QUEUE);
        let thread = std::thread::Builder::new()
            .name("sqlite-writer".to_owned())
            .spawn(move || write_all(connection, jobs))
            .map_err(|error| Error::Unavailable(error.to_string()))?;
        Ok(Self { queue: Some(queue), thread: Some(thread) })
    }

    /// Runs work in a savepoint of its own, and answers when it is committed, or when its turn has not come by the deadline.
    pub(super) async fn run<T, E>(
        &self,
        name: &'static str,
        deadline: Option<Deadline>,
        work: impl FnOnce(&mut Connection) -> std::result::Result<T, E> + Send + 'static,
    ) -> std::result::Result<T, E>
    where
        T: Send + 'static,
        E: From<Error> + Send + 'static,
    {
        let (answer, answered) = oneshot::channel();
        let turn = Turn::default();
        let own_turn = turn.clone();
        let job: Job = Box::new(move |connection| {
            if !own_turn.take() {
                return Box::new(|_| ());
            }
            let result = in_savepoint(connection, name, work);
            Box::new(move |committed| {
                // A refusal falls with the commit too: it may rest on what a neighbour wrote that is not there now.
                let committed = committed.map_err(|reason| E::from(Error::Unavailable(reason)));
                // Nobody listens any more where the caller went away; the transaction holds all the same.
                let _ = answer.send(committed.and(result));
            })
        });
        let queue = self.queue.as_ref().ok_or_else(closed)?;
        queue.try_send(job).map_err(|error| match error {
            mpsc::error::TrySendError::Full(_) => {
                Error::Overloaded("too many transactions wait to be written")
            }
            mpsc::error::TrySendError::Closed(_) => closed(),
        })?;
        let mut answered = pin!(answered);
        if let Some(deadline) = deadline {
            let waited = tokio::time::timeout_at(deadline.at().into(), &mut answered).await;
            match waited {
                Ok(answer) => return answer.map_err(|_| closed())?,
                Err(_) if turn.take() => return Err(deadline.error().into()),
                // It runs, and ends by its deadline; whether it is kept is still to be told.
                Err(_) => {}
            }
        }
        answered.await.map_err(|_| closed())?
    }
}

/// A transaction's turn, which is taken once: by the writer, or by a caller who waits no more.
#[derive(Clone, Default)]
struct Turn(Arc<AtomicBool>);

impl Turn {
    fn take(&self) -> bool {
        !self.0.swap(true, Ordering::AcqRel)
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        // With its queue gone the writer finishes what waits, then closes the database.
        self.queue = None;
        let Some(thread) = self.thread.take() else { return };
        // The last hold on a store may be a transaction's body, which goes on the writer thread: that cannot wait for itself.
        if thread.thread().id() != std::thread::current().id() {
            let _ = thread.join();
        }
    }
}

fn closed() -> Error {
    Error::Unavailable("the store is closed".to_owned())
}

fn write_all(mut connection: Connection, mut jobs: mpsc::Receiver<Job>) {
    let mut log = Log::of(&connection);
    while let Some(first) = jobs.blocking_recv() {
        commit_together(&mut connection, first, &mut jobs);
        log.keep_small(&connection);
    }
    empty_log(&connection);
}

/// The write-ahead log's file.
struct Log {
    file: PathBuf,
    /// From which size on it is to be emptied.
    due: u64,
}

impl Log {
    fn of(connection: &Connection) -> Self {
        let database = connection.path().unwrap_or_default();
        Self { file: PathBuf::from(format!("{database}-wal")), due: LOG }
    }

    fn keep_small(&mut self, connection: &Connection) {
        let size = std::fs::metadata(&self.file).map_or(0, |file| file.len());
        if size < self.due {
            return;
        }
        let _ = connection.busy_timeout(LOG_PATIENCE);
        let emptied = (0..LOG_TRIES).any(|_| empty_log(connection));
        let _ = connection.busy_timeout(super::BUSY_TIME);
        // Whoever has read for so long is waited for again only when much more has been written.
        self.due = if emptied { LOG } else { size + LOG };
    }
}

/// Brings all of the log into the database and empties its file: whether that was possible.
fn empty_log(connection: &Connection) -> bool {
    connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0)) == Ok(0_i64)
}

fn commit_together(connection: &mut Connection, first: Job, jobs: &mut mpsc::Receiver<Job>) {
    if let Err(error) = connection.execute_batch("BEGIN IMMEDIATE") {
        return first(connection)(Err(error.to_string()));
    }
    let begun = Instant::now();
    let mut answers: Vec<Answer> = Vec::new();
    let mut next = Some(first);
    let mut broken = None;
    while let Some(job) = next {
        let answer = job(connection);
        if connection.is_autocommit() {
            // An interrupted write or a full disk makes SQLite roll everything back by itself. Whose it was hears why from his own
            // result; nobody's rows are there.
            answer(Ok(()));
            broken = Some("the database rolled the transaction back".to_owned());
            break;
        }
        answers.push(answer);
        let takes_more = answers.len() < BATCH && begun.elapsed() < BATCH_TIME;
        next = if takes_more { jobs.try_recv().ok() } else { None };
    }
    let committed = match broken {
        Some(reason) => Err(reason),
        None => connection.execute_batch("COMMIT").map_err(|error| error.to_string()),
    };
    if !connection.is_autocommit() {
        let _ = connection.execute_batch("ROLLBACK");
    }
    for answer in answers {
        answer(committed.clone());
    }
}

/// Runs work in a savepoint that is kept where it succeeds. Where even that cannot be said, all is rolled back: nothing of a
/// transaction that failed may be committed with its neighbours.
fn in_savepoint<T, E: From<Error>>(
    connection: &mut Connection,
    name: &'static str,
    work: impl FnOnce(&mut Connection) -> std::result::Result<T, E>,
) -> std::result::Result<T, E> {
    if connection.is_autocommit() {
        return Err(Error::Unavailable("no transaction could be begun".to_owned()).into());
    }
    control(connection, "SAVEPOINT one")?;
    let result = std::panic::catch_unwind(AssertUnwindSafe(|| work(connection)))
        .unwrap_or_else(|_| Err(Error::Internal(format!("{name} panicked")).into()));
    let undone = if result.is_err() { control(connection, "ROLLBACK TO one") } else { Ok(()) };
    if let Err(error) = undone.and_then(|()| control(connection, "RELEASE one")) {
        let _ = connection.execute_batch("ROLLBACK");
        return result.and(Err(error.into()));
    }
    result
}

/// Runs the body of a transaction, which never waits on SQLite, so that polling it once finishes it.
pub(super) fn run_body<T, E, F>(
    connection: &mut Connection,
    deadline: Deadline,
    body: &F,
) -> std::result::Result<T, E>
where
    E: From<Error>,
    F: for<'tx> AsyncFn(&mut Tx<'tx>) -> std::result::Result<T, E>,
{
    let name = deadline.name();
    let _span = tracing::debug_span!("transaction", name).entered();
    let mut tx = Tx::sqlite(connection, deadline);
    poll_once(tx.complete(body)).unwrap_or_else(|| {
        let reason = format!("{name} waited for something other than its transaction");
        Err(Error::Internal(reason).into())
    })
}

pub(super) fn poll_once<F: Future>(future: F) -> Option<F::Output> {
    let mut future = pin!(future);
    match future.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(output) => Some(output),
        Poll::Pending => None,
    }
}
