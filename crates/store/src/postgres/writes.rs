//! Transactions that write. They are run again after a collision, and abandoned at their deadline.

use std::time::{Duration, Instant};

use rand::RngExt;

use super::connection::Pooled;
use super::tx::{Collision, PostgresTx};
use super::{POSTING, Postgres, SERIALIZABLE};
use crate::deadline::Deadline;
use crate::engine::Tx;
use crate::error::{Error, Result};
use crate::ledger::posting;

/// The maximum number of times that a transaction is run.
const ATTEMPTS: u32 = 64;
/// How long to wait for the server to stop a statement.
const CANCEL_TIME: Duration = Duration::from_secs(1);
/// The longest wait before another attempt.
const LONGEST_WAIT: Duration = Duration::from_millis(100);

/// The result of running a transaction once.
pub(super) enum Attempt<T> {
    Done(T),
    Collided(Collision),
}

impl Postgres {
    /// Runs a transaction, and runs it again while it collides with others.
    pub(crate) async fn write<T, E, F>(&self, name: &'static str, body: F) -> std::result::Result<T, E>
    where
        E: From<Error>,
        F: for<'tx> AsyncFn(&mut Tx<'tx>) -> std::result::Result<T, E>,
    {
        let result = self.transact(name, SERIALIZABLE, body).await;
        posting::help(self).await;
        result
    }

    /// Runs a transaction that posts to the ledger. It sees commits of others while it runs, and the head's lock blocks other posters. A
    /// SERIALIZABLE one would make the writers of the journal fail.
    pub(crate) async fn post<T, F>(&self, name: &'static str, body: F) -> Result<T>
    where
        F: for<'tx> AsyncFn(&mut Tx<'tx>) -> Result<T>,
    {
        self.transact(name, POSTING, body).await
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
        let deadline = Deadline::of(name);
        let mut backoff = Backoff::new(deadline);
        let mut had_unseen = false;
        loop {
            match self.attempt(deadline, begin, &body, had_unseen).await {
                Attempt::Done(result) => return result,
                Attempt::Collided(collision) => had_unseen |= collision == Collision::Unseen,
            }
            backoff.wait().await?;
        }
    }

    async fn attempt<T, E, F>(
        &self,
        deadline: Deadline,
        begin: &'static str,
        body: &F,
        had_unseen: bool,
    ) -> Attempt<std::result::Result<T, E>>
    where
        E: From<Error>,
        F: for<'tx> AsyncFn(&mut Tx<'tx>) -> std::result::Result<T, E>,
    {
        let connection = match self.connection().await {
            Ok(connection) => connection,
            Err(error) => return Attempt::Done(Err(error.into())),
        };
        let mut transaction = PostgresTx::new(connection, begin, had_unseen);
        let tx = Tx::postgres(&mut transaction, deadline, self.sealer.clone());
        let mut tx = if begin == SERIALIZABLE { tx } else { tx.without_facts() };
        // Boxed because handlers nest deeply, and the compiler limits the depth of futures.
        let run = Box::pin(tx.complete(body));
        let Ok(result) = tokio::time::timeout_at(deadline.at().into(), run).await else {
            self.stop(transaction.abandon()).await;
            return Attempt::Done(Err(deadline.error().into()));
        };
        let journaled = tx.unrecorded.take_journaled();
        let end = if result.is_ok() { "COMMIT" } else { "ROLLBACK" };
        let ended = transaction.end(end).await;
        if let Some(collision) = transaction.collision() {
            transaction.finish();
            return Attempt::Collided(collision);
        }
        match (result, ended) {
            // A failed COMMIT may have taken effect: the caller repeats the request with the same idempotency key or id.
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

    /// Cancels the statement of a late transaction, so that its locks are released at once, and drops the connection.
    pub(super) async fn stop(&self, connection: Option<Pooled>) {
        let Some(connection) = connection else { return };
        let stop = self.pool.manager().cancel(connection.canceler());
        let stopped = tokio::time::timeout(CANCEL_TIME, stop).await;
        if let Ok(Err(error)) = stopped {
            tracing::warn!(%error, "a statement could not be canceled");
        }
        drop(Pooled::take(connection));
    }
}

/// The waits between the attempts of one transaction.
pub(super) struct Backoff {
    deadline: Deadline,
    attempts: u32,
    wait: Duration,
}

impl Backoff {
    pub(super) fn new(deadline: Deadline) -> Self {
        Self { deadline, attempts: 1, wait: Duration::from_millis(1) }
    }

    /// Waits before the next attempt. Returns an error if there are too many, or if the deadline comes first.
    pub(super) async fn wait(&mut self) -> Result<()> {
        if self.attempts == ATTEMPTS {
            return Err(Error::Overloaded("a transaction collided with others too often"));
        }
        self.attempts += 1;
        let part: f64 = rand::make_rng::<rand::rngs::SmallRng>().random_range(0.5..1.0);
        let wait = self.wait.mul_f64(part);
        if Instant::now() + wait >= self.deadline.at() {
            return Err(self.deadline.error());
        }
        tracing::debug!(
            transaction = self.deadline.name(),
            attempt = self.attempts,
            "collided with another transaction, running it again"
        );
        tokio::time::sleep(wait).await;
        self.wait = (self.wait * 2).min(LONGEST_WAIT);
        Ok(())
    }
}
