//! Connections, and the pools that open them. A connection prepares each statement once.

use std::collections::HashMap;
use std::future::poll_fn;
use std::ops::{Deref, DerefMut};
use std::pin::pin;
use std::sync::{Arc, Mutex, PoisonError};

use deadpool::Runtime;
use deadpool::managed::{self, Metrics, RecycleError, RecycleResult};
use tokio::sync::OnceCell;
use tokio::task::JoinHandle;
use tokio_postgres::{Client, Config, Statement};
use tokio_postgres_rustls::MakeRustlsConnect;

use super::{CONNECTION_TIME, SETTINGS, Sent};
use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::query::{self, Query};

pub(crate) type Pool = managed::Pool<Connector>;
/// A connection of a pool, which is returned to it on drop.
pub(crate) type Pooled = managed::Object<Connector>;
pub(crate) type PoolError = managed::PoolError<tokio_postgres::Error>;

/// A connection. Dropping it closes the socket at once; the server may still finish a statement that it is running.
pub(crate) struct Connection {
    client: Client,
    /// What sends and receives for the client.
    task: JoinHandle<()>,
    /// Prepared statements, and those that are being prepared, by their SQL.
    statements: Mutex<HashMap<&'static str, Arc<OnceCell<Statement>>>>,
    /// Held while something is sent, so that nothing else is sent within it.
    sending: Mutex<()>,
}

impl Connection {
    /// A prepared query. Callers that want it at the same time wait for one of them to prepare it. Otherwise each would prepare its own copy,
    /// and the server would plan every copy.
    pub(super) async fn prepared(&self, query: &'static Query) -> Sent<Statement> {
        query::note(Engine::Postgres, query);
        let statement = self.statement(query.sql);
        // Not within the transaction of others: if that fails, nothing can be prepared until it ends.
        let prepare = || self.in_turn(self.client.prepare(query.sql));
        statement.get_or_try_init(prepare).await.cloned()
    }

    /// A query if it is prepared.
    pub(super) fn known(&self, query: &'static Query) -> Option<Statement> {
        query::note(Engine::Postgres, query);
        self.statement(query.sql).get().cloned()
    }

    /// Calls what sends several things, so that nothing else is sent between them.
    pub(super) fn at_once<T>(&self, send: impl FnOnce() -> T) -> T {
        let _sending = self.sending.lock().unwrap_or_else(PoisonError::into_inner);
        send()
    }

    /// Waits for a future that sends something when it is polled for the first time, and not between what others send together.
    pub(super) async fn in_turn<F: Future>(&self, future: F) -> F::Output {
        let (mut future, mut is_sent) = (pin!(future), false);
        poll_fn(|context| {
            if std::mem::replace(&mut is_sent, true) {
                return future.as_mut().poll(context);
            }
            self.at_once(|| future.as_mut().poll(context))
        })
        .await
    }

    fn statement(&self, sql: &'static str) -> Arc<OnceCell<Statement>> {
        self.statements.lock().unwrap_or_else(PoisonError::into_inner).entry(sql).or_default().clone()
    }
}

impl Deref for Connection {
    type Target = Client;
    fn deref(&self) -> &Client {
        &self.client
    }
}

impl DerefMut for Connection {
    fn deref_mut(&mut self) -> &mut Client {
        &mut self.client
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// What opens the connections of a pool.
pub(crate) struct Connector {
    config: Config,
    tls: MakeRustlsConnect,
}

impl managed::Manager for Connector {
    type Type = Connection;
    type Error = tokio_postgres::Error;

    async fn create(&self) -> Sent<Connection> {
        // In a box because it is large, and a part of every future that may open a connection.
        let (client, connection) = Box::pin(self.config.connect(self.tls.clone())).await?;
        let task = tokio::spawn(async move {
            if let Err(error) = connection.await {
                tracing::warn!(%error, "a connection to the database ended");
            }
        });
        let connection = Connection { client, task, statements: Mutex::default(), sending: Mutex::default() };
        connection.batch_execute(SETTINGS).await?;
        Ok(connection)
    }

    async fn recycle(
        &self,
        connection: &mut Connection,
        _: &Metrics,
    ) -> RecycleResult<tokio_postgres::Error> {
        if connection.is_closed() { Err(RecycleError::message("it is closed")) } else { Ok(()) }
    }
}

/// Creates a pool with a maximum number of connections.
pub(super) fn pool(config: Config, tls: MakeRustlsConnect, connections: usize) -> Result<Pool> {
    Pool::builder(Connector { config, tls })
        .max_size(connections)
        .runtime(Runtime::Tokio1)
        .wait_timeout(Some(CONNECTION_TIME))
        .create_timeout(Some(CONNECTION_TIME))
        .build()
        .map_err(|error| Error::Internal(error.to_string()))
}
