//! The PostgreSQL engine: a pool of connections with prepared statements, and SERIALIZABLE transactions that are run again when they
//! collide.

mod tls;

#[cfg(test)]
pub(crate) mod tests;

use std::path::Path;
use std::time::Duration;

use deadpool_postgres::{Hook, HookError, Manager, ManagerConfig, Object, Pool, RecyclingMethod, Runtime};
use futures_util::future::try_join_all;
use rand::RngExt;
use tokio_postgres::error::SqlState;
use tokio_postgres::types::ToSql;
use tokio_postgres_rustls::MakeRustlsConnect;

use crate::engine::{Engine, Tx};
use crate::error::{Error, Result};
use crate::ledger::journal::Waiting;
use crate::ledger::posting;
use crate::query::{self, Query};
use crate::row::{Row, Source};
use crate::value::Value;

/// How often a transaction is run at most.
const ATTEMPTS: u32 = 64;
/// The longest wait before another attempt.
const LONGEST_WAIT: Duration = Duration::from_millis(100);
/// How long a request waits for a connection. The tests have no ten seconds.
const CONNECTION_TIME: Duration = Duration::from_millis(if cfg!(test) { 500 } else { 10_000 });
/// What every connection is told: how long a statement, a lock and an idle transaction may take.
const SETTINGS: &str = "SET statement_timeout = '10s'; SET lock_timeout = '5s';
    SET idle_in_transaction_session_timeout = '30s'; SET application_name = 'fieldhouse'";

/// How a transaction of the records begins.
const SERIALIZABLE: &str = "BEGIN ISOLATION LEVEL SERIALIZABLE";
/// How a transaction begins that reads the journal, whose statistics are always wrong: it fills and empties within a second.
const POSTING: &str = "BEGIN ISOLATION LEVEL READ COMMITTED;
    SET LOCAL enable_seqscan = off; SET LOCAL enable_bitmapscan = off; SET LOCAL jit = off";

/// The engine.
pub(crate) struct Postgres {
    pool: Pool,
    /// What this process has committed to the journal.
    pub(crate) waiting: Waiting,
}

impl Postgres {
    /// Makes the pool, and one connection to see that the server can be reached.
    pub(crate) async fn connect(url: &str, roots: Option<&Path>, connections: usize) -> Result<Self> {
        let wrong =
            |error: tokio_postgres::Error| Error::Unavailable(format!("the database address: {error}"));
        let config: tokio_postgres::Config = url.parse().map_err(wrong)?;
        let tls = MakeRustlsConnect::new(tls::client(roots)?);
        let manager =
            Manager::from_config(config, tls, ManagerConfig { recycling_method: RecyclingMethod::Fast });
        let settings = Hook::async_fn(|client: &mut deadpool_postgres::ClientWrapper, _| {
            Box::pin(async move { client.batch_execute(SETTINGS).await.map_err(HookError::Backend) })
        });
        let pool = Pool::builder(manager)
            .max_size(connections.max(1))
            .runtime(Runtime::Tokio1)
            .wait_timeout(Some(CONNECTION_TIME))
            .create_timeout(Some(CONNECTION_TIME))
            .post_create(settings)
            .build()
            .map_err(|error| Error::Internal(error.to_string()))?;
        drop(pool.get().await?);
        Ok(Self { pool, waiting: Waiting::default() })
    }

    pub(crate) async fn connection(&self) -> Result<Object> {
        Ok(self.pool.get().await?)
    }

    /// Reads rows, as one statement in a transaction of its own.
    pub(crate) async fn read<T>(
        &self,
        query: &'static Query,
        values: &[Value<'_>],
        mut each: impl FnMut(&mut Row<'_>) -> Result<T>,
    ) -> Result<Vec<T>> {
        let connection = self.connection().await?;
        fetch(&connection, query, values)
            .await?
            .iter()
            .map(|row| each(&mut Row::new(Source::Postgres(row), query)))
            .collect()
    }

    /// Runs a transaction, again and again while it collides with others.
    pub(crate) async fn write<T, E, F>(&self, name: &'static str, body: F) -> std::result::Result<T, E>
    where
        E: From<Error>,
        F: for<'tx> AsyncFn(&mut Tx<'tx>) -> std::result::Result<T, E>,
    {
        let result = self.transact(name, SERIALIZABLE, body).await;
        posting::help(self).await;
        result
    }

    /// Runs a transaction that posts to the ledger. It sees what others commit while it runs, and holds the head's lock against other
    /// posters; a SERIALIZABLE one would make the writers of the journal fail.
    pub(crate) async fn post<T, F>(&self, name: &'static str, body: F) -> Result<T>
    where
        F: for<'tx> AsyncFn(&mut Tx<'tx>) -> Result<T>,
    {
        self.transact(name, POSTING, body).await
    }

    /// Begins a transaction that reads, each statement from a snapshot of its own.
    pub(crate) async fn begin_reading(&self) -> Result<PostgresTx> {
        let mut tx =
            PostgresTx { connection: Some(self.connection().await?), looked_again: true, collided: None };
        tx.control(POSTING).await?;
        Ok(tx)
    }

    async fn transact<T, E, F>(
        &self,
        name: &'static str,
        begin: &'static str,
        body: F,
    ) -> std::result::Result<T, E>
    where
        E: From<Error>,
        F: for<'tx> AsyncFn(&mut Tx<'tx>) -> std::result::Result<T, E>,
    {
        let mut wait = Duration::from_millis(1);
        let mut looked_again = false;
        for attempt in 1..=ATTEMPTS {
            match self.attempt(name, begin, &body, looked_again).await {
                Attempt::Done(result) => return result,
                Attempt::Collided(collision) => {
                    looked_again |= collision == Collision::Unseen;
                    tracing::debug!(
                        transaction = name,
                        attempt,
                        "collided with another transaction, running it again"
                    );
                    let part: f64 = rand::make_rng::<rand::rngs::SmallRng>().random_range(0.5..1.0);
                    tokio::time::sleep(wait.mul_f64(part)).await;
                    wait = (wait * 2).min(LONGEST_WAIT);
                }
            }
        }
        Err(E::from(Error::Overloaded("a transaction collided with others too often")))
    }

    async fn attempt<T, E, F>(
        &self,
        name: &'static str,
        begin: &'static str,
        body: &F,
        looked_again: bool,
    ) -> Attempt<std::result::Result<T, E>>
    where
        E: From<Error>,
        F: for<'tx> AsyncFn(&mut Tx<'tx>) -> std::result::Result<T, E>,
    {
        let connection = match self.connection().await {
            Ok(connection) => connection,
            Err(error) => return Attempt::Done(Err(error.into())),
        };
        let mut transaction = PostgresTx { connection: Some(connection), looked_again, collided: None };
        if let Err(error) = transaction.control(begin).await {
            return Attempt::Done(Err(error.into()));
        }
        let mut tx = Tx::postgres(&mut transaction);
        let result = tx.complete(name, body).await;
        let journaled = tx.unrecorded.take_journaled();
        let end = if result.is_ok() { "COMMIT" } else { "ROLLBACK" };
        let ended = transaction.control(end).await;
        if let Some(collision) = transaction.collided {
            transaction.finish();
            return Attempt::Collided(collision);
        }
        match (result, ended) {
            // A failed COMMIT may have been carried out: the caller repeats with the same idempotency key or id.
            (Ok(_), Err(error)) => Attempt::Done(Err(error.into())),
            (result, ended) => {
                if ended.is_ok() {
                    transaction.finish();
                }
                if result.is_ok() {
                    self.waiting.note(&journaled);
                }
                Attempt::Done(result)
            }
        }
    }
}

enum Attempt<T> {
    Done(T),
    Collided(Collision),
}

/// How a transaction met another one.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Collision {
    /// The database saw that the two cannot stand side by side.
    Seen,
    /// What was to be written stood there already, or what it refers to did no more. Transactions look before they write, so that
    /// this tells of another one that was not seen. Run again, this one sees what the other did; what happens twice is a fault.
    Unseen,
}

/// An open transaction. Dropped before it is finished, it takes its connection out of the pool, so that none comes back mid-way.
pub(crate) struct PostgresTx {
    connection: Option<Object>,
    /// Whether this run is to see what one before did not.
    looked_again: bool,
    collided: Option<Collision>,
}

impl PostgresTx {
    fn open(&self) -> Result<&Object> {
        self.connection.as_ref().ok_or_else(|| Error::Internal("the transaction is over".to_owned()))
    }

    fn finish(&mut self) {
        self.connection = None;
    }

    fn note<T>(&mut self, result: std::result::Result<T, tokio_postgres::Error>) -> Result<T> {
        let code = result.as_ref().err().and_then(tokio_postgres::Error::code);
        let one_of = |codes: [SqlState; 2]| code.is_some_and(|code| codes.contains(code));
        if one_of([SqlState::T_R_SERIALIZATION_FAILURE, SqlState::T_R_DEADLOCK_DETECTED]) {
            self.collided = Some(Collision::Seen);
        } else if !self.looked_again && one_of([SqlState::UNIQUE_VIOLATION, SqlState::FOREIGN_KEY_VIOLATION])
        {
            self.collided = Some(Collision::Unseen);
        }
        result.map_err(Error::from)
    }

    /// Ends the transaction and gives its connection back.
    pub(crate) async fn commit(mut self) -> Result<()> {
        self.control("COMMIT").await?;
        self.finish();
        Ok(())
    }

    async fn control(&mut self, sql: &'static str) -> Result<()> {
        let result = self.open()?.batch_execute(sql).await;
        self.note(result)
    }

    pub(crate) async fn rows<T>(
        &mut self,
        query: &'static Query,
        values: &[Value<'_>],
        mut each: impl FnMut(&mut Row<'_>) -> Result<T>,
    ) -> Result<Vec<T>> {
        let result = fetch(self.open()?, query, values).await;
        self.note(result)?.iter().map(|row| each(&mut Row::new(Source::Postgres(row), query))).collect()
    }

    pub(crate) async fn run(&mut self, query: &'static Query, values: &[Value<'_>]) -> Result<u64> {
        let result = execute(self.open()?, query, values).await;
        self.note(result)
    }

    pub(crate) async fn run_each(&mut self, query: &'static Query, rows: &[Vec<Value<'_>>]) -> Result<()> {
        let connection = self.open()?;
        // The driver sends in the order in which the futures are first polled, which is the order of the rows.
        let result = try_join_all(rows.iter().map(|values| execute(connection, query, values))).await;
        self.note(result).map(drop)
    }
}

impl Drop for PostgresTx {
    fn drop(&mut self) {
        if let Some(connection) = self.connection.take() {
            drop(Object::take(connection));
        }
    }
}

type Params<'a> = Vec<&'a (dyn ToSql + Sync)>;

fn params<'a>(values: &'a [Value<'_>]) -> Params<'a> {
    values.iter().map(|value| value as &(dyn ToSql + Sync)).collect()
}

async fn fetch(
    connection: &Object,
    query: &'static Query,
    values: &[Value<'_>],
) -> std::result::Result<Vec<tokio_postgres::Row>, tokio_postgres::Error> {
    query::note(Engine::Postgres, query);
    let statement = connection.prepare_cached(query.sql).await?;
    connection.query(&statement, &params(values)).await
}

async fn execute(
    connection: &Object,
    query: &'static Query,
    values: &[Value<'_>],
) -> std::result::Result<u64, tokio_postgres::Error> {
    query::note(Engine::Postgres, query);
    let statement = connection.prepare_cached(query.sql).await?;
    connection.execute(&statement, &params(values)).await
}
