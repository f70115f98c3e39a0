//! Lanes: a few connections that single reads share. Each read is sent behind the others, without waiting for their results.
//!
//! A process of PostgreSQL that finds several queries when it wakes up costs less than one process for each of them. Transactions, and
//! queries that change a setting, have a connection of the pool for themselves.

use std::pin::pin;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use deadpool::managed::{TimeoutType, Timeouts};
use futures_util::future::{join, join_all};
use tokio::runtime::Handle;
use tokio::time::timeout;

use super::connection::{Connection, Pool, PoolError, Pooled};
use super::read::can_retry;
use super::{CONNECTION_TIME, Postgres, Sent, read_rows, run};
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

pub(super) struct Lane {
    connection: Pooled,
    opened: Instant,
    /// The reads that have been sent, or are being prepared.
    reads: AtomicUsize,
    /// When it had its last result or its first read, in milliseconds after it was opened.
    moved: AtomicU64,
}

impl Lane {
    fn new(connection: Pooled) -> Self {
        Self { connection, opened: Instant::now(), reads: AtomicUsize::new(0), moved: AtomicU64::new(0) }
    }

    pub(super) fn connection(&self) -> &Connection {
        &self.connection
    }

    fn enter(self: &Arc<Self>) -> Turn {
        if self.reads.fetch_add(1, Ordering::Relaxed) == 0 {
            self.note_moved();
        }
        Turn { lane: self.clone(), has_result: false }
    }

    fn reads(&self) -> usize {
        self.reads.load(Ordering::Relaxed)
    }

    fn age(&self) -> u64 {
        u64::try_from(self.opened.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    fn note_moved(&self) {
        self.moved.store(self.age(), Ordering::Relaxed);
    }

    fn is_held_up(&self) -> bool {
        let waited = self.age().saturating_sub(self.moved.load(Ordering::Relaxed));
        self.reads() > 0 && u128::from(waited) >= HELD_UP.as_millis()
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
            Ok(connection) => Some(Arc::new(Lane::new(connection))),
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
        let free = open.iter().filter(|lane| lane.reads() < max && !lane.is_held_up());
        free.min_by_key(|lane| lane.reads()).map(Lane::enter)
    }
}

/// Whether an attempt failed so recently that no other one is made yet.
fn is_recent(failed: Option<Instant>) -> bool {
    failed.is_some_and(|failed| failed.elapsed() < RETRY_AFTER)
}

/// The place of a read on a lane.
pub(super) struct Turn {
    lane: Arc<Lane>,
    has_result: bool,
}

impl Turn {
    /// The lane.
    pub(super) fn lane(&self) -> Arc<Lane> {
        self.lane.clone()
    }

    /// Waits for reads that are sent on the lane. `None` if they must be run again on another connection: the lane is held up, or there is no
    /// result.
    pub(super) async fn run<T>(mut self, reads: impl Future<Output = Option<T>>) -> Option<T> {
        let mut reads = pin!(reads);
        loop {
            match timeout(HELD_UP, reads.as_mut()).await {
                Ok(result) => {
                    self.has_result = true;
                    return result;
                }
                Err(_) if self.lane.is_held_up() => return None,
                Err(_) => {}
            }
        }
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        if self.has_result {
            self.lane.note_moved();
            self.lane.reads.fetch_sub(1, Ordering::Relaxed);
            return;
        }
        // The future that waited is dropped, but the server still runs the read. The lane is as busy as before until a query behind it has ended.
        let Ok(runtime) = Handle::try_current() else { return };
        let lane = self.lane.clone();
        runtime.spawn(async move {
            let _ = lane.connection.in_turn(lane.connection.batch_execute("")).await;
            lane.reads.fetch_sub(1, Ordering::Relaxed);
        });
    }
}

/// A query with its parameters.
pub(crate) type Wanted<'a> = (&'static Query, &'a [Value<'a>]);
type Rows = Vec<tokio_postgres::Row>;
type Both = (Rows, Rows);

/// One or two reads that are sent together.
#[derive(Clone, Copy)]
struct Flight<'a> {
    one: Wanted<'a>,
    other: Option<Wanted<'a>>,
}

impl Flight<'_> {
    /// Whether it may be sent between the reads of others. One that is planned each time changes a setting.
    fn can_share(&self) -> bool {
        let mut queries = [Some(self.one), self.other].into_iter().flatten();
        queries.all(|(query, _)| !query.planned_each_time)
    }

    async fn send(self, connection: &Connection) -> Sent<Both> {
        let (query, values) = self.one;
        let first = connection.prepared(query).await?;
        let rows = run(connection, &first, query, values);
        let Some((other, other_values)) = self.other else {
            return Ok((connection.in_turn(rows).await?, Rows::new()));
        };
        let second = connection.prepared(other).await?;
        let others = run(connection, &second, other, other_values);
        let (rows, others) = connection.in_turn(join(rows, others)).await;
        Ok((rows?, others?))
    }
}

impl Postgres {
    /// Reads rows with one statement, in its own transaction.
    pub(crate) async fn read<T>(
        &self,
        query: &'static Query,
        values: &[Value<'_>],
        each: impl FnMut(&mut Row<'_>) -> Result<T>,
    ) -> Result<Vec<T>> {
        let (rows, _) = self.fetch(Flight { one: (query, values), other: None }).await?;
        read_rows(query, &rows, each)
    }

    /// Fetches the rows of two queries in one round trip, unless they still have to be prepared.
    pub(crate) async fn fetch_both(&self, one: Wanted<'_>, other: Wanted<'_>) -> Result<Both> {
        self.fetch(Flight { one, other: Some(other) }).await
    }

    async fn fetch(&self, flight: Flight<'_>) -> Result<Both> {
        if flight.can_share()
            && let Some(turn) = self.lanes.turn().await
        {
            let lane = turn.lane();
            let reads = async {
                let result = flight.send(&lane.connection).await;
                let is_lost = result.as_ref().is_err_and(can_retry);
                (!is_lost).then_some(result)
            };
            if let Some(result) = turn.run(reads).await {
                return Ok(result?);
            }
        }
        let connection = self.connection().await?;
        Ok(flight.send(&connection).await?)
    }
}
