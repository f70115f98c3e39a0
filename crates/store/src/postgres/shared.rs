//! Read transactions whose queries are all awaited together. They are sent as one piece on a lane, where a piece is one transaction.

use std::future::{pending, poll_fn};
use std::pin::{Pin, pin};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use tokio::time::timeout_at;

use super::Postgres;
use super::connection::Connection;
use super::failure::{Failure, Sent};
use super::messages::{Piece, Response, Slot};
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
    state: Mutex<State>,
}

struct State {
    /// What is sent. `None` when it has been sent.
    piece: Option<Piece>,
    /// The queries that the connection has not prepared yet.
    unprepared: Vec<&'static Query>,
    /// Whether it needs a connection for itself.
    outgrown: bool,
    response: Option<Arc<Sent<Response>>>,
    /// What waits for the response, unless the whole transaction is polled.
    waiting: Vec<Waker>,
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
            let run = turn.run(SharedRead::run(turn.connection(), deadline, &self.sealer, body));
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
        let state = State {
            piece: Some(Piece::new()),
            unprepared: Vec::new(),
            outgrown: false,
            response: None,
            waiting: Vec::new(),
        };
        Self { connection, state: Mutex::new(state) }
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
            if let Some(result) = read.complete(run.as_mut()).await {
                return (result.is_ok() || !read.can_retry()).then_some(result);
            }
            drop(run);
            for query in read.unprepared()? {
                connection.prepared(query).await.ok()?;
            }
        }
        None
    }

    /// Sends what the first poll of the transaction asks for, and polls it until it is done. `None` if it has to be given up.
    async fn complete<F: Future>(&self, mut run: Pin<&mut F>) -> Option<F::Output> {
        if let Poll::Ready(result) = poll_fn(|context| Poll::Ready(run.as_mut().poll(context))).await {
            return Some(result);
        }
        let piece = self.state().piece.take()?;
        if self.is_given_up() {
            return None;
        }
        let mut response = pin!(self.connection.send(piece).response());
        poll_fn(|context| {
            if self.state().response.is_none()
                && let Poll::Ready(response) = response.as_mut().poll(context)
            {
                self.take(response, context);
            }
            match run.as_mut().poll(context) {
                Poll::Ready(result) => Poll::Ready(Some(result)),
                Poll::Pending if self.is_given_up() => Poll::Ready(None),
                Poll::Pending => Poll::Pending,
            }
        })
        .await
    }

    fn take(&self, response: Sent<Response>, context: &Context<'_>) {
        let mut state = self.state();
        state.response = Some(Arc::new(response));
        let waiting = std::mem::take(&mut state.waiting);
        drop(state);
        // The transaction itself is polled next.
        waiting.into_iter().filter(|waker| !waker.will_wake(context.waker())).for_each(Waker::wake);
    }

    pub(crate) async fn rows<T>(
        &self,
        query: &'static Query,
        values: &[Value<'_>],
        each: impl FnMut(&mut Row<'_>) -> Result<T>,
    ) -> Result<Vec<T>> {
        let Some(slot) = self.add(query, values)? else {
            // The transaction is given up after this poll.
            return pending().await;
        };
        let response = poll_fn(|context| {
            let mut state = self.state();
            let Some(response) = &state.response else {
                if !state.waiting.iter().any(|waker| waker.will_wake(context.waker())) {
                    state.waiting.push(context.waker().clone());
                }
                return Poll::Pending;
            };
            Poll::Ready(response.clone())
        });
        let response = response.await;
        let rows = response.as_ref().as_ref().map_err(Failure::clone)?.rows(&slot)?;
        rows.read(query, each)
    }

    /// Adds a query to what is sent. `None` if it cannot be sent now.
    fn add(&self, query: &'static Query, values: &[Value<'_>]) -> Result<Option<Slot>> {
        let mut state = self.state();
        let State { piece, unprepared, outgrown, .. } = &mut *state;
        let Some(piece) = piece.as_mut().filter(|_| !query.planned_each_time) else {
            *outgrown = true;
            return Ok(None);
        };
        let Some(statement) = self.connection.known(query) else {
            unprepared.push(query);
            return Ok(None);
        };
        Ok(Some(piece.query(query, &statement, values)?))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_given_up(&self) -> bool {
        let state = self.state();
        state.outgrown || !state.unprepared.is_empty()
    }

    /// The queries that must be prepared before another attempt. `None` if it needs a connection for itself.
    fn unprepared(&self) -> Option<Vec<&'static Query>> {
        let mut state = self.state();
        (!state.outgrown).then(|| std::mem::take(&mut state.unprepared))
    }

    fn can_retry(&self) -> bool {
        matches!(self.state().response.as_deref(), Some(Err(failure)) if failure.can_retry())
    }
}
