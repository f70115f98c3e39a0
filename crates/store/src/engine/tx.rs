//! Transactions that write, on either engine.

use std::collections::BTreeMap;
use std::marker::PhantomData;
use std::time::Duration;

use fieldhouse_domain::changesets::outcome::Applied;
use fieldhouse_domain::effects::Kind;
use fieldhouse_domain::ids::OrganizationId;
use uuid::Uuid;

use crate::deadline::Deadline;
use crate::engine::facts::{Facts, Kept, Key};
use crate::engine::{Engine, Reader};
use crate::error::{Error, Result};
use crate::ledger::entries::Unrecorded;
use crate::ledger::posting::Posted;
use crate::postgres::PostgresTx;
use crate::query::{Columns, Query, Said};
use crate::records::moved;
use crate::row::Row;
use crate::sealing::Sealer;
use crate::sealing::keys::Held;
use crate::sqlite::{self, LocalGeneration, Writing};
use crate::value::Value;

/// How many statements that write a transaction on SQLite runs before it lets other threads run: less than a millisecond.
const STATEMENTS_AT_ONCE: usize = 32;

/// A transaction. `'tx` is its brand, an invariant lifetime of its own: a proof from one transaction cannot be used in another.
pub struct Tx<'tx> {
    pub(super) driver: TxDriver<'tx>,
    /// Whether a statement failed. PostgreSQL then refuses all others and silently turns COMMIT into ROLLBACK; SQLite would continue.
    /// So the transaction fails on both.
    pub(super) failed: bool,
    deadline: Deadline,
    /// The changes that the ledger must record before the transaction commits.
    pub(crate) unrecorded: Unrecorded,
    /// The same from before each open savepoint, outermost first.
    pub(super) outer: Vec<Unrecorded>,
    sealer: Sealer,
    pub(crate) child_keys: Held,
    /// What the commands of a changeset read and wrote, while they run.
    pub(crate) watched: Option<Watched>,
    /// What it has read and need not read again. `None` if its statements see different snapshots.
    pub(super) facts: Option<Facts>,
    /// How many statements it has run that write.
    statements: usize,
    brand: Brand<'tx>,
}

/// What commands read and wrote, to compare a simulation with its execution.
#[derive(Debug, Default)]
pub struct Watched {
    /// The effects in the order of writing.
    pub applied: Vec<Applied>,
    /// The version of each record that was read first. `None` if it did not exist.
    pub read: BTreeMap<(Kind, Uuid), Option<i64>>,
    /// The operation that runs now.
    pub operation: usize,
}

/// Marks values that belong to one transaction.
pub(crate) type Brand<'tx> = PhantomData<fn(&'tx ()) -> &'tx ()>;

pub(super) enum TxDriver<'tx> {
    Sqlite(Writing<'tx>),
    Postgres(&'tx mut PostgresTx),
}

impl<'tx> Tx<'tx> {
    pub(crate) fn sqlite(writing: Writing<'tx>, deadline: Deadline, sealer: Sealer) -> Self {
        Self::new(TxDriver::Sqlite(writing), deadline, sealer)
    }

    pub(crate) fn postgres(tx: &'tx mut PostgresTx, deadline: Deadline, sealer: Sealer) -> Self {
        Self::new(TxDriver::Postgres(tx), deadline, sealer)
    }

    fn new(driver: TxDriver<'tx>, deadline: Deadline, sealer: Sealer) -> Self {
        Self {
            driver,
            failed: false,
            deadline,
            unrecorded: Unrecorded::default(),
            outer: Vec::new(),
            sealer,
            child_keys: Held::new(),
            watched: None,
            facts: Some(Facts::default()),
            statements: 0,
            brand: PhantomData,
        }
    }

    pub(crate) fn brand(&self) -> Brand<'tx> {
        self.brand
    }

    /// Begins to watch what commands read and write.
    pub fn watch(&mut self) {
        self.watched = Some(Watched::default());
    }

    /// Says which operation runs next. Returns the effects so far.
    pub fn watch_operation(&mut self, operation: usize) -> usize {
        self.watched.as_mut().map_or(0, |watched| {
            watched.operation = operation;
            watched.applied.len()
        })
    }

    /// What is being watched.
    pub fn watched(&self) -> Option<&Watched> {
        self.watched.as_ref()
    }

    /// Ends watching, and returns what was seen.
    pub fn unwatch(&mut self) -> Watched {
        self.watched.take().unwrap_or_default()
    }

    /// Makes the transaction fail if it simulates for too long from now on: on SQLite all other writes wait meanwhile.
    pub fn limit_simulation(&mut self) {
        let time = match self.engine() {
            Engine::Sqlite => Duration::from_millis(250),
            Engine::Postgres => Duration::from_secs(2),
        };
        self.deadline = self.deadline.within(time);
    }

    /// Its name in spans, metrics and logs.
    pub(crate) fn name(&self) -> &'static str {
        self.deadline.name()
    }

    /// Runs a statement that returns no rows, once for each list of values. On PostgreSQL, all are sent without waiting for results.
    pub(crate) async fn run_each(&mut self, query: &'static Query, rows: &[Vec<Value<'_>>]) -> Result<()> {
        self.check_usable(query.name)?;
        let said = self.prepare(query)?;
        for values in rows {
            self.note_written(said, values);
        }
        let ran = match &mut self.driver {
            TxDriver::Sqlite(writing) => rows.iter().try_for_each(|values| {
                give_way(&mut self.statements);
                sqlite::run(writing.connection, Some(self.deadline), query, values).map(drop)
            }),
            TxDriver::Postgres(tx) => Box::pin(tx.run_each(query, rows)).await,
        };
        self.note(ran)
    }

    /// Runs a statement that returns no rows. Returns how many rows it changed.
    pub(crate) async fn run(&mut self, query: &'static Query, values: &[Value<'_>]) -> Result<u64> {
        self.check_usable(query.name)?;
        let said = self.prepare(query)?;
        self.note_written(said, values);
        let ran = match &mut self.driver {
            TxDriver::Sqlite(writing) => {
                give_way(&mut self.statements);
                sqlite::run(writing.connection, Some(self.deadline), query, values)
            }
            TxDriver::Postgres(tx) => Box::pin(tx.run(query, values)).await,
        };
        self.note(ran)
    }

    /// Runs a statement that changes one row, that of a record, and fails if it does not. On PostgreSQL it may be sent with the next statement,
    /// and its error returned there.
    pub(crate) async fn run_one(
        &mut self,
        query: &'static Query,
        values: &[Value<'_>],
        record: Uuid,
    ) -> Result<()> {
        if let TxDriver::Sqlite(_) = self.driver {
            return match self.run(query, values).await? {
                1 => Ok(()),
                _ => self.note(Err(Error::Internal(moved(record)))),
            };
        }
        self.check_usable(query.name)?;
        self.note_written(query.said(), values);
        let TxDriver::Postgres(tx) = &mut self.driver else { return Ok(()) };
        let ran = Box::pin(tx.run_later(query, values, record)).await;
        self.note(ran)
    }

    /// Sends the statements that wait (PostgreSQL).
    pub(super) async fn flush(&mut self) -> Result<()> {
        let TxDriver::Postgres(tx) = &mut self.driver else { return Ok(()) };
        let flushed = Box::pin(tx.flush()).await;
        self.note(flushed)
    }

    /// Makes the transaction read everything each time, because its statements see commits of others.
    pub(crate) fn without_facts(self) -> Self {
        Self { facts: None, ..self }
    }

    /// Whether facts behind an organization's credentials are known to be those of a generation.
    pub(crate) fn has_credentials_of(
        &self,
        organization: OrganizationId,
        generation: LocalGeneration,
    ) -> bool {
        match &self.driver {
            TxDriver::Sqlite(writing) => writing.has_credentials_of(organization, generation),
            TxDriver::Postgres(_) => false,
        }
    }

    /// What it and others have posted to the ledger and is not in the database yet, on SQLite.
    pub(crate) fn posted(&mut self) -> Option<&mut Posted> {
        match &mut self.driver {
            TxDriver::Sqlite(writing) => Some(writing.posted),
            TxDriver::Postgres(_) => None,
        }
    }

    /// Writes what was posted to the ledger since the last time.
    pub(crate) fn write_posted(&mut self) -> Result<()> {
        let TxDriver::Sqlite(writing) = &mut self.driver else { return Ok(()) };
        if writing.posted.is_empty() {
            return Ok(());
        }
        // Before: if it fails, rows of other transactions are missing, so that the whole batch must run again.
        writing.touched.uncounted += 1;
        let written = writing.posted.write(|query, values| {
            give_way(&mut self.statements);
            sqlite::run(writing.connection, None, query, values)
        });
        self.note(written)
    }

    /// The first row of a query as the database has it, although more may be posted (SQLite).
    pub(crate) fn stored<T>(
        &mut self,
        query: &'static Query,
        values: &[Value<'_>],
        mut each: impl FnMut(&mut Row<'_>) -> Result<T>,
    ) -> Result<Option<T>> {
        self.check_usable(query.name)?;
        let TxDriver::Sqlite(writing) = &mut self.driver else { return Ok(None) };
        let found = sqlite::rows(writing.connection, Some(self.deadline), query, values, &mut each);
        self.note(found).map(|rows| rows.into_iter().next())
    }

    /// Prepares for a query: it must find in the tables of the ledger what was posted. Returns what its SQL says about it.
    fn prepare(&mut self, query: &'static Query) -> Result<Said> {
        let said = query.said();
        if said.names_ledger {
            self.write_posted()?;
        }
        Ok(said)
    }

    /// Notes what a statement may write, before it runs.
    fn note_written(&mut self, said: Said, values: &[Value<'_>]) {
        if let TxDriver::Sqlite(writing) = &mut self.driver {
            writing.touched.note(said, values);
        }
        if let Some(facts) = &mut self.facts {
            facts.forget(said, values);
        }
    }

    /// Notes what a statement will write when what was posted is written (SQLite). Until then, SQLite does not count it as a change.
    pub(crate) fn note_later(&mut self, query: &'static Query, values: &[Value<'_>]) {
        self.note_written(query.said(), values);
        if let TxDriver::Sqlite(writing) = &mut self.driver {
            writing.touched.uncounted += 1;
        }
    }

    /// Runs a transaction's body. Then its last statements record its changes in the ledger.
    pub(crate) async fn complete<T, E, F>(&mut self, body: &F) -> std::result::Result<T, E>
    where
        E: From<Error>,
        F: for<'a> AsyncFn(&mut Tx<'a>) -> std::result::Result<T, E>,
    {
        let done = body(self).await;
        // What waits counts even if the body fails: a body that only validates fails as planned.
        if done.is_err() && !self.failed {
            self.flush().await?;
        }
        let done = done?;
        let name = self.deadline.name();
        self.check_usable(name)?;
        if !self.outer.is_empty() {
            return Err(Error::Internal(format!("{name} left a savepoint open")).into());
        }
        self.record(name).await?;
        self.flush().await?;
        Ok(done)
    }

    /// Reads rows of a query that is read once.
    async fn fact<T>(
        &mut self,
        query: &'static Query,
        key: Key,
        values: &[Value<'_>],
        mut each: impl FnMut(&mut Row<'_>) -> Result<T> + Send,
    ) -> Result<Vec<T>> {
        if let Some((columns, kept)) = self.facts.as_ref().and_then(|facts| facts.get(query, &key)) {
            let read = kept.read(query, columns, &mut each);
            return self.note(read);
        }
        let found = match &mut self.driver {
            TxDriver::Sqlite(writing) => sqlite::kept(writing.connection, Some(self.deadline), query, values),
            TxDriver::Postgres(tx) => {
                let fetched = Box::pin(tx.fetch(query, values)).await;
                fetched.map(|rows| (Columns::default(), Kept::Postgres(rows)))
            }
        };
        let (columns, kept) = self.note(found)?;
        let read = kept.read(query, &columns, &mut each);
        if let Some(facts) = &mut self.facts {
            facts.keep(query, key, columns, kept);
        }
        self.note(read)
    }

    /// Reads rows of a query that is read once, for each list of values, before they are asked for one by one. On PostgreSQL, all are read in
    /// one round trip; SQLite gains nothing from it.
    pub(crate) async fn read_ahead(&mut self, query: &'static Query, rows: &[Vec<Value<'_>>]) -> Result<()> {
        self.check_usable(query.name)?;
        let (TxDriver::Postgres(tx), Some(facts)) = (&mut self.driver, &mut self.facts) else {
            return Ok(());
        };
        let mut unread: BTreeMap<Key, &[Value<'_>]> = BTreeMap::new();
        for values in rows {
            unread.extend(
                Facts::key(query, values)
                    .filter(|key| facts.get(query, key).is_none())
                    .map(|key| (key, &values[..])),
            );
        }
        let values: Vec<&[Value<'_>]> = unread.values().copied().collect();
        let read = Box::pin(tx.fetch_each(query, &values)).await.map(|found| {
            for (key, rows) in unread.into_keys().zip(found) {
                facts.keep(query, key, Columns::default(), Kept::Postgres(rows));
            }
        });
        self.note(read)
    }

    /// Notes a failed statement, after which the transaction runs no other.
    pub(super) fn note<T>(&mut self, ran: Result<T>) -> Result<T> {
        self.failed |= ran.is_err();
        ran.map_err(|error| self.deadline.explain(error))
    }

    /// Returns an error if an earlier statement failed, or if the transaction is late. `what` is about to run.
    pub(crate) fn check_usable(&mut self, what: &'static str) -> Result<()> {
        if self.failed {
            return Err(Error::Internal(format!(
                "{what} was to run after a failed statement of its transaction"
            )));
        }
        let in_time = self.deadline.check();
        self.note(in_time)
    }
}

/// Lets other threads run from time to time in a long transaction on SQLite, which uses a processor until its end.
fn give_way(statements: &mut usize) {
    *statements += 1;
    if statements.is_multiple_of(STATEMENTS_AT_ONCE) {
        std::thread::yield_now();
    }
}

impl Reader for Tx<'_> {
    fn engine(&self) -> Engine {
        match self.driver {
            TxDriver::Sqlite(_) => Engine::Sqlite,
            TxDriver::Postgres(_) => Engine::Postgres,
        }
    }

    fn sealer(&self) -> &Sealer {
        &self.sealer
    }

    fn note_read(&mut self, record: (Kind, Uuid), version: Option<i64>) {
        if let Some(watched) = &mut self.watched {
            watched.read.entry(record).or_insert(version);
        }
    }

    async fn rows<T: Send>(
        &mut self,
        query: &'static Query,
        values: &[Value<'_>],
        mut each: impl FnMut(&mut Row<'_>) -> Result<T> + Send,
    ) -> Result<Vec<T>> {
        self.check_usable(query.name)?;
        let said = self.prepare(query)?;
        if self.facts.is_some()
            && let Some(key) = Facts::key(query, values)
        {
            return self.fact(query, key, values, each).await;
        }
        self.note_written(said, values);
        let read = match &mut self.driver {
            TxDriver::Sqlite(writing) => {
                sqlite::rows(writing.connection, Some(self.deadline), query, values, &mut each)
            }
            TxDriver::Postgres(tx) => Box::pin(tx.rows(query, values, each)).await,
        };
        self.note(read)
    }
}
