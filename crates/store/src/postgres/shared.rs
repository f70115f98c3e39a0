//! Read transactions whose queries are all awaited together. They are sent as one piece on a lane, with BEGIN before and COMMIT behind them, so that
//! no other read is between them.

use std::future::{Future as _, pending, poll_fn};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::task::Poll;

use tokio::time::timeout_at;

use super::connection::Connection;
use super::read::{BEGIN, begin_with, can_retry, send_commit};
use super::{Postgres, read_rows, run};
use crate::deadline::Deadline;
use crate::engine::ReadTx;
use crate::error::{Error, Result};
use crate::query::Query;
use crate::row::Row;
use crate::sealing::Sealer;
use crate::value::Value;

/// An open read-only transaction on a connection that others use too.
pub(crate) struct SharedRead<'a> {
    connection: &'a Connection,
    begun: AtomicBool,
    /// Whether COMMIT has been sent.
    ended: AtomicBool,
    /// The queries that the connection has not prepared yet.
    unprepared: Mutex<Vec<&'static Query>>,
    /// Whether it needs a connection for itself.
    outgrown: AtomicBool,
    /// Whether it failed with an error that a retry resolves.
    can_retry: AtomicBool,
}

impl Postgres {
    /// Runs a read-only transaction whose queries are all awaited together. If they are not, or if no lane can be used, it is run again on a
    /// connection of the pool.
    pub(crate) async fn read_at_once<T, E, F>(
        &self,
        name: &'static str,
        body: &F,
    ) -> std::result::Result<T, E>
    where
        E: From<Error>,
        F: for<'tx> AsyncFn(&mut ReadTx<'tx>) -> std::result::Result<T, E>,
    {
        let deadline = Deadline::of(name);
        if let Some(turn) = self.lanes.turn().await {
            let lane = turn.lane();
            let run = turn.run(SharedRead::run(lane.connection(), deadline, &self.sealer, body));
            match timeout_at(deadline.at().into(), run).await {
                Ok(Some(result)) => return result,
                Ok(None) => {}
                Err(_) => return Err(deadline.error().into()),
            }
        }
        self.read_together(name, body).await
    }
}

impl<'a> SharedRead<'a> {
    fn new(connection: &'a Connection) -> Self {
        Self {
            connection,
            begun: AtomicBool::new(false),
            ended: AtomicBool::new(false),
            unprepared: Mutex::default(),
            outgrown: AtomicBool::new(false),
            can_retry: AtomicBool::new(false),
        }
    }

    /// Runs the transaction. `None` if it must be run on a connection for itself.
    async fn run<T, E, F>(
        connection: &Connection,
        deadline: Deadline,
        sealer: &Sealer,
        body: &F,
    ) -> Option<std::result::Result<T, E>>
    where
        F: for<'tx> AsyncFn(&mut ReadTx<'tx>) -> std::result::Result<T, E>,
    {
        // What the first attempt had to prepare is prepared for the second.
        for _ in 0..2 {
            let read = SharedRead::new(connection);
            let mut tx = ReadTx::shared(&read, deadline, sealer);
            let mut run = Box::pin(body(&mut tx));
            let result = poll_fn(|context| {
                // The first poll sends everything.
                let polled = if read.ended.load(Ordering::Relaxed) {
                    run.as_mut().poll(context)
                } else {
                    connection.at_once(|| {
                        let polled = run.as_mut().poll(context);
                        read.end();
                        polled
                    })
                };
                match polled {
                    Poll::Ready(result) => Poll::Ready(Some(result)),
                    Poll::Pending if read.is_given_up() => Poll::Ready(None),
                    Poll::Pending => Poll::Pending,
                }
            });
            if let Some(result) = result.await {
                return (result.is_ok() || !read.can_retry.load(Ordering::Relaxed)).then_some(result);
            }
            drop(run);
            if read.outgrown.load(Ordering::Relaxed) {
                return None;
            }
            let unprepared = std::mem::take(&mut *read.unprepared());
            for query in unprepared {
                connection.prepared(query).await.ok()?;
            }
        }
        None
    }

    pub(crate) async fn rows<T>(
        &self,
        query: &'static Query,
        values: &[Value<'_>],
        each: impl FnMut(&mut Row<'_>) -> Result<T>,
    ) -> Result<Vec<T>> {
        let Some(statement) = self.statement(query) else {
            // The transaction is given up after this poll.
            return pending().await;
        };
        let fetch = run(self.connection, &statement, query, values);
        let rows = begin_with(self.connection, BEGIN, &self.begun, fetch).await;
        let rows = rows.inspect_err(|error| {
            self.can_retry.fetch_or(can_retry(error), Ordering::Relaxed);
        })?;
        read_rows(query, &rows, each)
    }

    /// The statement of a query. `None` if the query cannot be sent now.
    fn statement(&self, query: &'static Query) -> Option<tokio_postgres::Statement> {
        if self.ended.load(Ordering::Relaxed) || query.planned_each_time {
            self.outgrown.store(true, Ordering::Relaxed);
            return None;
        }
        let known = self.connection.known(query);
        if known.is_none() {
            self.unprepared().push(query);
        }
        known
    }

    fn end(&self) {
        self.ended.store(true, Ordering::Relaxed);
        if self.begun.load(Ordering::Relaxed) {
            send_commit(self.connection);
        }
    }

    fn is_given_up(&self) -> bool {
        self.outgrown.load(Ordering::Relaxed) || !self.unprepared().is_empty()
    }

    fn unprepared(&self) -> MutexGuard<'_, Vec<&'static Query>> {
        self.unprepared.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
