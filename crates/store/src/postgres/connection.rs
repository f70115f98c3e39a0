//! Connections, and the pools that open them. A connection prepares each statement once, and sends pieces behind each other without waiting for
//! responses.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use deadpool::Runtime;
use deadpool::managed::{self, Metrics, RecycleError, RecycleResult};
use tokio::sync::OnceCell;
use tokio::task::JoinHandle;
use tokio_postgres::Config;
use tokio_postgres_rustls::MakeRustlsConnect;

use super::CONNECTION_TIME;
use super::dialing::{Canceler, Dialer};
use super::failure::{Failure, Sent};
use super::messages::{Piece, Rows, Statement};
use super::wire::{Outbox, Receipt, carry};
use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::query::{self, Query};
use crate::value::Value;

pub(crate) type Pool = managed::Pool<Connector>;
/// A connection of a pool, which is returned to it on drop.
pub(crate) type Pooled = managed::Object<Connector>;
pub(crate) type PoolError = managed::PoolError<Failure>;

/// A connection. Dropping it closes the socket; the server may still finish a statement that it is running.
pub(crate) struct Connection {
    outbox: Arc<Outbox>,
    /// What sends and receives.
    carrier: JoinHandle<()>,
    canceler: Canceler,
    statements: Mutex<HashMap<Text, Arc<OnceCell<Statement>>>>,
    /// How many statements have a name.
    names: AtomicUsize,
}

/// Where the SQL of a program is, which finds a statement sooner than the SQL itself.
#[derive(PartialEq, Eq, Hash)]
struct Text {
    address: usize,
    length: usize,
}

impl Text {
    fn of(sql: &'static str) -> Self {
        Self { address: sql.as_ptr().addr(), length: sql.len() }
    }
}

impl Connection {
    /// A prepared query. Callers that want it at the same time wait for one of them to prepare it. Otherwise each would prepare its own copy,
    /// and the server would plan every copy.
    pub(super) async fn prepared(&self, query: &'static Query) -> Sent<Statement> {
        query::note(Engine::Postgres, query);
        self.statement(query.sql).await
    }

    /// A query if it is prepared.
    pub(super) fn known(&self, query: &'static Query) -> Option<Statement> {
        query::note(Engine::Postgres, query);
        self.cell(query.sql).get().cloned()
    }

    async fn statement(&self, sql: &'static str) -> Sent<Statement> {
        let prepare = async || {
            let name = format!("s{}", self.names.fetch_add(1, Ordering::Relaxed));
            let response = self.send(Piece::prepare(&name, sql)?).response().await?;
            response.prepared(name)
        };
        let cell = self.cell(sql);
        if let Some(statement) = cell.get() {
            return Ok(statement.clone());
        }
        // In a box because it is a part of every future that may prepare a statement.
        cell.get_or_try_init(|| Box::pin(prepare())).await.cloned()
    }

    fn cell(&self, sql: &'static str) -> Arc<OnceCell<Statement>> {
        let mut statements = self.statements.lock().unwrap_or_else(PoisonError::into_inner);
        statements.entry(Text::of(sql)).or_default().clone()
    }

    /// Sends a piece behind all others.
    pub(super) fn send(&self, piece: Piece) -> Receipt {
        self.outbox.send(piece)
    }

    /// Runs SQL of one or more statements.
    pub(crate) async fn run_all(&self, sql: &str) -> Sent<()> {
        self.send(Piece::simple(sql)?).response().await.map(drop)
    }

    /// Sends SQL without waiting for the response: the next user of the connection is served after it.
    pub(super) fn send_unawaited(&self, sql: &str) -> Sent<()> {
        drop(self.send(Piece::simple(sql)?));
        Ok(())
    }

    /// Runs a statement that is none of the listed queries.
    pub(crate) async fn rows(&self, sql: &'static str, values: &[Value<'_>]) -> Sent<Rows> {
        let statement = self.statement(sql).await?;
        let mut piece = Piece::new();
        let slot = piece.run(&statement, values)?;
        self.send(piece).response().await?.rows(&slot)
    }

    pub(super) fn is_closed(&self) -> bool {
        self.outbox.is_closed()
    }

    /// How many pieces have no response yet.
    pub(super) fn unanswered(&self) -> usize {
        self.outbox.unanswered()
    }

    /// Whether pieces have waited for a time, and no response came meanwhile.
    pub(super) fn is_held_up(&self, limit: Duration) -> bool {
        self.outbox.is_held_up(limit)
    }

    pub(super) fn canceler(&self) -> &Canceler {
        &self.canceler
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.carrier.abort();
    }
}

/// What opens the connections of a pool.
pub(crate) struct Connector {
    dialer: Dialer,
    /// What each connection runs first.
    settings: &'static str,
}

impl Connector {
    pub(super) async fn cancel(&self, canceler: &Canceler) -> Sent<()> {
        self.dialer.cancel(canceler).await
    }
}

impl managed::Manager for Connector {
    type Type = Connection;
    type Error = Failure;

    async fn create(&self) -> Sent<Connection> {
        // In a box because it is large, and a part of every future that may open a connection.
        let dialed = Box::pin(self.dialer.dial()).await?;
        let outbox = Arc::new(Outbox::new());
        let carrying = carry(dialed.socket, outbox.clone());
        let carrier = tokio::spawn(async move {
            let error = carrying.await;
            tracing::warn!(%error, "a connection to the database ended");
        });
        let connection = Connection {
            outbox,
            carrier,
            canceler: dialed.canceler,
            statements: Mutex::default(),
            names: AtomicUsize::new(0),
        };
        connection.run_all(self.settings).await?;
        Ok(connection)
    }

    async fn recycle(&self, connection: &mut Connection, _: &Metrics) -> RecycleResult<Failure> {
        if connection.is_closed() {
            return Err(RecycleError::message("it is closed"));
        }
        if connection.outbox.is_left_open() {
            return Err(RecycleError::message("a transaction is open"));
        }
        Ok(())
    }
}

/// Creates a pool with a maximum number of connections.
pub(super) fn pool(
    config: Config,
    tls: MakeRustlsConnect,
    settings: &'static str,
    connections: usize,
) -> Result<Pool> {
    Pool::builder(Connector { dialer: Dialer { config, tls }, settings })
        .max_size(connections)
        .runtime(Runtime::Tokio1)
        .wait_timeout(Some(CONNECTION_TIME))
        .create_timeout(Some(CONNECTION_TIME))
        .build()
        .map_err(|error| Error::Internal(error.to_string()))
}
