//! The writer: one thread that runs every transaction and commits many together.
//!
//! Transactions wait in a bounded queue (`queue.rs`). The writer runs many of them and commits them at once (`batches.rs`). Results are
//! returned when the commit is durable (`syncer.rs`); meanwhile the writer runs the next transactions. Between commits it keeps the log small
//! (`checkpoints.rs`).

use std::future::Future;
use std::panic::AssertUnwindSafe;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Waker};
use std::thread::{JoinHandle, ThreadId};

use fieldhouse_domain::ids::OrganizationId;
use rusqlite::Connection;
use tokio::runtime::Handle;
use tokio::sync::oneshot;

use super::batches::Batches;
use super::checkpoints::{Checkpoints, empty_log};
use super::queue::{Committed, Entrance, InProgress, Job, Queue, closed, queue};
use super::readers::Readers;
use super::syncer::{self, Syncer};
use super::{Generations, LocalGeneration, Touched, run};
use crate::deadline::Deadline;
use crate::engine::Tx;
use crate::error::{Error, Result};
use crate::ledger::posting::Posted;

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

    /// Runs work in a transaction. Returns when it is committed, or at the deadline if its turn has not come. The work may run twice: if a
    /// transaction of the same batch must be undone, all of them run again.
    pub(super) async fn run<T, E>(
        &self,
        name: &'static str,
        deadline: Option<Deadline>,
        work: impl FnMut(Writing<'_>) -> std::result::Result<T, E> + Send + 'static,
    ) -> std::result::Result<T, E>
    where
        T: Send + 'static,
        E: From<Error> + Send + 'static,
    {
        let (answer, answered) = oneshot::channel();
        let turn = Turn::default();
        let transaction = Transaction {
            name,
            work,
            turn: turn.clone(),
            has_begun: false,
            result: None,
            answer,
            runtime: Handle::try_current().ok(),
            _in_progress: InProgress::begin(),
        };
        let queue = self.queue.as_ref().ok_or_else(closed)?;
        queue.add(Box::new(transaction))?;
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

/// A transaction that waits or has run.
struct Transaction<T, E, W> {
    name: &'static str,
    work: W,
    turn: Turn,
    has_begun: bool,
    /// Its result, if it has run.
    result: Option<std::result::Result<T, E>>,
    answer: oneshot::Sender<std::result::Result<T, E>>,
    /// The runtime in which its caller waits.
    runtime: Option<Handle>,
    _in_progress: InProgress,
}

impl<T, E, W> Job for Transaction<T, E, W>
where
    T: Send,
    E: From<Error> + Send,
    W: FnMut(Writing<'_>) -> std::result::Result<T, E> + Send,
{
    fn run(&mut self, writing: Writing<'_>) -> bool {
        if !self.has_begun && !self.turn.take() {
            return true;
        }
        self.has_begun = true;
        let panicked = || Err(Error::Internal(format!("{} panicked", self.name)).into());
        let ran = std::panic::catch_unwind(AssertUnwindSafe(|| (self.work)(writing)));
        self.result.insert(ran.unwrap_or_else(|_| panicked())).is_ok()
    }

    fn fail(&mut self, reason: String) {
        self.result = Some(Err(Error::Unavailable(reason).into()));
    }

    fn runtime(&self) -> Option<&Handle> {
        self.runtime.as_ref()
    }

    fn answer(self: Box<Self>, committed: Committed) {
        let result = match (committed, self.result) {
            (Ok(()), Some(result)) => result,
            // Its caller has stopped waiting before its turn.
            (Ok(()), None) => return,
            // An error is replaced too: it may depend on rows of another transaction, which the failed commit has undone.
            (Err(reason), _) => Err(Error::Unavailable(reason).into()),
        };
        // The caller may have stopped waiting; the transaction is committed all the same.
        let _ = self.answer.send(result);
    }
}

/// What a transaction writes with.
pub(crate) struct Writing<'a> {
    /// The database.
    pub(crate) connection: &'a mut Connection,
    /// What the transactions of the batch have written.
    pub(crate) touched: &'a mut Touched,
    /// What they have posted to the ledger, and is not in the database yet.
    pub(crate) posted: &'a mut Posted,
    pub(super) generations: &'a Generations,
}

impl Writing<'_> {
    pub(super) fn reborrow(&mut self) -> Writing<'_> {
        Writing {
            connection: self.connection,
            touched: self.touched,
            posted: self.posted,
            generations: self.generations,
        }
    }

    /// Writes what was posted to the ledger since the last time.
    pub(crate) fn write_posted(&mut self) -> Result<()> {
        self.posted.write(|query, values| run(self.connection, None, query, values))
    }

    /// Numbers that stay the same until something is changed or posted, or a savepoint begins.
    pub(super) fn changes(&self) -> (u64, usize) {
        (self.connection.total_changes(), self.touched.uncounted)
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
    let mut batches = Batches::default();
    while let Some(first) = queue.first() {
        batches.commit(&mut connection, first, &mut queue, generations, &syncer);
        checkpoints.keep_small(&connection);
    }
    drop((syncer, checkpoints));
    empty_log(&connection, &readers);
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
