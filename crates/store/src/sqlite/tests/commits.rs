//! Group commit: the results of the transactions of one batch.

use futures_util::future::join_all;

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
