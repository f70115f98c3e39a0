//! The writer: one thread that runs every transaction and commits many together.
//!
//! Transactions wait in a bounded queue (`queue.rs`). The writer runs each one in its own savepoint and commits many at once (group commit).
//! Results are returned when the commit is durable (`syncer.rs`); meanwhile the writer runs the next transactions. Between commits it keeps the
//! log small (`checkpoints.rs`).

use std::future::Future;
use std::panic::AssertUnwindSafe;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Waker};
use std::thread::{JoinHandle, ThreadId};

use fieldhouse_domain::ids::OrganizationId;
use rusqlite::Connection;
use tokio::sync::oneshot;

use super::checkpoints::{Checkpoints, empty_log};
use super::queue::{Answer, Batch, Entrance, Job, Queue, closed, queue};
use super::readers::Readers;
use super::syncer::{self, Syncer};
use super::{Generations, LocalGeneration, Touched, control};
use crate::deadline::Deadline;
use crate::engine::Tx;
use crate::error::{Error, Result};

/// The writer thread and its queue.
pub(super) struct Writer {
    queue: Option<Arc<Entrance>>,
    thread: Option<JoinHandle<()>>,
    /// The thread that returns results.
    syncer: Option<ThreadId>,
}

impl Writer {
    pub(super) fn start(
        (mut connection, log): (Connection, impl syncer::Log),
        generations: Arc<Generations>,
        readers: Arc<Readers>,
    ) -> Result<Self> {
        let (entrance, queue) = queue();
        let syncer = Syncer::start(log, Arc::downgrade(&entrance))?;
        let of_syncer = syncer.thread();
        let checkpoints = Checkpoints::of(&mut connection, readers.clone())?;
        let thread = std::thread::Builder::new()
            .name("sqlite-writer".to_owned())
            .spawn(move || write_all(connection, queue, &generations, (syncer, checkpoints, readers)))
            .map_err(|error| Error::Unavailable(error.to_string()))?;
        Ok(Self { queue: Some(entrance), thread: Some(thread), syncer: of_syncer })
    }

    /// Runs work in its own savepoint. Returns when it is committed, or at the deadline if its turn has not come.
    pub(super) async fn run<T, E>(
        &self,
        name: &'static str,
        deadline: Option<Deadline>,
        work: impl FnOnce(Writing<'_>) -> std::result::Result<T, E> + Send + 'static,
    ) -> std::result::Result<T, E>
    where
        T: Send + 'static,
        E: From<Error> + Send + 'static,
    {
        let (answer, answered) = oneshot::channel();
        let turn = Turn::default();
        let own_turn = turn.clone();
        let job: Job = Box::new(move |writing| {
            if !own_turn.take() {
                return Box::new(|_| ());
            }
            let result = in_savepoint(writing, name, work);
            Box::new(move |committed| {
                // An error is replaced too: it may depend on rows of another transaction, which the failed commit has undone.
                let committed = committed.map_err(|reason| E::from(Error::Unavailable(reason)));
                // The caller may have stopped waiting; the transaction is committed all the same.
                let _ = answer.send(committed.and(result));
            })
        });
        let queue = self.queue.as_ref().ok_or_else(closed)?;
        queue.add(job)?;
        let mut answered = pin!(answered);
        if let Some(deadline) = deadline {
            let waited = tokio::time::timeout_at(deadline.at().into(), &mut answered).await;
            match waited {
                Ok(answer) => return answer.map_err(|_| closed())?,
                Err(_) if turn.take() => return Err(deadline.error().into()),
                // It is running and ends by its deadline: its result is still needed.
                Err(_) => {}
            }
        }
        answered.await.map_err(|_| closed())?
    }
}

/// What a transaction writes with.
pub(crate) struct Writing<'a> {
    /// The database.
    pub(crate) connection: &'a mut Connection,
    /// What the transactions of the batch have written.
    pub(crate) touched: &'a mut Touched,
    generations: &'a Generations,
}

impl Writing<'_> {
    fn reborrow(&mut self) -> Writing<'_> {
        Writing { connection: self.connection, touched: self.touched, generations: self.generations }
    }

    /// Whether facts behind an organization's credentials are still those of a generation, in the open transaction.
    pub(crate) fn has_credentials_of(
        &self,
        organization: OrganizationId,
        generation: LocalGeneration,
    ) -> bool {
        !self.touched.has_credentials(organization)
            && self.generations.of_credentials(organization) == generation
    }
}

/// A transaction's turn, which is taken once: by the writer, or by a caller who stops waiting.
#[derive(Clone, Default)]
struct Turn(Arc<AtomicBool>);

impl Turn {
    fn take(&self) -> bool {
        !self.0.swap(true, Ordering::AcqRel)
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        // Without the queue, the writer finishes the waiting transactions, then closes the database.
        self.queue = None;
        let Some(thread) = self.thread.take() else { return };
        // A transaction may hold the last reference to the store and drop it on one of these threads, which cannot wait for itself.
        let current = std::thread::current().id();
        if thread.thread().id() != current && self.syncer != Some(current) {
            let _ = thread.join();
        }
    }
}

fn write_all(
    mut connection: Connection,
    mut queue: Queue,
    generations: &Generations,
    (syncer, mut checkpoints, readers): (Syncer, Checkpoints, Arc<Readers>),
) {
    while let Some(first) = queue.first() {
        commit_together(&mut connection, first, &mut queue, generations, &syncer);
        checkpoints.keep_small(&connection);
    }
    drop((syncer, checkpoints));
    empty_log(&connection, &readers);
}

fn commit_together(
    connection: &mut Connection,
    (first, mut batch): (Job, Batch),
    queue: &mut Queue,
    generations: &Generations,
    syncer: &Syncer,
) {
    let mut touched = Touched::default();
    let begun = match syncer.failure() {
        Some(reason) => Err(reason.clone()),
        None => control(connection, "BEGIN IMMEDIATE").map_err(|error| error.to_string()),
    };
    if let Err(reason) = begun {
        return first(Writing { connection, touched: &mut touched, generations })(Err(reason));
    }
    let mut answers: Vec<Answer> = Vec::new();
    let mut next = Some(first);
    let mut broken = None;
    while let Some(job) = next {
        let answer = job(Writing { connection, touched: &mut touched, generations });
        if connection.is_autocommit() {
            // An interrupted write or a full disk makes SQLite roll back the whole batch. The transaction that caused it returns its
            // own error.
            answer(Ok(()));
            broken = Some("the database rolled the transaction back".to_owned());
            break;
        }
        answers.push(answer);
        next = queue.next(&mut batch, syncer);
    }
    let committed = match broken {
        Some(reason) => Err(reason),
        None => control(connection, "COMMIT").map_err(|error| error.to_string()),
    };
    if !connection.is_autocommit() {
        let _ = connection.execute_batch("ROLLBACK");
    }
    generations.raise(&touched);
    match committed {
        Ok(()) => syncer.acknowledge(answers),
        Err(reason) => answers.into_iter().for_each(|answer| answer(Err(reason.clone()))),
    }
}

/// Runs work in a savepoint, which is released if it succeeds and rolled back if it fails. If neither is possible, the whole batch is
/// rolled back, because no part of a failed transaction may be committed.
fn in_savepoint<T, E: From<Error>>(
    mut writing: Writing<'_>,
    name: &'static str,
    work: impl FnOnce(Writing<'_>) -> std::result::Result<T, E>,
) -> std::result::Result<T, E> {
    let connection = &*writing.connection;
    if connection.is_autocommit() {
        return Err(Error::Unavailable("a transaction could not be started".to_owned()).into());
    }
    control(connection, "SAVEPOINT one")?;
    let result = std::panic::catch_unwind(AssertUnwindSafe(|| work(writing.reborrow())))
        .unwrap_or_else(|_| Err(Error::Internal(format!("{name} panicked")).into()));
    let connection = &*writing.connection;
    let undone = if result.is_err() { control(connection, "ROLLBACK TO one") } else { Ok(()) };
    if let Err(error) = undone.and_then(|()| control(connection, "RELEASE one")) {
        let _ = connection.execute_batch("ROLLBACK");
        return result.and(Err(error.into()));
    }
    result
}

/// Runs the body of a transaction. On SQLite it never waits, so one poll finishes it.
pub(super) fn run_body<'a, T, E, F>(tx: &mut Tx<'a>, body: &F) -> std::result::Result<T, E>
where
    E: From<Error>,
    F: for<'tx> AsyncFn(&mut Tx<'tx>) -> std::result::Result<T, E>,
{
    let name = tx.name();
    let _span = tracing::debug_span!("transaction", name).entered();
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
