//! Group commit: the results of the transactions of one batch.

use std::sync::atomic::{AtomicUsize, Ordering};

use futures_util::future::{BoxFuture, join_all};

use super::*;

#[tokio::test]
async fn a_failed_transaction_is_rolled_back_and_others_are_committed() {
    let notes = Notes::open().await;
    let (held, go_on) = notes.hold();
    let refused = notes.store.write("tests.refused", async |tx| {
        tx.run(NOTE, values![2_i64, "x"]).await?;
        Err::<(), _>(Error::Overloaded("refused"))
    });
    let panicking = notes.store.write::<(), Error, _>("tests.panic", async |tx| {
        tx.run(NOTE, values![3_i64, "x"]).await?;
        panic!("on purpose")
    });
    let waiting = notes.store.write("tests.wait", async |tx| {
        tx.run(NOTE, values![4_i64, "x"]).await?;
        std::future::pending::<Result<()>>().await
    });
    let sleeping = notes.store.write("tests.sleep", async |tx| {
        tx.run(NOTE, values![5_i64, "x"]).await?;
        tokio::time::sleep(Duration::from_millis(1)).await;
        Ok::<_, Error>(())
    });
    let twice = notes.write(1, "again");
    let release = async { drop(go_on) };
    let (held, first, refused, panicked, waited, slept, twice, last, ()) = tokio::join!(
        held,
        notes.write(1, "x"),
        refused,
        panicking,
        waiting,
        sleeping,
        twice,
        notes.write(6, "x"),
        release
    );
    assert!(held.is_ok() && first.is_ok() && last.is_ok(), "{held:?} {first:?} {last:?}");
    assert!(matches!(refused, Err(Error::Overloaded("refused"))), "{refused:?}");
    assert!(
        matches!(&panicked, Err(Error::Internal(why)) if why.contains("tests.panic panicked")),
        "{panicked:?}"
    );
    assert!(matches!(&waited, Err(Error::Internal(why)) if why.contains("tests.wait waited")), "{waited:?}");
    assert!(matches!(&slept, Err(Error::Internal(why)) if why.contains("tests.sleep")), "{slept:?}");
    assert!(matches!(twice, Err(Error::Duplicate(_))), "{twice:?}");
    assert_eq!(notes.ids(), [1, 6]);
    notes.write(7, "x").await.expect("the writer still works");
}

/// A log whose flushes take longer than transactions, so that those that wait are committed together.
struct Slow;

impl Log for Slow {
    fn flush(&mut self) -> std::io::Result<()> {
        std::thread::sleep(Duration::from_millis(100));
        Ok(())
    }
}

#[tokio::test]
async fn a_batch_runs_again_only_if_a_transaction_fails_after_a_change() {
    let notes = Notes::of(|folder| Sqlite::with_log(folder, |_| Ok(Slow))).await;
    let runs = Arc::new(AtomicUsize::new(0));
    let counted = |id: i64| {
        let runs = runs.clone();
        notes.store.write("tests.counted", async move |tx| {
            runs.fetch_add(1, Ordering::SeqCst);
            tx.run(NOTE, values![id, "x"]).await.map(drop)
        })
    };
    let unchanged = || notes.store.write("tests.unchanged", async |_| Err::<(), _>(Error::Overloaded("no")));
    let changed = || {
        notes.store.write("tests.changed", async |tx| {
            tx.run(NOTE, values![100_i64, "x"]).await?;
            Err::<(), _>(Error::Overloaded("no"))
        })
    };
    let batch = async |first, failing: [BoxFuture<'_, Result<()>>; 2], last| {
        let (held, go_on) = notes.hold();
        let [one, other] = failing;
        let release = async { drop(go_on) };
        let (held, first, one, other, last, ()) =
            tokio::join!(held, counted(first), one, other, counted(last), release);
        assert!(held.is_ok() && first.is_ok() && last.is_ok(), "{held:?} {first:?} {last:?}");
        assert!(one.is_err() && other.is_err(), "{one:?} {other:?}");
        runs.swap(0, Ordering::SeqCst)
    };
    let duplicate = notes.write(1, "again");
    assert_eq!(batch(1, [Box::pin(unchanged()), Box::pin(duplicate)], 2).await, 2);
    assert_eq!(batch(3, [Box::pin(unchanged()), Box::pin(changed())], 4).await, 3, "the first ran twice");
    assert_eq!(batch(5, [Box::pin(changed()), Box::pin(changed())], 6).await, 2, "now they have savepoints");
    assert_eq!(notes.ids(), [1, 2, 3, 4, 5, 6]);
}

#[tokio::test]
async fn other_statements_that_fail_are_undone() {
    let notes = Notes::open().await;
    let made = notes.store.with_writer("tests.made", |writer| {
        writer.execute_batch("CREATE TABLE made (id INTEGER PRIMARY KEY) STRICT")?;
        Err::<(), _>(Error::Overloaded("no"))
    });
    assert!(matches!(made.await, Err(Error::Overloaded("no"))));
    let tables = notes.store.with_writer("tests.tables", |writer| {
        let count = "SELECT count(*) FROM sqlite_schema WHERE name = 'made'";
        Ok(writer.query_row(count, [], |row| row.get::<_, i64>(0))?)
    });
    assert_eq!(tables.await.unwrap(), 0);
}

#[tokio::test]
async fn a_timeout_rolls_back_the_batch() {
    let notes = Notes::of(|folder| Sqlite::with_log(folder, |_| Ok(Slow))).await;
    let (held, go_on) = notes.hold();
    let endless = notes.store.write("tests.endless", async |tx| tx.run(ENDLESS_WRITE, values![]).await);
    let release = async { drop(go_on) };
    let (held, before, endless, after, ()) =
        tokio::join!(held, notes.write(1, "x"), endless, notes.write(2, "x"), release);
    // SQLite rolls back the whole transaction when it interrupts a statement that writes.
    assert!(matches!(held, Err(Error::Unavailable(_))), "{held:?}");
    assert!(matches!(before, Err(Error::Unavailable(_))), "{before:?}");
    assert!(matches!(endless, Err(Error::Timeout)), "{endless:?}");
    assert!(after.is_ok(), "it was in the next batch: {after:?}");
    assert_eq!(notes.ids(), [2]);
}

#[tokio::test]
async fn a_transaction_that_ignores_a_failed_statement_is_not_committed() {
    let notes = Notes::open().await;
    notes.write(1, "x").await.unwrap();
    let hidden = notes.store.write("tests.hide", async |tx| {
        tx.run(NOTE, values![2_i64, "x"]).await?;
        let _ = tx.run(NOTE, values![1_i64, "again"]).await;
        Ok::<_, Error>(())
    });
    let hidden = hidden.await;
    assert!(matches!(hidden, Err(Error::Internal(_))), "{hidden:?}");
    let continued = notes.store.write("tests.continue", async |tx| {
        let _ = tx.run(ENDLESS_WRITE, values![]).await;
        // Outside of a transaction, this statement alone would be committed.
        let _ = tx.run(NOTE, values![3_i64, "x"]).await;
        Ok::<_, Error>(())
    });
    assert!(continued.await.is_err());
    assert_eq!(notes.ids(), [1]);
}

#[tokio::test]
async fn on_a_full_disk_acknowledged_writes_are_stored_and_the_store_recovers() {
    let notes = Notes::open().await;
    let limit = |pages: u32| {
        let limit = format!("PRAGMA max_page_count = {pages}");
        notes.store.with_writer("tests.limit", move |writer| Ok(writer.execute_batch(&limit)?))
    };
    limit(20).await.unwrap();
    let (held, go_on) = notes.hold();
    let large = "x".repeat(30_000);
    let writes = join_all((1..=10).map(|id| notes.write(id, if id % 2 == 0 { &large } else { "small" })));
    let release = async { drop(go_on) };
    let (_, written, ()) = tokio::join!(held, writes, release);
    let held: Vec<i64> =
        (1..).zip(&written).filter(|(_, written)| written.is_ok()).map(|(id, _)| id).collect();
    assert_eq!(notes.ids(), held, "{written:?}");
    let failed: Vec<_> = written.into_iter().filter_map(Result::err).collect();
    assert!(
        !failed.is_empty() && failed.iter().all(|error| matches!(error, Error::Unavailable(_))),
        "{failed:?}"
    );
    limit(100_000).await.unwrap();
    notes.write(100, &large).await.expect("there is room again");
    assert_eq!(notes.ids().last(), Some(&100));
}

#[tokio::test]
async fn writes_fail_while_another_program_writes() {
    let notes = Notes::open().await;
    let impatient = notes
        .store
        .with_writer("tests.impatient", |writer| Ok(writer.busy_timeout(Duration::from_millis(20))?));
    impatient.await.unwrap();
    let other = Connection::open(notes.folder.path().join(FILE)).unwrap();
    other.execute_batch("BEGIN IMMEDIATE; INSERT INTO notes VALUES (1, 'x')").unwrap();
    let refused = notes.write(2, "x").await;
    assert!(
        matches!(&refused, Err(Error::Unavailable(why)) if why == "a lock was not acquired in time"),
        "{refused:?}"
    );
    assert_eq!(notes.ids(), Vec::<i64>::new(), "reading still works");
    other.execute_batch("COMMIT").unwrap();
    notes.write(3, "x").await.unwrap();
    assert_eq!(notes.ids(), [1, 3]);
}
