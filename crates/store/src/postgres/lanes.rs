//! Lanes: a few connections that single reads share. Each read is sent behind the others, without waiting for their results.
//!
//! A process of PostgreSQL that finds several queries when it wakes up costs less than one process for each of them. Transactions, and
//! queries that change a setting, have a connection of the pool for themselves.

use std::pin::pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use deadpool::managed::{TimeoutType, Timeouts};
use futures_util::future::join_all;
use tokio::time::timeout;

use super::connection::{Connection, Pool, PoolError, Pooled};
use super::failure::{Failure, Sent};
use super::messages::{Piece, Rows};
use super::{CONNECTION_TIME, Postgres};
use crate::error::Result;
use crate::query::Query;
use crate::row::Row;
use crate::value::Value;

/// How many reads a lane has at most. Further ones use the pool, so that they also use a server that has more processors than this machine.
pub(super) const MAX_READS: usize = 16;
/// How long a lane may take for one result. Then it gets no more reads, and those that it has are run on connections of the pool. Longer in tests,
/// where a process of PostgreSQL may wait for a processor.
pub(super) const HELD_UP: Duration = Duration::from_millis(if cfg!(test) { 300 } else { 50 });
/// How long no lane is opened after one could not be, so that not every read waits for another attempt. Tests use a shorter time.
pub(super) const RETRY_AFTER: Duration = Duration::from_millis(if cfg!(test) { 500 } else { 5_000 });
/// A lane is opened only if the number of lanes allows it now.
const NO_WAIT: Timeouts =
    Timeouts { wait: Some(Duration::ZERO), create: Some(CONNECTION_TIME), recycle: None };

/// How many of a number of connections are lanes: about one for each processor, and none if transactions would have no connection.
pub(super) fn count(connections: usize) -> usize {
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    processors.max(2).min(connections / 2)
}

/// The lanes.
pub(super) struct Lanes {
    /// What opens them, and limits their number.
    connections: Pool,
    open: Mutex<Vec<Arc<Lane>>>,
    /// When the last attempt to open one failed.
    failed: Mutex<Option<Instant>>,
}

struct Lane {
    connection: Pooled,
    /// The reads that have a turn, also those that wait for their statement to be prepared.
    turns: AtomicUsize,
}

impl Lane {
    /// How many reads it has. Those that were given up meanwhile count until the server has run them.
    fn reads(&self) -> usize {
        self.turns.load(Ordering::Relaxed).max(self.connection.unanswered())
    }

    fn enter(self: &Arc<Self>) -> Turn {
        self.turns.fetch_add(1, Ordering::Relaxed);
        Turn(self.clone())
    }
}

impl Lanes {
    pub(super) fn new(connections: Pool) -> Self {
        Self { connections, open: Mutex::default(), failed: Mutex::default() }
    }

    /// Opens as many as it can.
    pub(super) async fn open(&self) {
        let opening = (0..self.connections.status().max_size).map(|_| self.open_one());
        let lanes = join_all(opening).await.into_iter().flatten();
        self.open.lock().unwrap_or_else(PoisonError::into_inner).extend(lanes);
    }

    /// Opens a lane. `None` if there are as many as there may be, or if it cannot be opened.
    async fn open_one(&self) -> Option<Arc<Lane>> {
        match self.connections.timeout_get(&NO_WAIT).await {
            Ok(connection) => Some(Arc::new(Lane { connection, turns: AtomicUsize::new(0) })),
            Err(PoolError::Timeout(TimeoutType::Wait)) => None,
            Err(error) => {
                let before = self.failed().replace(Instant::now());
                if !is_recent(before) {
                    tracing::warn!(%error, "a connection that reads share cannot be opened");
                }
                None
            }
        }
    }

    fn failed(&self) -> MutexGuard<'_, Option<Instant>> {
        self.failed.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A turn on the lane with the fewest reads, or on a new one. `None` if all of them are full, held up or cannot be opened.
    pub(super) async fn turn(&self) -> Option<Turn> {
        if let Some(turn) = self.turn_on_open(false) {
            return Some(turn);
        }
        let is_paused = is_recent(*self.failed());
        let opened = if is_paused { None } else { self.open_one().await };
        let Some(lane) = opened else { return self.turn_on_open(true) };
        let turn = lane.enter();
        self.open.lock().unwrap_or_else(PoisonError::into_inner).push(lane);
        Some(turn)
    }

    /// A turn on an open lane. If another lane can be opened, only on one that is idle, unless `is_any` is set.
    fn turn_on_open(&self, is_any: bool) -> Option<Turn> {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        // The pool replaces a closed connection.
        open.retain(|lane| !lane.connection.is_closed());
        let max = if is_any || open.len() == self.connections.status().max_size { MAX_READS } else { 1 };
        let free = open.iter().filter(|lane| lane.reads() < max && !lane.connection.is_held_up(HELD_UP));
        free.min_by_key(|lane| lane.reads()).map(Lane::enter)
    }
}

/// Whether an attempt failed so recently that no other one is made yet.
fn is_recent(failed: Option<Instant>) -> bool {
    failed.is_some_and(|failed| failed.elapsed() < RETRY_AFTER)
}

/// The place of a read on a lane.
pub(super) struct Turn(Arc<Lane>);

impl Turn {
    pub(super) fn connection(&self) -> &Connection {
        &self.0.connection
    }

    /// Waits for reads that are sent on the lane. `None` if they must be run again on another connection: the lane is held up, they wait for
    /// something else than the server, or there is no result.
    pub(super) async fn run<T>(&self, reads: impl Future<Output = Option<T>>) -> Option<T> {
        let mut reads = pin!(reads);
        loop {
            if let Ok(result) = timeout(HELD_UP, reads.as_mut()).await {
                return result;
            }
            let connection = self.connection();
            if connection.unanswered() == 0 || connection.is_held_up(HELD_UP) {
                return None;
            }
        }
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        self.0.turns.fetch_sub(1, Ordering::Relaxed);
    }
}

/// A query with its parameters.
pub(crate) type Wanted<'a> = (&'static Query, &'a [Value<'a>]);

impl Postgres {
    /// Reads rows with one statement, in its own transaction.
    pub(crate) async fn read<T>(
        &self,
        query: &'static Query,
        values: &[Value<'_>],
        each: impl FnMut(&mut Row<'_>) -> Result<T>,
    ) -> Result<Vec<T>> {
        let [rows] = self.fetch([(query, values)]).await?;
        rows.read(query, each)
    }

    /// Fetches the rows of queries in one round trip, unless they still have to be prepared.
    pub(crate) async fn fetch<const N: usize>(&self, wanted: [Wanted<'_>; N]) -> Result<[Rows; N]> {
        // Queries that are planned each time change a setting, and may take long.
        if wanted.iter().all(|(query, _)| !query.planned_each_time)
            && let Some(turn) = self.lanes.turn().await
        {
            let reads = async {
                let result = send(turn.connection(), wanted).await;
                let is_lost = result.as_ref().is_err_and(Failure::can_retry);
                (!is_lost).then_some(result)
            };
            if let Some(result) = turn.run(reads).await {
                return Ok(result?);
            }
        }
        let connection = self.connection().await?;
        Ok(send(&connection, wanted).await?)
    }
}

async fn send<const N: usize>(connection: &Connection, wanted: [Wanted<'_>; N]) -> Sent<[Rows; N]> {
    let mut piece = Piece::new();
    let mut slots = Vec::with_capacity(N);
    for (query, values) in wanted {
        let statement = connection.prepared(query).await?;
        slots.push(piece.query(query, &statement, values)?);
    }
    let response = connection.send(piece).response().await?;
    let rows = slots.iter().map(|slot| response.rows(slot)).collect::<Sent<Vec<_>>>()?;
    rows.try_into().map_err(|_| Failure::misunderstood("another number of results"))
}
