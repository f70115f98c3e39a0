//! The SQLite engine: read-only connections on the threads that read, and one writer thread that commits many transactions together.
//!
//! A read runs where it is asked for, for a hop to another thread costs more than the query. A write goes to the writer's bounded
//! queue; the writer begins, runs every waiting transaction in a savepoint of its own, commits once, and only then answers
//! (group commit): `synchronous=FULL` then costs one flush for many.

use std::cell::{Cell, RefCell};
use std::future::Future;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll, Waker};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use rusqlite::{Connection, OpenFlags};
use tokio::sync::{mpsc, oneshot};

use crate::engine::Tx;
use crate::error::{Error, Result};
use crate::query::{self, Query};
use crate::row::{Row, Source};
use crate::value::Value;

/// How many transactions may wait for the writer before more are refused.
const QUEUE: usize = 4096;
/// How many transactions are committed together at most.
const BATCH: usize = 256;
/// How long one statement may run.
const STATEMENT_TIME: Duration = Duration::from_secs(10);
/// How many of SQLite's steps pass between two looks at the clock.
const STEPS_BETWEEN_LOOKS: i32 = 20_000;
/// How many prepared statements a connection keeps.
const STATEMENTS: usize = 256;

/// The database's file in the data folder.
pub(crate) const FILE: &str = "fieldhouse.db";

thread_local! {
    static READERS: RefCell<Vec<(u64, Connection)>> = const { RefCell::new(Vec::new()) };
    static DEADLINE: Cell<Option<Instant>> = const { Cell::new(None) };
}
static STORES: AtomicU64 = AtomicU64::new(1);

/// The engine.
pub(crate) struct Sqlite {
    /// Tells this process's stores apart, for each thread keeps a reader for each store that it reads.
    number: u64,
    file: PathBuf,
    queue: Option<mpsc::Sender<Job>>,
    writer: Option<JoinHandle<()>>,
}

/// A transaction that waits: runs in its savepoint and gives back how to answer once the commit is known.
type Job = Box<dyn FnOnce(&mut Connection) -> Outcome + Send>;
/// How to answer: whether the commit held.
type Answer = Box<dyn FnOnce(std::result::Result<(), String>) + Send>;

struct Outcome {
    answer: Answer,
}

impl Sqlite {
    /// Opens the database of a data folder, making it if need be.
    pub(crate) fn open(folder: &Path) -> Result<Self> {
        let file = folder.join(FILE);
        let connection = open_writer(&file)?;
        let (queue, jobs) = mpsc::channel(QUEUE);
        let writer = std::thread::Builder::new()
            .name("sqlite-writer".to_owned())
            .spawn(move || write_all(connection, jobs))
            .map_err(|error| Error::Unavailable(error.to_string()))?;
        let number = STORES.fetch_add(1, Ordering::Relaxed);
        Ok(Self { number, file, queue: Some(queue), writer: Some(writer) })
    }

    /// Reads rows on this thread's own connection.
    pub(crate) fn read<T>(
        &self,
        query: &'static Query,
        values: &[Value<'_>],
        mut each: impl FnMut(&mut Row<'_>) -> Result<T>,
    ) -> Result<Vec<T>> {
        READERS.with_borrow_mut(|readers| {
            let at = if let Some(at) = readers.iter().position(|(number, _)| *number == self.number) {
                at
            } else {
                readers.push((self.number, open_reader(&self.file)?));
                readers.len() - 1
            };
            rows(&readers[at].1, query, values, &mut each)
        })
    }

    /// Runs a transaction on the writer thread. Its body must not wait for anything but the transaction.
    pub(crate) async fn write<T, E, F>(&self, name: &'static str, body: F) -> std::result::Result<T, E>
    where
        T: Send + 'static,
        E: From<Error> + Send + 'static,
        F: for<'tx> AsyncFn(&mut Tx<'tx>) -> std::result::Result<T, E> + Send + Sync + 'static,
    {
        let (answer, answered) = oneshot::channel();
        let job: Job = Box::new(move |connection| {
            let result = in_savepoint(connection, name, &body);
            Outcome {
                answer: Box::new(move |committed| {
                    let result = match (result, committed) {
                        (Ok(_), Err(reason)) => Err(E::from(Error::Unavailable(reason))),
                        (result, _) => result,
                    };
                    // Nobody listens any more where the caller went away; the transaction holds all the same.
                    let _ = answer.send(result);
                }),
            }
        });
        let queue = self.queue.as_ref().ok_or_else(|| closed::<E>())?;
        queue.try_send(job).map_err(|error| match error {
            mpsc::error::TrySendError::Full(_) => {
                E::from(Error::Overloaded("too many transactions wait to be written"))
            }
            mpsc::error::TrySendError::Closed(_) => closed::<E>(),
        })?;
        answered.await.map_err(|_| closed::<E>())?
    }

    /// Runs statements that are no query of the store, on the writer: migrations.
    pub(crate) async fn with_writer<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Connection) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let (answer, answered) = oneshot::channel();
        let job: Job = Box::new(move |connection| {
            let begun = !connection.is_autocommit();
            let result = if begun { work(connection) } else { Err(closed()) };
            Outcome {
                answer: Box::new(move |committed| {
                    let result = committed.map_err(Error::Unavailable).and(result);
                    let _ = answer.send(result);
                }),
            }
        });
        self.queue.as_ref().ok_or_else(closed::<Error>)?.send(job).await.map_err(|_| closed::<Error>())?;
        answered.await.map_err(|_| closed::<Error>())?
    }
}

impl Drop for Sqlite {
    fn drop(&mut self) {
        // With its queue gone the writer finishes what waits, then closes the database.
        self.queue = None;
        if let Some(writer) = self.writer.take() {
            let _ = writer.join();
        }
        let _ = READERS.try_with(|readers| {
            if let Ok(mut readers) = readers.try_borrow_mut() {
                readers.retain(|(number, _)| *number != self.number);
            }
        });
    }
}

fn closed<E: From<Error>>() -> E {
    E::from(Error::Unavailable("the store is closed".to_owned()))
}

fn open_writer(file: &Path) -> Result<Connection> {
    let connection = Connection::open(file)?;
    connection.execute_batch(
        "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; PRAGMA secure_delete = ON;
         PRAGMA wal_autocheckpoint = 1000; PRAGMA journal_size_limit = 67108864;",
    )?;
    prepare(connection)
}

fn open_reader(file: &Path) -> Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    prepare(Connection::open_with_flags(file, flags)?)
}

fn prepare(mut connection: Connection) -> Result<Connection> {
    connection.busy_timeout(Duration::from_secs(5))?;
    connection.set_prepared_statement_cache_capacity(STATEMENTS);
    let too_late = || DEADLINE.get().is_some_and(|deadline| Instant::now() > deadline);
    connection.progress_handler(STEPS_BETWEEN_LOOKS, Some(too_late))?;
    Ok(connection)
}

/// Runs a query and reads its rows to the end: a statement that is stepped once and left keeps the WAL from being checkpointed.
pub(crate) fn rows<T>(
    connection: &Connection,
    query: &'static Query,
    values: &[Value<'_>],
    each: &mut impl FnMut(&mut Row<'_>) -> Result<T>,
) -> Result<Vec<T>> {
    query::note(query);
    let mut statement = connection.prepare_cached(query.sql)?;
    bind(&mut statement, query, values)?;
    DEADLINE.set(Some(Instant::now() + STATEMENT_TIME));
    let mut found = Vec::new();
    let mut rows = statement.raw_query();
    while let Some(row) = rows.next()? {
        found.push(each(&mut Row::new(Source::Sqlite(row), query))?);
    }
    Ok(found)
}

/// Runs a statement that gives no rows: how many rows it changed.
pub(crate) fn run(connection: &Connection, query: &'static Query, values: &[Value<'_>]) -> Result<u64> {
    query::note(query);
    let mut statement = connection.prepare_cached(query.sql)?;
    bind(&mut statement, query, values)?;
    DEADLINE.set(Some(Instant::now() + STATEMENT_TIME));
    Ok(statement.raw_execute()? as u64)
}

/// Binds by the number written. SQLite takes `$2` as a name and numbers names by first appearance, so that binding in order would
/// swap the values of `SET a = $2 WHERE b = $1` without a word.
fn bind(statement: &mut rusqlite::Statement<'_>, query: &'static Query, values: &[Value<'_>]) -> Result<()> {
    let wrong = |what: &str| Error::Internal(format!("{}: {what}", query.name));
    let count = statement.parameter_count();
    if count != values.len() {
        return Err(wrong(&format!("{} values for {count} parameters", values.len())));
    }
    for at in 1..=count {
        let number = statement
            .parameter_name(at)
            .and_then(|name| name.strip_prefix('$'))
            .and_then(|number| number.parse::<usize>().ok())
            .ok_or_else(|| wrong("parameters are written $1, $2, ..."))?;
        let value = number.checked_sub(1).and_then(|number| values.get(number));
        let value = value.ok_or_else(|| wrong("a parameter number is left out"))?;
        statement.raw_bind_parameter(at, value)?;
    }
    Ok(())
}

fn write_all(mut connection: Connection, mut jobs: mpsc::Receiver<Job>) {
    while let Some(first) = jobs.blocking_recv() {
        let mut answers: Vec<Answer> = Vec::new();
        let mut failed = connection.execute_batch("BEGIN IMMEDIATE").err().map(|error| error.to_string());
        let mut next = Some(first);
        while let Some(job) = next {
            if failed.is_none() {
                answers.push(job(&mut connection).answer);
                // A full disk makes SQLite roll the whole transaction back by itself: nobody's rows are there then.
                if connection.is_autocommit() {
                    failed = Some("the transaction was rolled back by the database".to_owned());
                }
            } else {
                answers.push(refuse(job, &mut connection));
            }
            next = if answers.len() < BATCH && failed.is_none() { jobs.try_recv().ok() } else { None };
        }
        let committed = match failed {
            Some(reason) => Err(reason),
            None => connection.execute_batch("COMMIT").map_err(|error| error.to_string()),
        };
        if committed.is_err() && !connection.is_autocommit() {
            let _ = connection.execute_batch("ROLLBACK");
        }
        for answer in answers {
            answer(committed.clone());
        }
    }
    let _ = connection.execute_batch("PRAGMA wal_checkpoint(TRUNCATE)");
}

/// The answer of a job that could not begin: its savepoint fails for want of a transaction, and says so to its caller.
fn refuse(job: Job, connection: &mut Connection) -> Answer {
    job(connection).answer
}

fn in_savepoint<T, E, F>(
    connection: &mut Connection,
    name: &'static str,
    body: &F,
) -> std::result::Result<T, E>
where
    E: From<Error>,
    F: for<'tx> AsyncFn(&mut Tx<'tx>) -> std::result::Result<T, E>,
{
    if connection.is_autocommit() {
        return Err(E::from(Error::Unavailable("no transaction could be begun".to_owned())));
    }
    let control = |connection: &Connection, sql: &str| {
        connection.prepare_cached(sql).and_then(|mut statement| statement.raw_execute()).map_err(Error::from)
    };
    control(connection, "SAVEPOINT one")?;
    let _span = tracing::debug_span!("transaction", name).entered();
    let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        let mut tx = Tx::sqlite(connection);
        poll_once(body(&mut tx))
    }));
    let result = match result {
        Ok(Some(result)) => result,
        Ok(None) => {
            Err(E::from(Error::Internal(format!("{name} waited for something other than its transaction"))))
        }
        Err(_) => Err(E::from(Error::Internal(format!("{name} panicked")))),
    };
    if result.is_err() && !connection.is_autocommit() {
        control(connection, "ROLLBACK TO one")?;
    }
    if !connection.is_autocommit() {
        control(connection, "RELEASE one")?;
    }
    result
}

/// A transaction body on SQLite never waits, so polling it once finishes it.
fn poll_once<F: Future>(future: F) -> Option<F::Output> {
    let mut future = std::pin::pin!(future);
    match future.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(output) => Some(output),
        Poll::Pending => None,
    }
}
