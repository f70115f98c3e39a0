//! The SQLite engine: read-only connections for the threads that read, and one writer thread (`sqlite/writer.rs`).
//!
//! A read runs on the calling thread, because a hop to another thread costs more than the query. This module opens databases and runs
//! statements; the writer queues transactions, runs them and commits them together.

mod backup;
mod batches;
mod checkpoints;
mod compile_options;
mod generations;
mod queue;
mod readers;
pub(crate) mod statistics;
mod streams;
mod syncer;
mod writer;

#[cfg(test)]
pub(crate) mod tests;

use std::cell::Cell;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use rusqlite::config::DbConfig;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, OpenFlags, Statement};

use crate::deadline::Deadline;
use crate::engine::{Engine, Kept, Tx};
use crate::error::{Error, Result};
use crate::folder::make_private_file;
use crate::query::{self, Columns, Query};
use crate::row::{Row, Source};
use crate::sealing::Sealer;
use crate::value::Value;
pub use backup::back_up;
pub use generations::LocalGeneration;
pub(crate) use generations::{Generations, Touched};
pub use queue::is_writing;
use readers::Readers;
use streams::Streams;
use syncer::{Log, LogFile};
use writer::Writer;
pub(crate) use writer::Writing;

/// How long one statement may run. Tests use a shorter limit.
const STATEMENT_TIME: Duration = Duration::from_millis(if cfg!(test) { 500 } else { 10_000 });
/// How long to wait for another program that uses the database.
const BUSY_TIME: Duration = Duration::from_secs(5);
/// How many steps SQLite runs between two checks of the clock.
const STEPS_BETWEEN_CHECKS: i32 = 20_000;
/// How many prepared statements a connection caches.
const STATEMENTS: usize = 256;

/// The database's file in the data folder.
pub(crate) const FILE: &str = "fieldhouse.db";
/// All files in the data folder: the database, its write-ahead log and the log's index.
pub(crate) const FILES: [&str; 3] = [FILE, "fieldhouse.db-wal", "fieldhouse.db-shm"];

thread_local! {
    static DEADLINE: Cell<Option<Instant>> = const { Cell::new(None) };
}

/// The engine.
pub(crate) struct Sqlite {
    file: PathBuf,
    readers: Arc<Readers>,
    writer: Writer,
    streams: Streams,
    pub(crate) generations: Arc<Generations>,
    pub(crate) sealer: Sealer,
}

impl Sqlite {
    /// Opens the database of a data folder, and creates it if it does not exist.
    pub(crate) fn open(folder: &Path) -> Result<Self> {
        Self::with_log(folder, LogFile::of)
    }

    /// The same with another way to flush the log.
    fn with_log<L: Log>(folder: &Path, log_of: impl FnOnce(&Connection) -> Result<L>) -> Result<Self> {
        let file = folder.join(FILE);
        let connection = open_writer(&file)?;
        compile_options::check(&connection)?;
        let log = log_of(&connection)?;
        let generations = Arc::new(Generations::default());
        let readers = Arc::new(Readers::new(file.clone(), generations.clone()));
        let writer = Writer::start((connection, log), generations.clone(), readers.clone())?;
        let streams = Streams::new(file.clone());
        Ok(Self { file, readers, writer, streams, generations, sealer: Sealer::default() })
    }

    /// Runs a transaction on the writer thread. Its body must not wait for anything but the transaction.
    pub(crate) async fn write<T, E, F>(&self, name: &'static str, body: F) -> std::result::Result<T, E>
    where
        T: Send + 'static,
        E: From<Error> + Send + 'static,
        F: for<'tx> AsyncFn(&mut Tx<'tx>) -> std::result::Result<T, E> + Send + Sync + 'static,
    {
        let deadline = Deadline::of(name);
        let sealer = self.sealer.clone();
        let body = move |writing: Writing<'_>| {
            writer::run_body(&mut Tx::sqlite(writing, deadline, sealer.clone()), &body)
        };
        self.writer.run(name, Some(deadline), body).await
    }

    /// Runs other statements, such as migrations, as one transaction without a deadline. They may run twice, as those of [`Sqlite::write`].
    pub(crate) async fn with_writer<T: Send + 'static>(
        &self,
        name: &'static str,
        mut work: impl FnMut(&mut Connection) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let work = move |mut writing: Writing<'_>| {
            writing.touched.note_everything();
            writing.write_posted()?;
            work(writing.connection)
        };
        self.writer.run(name, None, work).await
    }
}

impl Sqlite {
    /// Copies all of the log to the database and empties its file, so that no deleted data is left in it. Returns whether that succeeded;
    /// it waits for readers, but not for long.
    pub(crate) async fn empty_log(&self) -> Result<bool> {
        let (file, readers) = (self.file.clone(), self.readers.clone());
        let empty = move || -> Result<bool> {
            let connection = prepare(Connection::open_with_flags(&file, OpenFlags::SQLITE_OPEN_READ_WRITE)?)?;
            Ok(checkpoints::empty_log(&connection, &readers))
        };
        let emptied = tokio::task::spawn_blocking(empty).await;
        emptied.map_err(|error| Error::Internal(error.to_string()))?
    }
}

impl Drop for Sqlite {
    fn drop(&mut self) {
        // Readers close before the writer, so that it can empty the WAL.
        self.readers.close();
        self.streams.close();
    }
}

fn open_writer(file: &Path) -> Result<Connection> {
    // SQLite would create the file readable by all users. The log's file gets the same permissions.
    make_private_file(file).map_err(|error| Error::Unavailable(format!("{}: {error}", file.display())))?;
    let vfs = fieldhouse_wal::register()
        .ok_or_else(|| Error::Unavailable("SQLite could not register a VFS".to_owned()))?;
    let connection = Connection::open_with_flags_and_vfs(file, OpenFlags::default(), vfs)?;
    let mode: String = connection.pragma_update_and_check(None, "journal_mode", "WAL", |row| row.get(0))?;
    if mode != "wal" {
        let reason = format!(
            "{}: a write-ahead log is not possible in this folder (journal mode {mode})",
            file.display()
        );
        return Err(Error::Unavailable(reason));
    }
    // The pages to which a savepoint can roll back stay in memory instead of a file, and so do the 8 MiB that one transaction changes. Commits
    // do not flush the log, because the syncer does. A checkpoint flushes it first, so that the database never has more than the log.
    connection.execute_batch(
        "PRAGMA temp_store = MEMORY; PRAGMA cache_size = -8192; PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON; PRAGMA secure_delete = ON;
         PRAGMA journal_size_limit = 67108864;",
    )?;
    prepare(connection)
}

fn open_reader(file: &Path) -> Result<Connection> {
    prepare(read_only(file)?)
}

/// A connection that can be opened while another process uses the database.
pub(crate) fn read_only(file: &Path) -> Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(file, flags)?;
    connection.busy_timeout(BUSY_TIME)?;
    Ok(connection)
}

fn prepare(mut connection: Connection) -> Result<Connection> {
    connection.busy_timeout(BUSY_TIME)?;
    connection.set_prepared_statement_cache_capacity(STATEMENTS);
    // Plans must not depend on bound values: SQLite would plan a cached statement again each time its values are cleared.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    let too_late = || DEADLINE.get().is_some_and(|deadline| Instant::now() > deadline);
    connection.progress_handler(STEPS_BETWEEN_CHECKS, Some(too_late))?;
    Ok(connection)
}

/// Limits the time of one statement, within the deadline of its transaction, until this is dropped. Otherwise the deadline of a finished
/// statement would interrupt a later one, because SQLite counts the steps of a cached statement over all its runs.
struct Limit;

impl Limit {
    fn begin(whole: Option<Deadline>) -> Self {
        let own = Instant::now() + STATEMENT_TIME;
        DEADLINE.set(Some(whole.map_or(own, |whole| own.min(whole.at()))));
        Self
    }
}

impl Drop for Limit {
    fn drop(&mut self) {
        DEADLINE.set(None);
    }
}

/// Runs a query and reads all its rows: a statement that is not read to its end prevents checkpoints of the WAL.
pub(crate) fn rows<T>(
    connection: &Connection,
    deadline: Option<Deadline>,
    query: &'static Query,
    values: &[Value<'_>],
    each: &mut impl FnMut(&mut Row<'_>) -> Result<T>,
) -> Result<Vec<T>> {
    let _running = query::Running::begin(query.name);
    let _limit = Limit::begin(deadline);
    let mut statement = prepared(connection, query, values)?;
    let mut found = Vec::new();
    let mut rows = statement.raw_query();
    while let Some(row) = rows.next()? {
        found.push(each(&mut Row::new(Source::Sqlite(row), query))?);
    }
    Ok(found)
}

/// Runs a query and copies its rows, with the names of its columns.
pub(crate) fn kept(
    connection: &Connection,
    deadline: Option<Deadline>,
    query: &'static Query,
    values: &[Value<'_>],
) -> Result<(Columns, Kept)> {
    let _running = query::Running::begin(query.name);
    let _limit = Limit::begin(deadline);
    let mut statement = prepared(connection, query, values)?;
    let columns = query.columns(|| statement.column_names().map(str::to_owned).collect());
    let mut found = Vec::new();
    let mut rows = statement.raw_query();
    while let Some(row) = rows.next()? {
        let cells = (0..columns.len()).map(|at| row.get_ref(at).map(owned));
        found.push(cells.collect::<rusqlite::Result<Vec<_>>>()?);
    }
    drop(rows);
    Ok((columns, Kept::Sqlite(found)))
}

/// A copy of a value. Text that is not UTF-8 is kept as bytes, which no text column accepts.
fn owned(value: ValueRef<'_>) -> rusqlite::types::Value {
    let bytes = || rusqlite::types::Value::Blob(value.as_bytes().unwrap_or_default().to_vec());
    value.try_into().unwrap_or_else(|_| bytes())
}

/// Runs a statement that returns no rows. Returns how many rows it changed.
pub(crate) fn run(
    connection: &Connection,
    deadline: Option<Deadline>,
    query: &'static Query,
    values: &[Value<'_>],
) -> Result<u64> {
    let _running = query::Running::begin(query.name);
    let _limit = Limit::begin(deadline);
    Ok(prepared(connection, query, values)?.raw_execute()? as u64)
}

/// Runs a statement that begins or ends a transaction or a part of one.
pub(crate) fn control(connection: &Connection, sql: &'static str) -> Result<()> {
    let _running = query::Running::begin(sql);
    connection.prepare_cached(sql)?.raw_execute()?;
    Ok(())
}

fn prepared<'a>(
    connection: &'a Connection,
    query: &'static Query,
    values: &[Value<'_>],
) -> Result<rusqlite::CachedStatement<'a>> {
    query::note(Engine::Sqlite, query);
    let mut statement = connection.prepare_cached(query.sql)?;
    bind(&mut statement, query, values)?;
    Ok(statement)
}

/// Binds each value to the parameter with its number. Binding in order would silently swap the values of `SET a = $2 WHERE b = $1`.
fn bind(statement: &mut Statement<'_>, query: &'static Query, values: &[Value<'_>]) -> Result<()> {
    let wrong = |what: &str| Error::Internal(format!("{}: {what}", query.name));
    let numbers = query.parameters();
    if numbers.len() != statement.parameter_count() {
        return Err(wrong("parameters are written $1, $2, ..."));
    }
    if numbers.len() != values.len() {
        return Err(wrong(&format!("{} values for {} parameters", values.len(), numbers.len())));
    }
    for (at, number) in numbers.iter().enumerate() {
        let value = values.get(usize::from(*number) - 1);
        let value = value.ok_or_else(|| wrong("a parameter number is left out"))?;
        statement.raw_bind_parameter(at + 1, value)?;
    }
    Ok(())
}
