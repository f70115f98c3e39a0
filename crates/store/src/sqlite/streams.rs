//! Streams: a few threads for long reads, apart from those that serve requests.

use std::panic::AssertUnwindSafe;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Instant;

use rusqlite::Connection;
use tokio::sync::mpsc::error::TrySendError as TrySend;

use super::{Limit, Sqlite, control, open_reader, prepared};
use crate::engine::stream::{BATCH, Message, Part, STALL_TIME, Sink};
use crate::error::{Error, Result};
use crate::row::{Row, Source};

/// How many streams are read at once, and how many may wait.
pub(super) const THREADS: usize = 4;
pub(super) const WAITING: usize = 64;

/// A waiting stream, which reads with the connection of its thread.
type Job = Box<dyn FnOnce(Result<&Connection>) + Send>;

/// The threads, which start when the first stream is read.
pub(super) struct Streams {
    file: PathBuf,
    pool: Mutex<Option<Pool>>,
    is_closing: Arc<AtomicBool>,
}

struct Pool {
    queue: SyncSender<Job>,
    threads: Vec<JoinHandle<()>>,
}

/// Why a stream ends early.
enum Ended {
    /// The consumer dropped the stream or was too slow.
    Abandoned,
    Failed(Error),
}

impl<E: Into<Error>> From<E> for Ended {
    fn from(error: E) -> Self {
        Self::Failed(error.into())
    }
}

impl Sqlite {
    pub(crate) fn stream<T: Send + 'static>(
        &self,
        name: &'static str,
        parts: Vec<Part<T>>,
        sink: Sink<T>,
    ) -> Result<()> {
        let is_closing = self.streams.is_closing.clone();
        self.streams.begin(Box::new(move |connection| {
            let _ = sink.thread.set(std::thread::current());
            let read = AssertUnwindSafe(|| read(connection?, parts, &sink, &is_closing));
            let ended = std::panic::catch_unwind(read)
                .unwrap_or_else(|_| Err(Error::Internal(format!("{name} panicked")).into()));
            let last = match ended {
                Ok(()) => Message::End,
                Err(Ended::Failed(error)) => Message::Failed(error),
                Err(Ended::Abandoned) => return,
            };
            let _ = send(&sink, &is_closing, last);
        }))
    }
}

impl Streams {
    pub(super) fn new(file: PathBuf) -> Self {
        Self { file, pool: Mutex::new(None), is_closing: Arc::default() }
    }

    fn begin(&self, job: Job) -> Result<()> {
        let mut pool = self.pool.lock().unwrap_or_else(PoisonError::into_inner);
        let pool = match &mut *pool {
            Some(pool) => pool,
            none => none.insert(Pool::start(&self.file)?),
        };
        pool.queue.try_send(job).map_err(|error| match error {
            TrySendError::Full(_) => Error::Overloaded("too many exports and reports are running"),
            TrySendError::Disconnected(_) => Error::Unavailable("the store is closed".to_owned()),
        })
    }

    /// Cuts off all streams, and waits for the threads.
    pub(super) fn close(&self) {
        self.is_closing.store(true, Ordering::Release);
        let Some(pool) = self.pool.lock().unwrap_or_else(PoisonError::into_inner).take() else { return };
        drop(pool.queue);
        for thread in pool.threads {
            thread.thread().unpark();
            // A stream may hold the last reference to the store and drop it on its own thread, which cannot join itself.
            if thread.thread().id() != std::thread::current().id() {
                let _ = thread.join();
            }
        }
    }
}

impl Pool {
    fn start(file: &std::path::Path) -> Result<Self> {
        let (queue, jobs) = sync_channel(WAITING);
        let jobs = Arc::new(Mutex::new(jobs));
        let start = |number| {
            let (jobs, file) = (jobs.clone(), file.to_owned());
            let thread = std::thread::Builder::new().name(format!("sqlite-stream-{number}"));
            thread.spawn(move || serve(&jobs, &file)).map_err(|error| Error::Unavailable(error.to_string()))
        };
        Ok(Self { queue, threads: (1..=THREADS).map(start).collect::<Result<_>>()? })
    }
}

fn serve(jobs: &Mutex<Receiver<Job>>, file: &std::path::Path) {
    let mut idle: Option<Connection> = None;
    loop {
        let job = jobs.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok(job) = job else { return };
        let connection = match idle.take().map_or_else(|| open_reader(file), Ok) {
            Ok(connection) => connection,
            Err(error) => {
                job(Err(error));
                continue;
            }
        };
        job(Ok(&connection));
        let is_idle = connection.is_autocommit() || control(&connection, "ROLLBACK").is_ok();
        idle = is_idle.then_some(connection);
    }
}

fn read<T>(
    connection: &Connection,
    parts: Vec<Part<T>>,
    sink: &Sink<T>,
    is_closing: &AtomicBool,
) -> std::result::Result<(), Ended> {
    if sink.messages.is_closed() {
        return Err(Ended::Abandoned);
    }
    control(connection, "BEGIN")?;
    let mut batch = Vec::with_capacity(BATCH);
    for Part { query, values, mut each } in parts {
        let mut statement = prepared(connection, query, &values)?;
        let mut rows = statement.raw_query();
        loop {
            // The limit of a statement applies to each row, so that a slow consumer does not count.
            let limit = Limit::begin(None);
            let Some(row) = rows.next()? else { break };
            batch.push(each(&mut Row::new(Source::Sqlite(row), query))?);
            drop(limit);
            if batch.len() == BATCH {
                let full = std::mem::replace(&mut batch, Vec::with_capacity(BATCH));
                send(sink, is_closing, Message::Rows(full))?;
            }
        }
    }
    send(sink, is_closing, Message::Rows(batch))
}

/// Sends a message, and sleeps while the channel is full.
fn send<T>(
    sink: &Sink<T>,
    is_closing: &AtomicBool,
    mut message: Message<T>,
) -> std::result::Result<(), Ended> {
    let until = Instant::now() + STALL_TIME;
    loop {
        message = match sink.messages.try_send(message) {
            Ok(()) => return Ok(()),
            Err(TrySend::Closed(_)) => return Err(Ended::Abandoned),
            Err(TrySend::Full(message)) => message,
        };
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() || is_closing.load(Ordering::Acquire) {
            return Err(Ended::Abandoned);
        }
        std::thread::park_timeout(left);
    }
}
