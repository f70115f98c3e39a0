//! Batches: many transactions that are committed together.
//!
//! The transactions of a batch run one after another, without a savepoint for each: SQLite copies every page that is changed in one. If a
//! transaction fails after it has changed something, the whole batch is rolled back and runs again, now with savepoints, and so do the next
//! ones for a while. Clients notice nothing of it, because no result is returned before the commit.

use rusqlite::Connection;

use super::queue::{Batch, Committed, Job, Queue};
use super::syncer::Syncer;
use super::writer::Writing;
use super::{Generations, Touched, control};
use crate::ledger::posting::Posted;

const BEGIN: &str = "BEGIN IMMEDIATE";
const ROLL_BACK: &str = "ROLLBACK";
/// How many transactions run in savepoints after one had to be undone.
const CAREFUL: usize = 1000;

/// The batches of a writer.
#[derive(Default)]
pub(super) struct Batches {
    /// How many of the next transactions run in savepoints.
    careful: usize,
}

impl Batches {
    /// Runs a transaction and those that follow it in the queue, and commits them.
    pub(super) fn commit(
        &mut self,
        connection: &mut Connection,
        (first, mut batch): (Box<dyn Job>, Batch),
        queue: &mut Queue,
        generations: &Generations,
        syncer: &Syncer,
    ) {
        let (mut touched, mut posted) = (Touched::default(), Posted::default());
        let begun = match syncer.failure() {
            Some(reason) => Err(reason.clone()),
            None => step(connection, BEGIN),
        };
        let mut jobs = vec![first];
        let mut writing = Writing { connection, touched: &mut touched, posted: &mut posted, generations };
        let committed = begun.and_then(|()| {
            loop {
                self.run_last(&mut writing, &mut jobs)?;
                let Some(next) = queue.next(&mut batch, syncer) else { break };
                jobs.push(next);
            }
            if write_posted(&mut writing).is_err() {
                self.run_again(&mut writing, &mut jobs)?;
            }
            fieldhouse_wal::commit(|| step(writing.connection, "COMMIT"))?;
            queue.note_commit(&batch);
            Ok(())
        });
        if !connection.is_autocommit() {
            let _ = step(connection, ROLL_BACK);
        }
        generations.raise(&touched);
        match committed {
            Ok(()) => syncer.acknowledge(jobs),
            Err(reason) => jobs.into_iter().for_each(|job| job.answer(Err(reason.clone()))),
        }
    }

    /// Runs the last transaction of a batch; all of them if it must be undone. An error says why none can be committed.
    fn run_last(&mut self, writing: &mut Writing<'_>, jobs: &mut Vec<Box<dyn Job>>) -> Committed {
        let last = jobs.len() - 1;
        if self.careful > 0 {
            self.careful -= 1;
            return run_in_savepoint(writing, jobs, last);
        }
        let before = writing.changes();
        let succeeded = jobs[last].run(writing.reborrow());
        if writing.connection.is_autocommit() {
            return Err(rolled_back(jobs, last, succeeded));
        }
        if succeeded || writing.changes() == before {
            return Ok(());
        }
        self.run_again(writing, jobs)
    }

    /// Undoes the transactions of a batch and runs them again in savepoints, so that only those that fail are undone.
    fn run_again(&mut self, writing: &mut Writing<'_>, jobs: &mut Vec<Box<dyn Job>>) -> Committed {
        self.careful = CAREFUL;
        step(writing.connection, ROLL_BACK)?;
        writing.posted.forget();
        step(writing.connection, BEGIN)?;
        (0..jobs.len()).try_for_each(|at| run_in_savepoint(writing, jobs, at))
    }
}

/// Runs a transaction of a batch in a savepoint, which is released if it succeeds and rolled back if it fails.
fn run_in_savepoint(writing: &mut Writing<'_>, jobs: &mut Vec<Box<dyn Job>>, at: usize) -> Committed {
    step(writing.connection, "SAVEPOINT one")?;
    let mut succeeded = jobs[at].run(writing.reborrow());
    if succeeded && let Err(reason) = write_posted(writing) {
        jobs[at].fail(reason);
        succeeded = false;
    }
    if writing.connection.is_autocommit() {
        return Err(rolled_back(jobs, at, succeeded));
    }
    if !succeeded {
        writing.posted.forget();
        step(writing.connection, "ROLLBACK TO one")?;
    }
    step(writing.connection, "RELEASE one")
}

fn write_posted(writing: &mut Writing<'_>) -> Committed {
    writing.write_posted().map_err(|error| error.to_string())
}

/// After an interrupted write or on a full disk, SQLite rolls back the whole batch. The transaction that caused it returns its own error.
fn rolled_back(jobs: &mut Vec<Box<dyn Job>>, at: usize, succeeded: bool) -> String {
    if !succeeded {
        jobs.remove(at).answer(Ok(()));
    }
    "the database rolled the transaction back".to_owned()
}

/// Runs a statement that begins or ends the batch or a part of it.
fn step(connection: &Connection, sql: &'static str) -> Committed {
    control(connection, sql).map_err(|error| error.to_string())
}
