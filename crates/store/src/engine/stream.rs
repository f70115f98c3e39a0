//! Streamed rows, for exports and reports, which read more than memory should hold.

use std::collections::VecDeque;
use std::future::poll_fn;
use std::pin::Pin;
use std::sync::{Arc, OnceLock};
use std::task::{Context, Poll, ready};
use std::thread::Thread;
use std::time::Duration;

use futures_util::Stream;
use tokio::sync::mpsc;

use super::{Driver, Store};
use crate::error::{Error, Result};
use crate::query::Query;
use crate::row::Row;
use crate::value::Value;

/// How many rows make a batch, and how many batches wait for the consumer.
pub(crate) const BATCH: usize = 100;
const BATCHES: usize = 2;
/// How long a stream waits for its consumer before it is cut off, because the database keeps the snapshot of an open stream. Tests use a
/// shorter limit.
pub(crate) const STALL_TIME: Duration = Duration::from_millis(if cfg!(test) { 1_000 } else { 30_000 });

/// Reads a value from a row.
type Each<T> = Box<dyn FnMut(&mut Row<'_>) -> Result<T> + Send>;

/// A query whose rows are to be streamed.
pub(crate) struct Part<T> {
    pub(crate) query: &'static Query,
    pub(crate) values: Vec<Value<'static>>,
    pub(crate) each: Each<T>,
}

impl<T> Part<T> {
    pub(crate) fn new(
        query: &'static Query,
        values: Vec<Value<'static>>,
        each: impl FnMut(&mut Row<'_>) -> Result<T> + Send + 'static,
    ) -> Self {
        Self { query, values, each: Box::new(each) }
    }
}

/// A message from the database.
pub(crate) enum Message<T> {
    Rows(Vec<T>),
    End,
    Failed(Error),
}

/// Where the rows of a stream are sent.
pub(crate) struct Sink<T> {
    pub(crate) messages: mpsc::Sender<Message<T>>,
    /// The thread that reads, if there is one. It sleeps until the consumer takes its rows.
    pub(crate) thread: Arc<OnceLock<Thread>>,
}

/// Streamed rows, all from one snapshot. Few of them are in memory: reading pauses until they are taken, at most half a minute, and
/// ends when this is dropped.
#[derive(Debug)]
pub struct Rows<T> {
    name: &'static str,
    messages: mpsc::Receiver<Message<T>>,
    thread: Arc<OnceLock<Thread>>,
    ready: VecDeque<T>,
    has_ended: bool,
}

impl Store {
    /// Streams the rows of queries, one query after the other, from one snapshot. `name` appears in errors.
    pub(crate) fn stream<T: Send + 'static>(
        &self,
        name: &'static str,
        parts: Vec<Part<T>>,
    ) -> Result<Rows<T>> {
        let (sender, messages) = mpsc::channel(BATCHES);
        let thread = Arc::<OnceLock<Thread>>::default();
        let sink = Sink { messages: sender, thread: thread.clone() };
        match &self.driver {
            Driver::Sqlite(sqlite) => sqlite.stream(name, parts, sink)?,
            Driver::Postgres(postgres) => postgres.stream(parts, sink),
        }
        Ok(Rows { name, messages, thread, ready: VecDeque::new(), has_ended: false })
    }
}

impl<T> Rows<T> {
    /// Reads the next row. Returns `None` after the last one.
    pub async fn next(&mut self) -> Result<Option<T>> {
        poll_fn(|context| self.poll_row(context)).await.transpose()
    }

    fn poll_row(&mut self, context: &mut Context<'_>) -> Poll<Option<Result<T>>> {
        loop {
            if let Some(row) = self.ready.pop_front() {
                return Poll::Ready(Some(Ok(row)));
            }
            if self.has_ended {
                return Poll::Ready(None);
            }
            match ready!(self.messages.poll_recv(context)) {
                Some(Message::Rows(rows)) => {
                    self.ready = rows.into();
                    self.wake();
                }
                Some(Message::End) => self.has_ended = true,
                Some(Message::Failed(error)) => {
                    self.has_ended = true;
                    return Poll::Ready(Some(Err(error)));
                }
                None => {
                    self.has_ended = true;
                    return Poll::Ready(Some(Err(Error::Deadline(self.name))));
                }
            }
        }
    }

    fn wake(&self) {
        if let Some(thread) = self.thread.get() {
            thread.unpark();
        }
    }
}

impl<T: Unpin> Stream for Rows<T> {
    type Item = Result<T>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.poll_row(context)
    }
}

impl<T> Drop for Rows<T> {
    fn drop(&mut self) {
        self.messages.close();
        self.wake();
    }
}
